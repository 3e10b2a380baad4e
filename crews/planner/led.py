"""What a model in JSON mode is led by when it drafts a plan: the tool of its todo, once, and tasks with a length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from echelon.domains.planning.contracts.plan import PatternType
from echelon.domains.planning.contracts.strategy import Strategy
from echelon.engine.toolbox import PhaseState

LENGTHS = ("1h", "2h", "4h", "1d", "2d", "3d", "1w", "2w")
"""How long a task can take in an answer that is held to the schema"""
TITLE = '^[^0-9_?"\\\\ -][^_?"\\\\]{2,79}$'
"""A title as such an answer writes it: no number before it, no name of a tool in it, and no question"""
FEWEST, MOST = 4, 12
"""Tasks of an outline that one answer writes"""


def has_turn(name: str, makes: Mapping[str, str], state: PhaseState) -> bool:
    """Whether a step of the plan is the one that the current todo asks for, and was not done for it yet.

    `makes` holds the file that a step makes, '' for steps that make none. A todo of another kind, such as a finding, asks
    for the step whose file it names, or for any. Who has no todos only looks, and what one sees does not change within a
    phase.
    """
    current = state.todos.current
    if current is None:
        return name not in state.called
    if state.work_since:
        return False
    if current.work in makes:
        return current.work == name
    named = {step for step, path in makes.items() if path and path in current.content}
    return not named or name in named


def choice(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The option alone: the reason is in the figures, which a small model has not seen when it chooses."""
    options = {"type": "string", "enum": [strategy.value for strategy in Strategy]}
    return {"type": "object", "properties": {"choose": options}, "required": ["choose"]}


def pattern(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """One of the patterns that an outline without habits can have."""
    kinds = [kind for kind in get_args(PatternType) if kind != "recurring_cycle"]
    return {
        "type": "object", "properties": {"pattern_type": {"type": "string", "enum": kinds}}, "required": ["pattern_type"],
    }  # fmt: skip


def nodes(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """Tasks with a title and a length, one after the other; none where code knows the call, for then they are given."""
    current = state.todos.current
    if current is not None and current.call is not None:
        return {"type": "object", "properties": {}}
    title = {"type": "string", "pattern": TITLE}
    takes = {"type": "string", "enum": list(LENGTHS)}
    task = {"type": "object", "properties": {"title": title, "takes": takes}, "required": ["title", "takes"]}
    tasks = {"type": "array", "items": task, "minItems": FEWEST, "maxItems": MOST}
    return {"type": "object", "properties": {"nodes": tasks}, "required": ["nodes"]}
