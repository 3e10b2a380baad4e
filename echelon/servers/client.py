"""Asking a server what it has, and calling one of its tools: one connection, one attempt, never a second.

The session is that of the `mcp` SDK; nothing else of it is used here, so that its next major version can follow. Between
sending a call and hearing its answer everything that goes wrong leaves the call in doubt, whatever it was.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict

from echelon.digest import digest
from echelon.json_text import is_list, is_object
from echelon.servers.settings import Server
from echelon.servers.transport import NoServer, connected
from echelon.shown import visible, visible_lines

T = TypeVar("T")

MOST_TOOLS = 1_000
"""Tools of one server that are looked at"""
MOST_PAGES = 50
GRACE = 5.0
"""Seconds beyond its deadlines after which a connection is given up from outside"""
NOT_DONE = (-32_600, -32_601, -32_602)
"""Errors that say that nothing was done: no valid request, no such method, arguments that do not fit"""


@dataclass(frozen=True)
class Answered:
    """The server answered a call. `failed` is what it says of it."""

    text: str
    failed: bool


@dataclass(frozen=True)
class NotCalled:
    """Nothing was called. `changed`: the server describes the tool otherwise than when it was approved."""

    why: str
    changed: bool = False


@dataclass(frozen=True)
class Doubtful:
    """The call was sent, and nobody knows what became of it."""

    why: str


Outcome = Answered | NotCalled | Doubtful


class _Page(BaseModel):
    """A page of tools, word for word: the SDK's own type leaves out what it does not know."""

    model_config = ConfigDict(extra="allow")

    tools: list[dict[str, Any]]
    nextCursor: str | None = None


class _Result(BaseModel):
    """What a call returned, before it is looked at."""

    model_config = ConfigDict(extra="allow")

    content: list[Any] = []
    structuredContent: Any = None
    isError: bool = False


def listed(server: Server, variables: Mapping[str, str]) -> list[dict[str, Any]]:
    """The definitions of all tools of a server, word for word. Raises NoServer."""

    async def work() -> list[dict[str, Any]]:
        import anyio

        with anyio.fail_after(server.seconds):
            async with connected(server, variables) as ends, _session(ends) as session:
                await session.initialize()
                return await _tools(session)

    return _in_time(work, server.seconds + GRACE, server)


def call(server: Server, variables: Mapping[str, str], tool: str, sha256: str, arguments: dict[str, Any]) -> Outcome:
    """Call a tool once, if it still is described as it was when it was approved."""
    attempt = _Attempt(server, variables, tool, sha256, arguments)
    try:
        _in_time(attempt.work, 2 * server.seconds + GRACE, server, lambda: attempt.outcome is not None)
    except NoServer as error:
        attempt.outcome = attempt.outcome or (Doubtful(str(error)) if attempt.sent else NotCalled(str(error)))
    assert attempt.outcome is not None
    return attempt.outcome


class _Attempt:
    """One call on one connection. `sent` says whether it may have reached the server."""

    def __init__(
        self, server: Server, variables: Mapping[str, str], tool: str, sha256: str, arguments: dict[str, Any]
    ) -> None:
        self._server, self._variables, self._tool = server, variables, tool
        self._sha256, self._arguments = sha256, arguments
        self.sent = False
        self.outcome: Outcome | None = None

    async def work(self) -> None:
        import anyio

        with anyio.fail_after(2 * self._server.seconds):
            async with connected(self._server, self._variables) as ends, _session(ends) as session:
                with anyio.fail_after(self._server.seconds):
                    await session.initialize()
                    tools = [t for t in await _tools(session) if t.get("name") == self._tool]
                if self._refused(tools):
                    return
                self.outcome = await self._called(session)

    def _refused(self, tools: list[dict[str, Any]]) -> bool:
        if len(tools) != 1:
            self.outcome = NotCalled(f"the server has {len(tools) or 'no'} tools of this name", changed=True)
        elif digest(tools[0]) != self._sha256:
            self.outcome = NotCalled("the server describes it otherwise than when it was approved", changed=True)
        return self.outcome is not None

    async def _called(self, session: Any) -> Outcome:
        from datetime import timedelta

        from mcp import McpError, types

        parameters = types.CallToolRequestParams(name=self._tool, arguments=self._arguments)
        request = types.ClientRequest(types.CallToolRequest(params=parameters))
        seconds = timedelta(seconds=self._server.seconds)
        self.sent = True
        try:
            result = await session.send_request(request, _Result, request_read_timeout_seconds=seconds)
        except McpError as error:
            said = visible(error.error.message)[:200]
            if error.error.code in NOT_DONE:
                return NotCalled(f"the server refused it: {said}")
            return Doubtful(said)
        except ValueError:  # an answer in a shape that is none
            return Doubtful("its answer could not be read")
        return Answered(_text(result, self._server.kilobytes * 1_000), result.isError)


def _session(ends: Any) -> Any:
    from mcp import ClientSession

    return ClientSession(*ends)


async def _tools(session: Any) -> list[dict[str, Any]]:
    from mcp import types

    found: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        parameters = types.PaginatedRequestParams(cursor=cursor)
        page = await session.send_request(types.ClientRequest(types.ListToolsRequest(params=parameters)), _Page)
        found += page.tools
        cursor = page.nextCursor
        if cursor is None:
            return found
        if len(found) > MOST_TOOLS:
            break
    raise NoServer("it names more tools than are looked at")


def _in_time(
    work: Callable[[], Awaitable[T]], seconds: float, server: Server, is_known: Callable[[], bool] = lambda: False
) -> T:
    """The result of `work`, run on an event loop of its own thread. Raises NoServer for whatever goes wrong.

    A connection that does not end is left to itself: its program was told to end, and nothing waits for it.
    """
    import anyio

    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(anyio.run(work))
        except BaseException as error:  # told to whoever waits
            errors.append(error)

    thread = threading.Thread(target=run, name="mcp", daemon=True)
    thread.start()
    thread.join(seconds)
    if results:
        return results[0]
    why = _why(errors[0]) if errors else f"no answer in {seconds:g} s"
    error = NoServer(f"The MCP server {visible(server.place)[:120]} cannot be used: {why}.")
    if is_known():  # it was called and answered; only the good-bye failed
        return None  # type: ignore[return-value]
    raise error from (errors[0] if errors else None)


def _why(error: BaseException) -> str:
    """The first of what went wrong at once, in a few words."""
    inner: tuple[BaseException, ...]
    while inner := getattr(error, "exceptions", ()):  # a group of them
        error = inner[0]
    if isinstance(error, TimeoutError):
        return "no answer in time"
    said = visible(str(error)).rstrip(".")[:200]
    return said or type(error).__name__


def _text(result: _Result, most: int) -> str:
    """What a result says, as text with everything visible; what is no text is named and left out."""
    import json

    parts = [_part(part) for part in result.content[:1_000]]
    if result.structuredContent is not None and not any(parts):
        parts = [json.dumps(result.structuredContent, ensure_ascii=False)]
    text = visible_lines("\n".join(p for p in parts if p))
    return text if len(text) <= most else f"{text[:most]}\n[{len(text) - most:,} characters are left out]"


def _part(part: Any) -> str:
    if not is_object(part):
        return ""
    kind, resource = part.get("type"), part.get("resource")
    if kind == "text":
        return str(part.get("text", ""))
    if kind == "resource" and is_object(resource) and "text" in resource:
        return str(resource["text"])
    if kind == "resource_link":
        return f"[{part.get('name', '')}: {part.get('uri', '')}]"
    data = part.get("data")
    size = f", {len(data):,} characters" if isinstance(data, str) else ""
    return f"[{kind}{size}: left out]" if not is_list(part) else ""
