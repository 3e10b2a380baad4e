"""One agent at work: the whole job in one conversation, again with what was wrong when code's checks fail."""

from __future__ import annotations

from typing import assert_never

from echelon.crews.hierarchy.planning import left_open
from echelon.crews.hierarchy.states import Event
from echelon.crews.hierarchy.strategic import Ready, handed_over, prepared
from echelon.crews.jobtype import Material
from echelon.crews.stage import Stage
from echelon.engine.ends import Asked, InDoubt, Limit, Rewound, Stuck, Submitted, Unusable
from echelon.engine.todos import Planned, TodoList
from echelon.engine.toolbox import PhaseState
from echelon.tasks.contracts import JobComplete, Report, Tier

WHOLE = 1
"""Milestones of a job that nobody divides."""


def work(stage: Stage) -> Event:
    """The agent works until it reports."""
    s = stage.state
    seen = left_open(stage, WHOLE)
    todos = TodoList.of("the job", [Planned.of(w) for w in seen.open])
    works = [w.id for w in seen.open]
    given = stage.code("brief", Material, lambda: stage.type.brief(stage.run, stage.workspace, works))
    calls = {str(i.id): i.call.model_dump(mode="json") for i in todos.items if i.call is not None}
    played = stage.play(
        "agent", "work", Report,
        PhaseState(todos=todos, together=given.ids, in_one_call=given.in_one_call),
        block={"calls": calls, "deliverables": [], **given.block},
        material=given.text,
        request=s.request, documents=s.documents, findings=s.findings, answers=s.answers, has_calls=bool(calls),
    )  # fmt: skip
    match played.end:
        case Submitted(report):
            s.report = report
            return Event.REPORTED
        case Limit():
            return Event.LIMIT_REACHED
        case InDoubt():
            return Event.IN_DOUBT
        case Asked():
            return Event.ASKED
        case Stuck() | Unusable():
            s.findings = (played.end.issue[:400],)
            return Event.STUCK
        case Rewound():
            s.findings = (played.end.issue[:400],)
            return Event.REWOUND
        case _:
            assert_never(played.end)


def deliver(stage: Stage) -> Event:
    """The same checks in code as at the end of the hierarchy."""
    s = stage.state
    ready = stage.code("prepare_delivery", Ready, lambda: prepared(stage))
    if ready.problems or not ready.deliverables:
        s.findings = tuple(p[:400] for p in ready.problems[:10]) or ("There is nothing in output/.",)
        stage.escalate("code", Tier.TACTICAL, s.findings[0])
        return Event.NOT_DELIVERABLE
    assert s.report is not None
    s.complete = JobComplete(
        summary=s.report.summary, deliverables=ready.deliverables, confidence=s.report.confidence, notes=s.report.issue
    )
    s.accepted_commit = stage.commit("Deliver the results")
    if not stage.run.config.isolated:
        stage.code("hand_over", bool, lambda: handed_over(stage))
    return Event.DELIVERED
