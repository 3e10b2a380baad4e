"""Where a plan stands, worked out from what is there; only how often a stage was repaired is kept.

So nothing that a role does or leaves out moves a plan past a validation: the stage of a plan is what its files prove.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from echelon.crews.planner import files
from echelon.crews.planner.stages import RETRIES, Event, Place, Stage, decide
from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.patterns.grammar import violations
from echelon.domains.planning.patterns.roadmaps import roadmap_violations
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically

LOG = "trace/stages.json"
"""Code's own record of the stages, in a folder that no role writes to and no rewind takes back."""

Made = Literal["missing", "bad", "good"]


@dataclass(frozen=True)
class Standing:
    """What is there: each piece missing, breaking a rule, or good. `fatal`: the solver gave up at this stage."""

    asked: bool = False
    impossible: bool = False
    outline: Made = "missing"
    roadmap: Made = "missing"
    schedule: Made = "missing"
    approval: Literal["open", "given", "refused"] = "open"
    repairs: tuple[tuple[Stage, int], ...] = ()
    fatal: bool = False


GATES = (Stage.VALIDATE_OUTLINE, Stage.VALIDATE_ROADMAP, Stage.VALIDATE_SCHEDULE)


def events(seen: Standing) -> Iterator[Event]:
    """The events that lead to where a plan stands."""
    if seen.asked and not seen.impossible:
        yield Event.NEEDS_CLARIFICATION
        return
    if seen.impossible and seen.outline == "missing":
        yield Event.INFEASIBLE
        return
    yield Event.SUFFICIENT_CONTEXT
    for gate, made in zip(GATES, (seen.outline, seen.roadmap, seen.schedule), strict=True):
        if made == "missing":
            yield from _not_there(seen, gate)
            return
        yield Event.SUCCESS
        if made == "bad":
            yield Event.INVALID
            return
        yield Event.VALID
    if seen.approval != "open":
        yield Event.APPROVED if seen.approval == "given" else Event.REJECTED


def _not_there(seen: Standing, gate: Stage) -> Iterator[Event]:
    """What is known of a draft that is not there: impossible, given up, refused by its gate, or not begun."""
    if seen.impossible and gate is not Stage.VALIDATE_OUTLINE:
        yield Event.INFEASIBLE
    elif seen.fatal:
        yield Event.FATAL
    elif dict(seen.repairs).get(gate):
        yield Event.SUCCESS
        yield Event.INVALID


def place(seen: Standing, retries: int = RETRIES) -> Place:
    """The stage of a plan; one that was repaired more often than it may asks the person."""
    here = Place(repairs=tuple((stage, count - 1) for stage, count in seen.repairs if count > 1))
    for event in events(seen):
        here = decide(here, event, retries)
    return here


class Move(BaseModel):
    """One entry of the record: what came of a stage, at which step of the job."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step: int
    stage: Stage
    event: Event
    tool: str
    confidence: float
    says: tuple[str, ...] = ()


_MOVES: TypeAdapter[tuple[Move, ...]] = TypeAdapter(tuple[Move, ...])


def moves(workspace: Workspace) -> tuple[Move, ...]:
    """The record of the stages, in order."""
    path = workspace.root / LOG
    return _MOVES.validate_json(path.read_bytes()) if path.exists() else ()


def note(workspace: Workspace, move: Move) -> None:
    """Add to the record. A step that runs again writes its own entry again, and what came after it is not known yet."""
    kept = [m for m in moves(workspace) if m.step < move.step or (m.step == move.step and m.stage != move.stage)]
    write_atomically(workspace.root / LOG, json.dumps([m.model_dump(mode="json") for m in (*kept, move)], indent=1))


def repairs(entries: tuple[Move, ...]) -> tuple[tuple[Stage, int], ...]:
    """How often each stage was repaired since a person last spoke."""
    spoke = max((n for n, m in enumerate(entries, 1) if m.event is Event.ANSWERED), default=0)
    counted = Counter(m.stage for m in entries[spoke:] if m.event is Event.INVALID)
    return tuple(sorted(counted.items()))


def was_impossible(workspace: Workspace) -> bool:
    """Whether a draft turned out impossible since a person last spoke; that it failed takes its files back, not this."""
    last = [m.event for m in moves(workspace) if m.event in (Event.INFEASIBLE, Event.ANSWERED)][-1:]
    return last == [Event.INFEASIBLE]


def standing(workspace: Workspace, *, approvals: bool = False) -> Standing:
    """What is there of the plan as it is now. `approvals`: whether a person has to approve the results."""
    if not workspace.path(files.PROJECT).exists():
        return Standing(fatal=True)
    entries, feasible = moves(workspace), files.get(workspace, files.FEASIBILITY)
    heard = files.get(workspace, files.APPROVAL) is not None
    return Standing(
        asked=any(not a.answered for a in files.asked(workspace)),
        impossible=bool(feasible) and feasible.get("feasible") is False,
        outline=_outline(workspace), roadmap=_roadmap(workspace), schedule=_schedule(workspace),
        approval="given" if heard or not approvals else "open",
        repairs=repairs(entries),
        fatal=bool(entries) and entries[-1].event is Event.FATAL,
    )  # fmt: skip


def stage(workspace: Workspace, retries: int = RETRIES, *, approvals: bool = False) -> Stage:
    """The stage that a plan is in."""
    return place(standing(workspace, approvals=approvals), retries).stage


def _outline(workspace: Workspace) -> Made:
    outline = files.outline(workspace)
    if outline is None:
        return "missing"
    return "bad" if violations(outline, files.project(workspace)) else "good"


def _roadmap(workspace: Workspace) -> Made:
    roadmap = files.roadmap(workspace)
    if roadmap is None:
        return "missing"
    return "bad" if roadmap_violations(roadmap, files.project(workspace)) else "good"


def _schedule(workspace: Workspace) -> Made:
    schedule = files.schedule(workspace)
    if schedule is None:
        return "missing"
    return "bad" if check(files.project(workspace), schedule) else "good"
