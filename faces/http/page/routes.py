"""The pages: jobs, a job, a step, a new job, experiments, settings. They are whole without JavaScript."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from echelon.errors import UnknownName
from echelon.faces.http.api.files import files_of, policy
from echelon.faces.http.api.health import versions
from echelon.faces.http.api.looking import detail_of, step_of
from echelon.faces.http.api.shapes import OVER, WAITING, summary
from echelon.faces.http.desk import Desk, desk_of
from echelon.faces.http.page import forms
from echelon.faces.http.page.render import HERE, page
from echelon.faces.http.page.story import drawing
from echelon.faces.http.problems import Refusal
from echelon.faces.http.watches import apart
from echelon.service.listing import Listed, known_job, page_of_jobs
from echelon.store.records.events import KINDS

STATIC = {"style.css": "text/css", "live.js": "text/javascript", "icon.svg": "image/svg+xml"}
STEPS = 200
"""Steps that a page lists: the latest"""
LOG = 12


def page_routes() -> list[BaseRoute]:
    """The routes of the page."""
    return [
        Route("/", jobs), Route("/page/new", new), Route("/page/new", forms.create, methods=["POST"]),
        Route("/page/settings", settings), Route("/page/experiments", experiments),
        Route("/page/experiments/{name}", experiment), Route("/page/experiments/{name}/report", experiment_report),
        Route("/page/jobs/{job}", job), Route("/page/jobs/{job}/steps/{number:int}", step),
        Route("/page/jobs/{job}/{act}", forms.act, methods=["POST"]), Route("/page/api", api),
        Route("/login", forms.login), Route("/login", forms.sign_in, methods=["POST"]),
        Route("/logout", forms.sign_out, methods=["POST"]), Route("/static/{name}", static),
    ]  # fmt: skip


async def jobs(request: Request) -> Response:
    """The jobs: those that wait for a person first, then those that run, then all others."""
    store, after = desk_of(request).service.store, request.query_params.get("after")
    waiting = await apart(lambda: page_of_jobs(store, states=WAITING, limit=50)) if not after else None
    running = await apart(lambda: page_of_jobs(store, states=("running",), limit=20)) if not after else None
    latest = await apart(lambda: page_of_jobs(store, after=after, limit=50))
    shares = await apart(lambda: {row.job: _share(desk_of(request), row) for row in running.jobs} if running else {})
    return page(
        request, "jobs.html", waiting=[summary(r) for r in waiting.jobs] if waiting else [],
        running=[summary(r) for r in running.jobs] if running else [], jobs=[summary(r) for r in latest.jobs],
        next=latest.after, after=after, shares=shares,
    )  # fmt: skip


def _share(desk: Desk, row: Listed) -> int:
    return int(100 * desk.stories.of(row.job, row.created).share.done)


async def job(request: Request) -> Response:
    """One job."""
    desk, name = desk_of(request), request.path_params["job"]
    return page(request, "job.html", **await apart(lambda: _job(desk, name)))


def _job(desk: Desk, name: str) -> dict[str, Any]:
    from echelon.service.cost import lines_of, sums_of
    from echelon.service.webhooks import deliveries

    store = desk.service.store
    row = known_job(store, name)
    told, files, steps = desk.stories.of(name, row.created), files_of(desk, name), store.steps(name)
    found = detail_of(store, row, steps)
    return {
        "job": found, "story": told, "drawing": drawing(told), "files": files,
        "cost": sums_of(name, lines_of(steps, told.uses)),
        "report": next((f.path for f in files if f.path == "output/report.html"), None), "log": told.log[-LOG:],
        "steps": steps[-STEPS:], "earlier": max(0, len(steps) - STEPS), "deliveries": deliveries(store, name),
        "over": found.state in OVER, "waits": found.state in WAITING, "percent": int(100 * told.share.done),
        "kinds": (*KINDS, "state"),
    }  # fmt: skip


async def step(request: Request) -> Response:
    """One step: what the role saw, its tools, the answer."""
    import json

    desk, name, number = desk_of(request), request.path_params["job"], request.path_params["number"]
    found = await apart(lambda: step_of(desk, name, number))
    answer = json.dumps(found["answer"], ensure_ascii=False, indent=1) if found["answer"] is not None else ""
    return page(request, "step.html", name=name, step=found, answer=answer)


async def new(request: Request) -> Response:
    """The form of a new job."""
    return page(request, "new.html", types=await apart(forms.types), error=None, given={})


async def settings(request: Request) -> Response:
    """What is configured, reachable and missing."""
    from echelon.service.doctor import examine

    environment = desk_of(request).service.environment
    checks = await apart(lambda: examine(environment))
    return page(request, "settings.html", checks=checks, versions=versions())


async def experiments(request: Request) -> Response:
    """The experiments."""
    from echelon.service.experiments.records import rows

    found = await apart(lambda: rows(desk_of(request).service.store))
    return page(request, "experiments.html", rows=found)


async def experiment(request: Request) -> Response:
    """One experiment: what may be said of it, and its report where it lies beside the server."""
    from echelon.service.experiments.records import stored

    name = request.path_params["name"]
    found = await apart(lambda: stored(desk_of(request).service.store, name))
    said = [] if found.analysis is None else list(found.sentences)
    arms = () if found.analysis is None else found.analysis.arms
    has_report = _report_of(found.experiment.name) is not None
    return page(
        request, "experiment.html", name=name, state=found.state, question=found.experiment.question, said=said,
        arms=arms, done=len(found.results), planned=len(found.trials), has_report=has_report,
    )  # fmt: skip


async def experiment_report(request: Request) -> Response:
    """The report of an experiment, without a right to anything."""
    from echelon.service.experiments.records import stored

    name = request.path_params["name"]
    found = await apart(lambda: stored(desk_of(request).service.store, name))
    path = _report_of(found.experiment.name)
    if path is None:
        raise UnknownName("report of the experiment", name, [])
    headers = {"Content-Security-Policy": policy(".html"), "X-Frame-Options": "SAMEORIGIN"}
    return HTMLResponse(await apart(path.read_bytes), headers=headers)


def _report_of(name: str) -> Path | None:
    path = Path("results") / name / "report.html"
    return path if "/" not in name and not name.startswith(".") and path.is_file() and not path.is_symlink() else None


async def api(request: Request) -> Response:
    """The routes of the API."""
    schema = await apart(request.app.openapi)
    routes = [
        (method.upper(), path, what.get("description") or what.get("summary", ""))
        for path, methods in schema["paths"].items()
        for method, what in methods.items()
    ]
    return page(request, "api.html", routes=routes)


async def static(request: Request) -> Response:
    """A file of the page itself."""
    name = request.path_params["name"]
    if name not in STATIC:
        raise Refusal(404, "There is nothing at this address.")
    return Response(
        (HERE / "static" / name).read_bytes(), media_type=STATIC[name], headers={"Cache-Control": "max-age=300"}
    )
