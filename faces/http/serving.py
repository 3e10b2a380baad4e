"""Listening: a socket of our own, clients that must say what they want in time, and an end in order."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from echelon.errors import UserError
from echelon.faces.http.desk import Desk
from echelon.faces.http.guard.front import App
from echelon.faces.http.guard.peers import is_own

HEAD_SECONDS = 10.0
"""In which the head of a first request must have come"""
CONNECTIONS = 600
GRACE = 5
"""Seconds that open requests have when the server ends"""


class Protocol(H11Protocol):
    """HTTP/1.1 with a deadline for the head of a request: who opens connections and says nothing holds none of them."""

    _deadline: asyncio.TimerHandle | None = None
    _asks_who = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if self._asks_who:
            self.app_state = {**self.app_state, "is_own": is_own(self.client, self.server)}
        self._deadline = self.loop.call_later(HEAD_SECONDS, self._too_late)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None and self.conn.their_state is h11.IDLE:
            self._deadline = self.loop.call_later(HEAD_SECONDS, self._too_late)
        super().data_received(data)
        if self._deadline is not None and self.conn.their_state is not h11.IDLE:
            self._deadline.cancel()
            self._deadline = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _too_late(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()


class OwnProtocol(Protocol):
    """For a server without tokens: says of each connection whether this user opened it."""

    _asks_who = True


class Server(uvicorn.Server):
    """Ends its streams first when it is told to end, and says when it listens."""

    def __init__(self, config: uvicorn.Config, desk: Desk, began: Callable[[], None]) -> None:
        super().__init__(config)
        self._desk, self._began = desk, began

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._began()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._desk.closing.set()
        await super().shutdown(sockets)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises UserError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        found = socket.socket(family, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(512)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UserError(f"The server cannot listen on {host}:{port}: {why}; choose another with --port.") from error
    return found


def uvicorn_config(app: App, desk: Desk) -> uvicorn.Config:
    """How uvicorn is used: silent, with bounds."""
    return uvicorn.Config(
        app, http=OwnProtocol if desk.gate.is_open else Protocol, ws="none", lifespan="on", log_config=None,
        log_level="critical", access_log=False, server_header=False, date_header=True, timeout_keep_alive=15,
        timeout_graceful_shutdown=GRACE, limit_concurrency=CONNECTIONS, h11_max_incomplete_event_size=32_768,
        proxy_headers=False,
    )  # fmt: skip


def serve(app: App, desk: Desk, sock: socket.socket, began: Callable[[], None]) -> None:
    """Answer until told to end (SIGINT, SIGTERM). Raises KeyboardInterrupt then."""
    Server(uvicorn_config(app, desk), desk, began).run([sock])
