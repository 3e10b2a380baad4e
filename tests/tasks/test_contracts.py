"""The rules of the contracts that code can check alone."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from pydantic import ValidationError

from echelon.tasks import contracts as c

TASK: dict[str, Any] = {
    "title": "Extract part 1",
    "rationale": "It comes first.",
    "todos": [{"id": 1, "content": "extract requirements from part 1"}],
    "deliverables": ["requirements/a.pdf/part-001.json"],
}
MILESTONE: dict[str, Any] = {"outcome": "A reader finds every obligation.", "checks": ["open one"]}
REMIT: dict[str, Any] = {"in_scope": ["obligations"], "success": ["each has its page"]}


def refused(contract: type[c.Contract], values: dict[str, Any], because: str) -> None:
    with pytest.raises(ValidationError, match=because):
        contract.model_validate(values)


def test_a_decision_for_a_task_needs_the_task() -> None:
    refused(c.PlannerDecision, {"decision": "task"}, "needs a task")
    assert c.PlannerDecision.model_validate({"decision": "task", "task": TASK}).task is not None


@pytest.mark.parametrize("decision", ["milestone_done", "abort"])
def test_no_other_decision_has_a_task(decision: str) -> None:
    refused(c.PlannerDecision, {"decision": decision, "task": TASK, "reason": "all is there"}, "no other decision")


@pytest.mark.parametrize("reason", ["", "   ", "\n"])
def test_an_abort_needs_its_reason(reason: str) -> None:
    refused(c.PlannerDecision, {"decision": "abort", "reason": reason}, "reason")
    assert c.PlannerDecision.model_validate({"decision": "milestone_done"}).reason == ""


def test_a_verdict_that_fails_a_task_says_why() -> None:
    refused(c.Verdict, {"passed": False}, "at least one finding")
    assert c.Verdict.model_validate({"passed": True}).findings == ()
    assert not c.Verdict.model_validate({"passed": False, "findings": ["the file is empty"]}).passed


def test_the_window_holds_seven_notes_of_a_hundred_characters() -> None:
    assert len(c.Window(notes=("x" * 100,) * 7).notes) == 7
    refused(c.Window, {"notes": ["x"] * 8}, "at most 7")
    refused(c.Window, {"notes": ["x" * 101]}, "at most 100")
    refused(c.Window, {"notes": ["  "]}, "at least 1")


def test_a_task_is_bite_sized() -> None:
    todos = [{"id": n, "content": f"step {n}"} for n in range(1, 22)]
    assert len(c.Task.model_validate({**TASK, "todos": todos[:20]}).todos) == 20
    refused(c.Task, {**TASK, "todos": todos}, "at most 20")
    refused(c.Task, {**TASK, "todos": []}, "at least 1")
    refused(c.Task, {**TASK, "deliverables": []}, "at least 1")
    refused(c.Task, {**TASK, "todos": [{"id": 0, "content": "step"}]}, "greater than or equal to 1")


def test_a_scope_has_a_remit_and_one_to_twelve_milestones() -> None:
    scope = {"remit": REMIT, "milestones": [MILESTONE], "confidence": 0.8}
    assert c.Scope.model_validate(scope).questions == ()
    refused(c.Scope, {**scope, "milestones": []}, "at least 1")
    refused(c.Scope, {**scope, "milestones": [MILESTONE] * 13}, "at most 12")
    refused(c.Scope, {**scope, "remit": {**REMIT, "success": []}}, "at least 1")
    refused(c.Scope, {**scope, "milestones": [{**MILESTONE, "checks": []}]}, "at least 1")
    refused(c.Scope, {"remit": REMIT, "milestones": [MILESTONE]}, "confidence")


@pytest.mark.parametrize("confidence", [-0.01, 1.01, float("nan"), "sure"])
def test_confidence_is_between_nought_and_one(confidence: Any) -> None:
    with pytest.raises(ValidationError):
        c.Verdict.model_validate({"passed": True, "confidence": confidence})


def test_an_assessment_gives_reasons() -> None:
    refused(c.Assessment, {"trajectory": "continue", "reasons": []}, "at least 1")
    refused(c.Assessment, {"trajectory": "perhaps", "reasons": ["x"]}, "trajectory")


def test_a_completed_job_names_what_it_delivers() -> None:
    refused(c.JobComplete, {"summary": "done", "deliverables": [], "confidence": 1}, "at least 1")


def test_evidence_counts_pages_from_one_and_is_claimed_until_somebody_looks() -> None:
    refused(c.Evidence, {"kind": "quote", "ref": "a.pdf", "page": 0}, "greater than or equal to 1")
    assert c.Evidence(kind=c.EvidenceKind.FILE, ref="a.md").state is c.EvidenceState.CLAIMED


def test_lines_are_stripped_and_bounded() -> None:
    assert c.Verdict(passed=False, findings=("  wrong page \n",)).findings[0].says == "wrong page"
    refused(c.Verdict, {"passed": False, "findings": ["x" * 401]}, "at most 400")
    refused(c.Verdict, {"passed": False, "findings": ["x"] * 21}, "at most 20")
    refused(c.Report, {"outcome": "done", "summary": "x" * 8001}, "at most 8000")


def test_the_fingerprint_of_a_cause_ignores_numbers_case_and_white_space() -> None:
    one = c.Escalation.fingerprint_of("QA", "task", "Call 12: the quote  is not on page 3")
    two = c.Escalation.fingerprint_of("QA", "task", "call 99: the quote is not on\npage 7")
    assert one == two
    assert len(one) == 16


def test_the_fingerprint_tells_role_action_and_cause_apart() -> None:
    prints = {
        c.Escalation.fingerprint_of(*parts)
        for parts in (("QA", "task", "x"), ("Assessor", "task", "x"), ("QA", "plan", "x"), ("QA", "task", "y"))
    }
    assert len(prints) == 4


@given(st.text(max_size=300), st.text(max_size=20))
def test_the_fingerprint_is_stable(cause: str, role: str) -> None:
    first = c.Escalation.fingerprint_of(role, "task", cause)
    assert first == c.Escalation.fingerprint_of(role, "task", f"  {cause}\n")
