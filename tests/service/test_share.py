"""The share of the work that is done, and the estimate of the rest."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.service.share import Share
from echelon.store.records.events import (
    Event,
    Gated,
    MilestoneReached,
    Scoped,
    TaskAccepted,
    TaskFailed,
    ToolCalled,
)

SCOPED = Scoped(milestones=("found", "delivered"))
ACCEPTED = TaskAccepted(title="t", commit="c")


def planned(left: int | None, *problems: str) -> Gated:
    return Gated(gate="plan", title="t", open=left, problems=problems)


def todo(done: int, role: str = "Implementor") -> ToolCalled:
    return ToolCalled(role=role, tool="todo_complete", ok=True, done=done, of=5)


def reached(number: int) -> MilestoneReached:
    return MilestoneReached(number=number, of=2, outcome="found")


def after(*events: Event) -> Share:
    share = Share()
    for event in events:
        share.take(event)
    return share


@pytest.mark.parametrize(
    ("events", "done"),
    [
        ((), 0.0),
        ((SCOPED, planned(10)), 0.0),
        ((SCOPED, planned(10), todo(2)), 0.1),
        ((SCOPED, planned(10), todo(2), todo(3, "QA")), 0.1),
        ((SCOPED, planned(10), todo(5), ACCEPTED), 0.25),
        ((SCOPED, planned(10), todo(5), TaskFailed(title="t")), 0.0),
        ((SCOPED, planned(10), todo(5), ACCEPTED, planned(5), todo(1)), 0.3),
        ((SCOPED, planned(10), planned(12), todo(3)), 0.125),
        ((SCOPED, planned(10), planned(2, "no deliverable")), 0.0),
        ((SCOPED, planned(None), todo(3), ACCEPTED), 0.0),
        ((SCOPED, reached(1)), 0.5),
        ((SCOPED, reached(1), planned(4), todo(1)), 0.625),
        ((SCOPED, reached(1), reached(2)), 1.0),
        ((SCOPED, reached(1), SCOPED), 0.0),
    ],
)
def test_the_share_follows_the_events(events: tuple[Event, ...], done: float) -> None:
    assert after(*events).done == pytest.approx(done)


@given(
    st.lists(st.sampled_from([SCOPED, ACCEPTED, planned(3), planned(None), todo(1), todo(9), reached(1), reached(2)]))
)
def test_whatever_happens_it_is_a_share(events: list[Event]) -> None:
    share = after(*events)
    assert 0.0 <= share.done <= 1.0
    assert share.said() == "" if share.done == 0 else " % done" in share.said()


def test_the_rest_is_estimated_from_what_was_done_since_one_watches() -> None:
    share = after(SCOPED, reached(1))
    share.watch(100.0)
    assert share.said(200.0) == "50 % done", "nothing was done since"
    for event in (planned(10), todo(5)):
        share.take(event)
    assert share.said(104.0) == "75 % done", "four seconds tell nothing"
    assert share.said(160.0) == "75 % done, about 1 min left"
    assert share.said(7300.0) == "75 % done, about 2 h left"
    assert share.said(120.0) == "75 % done, about 20 s left"
    share.take(reached(2))
    assert share.said(160.0) == "100 % done"
