"""What judges are held to in JSON mode: open findings come first, and a verdict passes or names what is wrong."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel

from echelon.engine.held import one_each, with_properties, without_property
from echelon.engine.toolbox import PhaseState
from echelon.tasks.contracts import Trajectory

MOST_FINDINGS = 2
"""Findings of one verdict in JSON mode: a small model says the same in other words, and each is a todo"""

MOST_REASONS = 3
"""Reasons of one assessment in JSON mode: a small model wrote its whole prompt down as twenty"""

REFUSED = 2
"""Verdicts on a change that tests prove, or on work that code has surveyed, each refused since code can tell that what it
finds is none, after which only one that passes is offered: a small model says the same again until its budget is spent"""

OFF_COURSE = (Trajectory.MISALIGNED, Trajectory.HOPELESS)
"""Trajectories that need a reason against what was made"""

Standing = Literal["said", "not asked for", "said wrong", "missing"]
"""What a result does with a line of the inputs"""
HOLDS: tuple[Standing, ...] = ("said", "not asked for")
_FAULTS: dict[Standing, str] = {"said wrong": "The result says otherwise", "missing": "The result lacks"}


class PointArguments(BaseModel):
    """A line of the inputs, and what the result does with it."""

    line: str
    result: Standing

    @property
    def fault(self) -> str:
        """What is wrong with the result, as a sentence; '' where nothing is."""
        return f"{_FAULTS[self.result]}: {self.line}" if self.result in _FAULTS else ""


def held_ids(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The ids that are open, by name, and no list of ids where nothing is open; a reason where one is asked for, and what
    a finding is about. What QA found is decided one by one: a small model leaves out what it need not say."""
    for name, ids in (("settled", state.unsettled), ("let_go", state.droppable)):
        if ids and name in parameters["properties"]:
            listed = {"type": "array", "items": {"type": "string", "enum": list(ids)}, "maxItems": len(ids)}
            parameters = with_properties(parameters, **{name: listed})
        elif not ids:
            parameters = without_property(parameters, name)
    if state.unsettled and (settled := parameters["properties"].get("settled")) is not None:
        parameters = parameters | {
            "properties": {"settled": settled, **parameters["properties"]},
            "required": ["settled", *parameters["required"]],
        }
    if state.objects and (findings := parameters["properties"].get("findings")) is not None:
        item = with_properties(findings["items"], about={"type": "string", "enum": list(state.objects)})
        findings = findings | {"items": item | {"required": ["about", "says"]}}
        parameters = with_properties(parameters, findings=findings)
    if (reasons := parameters["properties"].get("reasons")) is not None:
        parameters = with_properties(parameters, reasons=reasons | {"minItems": 1, "maxItems": MOST_REASONS})
    return parameters


def held_verdict(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """A verdict that passes settles all that is open and names no finding; one that fails names one at least.

    Lines of a change are given only once code has proven it; then a judge that has found nothing in them, twice, has
    nothing against it, and so it is with work that code has surveyed. Where a finding is open, it says whether that
    holds, however often it has to be asked.
    """
    held = held_ids(state, parameters)
    passes = with_properties(without_property(held, "findings"), passed={"const": True})
    if state.unsettled:
        everything = held["properties"]["settled"] | {"minItems": len(state.unsettled)}
        passes = with_properties(passes, settled=everything)
    elif (state.changed or state.is_surveyed) and state.refused >= REFUSED:
        return passes
    one = held["properties"]["findings"] | {"minItems": 1, "maxItems": MOST_FINDINGS}
    fails = with_properties(held, passed={"const": False}, findings=one)
    fails |= {"required": [*fails["required"], "findings"]}
    if not state.points:
        return {"anyOf": [passes, fails]}
    by_points = with_properties(without_property(held, "findings"), passed={"const": False})
    return {
        "anyOf": [
            _with_points(state, passes, HOLDS),
            _with_points(state, by_points, get_args(Standing)),
            _with_points(state, fails, HOLDS),
        ]
    }


def _with_points(state: PhaseState, parameters: dict[str, Any], standings: tuple[str, ...]) -> dict[str, Any]:
    """The points come first, one after another, so that the verdict follows from them."""
    own = {"type": "string", "enum": list(standings)}
    forms = [
        {"type": "object", "properties": {"line": {"const": line}, "result": own}, "required": ["line", "result"]}
        for line in state.points
    ]
    return parameters | {
        "properties": {"points": one_each(forms), **parameters["properties"]},
        "required": ["points", *parameters["required"]],
    }


def held_assessment(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """As of verdicts: who twice had no reason against a proven change has none, and says whether more is needed; who twice
    could not say what is missing in work that code has surveyed misses nothing."""
    held = held_ids(state, parameters)
    is_known = bool(state.changed) or lacks_nothing(state)
    if state.unsettled or not is_known or state.refused < REFUSED:
        return held
    trajectory = held["properties"]["trajectory"]
    left = (
        [each for each in trajectory["enum"] if each not in OFF_COURSE] if state.changed else [Trajectory.MILESTONE_MET]
    )
    return with_properties(held, trajectory=trajectory | {"enum": left})


def lacks_nothing(state: PhaseState) -> bool:
    """Whether a milestone is claimed where code, QA and the planner leave nothing open: who goes on all the same has to
    say what is missing; of short inputs that it sees whole, in a word of them."""
    return (state.is_surveyed or bool(state.sources)) and not state.unsettled and not state.droppable
