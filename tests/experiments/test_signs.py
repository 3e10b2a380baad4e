"""What the events of a job show of failure kinds: each sign is seen where it is, and nowhere else."""

from __future__ import annotations

import pytest

from echelon.experiments.failures import Signs
from echelon.service.experiments.outcome import signs
from echelon.store.records.events import (
    CallRefused,
    Event,
    LimitMet,
    PhaseBegan,
    PhaseEnded,
    TaskAccepted,
    TaskFailed,
    ToolCalled,
    WentRound,
)

QA = (PhaseBegan(role="QA", phase="qa"), PhaseEnded(role="QA", phase="qa", why="submitted"))
LOOK = ToolCalled(role="QA", tool="read_file", ok=True)


def failed(title: str) -> TaskFailed:
    return TaskFailed(title=title, findings=("a.md is not there",))


def ceiling(scope: str) -> LimitMet:
    return LimitMet(limit="calls_per_phase", ceiling=5, spent=5, scope=scope)


CASES: dict[str, tuple[tuple[Event, ...], dict[str, int]]] = {
    "a tool that the role does not have": (
        (CallRefused(role="QA", tool="x", why="There is no tool x."), CallRefused(role="QA", tool="y", why="y: no text")),
        {"refused_calls": 1},
    ),
    "ended before it was done": (
        (ToolCalled(role="QA", tool="submit_verdict", ok=False), ToolCalled(role="QA", tool="read_file", ok=False)),
        {"early_ends": 1},
    ),
    "a circle": (
        tuple(WentRound(role="QA", sort="repeat", tool="x", stop=stop) for stop in (False, True)),
        {"loops": 1},
    ),
    "a ceiling of a phase, and one of the job": ((ceiling("phase"), ceiling("task"), ceiling("job")), {"phase_limits": 2}),
    "a finding again": ((failed("one"), failed("two"), failed("one")), {"findings_again": 1}),
    "accepted": ((TaskAccepted(title="one", commit="c"),), {"passed_verdicts": 1}),
    "a verdict without a look": ((*QA, QA[0], LOOK, QA[1]), {"unlooked_verdicts": 1}),
    "a look of somebody else": ((LOOK, *QA, LOOK), {"unlooked_verdicts": 1}),
    "nothing": ((), {}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_sign_is_seen(case: str) -> None:
    told, seen = CASES[case]
    assert signs("completed", True, told) == Signs("completed", True, **seen)
