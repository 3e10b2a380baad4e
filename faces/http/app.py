"""The application: routes, errors, and the front that every request meets first."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match

from echelon import __version__
from echelon.errors import UserError
from echelon.faces.http import hooks
from echelon.faces.http.api import acting, events, files, health, looking, submitting
from echelon.faces.http.api.mcp import Programs
from echelon.faces.http.api.shapes import NewJob
from echelon.faces.http.desk import THREADS, Desk, asked_of
from echelon.faces.http.guard.front import Front, Patience
from echelon.faces.http.guard.places import Names
from echelon.faces.http.guard.rates import Rate
from echelon.faces.http.problems import Problem, Refusal, of_error, problem
from echelon.faces.http.watches import apart
from echelon.service.failures import sentence
from echelon.service.ordering import finish_orders, remove_old_uploads

ABOUT = """Long jobs with a three-tier hierarchy of roles, over HTTP. Send a token as `Authorization: Bearer TOKEN` where the
server has one. Errors are problems (RFC 9457) with one sentence in `detail`."""
HOUR = 3600.0
ROUTERS = tuple(part.router for part in (health, submitting, looking, acting, events, files))


def make_app(desk: Desk, patience: Patience | None = None) -> Front:
    """The ASGI application of a server."""
    app = FastAPI(
        title="Echelon", version=__version__, description=ABOUT, docs_url=None, redoc_url=None, lifespan=_life,
        separate_input_output_schemas=False,
    )  # fmt: skip
    app.state.desk = desk
    for router in ROUTERS:
        app.include_router(router)
    _errors(app)
    _describe(app, desk)
    app.state.programs = Programs(desk)
    app.router.routes.extend([*_pages(), app.state.programs.route])
    options = desk.options
    more = patience or Patience(upload=options.upload_megabytes * 1_000_000 + 1_000_000)
    front = Front(
        app=app, gate=desk.gate, names=Names(options.host, options.names), rate=Rate(options.rate, options.rate * 10),
        wrong=Rate(0.1, options.wrong), patience=more,
    )  # fmt: skip
    app.state.wrong = front.wrong
    return front


def _pages() -> list[BaseRoute]:
    from echelon.faces.http.page.routes import page_routes

    return page_routes()


@contextlib.asynccontextmanager
async def _life(app: FastAPI) -> AsyncGenerator[None]:
    """What happens beside the requests: orders of before are finished, webhooks told, old uploads removed."""
    from anyio import to_thread

    to_thread.current_default_thread_limiter().total_tokens = THREADS
    desk: Desk = app.state.desk
    tasks = [asyncio.create_task(hooks.tell_all(desk)), asyncio.create_task(_tidy(desk))]
    try:
        yield
    finally:
        desk.closing.set()
        await app.state.programs.end()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _tidy(desk: Desk) -> None:
    with contextlib.suppress(UserError):
        await apart(lambda: finish_orders(desk.service))
    while True:
        await apart(lambda: remove_old_uploads(desk.service))
        await asyncio.sleep(HOUR)


def _errors(app: FastAPI) -> None:
    @app.exception_handler(Refusal)
    async def refused(request: Request, error: Refusal) -> Response:
        return _answered(request, problem(error.status, error.detail, headers=error.headers), error.detail)

    @app.exception_handler(UserError)
    async def of_the_service(request: Request, error: UserError) -> Response:
        return _answered(request, of_error(error), str(error))

    @app.exception_handler(RequestValidationError)
    async def does_not_fit(_: Request, error: RequestValidationError) -> Response:
        return problem(422, "The request does not fit what this route takes.", [_said(e) for e in error.errors()])

    @app.exception_handler(HTTPException)
    async def of_http(request: Request, error: HTTPException) -> Response:
        if (why := asked_of(request).refused) is not None:
            return problem(why.status, why.detail, headers=why.headers)
        detail = error.detail if error.detail != HTTPStatus(error.status_code).phrase else _WORDS.get(error.status_code)
        headers = dict(error.headers or {})
        if error.status_code == 405:  # all methods of the address, not those of its first route
            headers["Allow"] = ", ".join(sorted(_methods(app, request)))
        detail = detail or f"{error.detail}."
        return _answered(request, problem(error.status_code, detail, headers=headers), detail)

    @app.exception_handler(Exception)
    async def of_ours(request: Request, error: Exception) -> Response:
        desk: Desk = app.state.desk
        return problem(500, sentence(error, desk.service.environment.values))


def _methods(app: FastAPI, request: Request) -> set[str]:
    routes = [*app.routes, *(route for router in ROUTERS for route in router.routes)]
    found = (route for route in routes if route.matches(request.scope)[0] is not Match.NONE)
    return {method for route in found for method in getattr(route, "methods", None) or ()}


def _answered(request: Request, as_problem: Response, detail: str) -> Response:
    """A problem, as a page where a person asked for one."""
    from echelon.faces.http.page.render import page

    path = request.url.path
    of_the_page = path.startswith(("/page/", "/login", "/logout")) or path == "/"
    if not of_the_page or "text/html" not in (request.headers.get("accept") or ""):
        return as_problem
    status = as_problem.status_code
    return page(request, "error.html", status, title=HTTPStatus(status).phrase, code=status, detail=detail)


_WORDS = {404: "There is nothing at this address.", 405: "This address does not take that method."}


def _said(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg'].removeprefix('Value error, ')}"


def _describe(app: FastAPI, desk: Desk) -> None:
    """OpenAPI: problems and tokens are named; the description is made once, when somebody asks."""
    described = app.openapi

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = described()
            kinds = schema.setdefault("components", {}).setdefault("schemas", {})
            for model in (Problem, NewJob):
                kinds[model.__name__] = model.model_json_schema(ref_template="#/components/schemas/{model}")
            if not desk.gate.is_open:
                _with_tokens(schema)
        return app.openapi_schema or {}

    app.openapi = openapi  # type: ignore[method-assign]


def _with_tokens(schema: dict[str, Any]) -> None:
    schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, methods in schema["paths"].items():
        for method in methods.values():
            method["security"] = [] if path in ("/health", "/ready") else [{"token": []}]
