"""Templates, and what each page needs: who looks, the CSRF token of its forms, how things are written."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from echelon.faces.http.desk import asked_of, desk_of
from echelon.faces.http.guard.who import COOKIE, SECONDS, Role, Session
from echelon.faces.http.problems import Refusal
from echelon.shown import visible

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).parent
STATES = {
    "submitted": "waits in the queue", "running": "runs", "interrupted": "was interrupted", "parked": "is parked",
    "completed": "is completed", "needs_input": "waits for you", "escalated": "waits for you",
    "limit": "reached a limit", "cancelled": "is cancelled", "rejected": "was rejected", "failed": "failed",
}  # fmt: skip


@cache
def templates() -> Environment:
    """The templates; what they show is escaped, and what would act is shown as what it is."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters.update(seen=visible, when=_when, money=_money, figure=_figure)
    return environment


def _when(at: datetime) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")


def _money(dollars: float) -> str:
    return f"${dollars:.4f}"


def _figure(value: object) -> str:
    """A number with its thousands apart, several of them by their names, and text as it is."""
    if isinstance(value, dict):
        return ", ".join(f"{n} {name}" for name, n in value.items()) or "none"  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page. Who has no session gets one, where the server has no tokens: its forms need it."""
    desk, asked = desk_of(request), asked_of(request)
    session, cookie = asked.session, None
    if session is None and desk.gate.is_open and asked.role is not None:
        cookie, session = desk.gate.new_session(Role.ADMIN)
    role = asked.role or Role.READER
    text = templates().get_template(template).render(
        csrf=desk.gate.csrf(session) if session else "", may_act=role >= Role.OPERATOR and session is not None,
        is_admin=role >= Role.ADMIN, signed_in=asked.session is not None and not desk.gate.is_open, here=request.url.path,
        STATES=STATES, **values,
    )  # fmt: skip
    answer = HTMLResponse(text, status)
    if cookie is not None:
        set_session(request, answer, cookie)
    return answer


def set_session(request: Request, answer: Any, cookie: str) -> None:
    """Give a session to a browser: for this site alone, and for no script."""
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=SECONDS,
        httponly=True,
        samesite="strict",
        path="/",
        secure=request.url.scheme == "https",
    )


def check_csrf(request: Request, given: object) -> Session:
    """The session of a form. Raises Refusal where the form is not of a page of this session."""
    session = asked_of(request).session
    if session is None or not isinstance(given, str) or not desk_of(request).gate.is_csrf(session, given):
        raise Refusal(403, "The form is too old or not of this page; load the page again.")
    return session
