"""What holds for every sequence of events: a job ends, nothing is counted too often, `decide` changes nothing."""

from __future__ import annotations

import functools
import sys

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from echelon.crews.hierarchy.states import (
    ANYWHERE,
    ENDS,
    RESUMABLE,
    TABLE,
    Counter,
    Event,
    Position,
    Row,
    State,
    decide,
    events_in,
)
from echelon.settings import Ceilings

Node = tuple[State, tuple[tuple[Counter, int], ...]]

TINY = Ceilings(
    scope_repairs=1, plan_repairs=1, task_failures=2, tasks_since_assessment=2, misalignments=1, changes=1,
    delivery_repairs=1, assessment_repairs=1, stalls=1, rounds=3,
)  # fmt: skip
"""Every loop can be taken at least once, and all positions together are few enough to visit."""

ceilings = st.builds(
    Ceilings,
    scope_repairs=st.integers(0, 3), plan_repairs=st.integers(0, 3), task_failures=st.integers(1, 4),
    tasks_since_assessment=st.integers(1, 6), misalignments=st.integers(0, 3), changes=st.integers(0, 4),
    delivery_repairs=st.integers(0, 3), assessment_repairs=st.integers(0, 3), stalls=st.integers(0, 3),
    rounds=st.integers(1, 12),
)  # fmt: skip
picks = st.lists(st.integers(0, 10_000), min_size=1, max_size=400)


def most_moves(c: Ceilings) -> int:
    """No job takes more moves than this before it ends, whatever its roles answer.

    SCOPE is entered from outside once, for each change and for each misalignment; each such entry allows
    `scope_repairs` repairs, each of two moves. PLAN is entered after a scope, and after each round or assessment; each
    entry allows `plan_repairs` repairs. Rounds bound IMPLEMENT, QA and what the Assessor sends back; what it sends back
    without progress is bounded by `stalls` between two accepted tasks.
    """
    scopes = 1 + c.changes + c.misalignments
    plans = scopes + 2 * c.rounds + c.stalls * (c.rounds + 1) + c.changes
    assessments = plans + c.rounds
    return (
        1 + scopes * (2 * (c.scope_repairs + 1) + 1) + plans * 2 * (c.plan_repairs + 1) + 2 * c.rounds
        + c.rounds + assessments * (c.assessment_repairs + 2) + c.delivery_repairs + 2
    )  # fmt: skip


def walk(c: Ceilings, picked: list[int]) -> list[Position]:
    """The positions of a job whose roles answer as `picked` says, over and over, until it ends."""
    interrupts = {event for event, _ in ANYWHERE}
    here, path = Position(), [Position()]
    for n in range(most_moves(c) + 1):
        if here.state in ENDS:
            break
        events = [e for e in events_in(here.state) if e not in interrupts]
        here = decide(here, events[picked[n % len(picked)] % len(events)], c)
        path.append(here)
    return path


@given(ceilings, picks)
@settings(max_examples=400, deadline=None)
def test_every_sequence_of_events_ends_within_the_ceilings(c: Ceilings, picked: list[int]) -> None:
    assert walk(c, picked)[-1].state in ENDS


@given(ceilings, picks)
@settings(max_examples=200, deadline=None)
def test_no_counter_passes_its_ceiling_by_more_than_one(c: Ceilings, picked: list[int]) -> None:
    for position in walk(c, picked):
        for counter, count in position.counts.items():
            assert count <= getattr(c, counter.value) + 1, (position, counter)
        assert position.count(Counter.ROUNDS) <= c.rounds


@given(ceilings, picks)
@settings(max_examples=200, deadline=None)
def test_with_people_who_answer_for_ever_only_the_rounds_are_bounded(c: Ceilings, picked: list[int]) -> None:
    """People may answer as often as they like; no counter runs away, and no round is taken that was not granted."""
    here = Position()
    for pick in picked:
        events = events_in(here.state)
        if not events:
            break
        here = decide(here, events[pick % len(events)], c)
        assert all(count <= getattr(c, counter.value) + 1 for counter, count in here.counts.items()), here
        assert here.count(Counter.ROUNDS) <= c.rounds
        assert (here.came_from is not None) == (here.state in RESUMABLE)


def successors(node: Node, c: Ceilings) -> list[Node]:
    """The positions that a job can be in next without a person who speaks after the end."""
    state, counts = node
    if state in ENDS:
        return []
    nexts = (decide(Position(state=state, counts=dict(counts)), event, c) for event in events_in(state))
    return sorted({(p.state, tuple(sorted(p.counts.items()))) for p in nexts})


def test_no_job_can_run_for_ever_and_the_bound_is_one() -> None:
    """All positions under small ceilings: none comes again, and the longest way to an end is known."""

    @functools.cache
    def longest(node: Node) -> int:
        assert node not in under_way, f"{node} comes again"
        under_way.add(node)
        length = max((1 + longest(following) for following in successors(node, TINY)), default=0)
        under_way.remove(node)
        return length

    under_way: set[Node] = set()
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        moves = longest((State.INTAKE, ()))
    finally:
        sys.setrecursionlimit(before)
    assert 20 < moves <= most_moves(TINY)
    assert longest.cache_info().currsize > 500


def edges() -> dict[State, set[State]]:
    """Where each state can lead, ceilings and interruptions included."""
    ways: dict[State, set[State]] = {state: set() for state in State}
    for row in TABLE:
        ways[row.state] |= {to for to in (row.to, row.beyond) if to}
    for state in set(State) - ENDS:
        ways[state] |= {to for _, to in ANYWHERE}
        ways[State.LIMIT].add(state)
    return ways


def reachable(start: State, ways: dict[State, set[State]]) -> set[State]:
    found, open_ = {start}, [start]
    while open_:
        for to in ways[open_.pop()] - found:
            found.add(to)
            open_.append(to)
    return found


def test_every_state_can_be_reached_from_the_start() -> None:
    assert reachable(State.INTAKE, edges()) == set(State)


@pytest.mark.parametrize("state", sorted(set(State) - ENDS))
def test_every_state_has_a_way_to_completion_and_to_an_end(state: State) -> None:
    """Also without a limit, a cancellation or an error."""
    ways = {s: {row.to for row in TABLE if row.state is s} for s in State}
    assert State.COMPLETED in reachable(state, ways)
    assert reachable(state, edges()) & ENDS


@given(ceilings, picks, st.sampled_from(sorted(Event)))
@settings(max_examples=100, deadline=None)
def test_decide_is_pure(c: Ceilings, picked: list[int], event: Event) -> None:
    for position in walk(c, picked)[-5:]:
        before = position.model_dump_json()
        if event in events_in(position.state):
            first, second = decide(position, event, c), decide(position, event, c)
            assert first == second
            assert first.counts is not position.counts, "a position shares nothing that can change"
        assert position.model_dump_json() == before


@given(ceilings, picks)
@settings(max_examples=50, deadline=None)
def test_a_position_survives_being_stored(c: Ceilings, picked: list[int]) -> None:
    for position in walk(c, picked)[-3:]:
        assert Position.model_validate_json(position.model_dump_json()) == position


def used_up_in(position: Position, c: Ceilings) -> set[Counter]:
    """The counters beyond a ceiling that leads to a person, read off the table by another way than `decide` takes."""
    ways = {row.counts for row in TABLE if row.beyond is State.ESCALATED and row.counts}
    return {n for n in ways if position.count(n) > getattr(c, n.value)}


GOOD = (
    Event.SUBMITTED, Event.PASSED, Event.TASK, Event.PASSED, Event.REPORTED, Event.QA_PASSED, Event.MILESTONE_CLAIMED,
    Event.ALL_MILESTONES_MET, Event.DELIVERED,
)  # fmt: skip
"""What roles say that do their work."""


@given(ceilings, picks)
@settings(max_examples=400, deadline=None)
def test_an_answer_gives_back_what_was_used_up_and_nothing_else(c: Ceilings, picked: list[int]) -> None:
    handed_up = walk(c, picked)[-1]
    if handed_up.state is not State.ESCALATED:
        return
    again = decide(handed_up, Event.ANSWERED, c)
    gone = used_up_in(handed_up, c)
    assert again.counts == {n: count for n, count in handed_up.counts.items() if n not in gone}
    assert not used_up_in(again, c)


@given(ceilings, picks)
@settings(max_examples=400, deadline=None)
def test_after_an_answer_roles_that_do_their_work_complete_the_job(c: Ceilings, picked: list[int]) -> None:
    handed_up = walk(c, picked)[-1]
    if handed_up.state is not State.ESCALATED:
        return
    more = c.model_copy(update={"rounds": c.rounds + 2})
    here = decide(handed_up, Event.ANSWERED, more)
    for event in GOOD:
        if event is Event.MILESTONE_CLAIMED and here.state is State.ASSESS:
            continue  # the accepted task was the last before an assessment
        here = decide(here, event, more)
    assert here.state is State.COMPLETED


@pytest.mark.parametrize("row", [r for r in TABLE if r.beyond is State.ESCALATED], ids=lambda r: f"{r.state} {r.event}")
def test_what_an_answer_gave_back_can_be_used_up_again(row: Row) -> None:
    """Each row that hands a job up does so after as many tries as before, once a person has answered."""
    assert row.counts is not None
    for _ in range(3):
        here, tries = Position(state=row.state, counts={Counter.ROUNDS: 1}), 0
        while here.state is not State.ESCALATED:
            here, tries = decide(here.model_copy(update={"state": row.state}), row.event, TINY), tries + 1
        assert tries == getattr(TINY, row.counts.value) + 1
        here = decide(here, Event.ANSWERED, TINY)
        assert here.counts == {Counter.ROUNDS: 1}
