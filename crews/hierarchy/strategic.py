"""The strategic tier: scope, its gate, approval, and delivery."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel

from echelon.crews.hierarchy import approvals, evidence
from echelon.crews.hierarchy.plan_file import write_plan
from echelon.crews.hierarchy.states import Event, State
from echelon.crews.job import JobState
from echelon.crews.jobtype import InputDocument, Understood, are_shown_whole
from echelon.crews.stage import Stage, event_of
from echelon.digest import digest, folded
from echelon.engine.ends import Submitted
from echelon.engine.toolbox import PhaseState
from echelon.store.records.events import Gated, Scoped
from echelon.tasks.checks import cannot_be_carried_out, shows_nothing_made
from echelon.tasks.contracts import JobComplete, Scope, Tier

STEPS_NOT_OUTCOMES = re.compile(
    r"^(implement|write code|create (a )?(file|class|function|table)|set up|refactor|install|call|run)\b", re.IGNORECASE
)


SHOWN_DOCUMENTS = 20
"""Inputs that a prompt names one by one."""
SCOPE = "scope-"
"""How the fingerprints of scopes begin, among those of all that is ruled out."""


def scope(stage: Stage) -> Event:
    """The ScopeAgent turns the request into a remit and milestones."""
    s = stage.state
    read = stage.code(
        "understand", Understood, lambda: stage.type.understand(stage.run, stage.workspace, s.request, s.answers)
    )
    if stage.run.config.is_guided and stage.type.outcomes and not read.open:
        read = read.model_copy(update={"looked": True})  # its milestones are known; an able model may look
    outcomes = usual_outcomes(stage)
    played = stage.play(
        "scope_agent",
        "scope",
        Scope,
        PhaseState(outcomes=outcomes),
        is_shown=read.looked,
        does=(),
        block={
            "documents": [d.file for d in _named(stage)],
            "outcomes": list(outcomes),
            "not_understood": list(read.open),
            "answers": list(s.answers),
        },
        **scope_values(s, outcomes, read),
    )
    if not isinstance(played.end, Submitted):
        return event_of(played.end, Event.NOTHING_SUBMITTED)
    s.scope = played.end.value
    if read.questions:
        s.scope = s.scope.model_copy(update={"questions": tuple(dict.fromkeys((*read.questions, *s.scope.questions)))})
    return Event.SUBMITTED


def usual_outcomes(stage: Stage) -> tuple[str, ...]:
    """The milestones that the type of job usually has. Where it names none, a guided role is given the request itself:
    a small model makes less of it."""
    if stage.type.outcomes or not stage.run.config.is_guided:
        return stage.type.outcomes
    return (f"A reader finds in output/ all that was asked for: {' '.join(stage.state.request.split())[:200]}",)


def scope_values(s: JobState, outcomes: tuple[str, ...] = (), read: Understood | None = None) -> dict[str, Any]:
    """What fills the prompt of a scope: bounded, however many inputs there are."""
    read = read or Understood()
    return {
        "request": s.request, "documents": s.documents[:SHOWN_DOCUMENTS], "document_count": len(s.documents),
        "outcomes": outcomes, "understood": read.facts,
        "looked": read.looked or are_shown_whole(s.documents), "not_understood": read.open,
        "answers": s.answers, "findings": s.findings, "experiences": s.experiences,
    }  # fmt: skip


def _named(stage: Stage) -> list[InputDocument]:
    """The inputs that the data of the prompt names: all for who plays by rules, a bounded number for a model."""
    is_by_rules = stage.run.config.model_of("scope_agent").startswith("playbook")
    return stage.state.documents[: None if is_by_rules else SHOWN_DOCUMENTS]


def gate_scope(stage: Stage) -> Event:
    """Rules and confidence decide whether a scope may be worked on."""
    s = stage.state
    assert s.scope is not None
    if asked := approvals.questions(stage, has_scope=False, wanted=s.scope.questions):
        s.questions = asked
        return Event.QUESTIONS
    problems = [*scope_problems(s.scope), *stage.code("check_scope", list[str], lambda: check_problems(stage))]
    if (why := s.ruled_out.get(scope_fingerprint(s.scope))) is not None:
        problems.append(f"This very scope failed before ({why[:200]}); change what is in scope or the milestones.")
    weights = stage.run.config.confidence
    confidence = composite(s.scope, s.request, problems, weights.model, weights.validator, weights.heuristics)
    stage.run.emit(Gated(gate="scope", confidence=round(confidence, 3), problems=tuple(problems)))
    if confidence >= weights.go_on and not problems:
        return _passed(stage)
    s.findings = tuple(problems) or (f"The confidence is {confidence:.2f}; make the milestones sharper.",)
    if confidence >= weights.repair:
        return Event.REPAIRABLE
    stage.escalate("ScopeAgent", Tier.PERSON, f"scope with confidence {confidence:.2f}")
    return Event.TOO_WEAK


def _passed(stage: Stage) -> Event:
    s = stage.state
    assert s.scope is not None
    s.findings, s.milestone, s.notes = (), 0, ()
    s.milestone_commit, s.checked, s.results, s.dropped = s.began_commit, {}, {}, ()
    stage.run.emit(Scoped(milestones=tuple(m.outcome for m in s.scope.milestones)))
    s.learnt = stage.code("write_plan", str, lambda: write_plan(stage))
    return Event.PASSED_NEEDS_APPROVAL if approvals.needed(stage, State.APPROVE) else Event.PASSED


def scope_fingerprint(scope: Scope) -> str:
    """The name of a scope: the same remit and outcomes again are the same scope, however sure the model is."""
    said = [*scope.remit.in_scope, "out", *scope.remit.out_of_scope, "then", *(m.outcome for m in scope.milestones)]
    return SCOPE + digest([folded(line) for line in said])[:16]


def check_problems(stage: Stage) -> list[str]:
    """Checks of the scope that check nothing, one sentence each with what to do."""
    scope, type_ = stage.state.scope, stage.type
    assert scope is not None
    checks = [c for m in scope.milestones for c in m.checks]
    problems = [cannot_be_carried_out(c, stage.workspace, type_.can_run, type_.has_graph) for c in checks]
    return [p for p in problems if p][:10] + type_.scope_problems(stage.run, stage.workspace)


def scope_problems(scope: Scope) -> list[str]:
    """What is wrong with a scope by rule, one sentence each with what to do."""
    outcomes = [m.outcome for m in scope.milestones]
    problems = [
        f"Milestone '{o[:60]}' is a step of work; say what a user can do or see then."
        for o in outcomes
        if STEPS_NOT_OUTCOMES.match(o)
    ]
    problems += [
        f"The checks of '{m.outcome[:60]}' look at inputs alone, which nobody makes; add one that looks at a result."
        for m in scope.milestones
        if shows_nothing_made(m.checks)
    ]
    if len({o.lower() for o in outcomes}) < len(outcomes):
        problems.append("Two milestones are the same; merge them.")
    return problems


def composite(
    scope: Scope, request: str, problems: list[str], model: float, validator: float, heuristics: float
) -> float:
    """Weighted mean of the model's confidence, the share of milestones without a problem, and simple signs of care.

    The weights are those of the design (0.5, 0.3, 0.2 by default); the result is in [0, 1].
    """
    rules = max(0.0, 1 - len(problems) / len(scope.milestones))
    words = set(re.findall(r"\w{4,}", request.lower()))
    said = " ".join([*scope.remit.in_scope, *scope.remit.success, *(m.outcome for m in scope.milestones)]).lower()
    touches = 1.0 if not words or any(w in said for w in words) else 0.0
    has_checks = sum(bool(m.checks) for m in scope.milestones) / len(scope.milestones)
    total = model + validator + heuristics
    return (model * scope.confidence + validator * rules + heuristics * (touches + has_checks) / 2) / total


def deliver(stage: Stage) -> Event:
    """Code brings the results up to date and checks them; the ScopeAgent hands them over."""
    s = stage.state

    ready = stage.code("prepare_delivery", Ready, lambda: prepared(stage))
    if ready.problems or not ready.deliverables:
        s.findings = tuple(p[:400] for p in ready.problems[:10]) or ("There is nothing in output/.",)
        return Event.NOT_DELIVERABLE
    played = stage.play(
        "scope_agent",
        "deliver",
        JobComplete,
        is_shown=True,
        block={"deliverables": list(ready.deliverables)},
        request=s.request,
        deliverables=ready.deliverables,
        findings=s.findings,
        facts=[f"{len(s.done)} tasks were accepted in {s.round} rounds"],
    )
    if not isinstance(played.end, Submitted):
        return event_of(played.end, Event.NOTHING_SUBMITTED)
    s.complete = played.end.value
    s.accepted_commit = stage.commit("Deliver the results")
    if not stage.run.config.isolated:
        stage.code("hand_over", bool, lambda: handed_over(stage))
    return Event.DELIVERED


class Ready(BaseModel):
    """Whether the results can be handed over, and what they are."""

    problems: tuple[str, ...]
    deliverables: tuple[str, ...]


def prepared(stage: Stage) -> Ready:
    """Bring the results up to date and check them."""
    s = stage.state
    if s.scope is not None:
        stage.workspace.reset(s.accepted_commit)  # what no verdict accepted is not delivered
        write_plan(stage, all_met=True)
    stage.type.finish(stage.run, stage.workspace)
    problems = [*stage.type.check_delivery(stage.run, stage.workspace), *evidence.undelivered(stage)]
    return Ready(problems=tuple(problems), deliverables=tuple(stage.type.deliverables(stage.workspace)))


def handed_over(stage: Stage) -> bool:
    """Offer the results to other jobs."""
    stage.type.hand_over(stage.run, stage.workspace)
    return True
