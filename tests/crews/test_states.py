"""The transition table, row by row as the design states it."""

from __future__ import annotations

import pytest

from echelon.crews.hierarchy.states import (
    ANYWHERE,
    APPROVALS,
    ENDS,
    RESUMABLE,
    TABLE,
    WORKING,
    Counter,
    Event,
    NoSuchTransition,
    Position,
    State,
    decide,
    events_in,
)
from echelon.settings import Ceilings

LIMITS = Ceilings()  # type: ignore[call-arg]
S, E, C = State, Event, Counter

DESIGN: tuple[tuple[State, Event, State], ...] = (
    # INTAKE: ready -> SCOPE; bad input -> REJECTED
    (S.INTAKE, E.READY, S.SCOPE),
    (S.INTAKE, E.BAD_INPUT, S.REJECTED),
    # SCOPE: scope -> GATE_SCOPE
    (S.SCOPE, E.SUBMITTED, S.GATE_SCOPE),
    (S.SCOPE, E.NOTHING_SUBMITTED, S.SCOPE),
    # GATE_SCOPE: pass -> APPROVE or PLAN; repairable -> SCOPE; questions -> NEEDS_INPUT; below 0.40 -> escalate
    (S.GATE_SCOPE, E.PASSED, S.PLAN),
    (S.GATE_SCOPE, E.PASSED_NEEDS_APPROVAL, S.APPROVE),
    (S.GATE_SCOPE, E.REPAIRABLE, S.SCOPE),
    (S.GATE_SCOPE, E.QUESTIONS, S.NEEDS_INPUT),
    (S.GATE_SCOPE, E.TOO_WEAK, S.ESCALATED),
    # APPROVE: approved -> PLAN; changes -> SCOPE; rejected -> CANCELLED; a person is not there yet -> NEEDS_INPUT
    (S.APPROVE, E.APPROVED, S.PLAN),
    (S.APPROVE, E.CHANGES_ASKED, S.SCOPE),
    (S.APPROVE, E.REFUSED, S.CANCELLED),
    (S.APPROVE, E.AWAITED, S.NEEDS_INPUT),
    # PLAN: task -> GATE_PLAN; milestone claimed done -> ASSESS; abort -> ASSESS
    (S.PLAN, E.TASK, S.GATE_PLAN),
    (S.PLAN, E.MILESTONE_CLAIMED, S.ASSESS),
    (S.PLAN, E.ABORTED, S.ASSESS),
    (S.PLAN, E.QUESTIONS, S.NEEDS_INPUT),
    (S.PLAN, E.NOTHING_SUBMITTED, S.PLAN),
    # GATE_PLAN: pass -> IMPLEMENT; else -> PLAN
    (S.GATE_PLAN, E.PASSED, S.IMPLEMENT),
    (S.GATE_PLAN, E.PASSED_NEEDS_APPROVAL, S.APPROVE_TASK),
    (S.APPROVE_TASK, E.APPROVED, S.IMPLEMENT),
    (S.APPROVE_TASK, E.CHANGES_ASKED, S.PLAN),
    (S.APPROVE_TASK, E.REFUSED, S.CANCELLED),
    (S.APPROVE_TASK, E.AWAITED, S.NEEDS_INPUT),
    (S.GATE_PLAN, E.REPAIRABLE, S.PLAN),
    # IMPLEMENT: report -> QA; rewind -> PLAN; stuck -> PLAN
    (S.IMPLEMENT, E.REPORTED, S.QA),
    (S.IMPLEMENT, E.REWOUND, S.PLAN),
    (S.IMPLEMENT, E.STUCK, S.PLAN),
    (S.IMPLEMENT, E.NOTHING_SUBMITTED, S.PLAN),
    # QA: pass -> PLAN; fail -> PLAN, the single retry path
    (S.QA, E.QA_PASSED, S.PLAN),
    (S.QA, E.QA_FAILED, S.PLAN),
    (S.QA, E.NOTHING_SUBMITTED, S.PLAN),
    # ASSESS: continue -> PLAN; milestone met -> PLAN of the next, or DELIVER; misaligned -> SCOPE; hopeless -> person
    (S.ASSESS, E.CONTINUE, S.PLAN),
    (S.ASSESS, E.STALLED, S.PLAN),
    (S.ASSESS, E.MILESTONE_MET, S.PLAN),
    (S.ASSESS, E.ALL_MILESTONES_MET, S.DELIVER),
    (S.ASSESS, E.MISALIGNED, S.SCOPE),
    (S.ASSESS, E.HOPELESS, S.ESCALATED),
    (S.ASSESS, E.NOTHING_SUBMITTED, S.ASSESS),
    # a person has to agree, where the policy asks
    (S.ASSESS, E.MET_NEEDS_APPROVAL, S.APPROVE_MILESTONE),
    (S.APPROVE_MILESTONE, E.APPROVED, S.PLAN),
    (S.APPROVE_MILESTONE, E.CHANGES_ASKED, S.PLAN),
    (S.APPROVE_MILESTONE, E.REFUSED, S.CANCELLED),
    (S.APPROVE_MILESTONE, E.AWAITED, S.NEEDS_INPUT),
    (S.ASSESS, E.ALL_MET_NEEDS_APPROVAL, S.APPROVE_RESULT),
    (S.APPROVE_RESULT, E.APPROVED, S.DELIVER),
    (S.APPROVE_RESULT, E.CHANGES_ASKED, S.PLAN),
    (S.APPROVE_RESULT, E.REFUSED, S.CANCELLED),
    (S.APPROVE_RESULT, E.AWAITED, S.NEEDS_INPUT),
    # DELIVER: COMPLETED
    (S.DELIVER, E.DELIVERED, S.COMPLETED),
    (S.DELIVER, E.NOT_DELIVERABLE, S.DELIVER),
    (S.DELIVER, E.NOTHING_SUBMITTED, S.DELIVER),
    # the ends that a person can leave
    (S.NEEDS_INPUT, E.ANSWERED, S.SCOPE),
    (S.NEEDS_INPUT, E.APPROVED, S.PLAN),
    (S.NEEDS_INPUT, E.CHANGES_ASKED, S.SCOPE),
    (S.NEEDS_INPUT, E.REFUSED, S.CANCELLED),
    (S.ESCALATED, E.ANSWERED, S.SCOPE),
)
"""Where each event leads from a state whose counters stand at nought."""

CEILINGS: tuple[tuple[State, Event, Counter, int, State], ...] = (
    # repairable -> SCOPE (max 2): the third is handed to a person
    (S.SCOPE, E.NOTHING_SUBMITTED, C.SCOPE_REPAIRS, 2, S.ESCALATED),
    (S.GATE_SCOPE, E.REPAIRABLE, C.SCOPE_REPAIRS, 2, S.ESCALATED),
    (S.APPROVE, E.CHANGES_ASKED, C.CHANGES, 5, S.ESCALATED),
    (S.NEEDS_INPUT, E.CHANGES_ASKED, C.CHANGES, 5, S.ESCALATED),
    (S.APPROVE_TASK, E.CHANGES_ASKED, C.CHANGES, 5, S.ESCALATED),
    (S.APPROVE_MILESTONE, E.CHANGES_ASKED, C.CHANGES, 5, S.ESCALATED),
    (S.APPROVE_RESULT, E.CHANGES_ASKED, C.CHANGES, 5, S.ESCALATED),
    (S.GATE_PLAN, E.PASSED_NEEDS_APPROVAL, C.ROUNDS, 200, S.LIMIT),
    (S.ASSESS, E.MET_NEEDS_APPROVAL, C.ROUNDS, 200, S.LIMIT),
    # else -> PLAN (max 2): the Assessor looks at the third
    (S.PLAN, E.NOTHING_SUBMITTED, C.PLAN_REPAIRS, 2, S.ASSESS),
    (S.GATE_PLAN, E.REPAIRABLE, C.PLAN_REPAIRS, 2, S.ASSESS),
    (S.GATE_PLAN, E.PASSED, C.ROUNDS, 200, S.LIMIT),
    # fail -> PLAN, max 3 a task, then ASSESS: two go back, the third failure goes to the Assessor
    (S.IMPLEMENT, E.REWOUND, C.TASK_FAILURES, 2, S.ASSESS),
    (S.IMPLEMENT, E.STUCK, C.TASK_FAILURES, 2, S.ASSESS),
    (S.IMPLEMENT, E.NOTHING_SUBMITTED, C.TASK_FAILURES, 2, S.ASSESS),
    (S.QA, E.QA_FAILED, C.TASK_FAILURES, 2, S.ASSESS),
    (S.QA, E.NOTHING_SUBMITTED, C.TASK_FAILURES, 2, S.ASSESS),
    # ASSESS every 5 tasks: the fifth accepted one is followed by an assessment
    (S.QA, E.QA_PASSED, C.TASKS_SINCE_ASSESSMENT, 4, S.ASSESS),
    # misaligned -> SCOPE once; the second of a job reaches a person
    (S.ASSESS, E.MISALIGNED, C.MISALIGNMENTS, 1, S.ESCALATED),
    (S.ASSESS, E.CONTINUE, C.ROUNDS, 200, S.LIMIT),
    # to go on without an accepted task in between is no way on for ever
    (S.ASSESS, E.STALLED, C.STALLS, 2, S.ESCALATED),
    (S.ASSESS, E.STALLED, C.STALLS, 2, S.ESCALATED),
    (S.ASSESS, E.MILESTONE_MET, C.ROUNDS, 200, S.LIMIT),
    (S.ASSESS, E.NOTHING_SUBMITTED, C.ASSESSMENT_REPAIRS, 2, S.ESCALATED),
    (S.DELIVER, E.NOT_DELIVERABLE, C.DELIVERY_REPAIRS, 2, S.ESCALATED),
    (S.DELIVER, E.NOTHING_SUBMITTED, C.DELIVERY_REPAIRS, 2, S.ESCALATED),
)
"""(state, event, counter, how often the event leads where `DESIGN` says, where the next one leads)."""


def name_of(row: tuple[object, ...]) -> str:
    return " ".join(str(getattr(x, "value", x)) for x in row[:2])


@pytest.mark.parametrize("row", DESIGN, ids=name_of)
def test_each_row_leads_where_the_design_says(row: tuple[State, Event, State]) -> None:
    state, event, to = row
    asked = S.APPROVE if state is S.NEEDS_INPUT else None
    assert decide(Position(state=state, came_from=asked), event, LIMITS).state is to


@pytest.mark.parametrize("row", CEILINGS, ids=name_of)
def test_each_ceiling_leads_elsewhere_once_it_is_reached(row: tuple[State, Event, Counter, int, State]) -> None:
    state, event, counter, often, beyond = row
    usual = next(to for s, e, to in DESIGN if (s, e) == (state, event))
    position = Position(state=state)
    for n in range(often):
        position = decide(position.model_copy(update={"state": state}), event, LIMITS)
        assert position.state is usual, f"time {n + 1}"
        assert position.count(counter) == n + 1
    assert decide(position.model_copy(update={"state": state}), event, LIMITS).state is beyond


def test_the_table_has_no_other_rows_and_none_twice() -> None:
    assert [(row.state, row.event) for row in TABLE] == list(dict.fromkeys((row.state, row.event) for row in TABLE))
    assert {(row.state, row.event) for row in TABLE} == {(s, e) for s, e, _ in DESIGN}
    assert {(row.state, row.event) for row in TABLE if row.counts} == {(s, e) for s, e, *_ in CEILINGS}


def test_a_row_that_counts_says_where_it_leads_beyond_its_ceiling() -> None:
    for row in TABLE:
        assert (row.counts is None) == (row.beyond is None), row
        assert not row.at or row.counts is not None, row
        assert row.counts not in row.clears, row


@pytest.mark.parametrize("state", [s for s in State if s not in ENDS], ids=lambda s: s.value)
def test_limit_cancel_and_error_interrupt_every_state_in_which_somebody_acts(state: State) -> None:
    counted = Position(state=state, counts={C.ROUNDS: 7, C.TASK_FAILURES: 1})
    for event, to in ((E.LIMIT_REACHED, S.LIMIT), (E.CANCEL, S.CANCELLED), (E.ERROR, S.FAILED)):
        after = decide(counted, event, LIMITS)
        assert after.state is to
        assert after.counts == counted.counts
    assert {event for event, _ in ANYWHERE} == {E.LIMIT_REACHED, E.IN_DOUBT, E.ASKED, E.CANCEL, E.ERROR}


@pytest.mark.parametrize("state", [s for s in State if s not in ENDS], ids=lambda s: s.value)
def test_a_job_in_limit_goes_on_where_it_stopped(state: State) -> None:
    stopped = decide(Position(state=state, counts={C.ROUNDS: 7}), E.LIMIT_REACHED, LIMITS)
    assert stopped.came_from is state
    again = decide(stopped, E.MORE_GRANTED, LIMITS)
    assert again == Position(state=state, counts={C.ROUNDS: 7})


@pytest.mark.parametrize("state", [s for s in State if s not in ENDS], ids=lambda s: s.value)
def test_an_answer_about_an_effect_in_doubt_leads_back_once_there_is_a_scope(state: State) -> None:
    stopped = decide(Position(state=state, counts={C.ROUNDS: 7}), E.IN_DOUBT, LIMITS)
    assert stopped.state is S.NEEDS_INPUT
    again = decide(stopped, E.ANSWERED, LIMITS)
    assert again == Position(state=state if state in WORKING else S.SCOPE, counts={C.ROUNDS: 7})


def test_one_round_more_granted_is_one_round_more() -> None:
    """The round that the ceiling stopped did not begin, so it is not counted."""
    few = Ceilings(rounds=3)  # type: ignore[call-arg]
    stopped = decide(Position(state=S.GATE_PLAN, counts={C.ROUNDS: 3}), E.PASSED, few)
    assert stopped.state is S.LIMIT
    assert stopped.count(C.ROUNDS) == 3
    again = decide(stopped, E.MORE_GRANTED, few)
    assert decide(again, E.PASSED, few).state is S.LIMIT, "nothing was granted"
    more = Ceilings(rounds=4)  # type: ignore[call-arg]
    assert decide(again, E.PASSED, more).state is S.IMPLEMENT
    assert decide(again, E.PASSED, more).count(C.ROUNDS) == 4


@pytest.mark.parametrize(
    ("event", "to"), [(E.CONTINUE, S.PLAN), (E.MILESTONE_MET, S.PLAN), (E.MISALIGNED, S.SCOPE)], ids=lambda x: x.value
)
def test_after_an_answer_of_the_assessor_the_planner_has_all_its_tries_again(event: Event, to: State) -> None:
    spent = {C.PLAN_REPAIRS: 3, C.TASK_FAILURES: 3, C.TASKS_SINCE_ASSESSMENT: 5, C.ASSESSMENT_REPAIRS: 2}
    after = decide(Position(state=S.ASSESS, counts=spent), event, LIMITS)
    assert after.state is to
    assert not set(after.counts) & set(spent)


@pytest.mark.parametrize(
    ("counts", "left"),
    [
        ({C.STALLS: 3, C.CHANGES: 5, C.ROUNDS: 2}, {C.CHANGES: 5, C.ROUNDS: 2}),
        ({C.MISALIGNMENTS: 2, C.STALLS: 2}, {C.STALLS: 2}),
        ({C.DELIVERY_REPAIRS: 3, C.TASK_FAILURES: 9}, {C.TASK_FAILURES: 9}),
        ({C.SCOPE_REPAIRS: 2, C.ROUNDS: 2}, {C.SCOPE_REPAIRS: 2, C.ROUNDS: 2}),
    ],
)
def test_an_answer_gives_back_the_counters_whose_use_up_handed_the_job_up(
    counts: dict[Counter, int], left: dict[Counter, int]
) -> None:
    """TASK_FAILURES leads to the Assessor, not to a person, and the scope repairs of the last case are not used up."""
    after = decide(Position(state=S.ESCALATED, counts=counts), E.ANSWERED, LIMITS)
    assert after == Position(state=S.SCOPE, counts=left)


def test_a_scope_with_open_questions_cannot_be_approved_around_its_gate() -> None:
    """The person was asked something else, so an approval approves nothing: ScopeAgent and gate go on."""
    asked = decide(Position(state=S.GATE_SCOPE), E.QUESTIONS, LIMITS)
    assert asked.came_from is S.GATE_SCOPE
    assert decide(asked, E.APPROVED, LIMITS).state is S.SCOPE
    awaited = decide(Position(state=S.APPROVE), E.AWAITED, LIMITS)
    assert decide(awaited, E.APPROVED, LIMITS).state is S.PLAN


def test_an_accepted_task_ends_the_count_of_its_failures() -> None:
    after = decide(Position(state=S.QA, counts={C.TASK_FAILURES: 2, C.STALLS: 2}), E.QA_PASSED, LIMITS)
    assert after.count(C.TASK_FAILURES) == after.count(C.STALLS) == 0
    assert after.count(C.TASKS_SINCE_ASSESSMENT) == 1


@pytest.mark.parametrize("state", list(State), ids=lambda s: s.value)
def test_an_event_without_a_row_raises(state: State) -> None:
    for event in sorted(set(Event) - set(events_in(state))):
        with pytest.raises(NoSuchTransition) as caught:
            decide(Position(state=state), event, LIMITS)
        assert (caught.value.state, caught.value.event) == (state, event)
        assert event.value in str(caught.value) and state.value in str(caught.value)


@pytest.mark.parametrize("state", list(State), ids=lambda s: s.value)
def test_each_event_that_is_named_for_a_state_has_a_row(state: State) -> None:
    for event in events_in(state):
        decide(Position(state=state), event, LIMITS)


def test_ends_are_left_only_by_what_a_person_says() -> None:
    assert {s: events_in(s) for s in sorted(ENDS) if events_in(s)} == {
        S.ESCALATED: (E.ANSWERED,),
        S.LIMIT: (E.MORE_GRANTED,),
        S.NEEDS_INPUT: (E.ANSWERED, E.APPROVED, E.CHANGES_ASKED, E.REFUSED),
    }
    assert {s for s in ENDS if events_in(s)} == RESUMABLE


def test_every_counter_has_its_ceiling_and_every_ceiling_its_counter() -> None:
    assert {counter.value for counter in Counter} == set(Ceilings.model_fields)
    assert {row.counts for row in TABLE if row.counts} == set(Counter)


def test_every_event_and_every_state_is_used() -> None:
    named = {row.event for row in TABLE} | {event for event, _ in ANYWHERE} | {E.MORE_GRANTED}
    assert named == set(Event)
    assert {row.state for row in TABLE} | ENDS == set(State)


@pytest.mark.parametrize("state", APPROVALS, ids=lambda s: s.value)
@pytest.mark.parametrize("event", [E.APPROVED, E.CHANGES_ASKED, E.REFUSED], ids=lambda e: e.value)
def test_what_is_said_to_a_waiting_job_counts_as_said_where_it_asked(state: State, event: Event) -> None:
    waiting = decide(Position(state=state, counts={C.ROUNDS: 2}), E.AWAITED, LIMITS)
    assert waiting.state is S.NEEDS_INPUT
    said, at_once = decide(waiting, event, LIMITS), decide(Position(state=state, counts={C.ROUNDS: 2}), event, LIMITS)
    assert said == at_once
