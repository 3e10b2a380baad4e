"""What an answer about doubtful places is held to, where a server can hold it: one decision for each that is asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from echelon.domains.requirements.review.types import Ruling
from echelon.engine.held import one_each, with_properties
from echelon.engine.toolbox import PhaseState

HELD = 8
"""Places that one answer is held to: more of them may not fit into it."""
REFUSED = 2
"""Refused answers after which no split is offered: its pieces want the exact words of the document, and a small model
tried eight times"""


def _one_each(parameters: dict[str, Any], ids: Sequence[str], refused: int) -> dict[str, Any]:
    """The arguments with one decision for each of `ids`, in their order, after so many answers that were refused.

    Words of the document go with a split alone, and the kind stays the rules': a small model fills what it may fill.
    """
    if not ids:
        return parameters
    fields = parameters["properties"]["decisions"]["items"]["properties"]
    whole = [ruling for ruling in fields["ruling"]["enum"] if ruling != Ruling.SPLIT]

    def form(id_: str, ruling: dict[str, Any], *more: str) -> dict[str, Any]:
        own = {"id": {"type": "string", "const": id_}, "ruling": ruling, "reason": fields["reason"]}
        return {"type": "object", "properties": own | {m: fields[m] for m in more}, "required": [*own, *more]}

    def forms(id_: str) -> list[dict[str, Any]]:
        split = form(id_, {"const": str(Ruling.SPLIT)}, "texts")
        pieces = fields["texts"] | {"minItems": 2}
        return [form(id_, {"enum": whole}), *([with_properties(split, texts=pieces)] if refused < REFUSED else [])]

    prefix = [{"anyOf": forms(id_)} for id_ in ids[:HELD]]
    return with_properties(parameters, decisions=one_each(prefix))


def to_decide(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The places of the task that nobody has decided yet."""
    left = [i.work for i in state.todos.items if i.work.startswith("D-") and not i.done]
    return _one_each(parameters, left, state.failures["decide_doubts"])


def to_judge(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The places that QA has not judged yet."""
    return _one_each(parameters, state.unjudged(), state.failures["judge_doubts"])
