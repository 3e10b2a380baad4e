"""The assessment tier: where does the work lead?"""

from __future__ import annotations

from typing import assert_never

from pydantic import BaseModel, Field

from echelon.crews import dropping, experiences, findings
from echelon.crews.hierarchy import approvals, evidence
from echelon.crews.hierarchy.plan_file import write_plan
from echelon.crews.hierarchy.states import Counter, Event, State
from echelon.crews.hierarchy.strategic import scope_fingerprint
from echelon.crews.jobtype import Survey
from echelon.crews.patterns import Lesson, Why
from echelon.crews.stage import Played, Stage, event_of
from echelon.engine.ends import Submitted
from echelon.engine.toolbox import PhaseState
from echelon.store.records.events import Assessed, Unproven
from echelon.tasks.checks import Checked, Standing
from echelon.tasks.contracts import (
    Assessment,
    CheckKind,
    Decision,
    Evidence,
    EvidenceKind,
    EvidenceState,
    Tier,
    Trajectory,
)  # fmt: skip
from echelon.tasks.evidence import counted, joined, looked_at_again

MOST_SHOWN = 20
"""Deliverables that the Assessor is told of."""


def assess(stage: Stage) -> Event:
    """The Assessor judges the trajectory; a milestone is met only when code sees nothing open either."""
    s = stage.state
    assert s.scope is not None
    _take_back(stage)
    findings.reopen(stage)
    found = stage.code("look_around", Found, lambda: _found(stage))
    seen, made, checked, s.evidence = found.seen, found.made, found.checked, found.evidence
    s.checked[str(s.milestone + 1)] = checked
    if "assessor" in stage.run.config.without:
        s.assessment = _as_claimed(stage, seen)
    else:
        played = _asked(stage, found)
        if not isinstance(played.end, Submitted):
            return event_of(played.end, Event.NOTHING_SUBMITTED)
        s.assessment = played.end.value
        findings.settle(stage, s.assessment.settled, "Assessor")
        dropping.agree(stage, s.assessment.let_go, "; ".join(s.assessment.reasons))
    s.advice = s.assessment.advice
    stage.run.emit(Assessed(trajectory=s.assessment.trajectory.value, reasons=s.assessment.reasons))
    if s.assessment.trajectory is Trajectory.MILESTONE_MET and (missing := _unproven(stage, seen, made, checked)):
        s.advice = missing
        by = counted(s.evidence)
        claimed, verified, stale = (by[state] for state in EvidenceState)
        stage.run.emit(Unproven(number=s.milestone + 1, why=missing, claimed=claimed, verified=verified, stale=stale))
        return _continued(stage, missing)
    if s.assessment.trajectory is Trajectory.CONTINUE and _is_claimed(stage):
        dropping.restored(stage)
    return _event(stage, s.assessment)


def _is_claimed(stage: Stage) -> bool:
    decision = stage.state.decision
    return decision is not None and decision.decision is Decision.MILESTONE_DONE


class Found(BaseModel):
    """What code sees of the current milestone."""

    seen: Survey
    evidence: tuple[Evidence, ...] = Field(description="the evidence so far, as it stands now")
    made: list[str] = Field(description="results that were made or changed since the milestone began")
    checked: tuple[Checked, ...]
    readable: list[str] = Field(
        description="what the Assessor may have to open; nothing where code vouches for the work"
    )


def _found(stage: Stage) -> Found:
    s = stage.state
    assert s.scope is not None
    seen = stage.type.survey(stage.run, stage.workspace, s.milestone, len(s.scope.milestones))
    made = evidence.changed(stage)
    return Found(
        seen=seen,
        evidence=looked_at_again(stage.workspace, s.evidence, seen.is_through),
        made=made,
        checked=evidence.check_milestone(stage, made),
        readable=[] if seen.is_through else evidence.readable(stage, made),
    )


def _asked(stage: Stage, found: Found) -> Played[Assessment]:
    s = stage.state
    assert s.scope is not None
    seen, made, is_vouched = found.seen, found.made, found.seen.is_through
    sample, _ = evidence.drawn(found.readable, f"{s.round}", evidence.named(stage))
    must_open, unsettled = tuple(sample), tuple(f.id for f in s.open_findings)
    dropped = dropping.unagreed(stage)
    lines = _proven_lines(stage) if is_vouched else {}
    is_claimed = _is_claimed(stage)
    return stage.play(
        "assessor", "assess", Assessment,
        PhaseState(
            must_open=must_open, at_hand=evidence.at_hand(stage, made), unsettled=unsettled,
            droppable=tuple(d.id for d in dropped), changed=lines, is_surveyed=is_vouched and is_claimed,
            sources=_shown_whole(stage) if is_claimed and not is_vouched else (),
        ),
        is_shown=True,
        does=() if is_vouched else None,
        block={
            "surveyed": seen.surveyed, "open": len(seen.open), "gave_up": _gave_up(stage),
            "deliverables": list(must_open), "dropped": [d.id for d in dropped],
        },
        request=s.request, remit=s.scope.remit, milestone=s.current_milestone, milestone_number=s.milestone + 1,
        milestones=len(s.scope.milestones), occasion=s.occasion or "it is time", done_count=len(s.done), done=s.recent,
        report=s.report, verdict=s.verdict, deliverables=made[:MOST_SHOWN], checked=found.checked, dropped=dropped,
        open_findings=s.open_findings, findings=s.findings,
        facts=(*seen.facts, *open_facts(seen), _fact(s.evidence)),
    )  # fmt: skip


def _proven_lines(stage: Stage) -> dict[str, str]:
    return stage.code("lines", dict[str, str], lambda: stage.type.changed_lines(stage.run, stage.workspace))


def _shown_whole(stage: Stage) -> tuple[str, ...]:
    if not stage.run.config.is_guided:
        return ()
    return stage.code("shown_whole", tuple[str, ...], lambda: stage.type.shown_whole(stage.run, stage.workspace))


def _take_back(stage: Stage) -> None:
    """When the planner claims the milestone, what no verdict accepted goes: it would not be delivered either."""
    s = stage.state
    if not _is_claimed(stage) or not s.todos.items or not s.accepted_commit:
        return

    def taken_back() -> str:
        stage.workspace.reset(s.accepted_commit)
        return write_plan(stage)

    s.learnt = stage.code("take_back", str, taken_back)


def _as_claimed(stage: Stage, seen: Survey) -> Assessment:
    """What stands in the Assessor's place when nobody is asked: what the planner claims, where code sees nothing open."""
    claimed = _is_claimed(stage) and not seen.open
    trajectory = Trajectory.MILESTONE_MET if claimed else Trajectory.CONTINUE
    return Assessment(trajectory=trajectory, reasons=("nobody was asked",), confidence=1.0)


def _gave_up(stage: Stage) -> bool:
    """Whether the planner aborted and asks what to do."""
    decision = stage.state.decision
    return decision is not None and decision.decision is Decision.ABORT


def _unproven(stage: Stage, seen: Survey, made: list[str], checked: tuple[Checked, ...]) -> str:
    """Why the milestone may not count as met, in a sentence for the planner; '' when all that it takes is shown."""
    s = stage.state
    assert s.assessment is not None
    if why := dropping.restored(stage):
        return f"The milestone is not reached. {why}"[:400]
    if dropping.left(stage, seen):
        return "The milestone is not reached: code still sees open work."
    vouched = seen.surveyed
    claimed = s.decision.evidence if s.decision is not None else ()
    s.evidence = _looked_at(stage, joined((*claimed, *s.assessment.evidence), s.evidence), vouched)
    stale = [e.ref for e in s.evidence if e.state is EvidenceState.STALE]
    if stale:
        return f"'{stale[0]}' changed after it was checked; plan a task that checks it and names it as a deliverable."
    if s.verdict is not None and not s.verdict.passed:
        return f"What QA found is not mended: {s.verdict.findings[0]}"
    if why := findings.still_open(stage):
        return f"The milestone is not reached. {why}"
    if failed := [c for c in checked if c.standing is Standing.FAILED]:
        return f"The check '{failed[0].says}' does not hold: {failed[0].why}"[:400]
    return "" if vouched else _unsupported(stage, made, checked)


def _unsupported(stage: Stage, made: list[str], checked: tuple[Checked, ...]) -> str:
    """Where code cannot tell what is open: an accepted task, and something that it made, must stand behind the claim."""
    s = stage.state
    if not s.done:
        return "No task was accepted, so nothing can be reached; plan one."
    if any(c.standing is Standing.PROVEN and c.kind in (CheckKind.COMMAND, CheckKind.QUERY) for c in checked):
        return ""
    if why := evidence.unfit(stage, made):
        return f"The milestone is not reached: {why}. Plan a task that mends it."[:400]
    shown = [
        e for e in s.evidence if e.kind is EvidenceKind.FILE and e.state is EvidenceState.VERIFIED and e.ref in made
    ]
    if not shown:
        return (
            "Nothing that was made or changed since the milestone began shows that it is reached; an input shows nothing. "
            "Plan a task that makes what the milestone promises."
        )
    return ""


def _looked_at(stage: Stage, cited: tuple[Evidence, ...], vouched: bool) -> tuple[Evidence, ...]:
    """The evidence as it stands now, looked at in a step."""
    if not cited:
        return ()
    return stage.code("evidence", tuple[Evidence, ...], lambda: looked_at_again(stage.workspace, cited, vouched))


def open_facts(seen: Survey) -> tuple[str, ...]:
    """What is open, in a few lines."""
    if not seen.surveyed:
        return ("code cannot tell what is open",)
    return tuple(f"open: {w.says}" for w in seen.open[:3]) or ("nothing is open for this milestone",)


def _fact(cited: tuple[Evidence, ...]) -> str:
    said = ", ".join(f"{count} {state}" for state, count in counted(cited).items())
    stale = [e.ref for e in cited if e.state is EvidenceState.STALE][:3]
    return f"evidence: {said}" + (f"; changed since it was checked: {', '.join(stale)}" if stale else "")


def _event(stage: Stage, assessment: Assessment) -> Event:
    s = stage.state
    reason = "; ".join(assessment.reasons)[:400]
    match assessment.trajectory:
        case Trajectory.CONTINUE:
            return _continued(stage, reason)
        case Trajectory.MILESTONE_MET:
            evidence.judged(stage, reason)
            return _met(stage)
        case Trajectory.MISALIGNED:
            s.findings = tuple(assessment.reasons)
            experiences.learn(stage, Lesson(failed="a scope", why=Why.MISALIGNED))
            stage.escalate("Assessor", Tier.STRATEGIC, reason, evidence=assessment.evidence)
            assert s.scope is not None
            s.ruled_out[scope_fingerprint(s.scope)] = reason
            return Event.MISALIGNED
        case Trajectory.HOPELESS:
            experiences.learn(stage, Lesson(failed="a milestone", why=Why.HOPELESS))
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
