"""The assessment tier: where does the work lead?"""

from __future__ import annotations

from crews.stage import Stage, ended_early
from crews.states import Counter, Event
from crews.strategic import write_plan
from crews.tactical import survey
from tasks.contracts import Assessment, Tier, Trajectory


def assess(stage: Stage) -> Event:
    """The Assessor judges the trajectory; a milestone is met only when code sees nothing open either."""
    s = stage.state
    assert s.scope is not None
    seen = survey(stage)
    played = stage.play(
        "assessor", "assess", request=s.request, milestone=s.current_milestone, milestone_number=s.milestone + 1,
        milestones=len(s.scope.milestones), occasion=s.occasion or "it is time", done_count=len(s.done), done=s.recent,
        findings=s.findings, facts=seen.facts or ("code cannot tell what is open",),
    )  # fmt: skip
    if not isinstance(played.submitted, Assessment):
        return ended_early(played) or Event.NOTHING_SUBMITTED
    s.assessment = played.submitted
    s.advice = s.assessment.advice
    stage.run.emit("assessment", trajectory=s.assessment.trajectory.value, reasons=list(s.assessment.reasons))
    return _event(stage, s.assessment, is_open=bool(seen.open))


def _event(stage: Stage, assessment: Assessment, is_open: bool) -> Event:
    s = stage.state
    reason = "; ".join(assessment.reasons)[:400]
    match assessment.trajectory:
        case Trajectory.CONTINUE:
            return _continued(stage, reason)
        case Trajectory.MILESTONE_MET if is_open:
            s.advice = "The milestone is not reached: code still sees open work."
            return _continued(stage, s.advice)
        case Trajectory.MILESTONE_MET:
            return _met(stage)
        case Trajectory.MISALIGNED:
            s.findings = tuple(assessment.reasons)
            stage.escalate("Assessor", Tier.STRATEGIC, reason)
            return Event.MISALIGNED
        case Trajectory.HOPELESS:
            stage.escalate("Assessor", Tier.PERSON, reason)
            return Event.HOPELESS


def _continued(stage: Stage, reason: str) -> Event:
    """On with the milestone; when nothing was accepted since the last assessment, that is counted, and ends."""
    s = stage.state
    has_progress, s.assessed = len(s.done) > s.assessed, len(s.done)
    if has_progress:
        return Event.CONTINUE
    if s.position.count(Counter.STALLS) >= stage.run.config.ceilings.stalls:
        stage.escalate("Assessor", Tier.PERSON, f"No task was accepted for several assessments: {reason}")
    return Event.STALLED


def _met(stage: Stage) -> Event:
    s = stage.state
    assert s.scope is not None
    stage.run.emit("milestone", number=s.milestone + 1, of=len(s.scope.milestones), outcome=s.current_milestone.outcome)
    s.findings, s.notes, s.advice = (), (), ""
    is_last = s.milestone == len(s.scope.milestones) - 1
    s.milestone += 0 if is_last else 1
    stage.code("write_plan", lambda: {"path": write_plan(stage)})
    return Event.ALL_MILESTONES_MET if is_last else Event.MILESTONE_MET
