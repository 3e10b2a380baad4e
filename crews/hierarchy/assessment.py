"""The assessment tier: where does the work lead?"""

from __future__ import annotations

from typing import assert_never

from echelon.crews.hierarchy import approvals
from echelon.crews.hierarchy.planning import survey
from echelon.crews.hierarchy.states import Counter, Event, State
from echelon.crews.hierarchy.strategic import scope_fingerprint
from echelon.crews.jobtype import Survey
from echelon.crews.stage import Played, Stage, event_of
from echelon.engine.ends import Submitted
from echelon.tasks.contracts import Assessment, Decision, Evidence, EvidenceState, Tier, Trajectory
from echelon.tasks.evidence import counted, joined, looked_at_again


def assess(stage: Stage) -> Event:
    """The Assessor judges the trajectory; a milestone is met only when code sees nothing open either."""
    s = stage.state
    assert s.scope is not None
    seen = survey(stage)
    vouched = seen.surveyed and not seen.open
    s.evidence = _looked_at(stage, s.evidence, vouched)
    if "assessor" in stage.run.config.without:
        s.assessment = _as_claimed(stage, seen)
    else:
        played = _asked(stage, seen)
        if not isinstance(played.end, Submitted):
            return event_of(played.end, Event.NOTHING_SUBMITTED)
        s.assessment = played.end.value
    s.advice = s.assessment.advice
    stage.run.emit("assessment", trajectory=s.assessment.trajectory.value, reasons=list(s.assessment.reasons))
    if s.assessment.trajectory is Trajectory.MILESTONE_MET and (missing := _unproven(stage, seen, vouched)):
        s.advice = missing
        stage.run.emit("unproven", number=s.milestone + 1, why=missing, **counted(s.evidence))
        return _continued(stage, missing)
    return _event(stage, s.assessment)


def _asked(stage: Stage, seen: Survey) -> Played[Assessment]:
    s = stage.state
    return stage.play(
        "assessor", "assess", Assessment,
        block={"surveyed": seen.surveyed, "open": len(seen.open), "gave_up": _gave_up(stage)},
        request=s.request, milestone=s.current_milestone, milestone_number=s.milestone + 1,
        milestones=len(s.scope.milestones) if s.scope else 0, occasion=s.occasion or "it is time", done_count=len(s.done),
        done=s.recent, findings=s.findings, facts=(*seen.facts, *open_facts(seen), _fact(s.evidence)),
    )  # fmt: skip


def _as_claimed(stage: Stage, seen: Survey) -> Assessment:
    """What stands in the Assessor's place when nobody is asked: what the planner claims, where code sees nothing open."""
    decision = stage.state.decision
    claimed = decision is not None and decision.decision is Decision.MILESTONE_DONE and not seen.open
    trajectory = Trajectory.MILESTONE_MET if claimed else Trajectory.CONTINUE
    return Assessment(trajectory=trajectory, reasons=("nobody was asked",), confidence=1.0)


def _gave_up(stage: Stage) -> bool:
    """Whether the planner aborted and asks what to do."""
    decision = stage.state.decision
    return decision is not None and decision.decision is Decision.ABORT


def _unproven(stage: Stage, seen: Survey, vouched: bool) -> str:
    """Why the milestone may not count as met, in a sentence for the planner; '' when verified evidence shows it."""
    s = stage.state
    assert s.assessment is not None
    if seen.open:
        return "The milestone is not reached: code still sees open work."
    if s.verdict is not None and not s.verdict.passed:
        return f"What QA found is not mended: {s.verdict.findings[0]}"
    claimed = s.decision.evidence if s.decision is not None else ()
    s.evidence = _looked_at(stage, joined((*claimed, *s.assessment.evidence), s.evidence), vouched)
    stale = [e.ref for e in s.evidence if e.state is EvidenceState.STALE]
    if stale:
        return f"'{stale[0]}' changed after it was checked; plan a task that checks it and names it as a deliverable."
    if not vouched and not any(e.state is EvidenceState.VERIFIED for e in s.evidence):
        return "Nothing that code could verify shows that the milestone is reached; name the files that show it."
    return ""


def _looked_at(stage: Stage, evidence: tuple[Evidence, ...], vouched: bool) -> tuple[Evidence, ...]:
    """The evidence as it stands now, looked at in a step."""
    if not evidence:
        return ()
    return stage.code("evidence", tuple[Evidence, ...], lambda: looked_at_again(stage.workspace, evidence, vouched))


def open_facts(seen: Survey) -> tuple[str, ...]:
    """What is open, in a few lines."""
    if not seen.surveyed:
        return ("code cannot tell what is open",)
    return tuple(f"open: {w.says}" for w in seen.open[:3]) or ("nothing is open for this milestone",)


def _fact(evidence: tuple[Evidence, ...]) -> str:
    said = ", ".join(f"{count} {state}" for state, count in counted(evidence).items())
    stale = [e.ref for e in evidence if e.state is EvidenceState.STALE][:3]
    return f"evidence: {said}" + (f"; changed since it was checked: {', '.join(stale)}" if stale else "")


def _event(stage: Stage, assessment: Assessment) -> Event:
    s = stage.state
    reason = "; ".join(assessment.reasons)[:400]
    match assessment.trajectory:
        case Trajectory.CONTINUE:
            return _continued(stage, reason)
        case Trajectory.MILESTONE_MET:
            return _met(stage)
        case Trajectory.MISALIGNED:
            s.findings = tuple(assessment.reasons)
            stage.escalate("Assessor", Tier.STRATEGIC, reason, evidence=assessment.evidence)
            assert s.scope is not None
            s.ruled_out[scope_fingerprint(s.scope)] = reason
            return Event.MISALIGNED
        case Trajectory.HOPELESS:
            stage.escalate("Assessor", Tier.PERSON, reason, evidence=assessment.evidence)
            return Event.HOPELESS
        case _:
            assert_never(assessment.trajectory)


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
    """On to the next milestone or to the delivery, unless a person has to agree first."""
    is_last = approvals.is_last(stage)
    if approvals.needed(stage, State.APPROVE_RESULT if is_last else State.APPROVE_MILESTONE):
        return Event.ALL_MET_NEEDS_APPROVAL if is_last else Event.MET_NEEDS_APPROVAL
    approvals.advance(stage)
    return Event.ALL_MILESTONES_MET if is_last else Event.MILESTONE_MET
