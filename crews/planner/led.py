"""What a model in JSON mode is led by when it drafts a plan: the tool of its todo, once, and tasks with a length."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from echelon.engine.toolbox import PhaseState

LENGTHS = ("1h", "2h", "4h", "1d", "2d", "3d", "1w", "2w")
"""How long a task can take in an answer that is held to the schema"""
FEWEST, MOST = 4, 12
"""Tasks of an outline that one answer writes"""


def has_turn(name: str, names: Collection[str], state: PhaseState) -> bool:
    """Whether a step of the plan is the one that the current todo asks for, and was not done for it yet.

    Who has no todos only looks, and what one sees does not change within a phase.
    """
    current = state.todos.current
    if current is None:
        return name not in state.called
    if current.work not in names:
        return True
    return current.work == name and not state.work_since


def nodes(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tasks with a title and a length, one after the other; none where code knows the call, for then they are given."""
    current = state.todos.current
    if current is not None and current.call is not None:
        return {"type": "object", "properties": {}}
    title = parameters["properties"]["nodes"]["items"]["properties"]["title"]
    takes = {"type": "string", "enum": list(LENGTHS)}
    task = {"type": "object", "properties": {"title": title, "takes": takes}, "required": ["title", "takes"]}
    tasks = {"type": "array", "items": task, "minItems": FEWEST, "maxItems": MOST}
    return {"type": "object", "properties": {"nodes": tasks}, "required": ["nodes"]}
