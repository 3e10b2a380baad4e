"""The first thing that a request meets: names, origins, rates, tokens, sizes, time, and the headers of every answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from echelon.faces.http.guard.places import SAFE, Names, may_change
from echelon.faces.http.guard.rates import Rate
from echelon.faces.http.guard.who import COOKIE, Gate, Role, Session, cookies_of
from echelon.faces.http.problems import MEDIA, Refusal, body_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

FOR_ALL = ("/health", "/ready", "/login", "/static/")
"""What is answered to everybody: whether the server is alive, and the page that asks for a token"""
FORMS = ("/login", "/logout", "/page/")
"""Forms of the page: their CSRF token is a field of the form, which the page itself looks at"""
MCP = "/mcp"
"""Where other programs order: all of it is POST, so what a token may do is decided for each tool"""
NOT_OWN = "Another user of this machine runs this server, and it has no tokens; ask for one (ECHELON_TOKEN)."
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}
"""On every answer that does not say otherwise"""


@dataclass(frozen=True)
class Patience:
    """Sizes in bytes, times in seconds."""

    body: int = 1_000_000
    """A body that is no upload"""
    upload: int = 220_000_000
    """A body with files"""
    message: int = 4_000_000
    """A body of another program that orders, perhaps with documents as text"""
    pause: float = 20.0
    """Between two pieces of a body, and for a piece of an answer to be taken"""
    slowest: float = 1_000.0
    """Bytes a second that a body must come with, after the first pause"""


@dataclass
class Front:
    """Wraps the application."""

    app: App
    gate: Gate
    names: Names
    rate: Rate
    wrong: Rate
    """Wrong tokens"""
    patience: Patience = field(default_factory=Patience)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, _Answer(send, self.patience.pause))
        else:
            await send({"type": "websocket.close"})

    async def _answer(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        asked = Asked(scope)
        try:
            self._let_in(asked)
            most = self._most(asked)
            if asked.length is not None and asked.length > most:
                raise Refusal(
                    413, f"The request has {asked.length} bytes; the most is {most}.", {"Connection": "close"}
                )
            scope.setdefault("state", {})["asked"] = asked
            await self.app(scope, _Body(receive, most, self.patience, asked), answer)
        except Refusal as refusal:
            if answer.begun:
                raise
            await _refuse(answer, asked, refusal)

    def _most(self, asked: Asked) -> int:
        if asked.path == MCP:
            return self.patience.message
        return self.patience.upload if asked.is_upload else self.patience.body

    def _let_in(self, asked: Asked) -> None:
        if not self.names.answers_to(asked.host):
            raise Refusal(421, "This server is not called by that name; name it with 'echelon serve --name NAME'.")
        if asked.method not in SAFE and not may_change(self.names, asked.host, asked.origin, asked.site):
            raise Refusal(403, "The request comes from a page of another site.")
        if wait := self.rate.take(asked.client):
            raise Refusal(429, "Too many requests; come again later.", {"Retry-After": str(int(wait) + 1)})
        asked.role, asked.session = self._who(asked)
        if asked.is_for_all:
            return
        if asked.role is None and self.gate.is_open:
            raise Refusal(403, NOT_OWN)
        if asked.role is None:
            raise Refusal(401, "A token is needed, and a right one.", {"WWW-Authenticate": 'Bearer realm="echelon"'})
        if asked.method in SAFE:
            return
        if asked.role < Role.OPERATOR and not asked.is_form and asked.path != MCP:
            raise Refusal(403, "This token may look only.")
        if asked.session is not None and not asked.is_form:  # a form of the page carries its token inside
            given = asked.header("x-csrf-token") or ""
            if not self.gate.is_csrf(asked.session, given):
                raise Refusal(403, "The CSRF token is missing or wrong; load the page again.")

    def _who(self, asked: Asked) -> tuple[Role | None, Session | None]:
        """Role and session of who asks. Raises Refusal for a wrong token, and for too many of them."""
        if self.gate.is_open and not asked.is_own:
            return None, None
        given = asked.header("authorization")
        if given is not None:
            if self.wrong.is_empty(asked.address):
                raise Refusal(429, "Too many wrong tokens; come again later.", {"Retry-After": "10"})
            scheme, _, token = given.partition(" ")
            role = self.gate.role_of(token.strip()) if scheme.lower() == "bearer" else None
            if role is None and not self.gate.is_open:
                self.wrong.take(asked.address)
            return role or (Role.ADMIN if self.gate.is_open else None), None
        cookie = cookies_of(asked.header("cookie") or "").get(COOKIE)
        session = self.gate.session(cookie) if cookie else None
        if session is not None:
            return session.role, session
        return (Role.ADMIN if self.gate.is_open else None), None


class Asked:
    """A request, as far as its headers say."""

    def __init__(self, scope: Scope) -> None:
        self._headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            self._headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        self.method: str = scope["method"]
        self.path: str = scope["path"]
        self.query: str = scope.get("query_string", b"").decode("latin-1")
        hosts = self._headers.get("host", [])
        self.host = hosts[0] if len(hosts) == 1 else ""
        self.origin, self.site = self.header("origin"), self.header("sec-fetch-site")
        self.address: str = (scope.get("client") or ("unknown", 0))[0]
        self.is_own: bool = scope.get("state", {}).get("is_own", True)
        """Whether the user who runs the server asks, as far as that can be told and matters"""
        self.role: Role | None = None
        self.session: Session | None = None
        self.refused: Refusal | None = None
        """Why its body was not read to the end, for who takes that for a body that does not parse"""

    def header(self, name: str) -> str | None:
        values = self._headers.get(name)
        return ", ".join(values) if values else None

    @property
    def client(self) -> str:
        return self.address

    @property
    def length(self) -> int | None:
        said = self.header("content-length")
        return int(said) if said is not None and said.isascii() and said.isdecimal() else None

    @property
    def is_upload(self) -> bool:
        return (self.header("content-type") or "").lower().startswith("multipart/form-data")

    @property
    def is_for_all(self) -> bool:
        return any(self.path == p or (p.endswith("/") and self.path.startswith(p)) for p in FOR_ALL)

    @property
    def is_form(self) -> bool:
        return any(self.path == p or (p.endswith("/") and self.path.startswith(p)) for p in FORMS)

    @property
    def wants_page(self) -> bool:
        return self.method == "GET" and "text/html" in (self.header("accept") or "")


class _Body:
    """A body that comes in time and is no larger than it may be."""

    def __init__(self, receive: Receive, most: int, patience: Patience, asked: Asked) -> None:
        self._receive, self._most, self._patience, self._asked = receive, most, patience, asked
        self._size, self._began, self._whole = 0, time.monotonic(), False

    async def __call__(self) -> Message:
        if self._whole:  # who waits now waits for the client to go away
            return await self._receive()
        try:
            message = await asyncio.wait_for(self._receive(), self._patience.pause)
        except TimeoutError:
            raise self._no(408, "The request did not come to its end in time.") from None
        if message["type"] != "http.request":
            return message
        self._size += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._size > self._most:
            raise self._no(413, f"The request is larger than {self._most} bytes.")
        late = time.monotonic() - self._began - self._patience.pause
        if not self._whole and late > 0 and self._size < late * self._patience.slowest:
            raise self._no(408, "The request comes too slowly.")
        return message

    def _no(self, status: int, why: str) -> Refusal:
        self._asked.refused = Refusal(status, why, {"Connection": "close"})
        return self._asked.refused


class _Answer:
    """An answer with the headers of every answer, to a client that takes it in time."""

    def __init__(self, send: Send, pause: float) -> None:
        self._send, self._pause = send, pause
        self.begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            there = {name.lower() for name, _ in message["headers"]}
            more = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in there]
            message = {**message, "headers": [*message["headers"], *more]}
        await asyncio.wait_for(self._send(message), self._pause)


async def _refuse(send: Send, asked: Asked, refusal: Refusal) -> None:
    if refusal.status == 401 and asked.wants_page:
        back = quote(asked.path + (f"?{asked.query}" if asked.query else ""))
        headers = [(b"location", f"/login?to={back}".encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})
        return
    body = body_of(refusal.status, refusal.detail)
    headers = [(b"content-type", MEDIA.encode()), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in refusal.headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if asked.method == "HEAD" else body})
