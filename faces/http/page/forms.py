"""The forms of the page: signing in, making a job, telling one something. Each carries the CSRF token of its session."""

from __future__ import annotations

import secrets
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from echelon.crews.hierarchy.states import Event
from echelon.errors import UserError
from echelon.faces.http import uploads
from echelon.faces.http.api.acting import resumed, stop, tell
from echelon.faces.http.api.submitting import FORM_BYTES, FORM_FIELDS, submit_order, validated
from echelon.faces.http.desk import asked_of, desk_of, needs
from echelon.faces.http.guard.who import COOKIE, Role
from echelon.faces.http.page.render import check_csrf, page, set_session
from echelon.faces.http.problems import Refusal, status_of
from echelon.faces.http.watches import apart
from echelon.store.records.jobs import Said

SAYS = {"approve": Event.APPROVED.value, "reject": Event.REFUSED.value, "answer": Event.ANSWERED.value}


async def login(request: Request) -> Response:
    """The form that asks for a token."""
    return page(request, "login.html", to=_inside(request.query_params.get("to", "/")), error=None)


async def sign_in(request: Request) -> Response:
    """Take a token and give a session."""
    desk, asked = desk_of(request), asked_of(request)
    async with request.form(max_files=0, max_fields=10, max_part_size=10_000) as form:
        token, to = str(form.get("token", "")), _inside(str(form.get("to", "/")))
    wrong = request.app.state.wrong
    if wrong.is_empty(asked.address):
        raise Refusal(429, "Too many wrong tokens; come again later.", {"Retry-After": "10"})
    role = desk.gate.role_of(token.strip())
    if role is None:
        wrong.take(asked.address)
        return page(request, "login.html", 401, to=to, error="This token is not right.")
    answer = RedirectResponse(to, 303)
    cookie, _ = desk.gate.new_session(role)
    set_session(request, answer, cookie)
    return answer


async def sign_out(request: Request) -> Response:
    """Take the session back."""
    async with request.form(max_files=0, max_fields=10) as form:
        check_csrf(request, form.get("csrf"))
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE, path="/")
    return answer


def _inside(to: str) -> str:
    """A place of this server to go to; what could lead elsewhere leads home."""
    is_inside = to.startswith("/") and not to.startswith(("//", "/\\")) and to.isprintable()
    return to if is_inside else "/"


async def create(request: Request) -> Response:
    """Make a job from the form."""
    needs(request, Role.OPERATOR)
    desk, asked = desk_of(request), asked_of(request)
    given: dict[str, str] = {}
    try:
        async with request.form(max_files=desk.options.files, max_fields=FORM_FIELDS, max_part_size=FORM_BYTES) as form:
            check_csrf(request, form.get("csrf"))
            given = {name: str(form.get(name, "")).strip() for name in ("type", "request", "model", "settings", "key")}
            files = [f for f in form.getlist("files") if not isinstance(f, str) and f.filename]
            wanted = {name: given[name] for name in ("type", "request", "model") if given[name]}
            order = validated({**wanted, "set": [s.strip() for s in given["settings"].splitlines() if s.strip()]})
            sent = await uploads.keep(desk, files)
        key = given["key"] or secrets.token_hex(12)
        job, _ = await apart(lambda: submit_order(desk, asked.role, f"page:{key}", order, sent, sent))
    except (UserError, Refusal) as error:
        status = error.status if isinstance(error, Refusal) else status_of(error)
        if status == 403 and "form" in str(error):
            raise
        return page(request, "new.html", status, types=await apart(types), error=str(error), given=given)
    return RedirectResponse(f"/page/jobs/{job}", 303)


async def act(request: Request) -> Response:
    """Tell a job something."""
    needs(request, Role.OPERATOR)
    desk, asked = desk_of(request), asked_of(request)
    job, what = request.path_params["job"], request.path_params["act"]
    async with request.form(max_files=0, max_fields=20, max_part_size=FORM_BYTES) as form:
        check_csrf(request, form.get("csrf"))
        text = str(form.get("text", "")).strip()
        settings = [s.strip() for s in str(form.get("settings", "")).splitlines() if s.strip()]
    if what == "answer" and not text:
        raise Refusal(422, "The answer is empty.")
    if what in SAYS:
        said = Said(event=SAYS[what], text=text if what == "answer" else None)
        await apart(lambda: tell(desk, job, said))
    elif what == "cancel":
        await apart(lambda: stop(desk, job))
    elif what == "resume":
        await apart(lambda: resumed(desk, job, settings, asked.role))
    else:
        raise Refusal(404, "There is nothing at this address.")
    return RedirectResponse(f"/page/jobs/{job}", 303)


def types() -> list[dict[str, Any]]:
    """The types of job with what they do and their ceilings, read anew each time."""
    from echelon.service.service import CONFIGS
    from echelon.settings import config_names, load_config

    found: list[dict[str, Any]] = []
    for name in config_names(CONFIGS):
        config = load_config(CONFIGS, name)
        found.append({
            "name": name, "description": config.description, "request": config.request, "least": config.inputs.least,
            "budget": config.budget, "rounds": config.ceilings.rounds,
        })  # fmt: skip
    return found
