"""Every tool there is, by name: those for every job, and those that a type of job brings along."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

from echelon import own
from echelon.crews.job_types import of_each
from echelon.engine.toolbox import Tool
from echelon.errors import UnknownName
from echelon.tools import completion, documents, search, subagents, todo, workspace


def all_tools() -> dict[str, Tool]:
    """All tools by name."""
    return _all_tools(own.loaded())


@functools.cache
def _all_tools(_own: tuple[str, ...]) -> dict[str, Tool]:
    common = (documents, search, workspace, todo, subagents, completion)
    groups = [*(module.TOOLS for module in common), *of_each("tools", "TOOLS").values()]
    return {tool.name: tool for group in groups for tool in group}


def take(names: Iterable[str], more: Mapping[str, Tool] | None = None) -> tuple[Tool, ...]:
    """The named tools, in that order; `more` are the user's own and those of servers. Raises UnknownName."""
    tools = {**all_tools(), **(more or {})}
    for name in names:
        if name not in tools:
            raise UnknownName("tool", name, list(tools))
    return tuple(tools[name] for name in names)
