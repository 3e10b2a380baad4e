"""Every tool there is, by name."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from echelon.engine.errors import UnknownName
from tools import completion, documents, requirements, subagents, todo, workspace
from tools.registry import Tool


@functools.cache
def shelf() -> dict[str, Tool]:
    """All tools by name."""
    groups = (documents.TOOLS, requirements.TOOLS, workspace.TOOLS, todo.TOOLS, subagents.TOOLS, completion.TOOLS)
    return {tool.name: tool for group in groups for tool in group}


def take(names: Iterable[str]) -> tuple[Tool, ...]:
    """The named tools, in that order. Raises UnknownName."""
    tools = shelf()
    for name in names:
        if name not in tools:
            raise UnknownName("tool", name, list(tools))
    return tuple(tools[name] for name in names)
