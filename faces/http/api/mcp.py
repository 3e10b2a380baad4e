"""`POST /mcp`: the tools of `echelon mcp` for programs that reach the server.

The front has checked names, origins, tokens and rates before, as for every request. A reader's token may look; ordering and
answering need an operator's. No request hangs on another, so a server that was started again goes on with its callers.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from echelon.faces.http.desk import Desk, asked_of
from echelon.faces.http.guard.front import MCP, Message, Receive, Scope, Send
from echelon.faces.http.guard.who import Role
from echelon.faces.http.watches import apart

if TYPE_CHECKING:
    from mcp.server.fastmcp import FastMCP
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


class Programs:
    """An ASGI application that begins with its first request: what it stands on takes a second to import."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._beginning = desk, asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def route(self) -> Route:
        """Where it is. There is nothing to listen to (GET) and no session to end (DELETE)."""
        return Route(MCP, self, methods=["POST"], include_in_schema=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Raises Refusal for a body that is too large or too slow, and for too many at once."""
        body = await _body(receive)
        with self._desk.streams.one(scope["state"]["asked"].client):
            manager = await self._begun()
            await manager.handle_request(scope, _again(body, receive), send)

    async def end(self) -> None:
        """End what runs."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _begun(self) -> StreamableHTTPSessionManager:
        async with self._beginning:
            if self._manager is None:
                server = await apart(self._server)
                server.streamable_http_app()
                listens = asyncio.Event()
                self._task = asyncio.create_task(_run(server.session_manager, listens))
                await listens.wait()
                self._manager = server.session_manager
            return self._manager

    def _server(self) -> FastMCP[Any]:
        from echelon.faces.mcp.server import Host, make_server

        host = Host(may_act=_may_act, is_ending=self._desk.closing.is_set)
        return make_server(self._desk.service, folder=None, host=host)


def _may_act(request: Any) -> bool:
    return (asked_of(request).role or Role.READER) >= Role.OPERATOR


async def _run(manager: StreamableHTTPSessionManager, listens: asyncio.Event) -> None:
    """What all requests run in, until cancelled."""
    with contextlib.suppress(asyncio.CancelledError):
        async with manager.run():
            listens.set()
            await asyncio.Event().wait()


async def _body(receive: Receive) -> bytes:
    """The whole body; the front says how large it may be."""
    parts: list[bytes] = []
    while (message := await receive())["type"] == "http.request":
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            break
    return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read, then what comes after it."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def one() -> Message:
        return first.pop() if first else await receive()

    return one
