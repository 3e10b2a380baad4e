"""What all routes share: the service, the options of the server, the open streams."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from echelon.faces.http.guard.rates import Streams
from echelon.faces.http.guard.who import Gate, Role, key_of, tokens_of
from echelon.faces.http.page.story import Stories
from echelon.faces.http.problems import Refusal
from echelon.faces.http.watches import Watches
from echelon.service.service import Service, make_home

if TYPE_CHECKING:
    from starlette.requests import Request

    from echelon.faces.http.guard.front import Asked
    from echelon.service.standing import Figures

THREADS = 16
"""Requests that use the database at once"""


@dataclass(frozen=True)
class Options:
    """How the server was started."""

    host: str = "127.0.0.1"
    port: int = 8600
    workers: int = 1
    concurrency: int = 1
    names: tuple[str, ...] = ()
    webhook: str | None = None
    webhook_hosts: tuple[str, ...] = ()
    upload_megabytes: int = 200
    files: int = 20
    """Files of one request"""
    rate: float = 50.0
    """Requests a second of one client; ten times as many at once"""
    wrong: int = 10
    """Wrong tokens of one client at once; then one in ten seconds"""
    streams_each: int = 64
    streams: int = 256


@dataclass
class Desk:
    """The state of a server."""

    service: Service
    options: Options
    gate: Gate
    streams: Streams
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is told to end: streams end, so that their readers come back"""

    figures: tuple[float, Figures] | None = None
    """The figures for Prometheus, and when they were counted"""

    @cached_property
    def stories(self) -> Stories:
        """What happened in the jobs that somebody looked at."""
        return Stories(self.service.store)

    @cached_property
    def watches(self) -> Watches:
        """The jobs that somebody watches."""
        return Watches(self.service.store, self.closing)


def open_desk(service: Service, options: Options) -> Desk:
    """The desk of a server on this home; makes the home and its database. Raises UserError."""
    make_home(service.environment.home)
    assert service.store is not None
    gate = Gate(tokens_of(service.environment), key_of(service.environment.home))
    return Desk(service, options, gate, Streams(options.streams_each, options.streams))


def desk_of(request: Request) -> Desk:
    """The desk of the server that was asked."""
    desk: Desk = request.app.state.desk
    return desk


def asked_of(request: Request) -> Asked:
    """Who asks, as the front has found out."""
    asked: Asked = request.scope["state"]["asked"]
    return asked


def needs(request: Request, role: Role) -> None:
    """Raises Refusal where who asks may not."""
    mine = asked_of(request).role
    if mine is None or mine < role:
        raise Refusal(403, f"This needs a token of the role {role.name.lower()}.")
