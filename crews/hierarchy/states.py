"""The transition table: what happens next, decided by data and one pure function, never by a model.

`TABLE` has one row for each (state, event) pair that can occur. A row names the next state, or, where a counter has a
ceiling, the counter and the state that it leads to once the ceiling is reached. `decide` looks the row up and returns
the new position; it reads no clock, no file and no setting but the ceilings it is given.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from echelon.crews.hierarchy.vocabulary import APPROVALS, ENDS, RESUMABLE, WORKING, Counter, Event, State
from echelon.settings import Ceilings

__all__ = ["APPROVALS", "ENDS", "RESUMABLE", "TABLE", "WORKING", "Counter", "Event", "Position", "Row", "State"]


class Position(BaseModel):
    """Where a job is in the table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    state: State = State.INTAKE
    counts: dict[Counter, int] = Field(default_factory=dict)
    came_from: State | None = Field(default=None, description="the state that a resumable end interrupted")

    def count(self, counter: Counter) -> int:
        return self.counts.get(counter, 0)


@dataclass(frozen=True)
class Row:
    """One row of the table.

    `counts` is raised by one when the row is taken; when it then stands above (`at` False) or at (`at` True) its
    ceiling, the row leads to `beyond` instead of `to`. `clears` are counters that start again from nought. A row that
    leads to LIMIT changes no counter: with one round more granted, that round is taken. `gives_back` says that the
    counters whose use-up handed the job to a person start again as well, and no others.
    """

    state: State
    event: Event
    to: State
    counts: Counter | None = None
    beyond: State | None = None
    at: bool = False
    clears: tuple[Counter, ...] = ()
    gives_back: bool = False


S, E, C = State, Event, Counter

ASSESSED = (C.TASKS_SINCE_ASSESSMENT, C.TASK_FAILURES, C.PLAN_REPAIRS, C.ASSESSMENT_REPAIRS)
"""What an answer of the Assessor settles, whatever it is."""

TABLE: tuple[Row, ...] = (
    Row(S.INTAKE, E.READY, S.SCOPE),
    Row(S.INTAKE, E.BAD_INPUT, S.REJECTED),
    Row(S.SCOPE, E.SUBMITTED, S.GATE_SCOPE),
    Row(S.SCOPE, E.NOTHING_SUBMITTED, S.SCOPE, C.SCOPE_REPAIRS, S.ESCALATED),
    Row(S.GATE_SCOPE, E.PASSED, S.PLAN, clears=(C.SCOPE_REPAIRS, C.PLAN_REPAIRS, C.TASK_FAILURES)),
    Row(S.GATE_SCOPE, E.PASSED_NEEDS_APPROVAL, S.APPROVE, clears=(C.SCOPE_REPAIRS,)),
    Row(S.GATE_SCOPE, E.REPAIRABLE, S.SCOPE, C.SCOPE_REPAIRS, S.ESCALATED),
    Row(S.GATE_SCOPE, E.TOO_WEAK, S.ESCALATED),
    Row(S.GATE_SCOPE, E.QUESTIONS, S.NEEDS_INPUT),
    Row(S.APPROVE, E.APPROVED, S.PLAN, clears=(C.PLAN_REPAIRS, C.TASK_FAILURES)),
    Row(S.APPROVE, E.CHANGES_ASKED, S.SCOPE, C.CHANGES, S.ESCALATED),
    Row(S.APPROVE, E.REFUSED, S.CANCELLED),
    Row(S.APPROVE, E.AWAITED, S.NEEDS_INPUT),
    Row(S.PLAN, E.TASK, S.GATE_PLAN),
    Row(S.PLAN, E.MILESTONE_CLAIMED, S.ASSESS, clears=(C.PLAN_REPAIRS,)),
    Row(S.PLAN, E.ABORTED, S.ASSESS, clears=(C.PLAN_REPAIRS,)),
    Row(S.PLAN, E.QUESTIONS, S.NEEDS_INPUT),
    Row(S.PLAN, E.NOTHING_SUBMITTED, S.PLAN, C.PLAN_REPAIRS, S.ASSESS),
    Row(S.GATE_PLAN, E.PASSED, S.IMPLEMENT, C.ROUNDS, S.LIMIT, clears=(C.PLAN_REPAIRS,)),
    Row(S.GATE_PLAN, E.PASSED_NEEDS_APPROVAL, S.APPROVE_TASK, C.ROUNDS, S.LIMIT, clears=(C.PLAN_REPAIRS,)),
    Row(S.APPROVE_TASK, E.APPROVED, S.IMPLEMENT),
    Row(S.APPROVE_TASK, E.CHANGES_ASKED, S.PLAN, C.CHANGES, S.ESCALATED),
    Row(S.APPROVE_TASK, E.REFUSED, S.CANCELLED),
    Row(S.APPROVE_TASK, E.AWAITED, S.NEEDS_INPUT),
    Row(S.GATE_PLAN, E.REPAIRABLE, S.PLAN, C.PLAN_REPAIRS, S.ASSESS),
    Row(S.IMPLEMENT, E.REPORTED, S.QA),
    Row(S.IMPLEMENT, E.REWOUND, S.PLAN, C.TASK_FAILURES, S.ASSESS, at=True),
    Row(S.IMPLEMENT, E.STUCK, S.PLAN, C.TASK_FAILURES, S.ASSESS, at=True),
    Row(S.IMPLEMENT, E.NOTHING_SUBMITTED, S.PLAN, C.TASK_FAILURES, S.ASSESS, at=True),
    Row(S.QA, E.QA_PASSED, S.PLAN, C.TASKS_SINCE_ASSESSMENT, S.ASSESS, at=True, clears=(C.TASK_FAILURES, C.STALLS)),
    Row(S.QA, E.QA_FAILED, S.PLAN, C.TASK_FAILURES, S.ASSESS, at=True),
    Row(S.QA, E.NOTHING_SUBMITTED, S.PLAN, C.TASK_FAILURES, S.ASSESS, at=True),
    Row(S.ASSESS, E.CONTINUE, S.PLAN, C.ROUNDS, S.LIMIT, clears=ASSESSED),
    Row(S.ASSESS, E.STALLED, S.PLAN, C.STALLS, S.ESCALATED, clears=ASSESSED),
    Row(S.ASSESS, E.MILESTONE_MET, S.PLAN, C.ROUNDS, S.LIMIT, clears=ASSESSED),
    Row(S.ASSESS, E.ALL_MILESTONES_MET, S.DELIVER, clears=ASSESSED),
    Row(S.ASSESS, E.MET_NEEDS_APPROVAL, S.APPROVE_MILESTONE, C.ROUNDS, S.LIMIT, clears=ASSESSED),
    Row(S.ASSESS, E.ALL_MET_NEEDS_APPROVAL, S.APPROVE_RESULT, clears=ASSESSED),
    Row(S.ASSESS, E.MISALIGNED, S.SCOPE, C.MISALIGNMENTS, S.ESCALATED, clears=ASSESSED),
    Row(S.ASSESS, E.HOPELESS, S.ESCALATED),
    Row(S.ASSESS, E.NOTHING_SUBMITTED, S.ASSESS, C.ASSESSMENT_REPAIRS, S.ESCALATED),
    Row(S.APPROVE_MILESTONE, E.APPROVED, S.PLAN),
    Row(S.APPROVE_MILESTONE, E.CHANGES_ASKED, S.PLAN, C.CHANGES, S.ESCALATED),
    Row(S.APPROVE_MILESTONE, E.REFUSED, S.CANCELLED),
    Row(S.APPROVE_MILESTONE, E.AWAITED, S.NEEDS_INPUT),
    Row(S.APPROVE_RESULT, E.APPROVED, S.DELIVER),
    Row(S.APPROVE_RESULT, E.CHANGES_ASKED, S.PLAN, C.CHANGES, S.ESCALATED),
    Row(S.APPROVE_RESULT, E.REFUSED, S.CANCELLED),
    Row(S.APPROVE_RESULT, E.AWAITED, S.NEEDS_INPUT),
    Row(S.DELIVER, E.DELIVERED, S.COMPLETED),
    Row(S.DELIVER, E.NOT_DELIVERABLE, S.DELIVER, C.DELIVERY_REPAIRS, S.ESCALATED),
    Row(S.DELIVER, E.NOTHING_SUBMITTED, S.DELIVER, C.DELIVERY_REPAIRS, S.ESCALATED),
    Row(S.NEEDS_INPUT, E.ANSWERED, S.SCOPE, clears=(C.SCOPE_REPAIRS,)),
    Row(S.NEEDS_INPUT, E.APPROVED, S.SCOPE),
    Row(S.NEEDS_INPUT, E.CHANGES_ASKED, S.SCOPE, C.CHANGES, S.ESCALATED),
    Row(S.NEEDS_INPUT, E.REFUSED, S.CANCELLED),
    Row(S.ESCALATED, E.ANSWERED, S.SCOPE, gives_back=True),
)  # fmt: skip

ANYWHERE: tuple[tuple[Event, State], ...] = (
    (Event.LIMIT_REACHED, State.LIMIT),
    (Event.IN_DOUBT, State.NEEDS_INPUT),
    (Event.ASKED, State.NEEDS_INPUT),
    (Event.CANCEL, State.CANCELLED),
    (Event.ERROR, State.FAILED),
)
"""Events that can interrupt every state in which somebody acts."""


@functools.cache
def _rows(table: tuple[Row, ...]) -> dict[tuple[State, Event], Row]:
    return {(row.state, row.event): row for row in table}


class NoSuchTransition(LookupError):
    """An event that the table has no row for in this state: a programming error, never a model's."""

    def __init__(self, state: State, event: Event) -> None:
        super().__init__(f"no row for {event.value!r} in state {state.value!r}")
        self.state, self.event = state, event


def events_in(state: State, table: tuple[Row, ...] = TABLE) -> tuple[Event, ...]:
    """The events that the table has a row for in this state, in the order of the table."""
    own = tuple(row.event for row in table if row.state is state)
    if state is State.LIMIT:
        return (Event.MORE_GRANTED,)
    return own if state in ENDS else own + tuple(event for event, _ in ANYWHERE)


def decide(position: Position, event: Event, ceilings: Ceilings, table: tuple[Row, ...] = TABLE) -> Position:
    """The position after `event`. Pure. Raises NoSuchTransition where the table has no row."""
    if _goes_back(position, event):
        return _moved(position, position.came_from or State.PLAN, position.counts)
    if position.state not in ENDS:
        for anywhere, to in ANYWHERE:
            if event is anywhere:
                return _moved(position, to, position.counts)
    here, before = position.state, position.came_from
    if here is State.NEEDS_INPUT and before is not None and before in APPROVALS and event is not Event.ANSWERED:
        here = before  # the job asks for an approval: what is said is taken where it waits
    row = _rows(table).get((here, event)) if event in events_in(position.state, table) else None
    if row is None:
        raise NoSuchTransition(position.state, event)
    given_back = used_up(position, ceilings, table) if row.gives_back else frozenset[Counter]()
    return _take(row, position, ceilings, given_back)


def used_up(position: Position, ceilings: Ceilings, table: tuple[Row, ...] = TABLE) -> frozenset[Counter]:
    """The counters that stand beyond a ceiling at which the table hands the job to a person.

    Nothing else leads beyond such a ceiling, so in ESCALATED these are the ones that led there.
    """
    to_a_person = (row for row in table if row.counts is not None and row.beyond is State.ESCALATED)
    return frozenset(row.counts for row in to_a_person if row.counts and _is_beyond(row, position, ceilings))


def _is_beyond(row: Row, position: Position, ceilings: Ceilings) -> bool:
    """Whether the counter of this row stands where the row leads beyond."""
    assert row.counts is not None
    count, ceiling = position.count(row.counts), int(getattr(ceilings, row.counts.value))
    return count > ceiling or (row.at and count == ceiling)


def _goes_back(position: Position, event: Event) -> bool:
    """Whether a job goes on in the state that was interrupted: with more granted, or an effect no longer in doubt."""
    if position.state is State.LIMIT:
        return event is Event.MORE_GRANTED
    return position.state is State.NEEDS_INPUT and event is Event.ANSWERED and position.came_from in WORKING


def _take(row: Row, position: Position, ceilings: Ceilings, given_back: frozenset[Counter]) -> Position:
    cleared = given_back.union(row.clears)
    to, counts = row.to, {c: n for c, n in position.counts.items() if c not in cleared}
    if row.counts is not None:
        counts[row.counts] = counts.get(row.counts, 0) + 1
        if _is_beyond(row, position.model_copy(update={"counts": counts}), ceilings):
            assert row.beyond is not None
            to = row.beyond
    if to is State.LIMIT:
        counts = position.counts  # the round did not begin
    return _moved(position, to, counts)


def _moved(position: Position, to: State, counts: dict[Counter, int]) -> Position:
    return Position(state=to, counts=dict(counts), came_from=position.state if to in RESUMABLE else None)
