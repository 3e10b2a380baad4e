"""Every tool there is, by name."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from echelon.engine.errors import UnknownName
from tools import completion, documents, graph, requirements, search, subagents, todo, workspace
from tools.registry import Tool


@functools.cache
def shelf() -> dict[str, Tool]:
    """All tools by name."""
    modules = (documents, requirements, graph, search, workspace, todo, subagents, completion)
    return {tool.name: tool for module in modules for tool in module.TOOLS}


def take(names: Iterable[str]) -> tuple[Tool, ...]:
    """The named tools, in that order. Raises UnknownName."""
    tools = shelf()
    for name in names:
        if name not in tools:
            raise UnknownName("tool", name, list(tools))
    return tuple(tools[name] for name in names)
