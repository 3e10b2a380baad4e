"""Ways to a server that give away nothing and take no more than a bounded amount.

The SDK's own stdio client passes variables of this process on, and reads lines of any length; its HTTP client follows
redirects, reads `.netrc` and proxies, and answers of any length. So the two ends of its session are plugged into these.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import ssl
import subprocess
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from echelon.errors import UserError
from echelon.json_text import read_json
from echelon.servers.settings import Server

if TYPE_CHECKING:
    import anyio.abc
    import httpx

MOST_BYTES = 8_000_000
"""That one connection brings, before it is cut"""
PATIENCE = 0.5
"""Seconds that a program is given to end by itself once it is told nothing more"""

Ends = tuple[Any, Any]
"""(what comes from the server, what goes to it), as a session of the SDK takes them"""


class NoServer(UserError):
    """A server that cannot be reached, or that is none; nothing was called."""


@contextlib.asynccontextmanager
async def connected(server: Server, variables: Mapping[str, str]) -> AsyncGenerator[Ends]:
    """A connection to a server. `variables` are those of this machine; it gets those that its settings name.

    Raises NoServer for one that is missing.
    """
    for name in (*server.environment, *server.headers.values()):
        if not variables.get(name):
            raise NoServer(f"The variable {name}, which the MCP server {server.place[:80]} needs, is not set.")
    opened = _over_pipes(server, variables) if server.command else _over_http(server, variables)
    async with opened as ends:
        yield ends


@contextlib.asynccontextmanager
async def _over_pipes(server: Server, variables: Mapping[str, str]) -> AsyncGenerator[Ends]:
    import anyio

    program = shutil.which(server.command[0])
    if program is None:
        raise NoServer(f"There is no program {server.command[0]} for an MCP server.")
    try:
        process = await anyio.open_process(
            [program, *server.command[1:]], env={name: variables[name] for name in server.environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise NoServer(f"{program} cannot be started: {error.strerror}.") from error
    to_session, from_server = anyio.create_memory_object_stream[Any](0)
    to_server, from_session = anyio.create_memory_object_stream[Any](0)
    try:
        async with anyio.create_task_group() as tasks, from_server, to_server:
            tasks.start_soon(_read, process, to_session)
            tasks.start_soon(_write, process, from_session)
            yield from_server, to_server
            tasks.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await _ended(process)


async def _read(process: anyio.abc.Process, to_session: Any) -> None:
    """One message a line. What is no message is left out; the session ends where there are too many bytes."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCMessage

    assert process.stdout is not None
    rest, left = b"", MOST_BYTES
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream):
        async with to_session:
            while left > 0:
                chunk = await process.stdout.receive(min(left, 65_536))
                left -= len(chunk)
                *lines, rest = (rest + chunk).split(b"\n")
                for line in lines:
                    with contextlib.suppress(ValueError):
                        message = JSONRPCMessage.model_validate(read_json(line.decode()))
                        await to_session.send(SessionMessage(message))


async def _write(process: anyio.abc.Process, from_session: Any) -> None:
    import anyio

    assert process.stdin is not None
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        async with from_session:
            async for said in from_session:
                line = said.message.model_dump_json(by_alias=True, exclude_none=True)
                await process.stdin.send(line.encode() + b"\n")


async def _ended(process: anyio.abc.Process) -> None:
    """Let the program end, and end it and what it started where it does not."""
    import anyio

    with contextlib.suppress(Exception):
        if process.stdin is not None:
            await process.stdin.aclose()
    with anyio.move_on_after(PATIENCE):
        await process.wait()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with anyio.move_on_after(PATIENCE):
        await process.wait()
    with contextlib.suppress(Exception):
        await process.aclose()


@contextlib.asynccontextmanager
async def _over_http(server: Server, variables: Mapping[str, str]) -> AsyncGenerator[Ends]:
    import httpx
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Accept-Encoding": "identity"} | {name: variables[value] for name, value in server.headers.items()}
    client = httpx.AsyncClient(
        headers=headers, timeout=server.seconds, trust_env=False, follow_redirects=False, transport=_bounded()
    )
    async with client, streamable_http_client(server.url, http_client=client) as (from_server, to_server, _):
        yield from_server, to_server


def _bounded() -> httpx.AsyncBaseTransport:
    """A transport that follows nowhere, unpacks nothing, and ends a connection that brings too much."""
    import httpx

    class Bounded(httpx.AsyncHTTPTransport):
        left = MOST_BYTES

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            response = await super().handle_async_request(request)
            refused = "a redirect" if response.has_redirect_location else ""
            if response.headers.get("content-encoding", "identity") != "identity":
                refused = "packed content"
            if refused:
                await response.aclose()
                raise httpx.RemoteProtocolError(f"{refused}, which is not taken", request=request)
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = Counted(response.stream, self)
            return response

    class Counted(httpx.AsyncByteStream):
        def __init__(self, inner: httpx.AsyncByteStream, counter: Bounded) -> None:
            self._inner, self._counter = inner, counter

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in self._inner:
                self._counter.left -= len(chunk)
                if self._counter.left < 0:
                    raise httpx.ReadError("more than is taken")
                yield chunk

        async def aclose(self) -> None:
            await self._inner.aclose()

    return Bounded(retries=0, verify=_certificates())


@functools.cache
def _certificates() -> ssl.SSLContext:
    """Those that this machine trusts; to read them takes longer than a call."""
    import httpx

    return httpx.create_ssl_context()
