"""The submit tools: a role's contract from its arguments, the end of its phase, and evidence that code looked at."""

from __future__ import annotations

from typing import Any

import pytest

from echelon.crews.tool_sets import all_tools
from echelon.domains.requirements import document_files
from echelon.engine.ends import Submitted
from echelon.engine.todos import TodoList
from echelon.engine.toolbox import Effect, ToolContext
from echelon.errors import ModelFault
from echelon.store.records.steps import Begun, Ended
from echelon.tasks import contracts as c
from echelon.tasks.evidence import MOST, evidence_of, refreshed
from echelon.tools.groundless import OF_THE_FORM
from tests.support.tool_use import files_of, guided, use

SAMPLE = "records-retention-policy-2pages.pdf"
MILESTONE = {"outcome": "A reader finds every obligation.", "checks": ["open one"]}
GOOD: dict[str, tuple[dict[str, Any], type[c.Contract]]] = {
    "submit_scope": (
        {"in_scope": ["obligations"], "success": ["pages"], "milestones": [MILESTONE], "confidence": 0.8}, c.Scope
    ),
    "submit_task": ({"title": "Read", "rationale": "First.", "deliverables": ["output/a.md"]}, c.PlannerDecision),
    "submit_milestone_done": ({"reason": "all parts are read"}, c.PlannerDecision),
    "submit_abort": ({"reason": "the document has no text"}, c.PlannerDecision),
    "submit_report": ({"summary": "Part 1 is read."}, c.Report),
    "submit_verdict": ({"passed": True}, c.Verdict),
    "submit_assessment": ({"trajectory": "continue", "reasons": ["parts are open"]}, c.Assessment),
    "submit_answer": ({"answer": "In section 4."}, c.Answer),
    "job_complete": ({"summary": "Done.", "deliverables": ["output/a.md"], "confidence": 0.9}, c.JobComplete),
}  # fmt: skip


@pytest.fixture
def ready(context: ToolContext) -> ToolContext:
    """A phase whose only todo is done and whose deliverable is there."""
    context.workspace.write("output/a.md", "the result")
    context.state.todos = TodoList.of("Read", ["read part 1"]).completed()
    return context


def test_every_submit_tool_is_tried() -> None:
    assert set(GOOD) == {name for name in all_tools() if name.startswith("submit_") or name == "job_complete"}
    assert all(all_tools()[name].effect is Effect.IDEMPOTENT for name in GOOD)


@pytest.mark.parametrize("name", sorted(GOOD))
def test_a_submit_tool_hands_over_its_contract_and_ends_the_phase(ready: ToolContext, name: str) -> None:
    arguments, contract = GOOD[name]
    before = files_of(ready)
    result = use(ready, name, **arguments)
    assert result.ok, result.explanations
    assert isinstance(ready.state.end, Submitted) and isinstance(ready.state.end.value, contract)
    assert contract.model_validate(result.data) == ready.state.end.value
    assert files_of(ready) == before, "handing over writes nothing"


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("submit_scope", {"milestones": []}, "milestones"),
        ("submit_scope", {"in_scope": [""]}, "in_scope"),
        ("submit_task", {"deliverables": []}, "deliverables"),
        ("submit_task", {"title": " "}, "title"),
        ("submit_verdict", {"passed": False}, "at least one finding"),
        ("submit_verdict", {"passed": False, "findings": ["x" * 500]}, "findings"),
        ("submit_assessment", {"reasons": []}, "reasons"),
        ("submit_report", {"summary": ""}, "summary"),
        ("job_complete", {"deliverables": ["output/b.md"]}, "There is no file 'output/b.md'"),
        ("job_complete", {"deliverables": ["../a.md"]}, "There is no file"),
        ("job_complete", {"deliverables": []}, "deliverables"),
    ],
)
def test_what_does_not_make_a_contract_is_said_and_ends_nothing(
    ready: ToolContext, name: str, change: dict[str, Any], said: str
) -> None:
    result = use(ready, name, **{**GOOD[name][0], **change})
    assert not result.ok
    assert said in result.explanations[0]
    assert "validation error" not in result.explanations[0] and "\n" not in result.explanations[0]
    assert ready.state.end is None


@pytest.mark.parametrize("confidence", [-0.1, 1.1, "high"])
@pytest.mark.parametrize("name", ["submit_scope", "submit_task", "submit_report", "submit_verdict", "job_complete"])
def test_confidence_is_between_nought_and_one(ready: ToolContext, name: str, confidence: Any) -> None:
    with pytest.raises(ModelFault, match="confidence"):
        use(ready, name, **{**GOOD[name][0], "confidence": confidence})


def test_a_task_needs_its_todos_first(context: ToolContext) -> None:
    result = use(context, "submit_task", **GOOD["submit_task"][0])
    assert not result.ok and "todo_write first" in result.explanations[0]


def test_a_task_takes_the_todos_that_were_written_and_shortens_notes(context: ToolContext) -> None:
    use(context, "todo_write", todos=["read part 1", "read part 2"])
    notes = ["  part 3\nis next ", "", "x" * 300, *[f"note {n}" for n in range(9)]]
    assert use(context, "submit_task", **GOOD["submit_task"][0], notes=notes).ok
    decision = context.state.end.value
    assert [(t.id, t.content) for t in decision.task.todos] == [(1, "read part 1"), (2, "read part 2")]
    assert decision.window.notes[:2] == ("part 3 is next", "x" * 100)
    assert len(decision.window.notes) == 7


def test_a_report_of_done_needs_every_todo_done(ready: ToolContext) -> None:
    ready.state.todos = TodoList.of("Read", ["read part 1", "read part 2"]).completed()
    result = use(ready, "submit_report", summary="Part 1 is read.")
    assert not result.ok and "Todo 2 'read part 2' is not done" in result.explanations[0]
    assert use(ready, "submit_report", summary="Part 1 is read.", outcome="partial", issue="no text").ok
    assert ready.state.end.value.outcome is c.Outcome.PARTIAL


# evidence


def looked_at(context: ToolContext, *texts: str) -> list[c.Evidence]:
    return [c.Evidence.model_validate(e) for e in evidence_of(context, list(texts))]


def test_a_file_is_verified_with_its_hash_and_a_missing_one_is_a_claim(ready: ToolContext) -> None:
    there, missing, outside = looked_at(ready, "output/a.md", "output/b.md", "../secret")
    assert (there.kind, there.state) == (c.EvidenceKind.FILE, c.EvidenceState.VERIFIED)
    assert there.sha256 == ready.workspace.sha256("output/a.md")
    for claim in (missing, outside):
        assert (claim.state, claim.sha256) == (c.EvidenceState.CLAIMED, None)


def test_a_quote_is_verified_where_it_stands(sample: ToolContext) -> None:
    document = document_files.document(sample.workspace, SAMPLE)
    words = " ".join(document.page(1).text.split()[:6])
    here, wrong_page, wrong_words, wrong_file = looked_at(
        sample, f'{SAMPLE}, page 1: "{words}"', f'{SAMPLE}, page 99: "{words}"', f'{SAMPLE} p. 1 "not there at all"',
        f'other.pdf, page 1: "{words}"',
    )  # fmt: skip
    assert (here.kind, here.ref, here.page, here.quote) == (c.EvidenceKind.QUOTE, SAMPLE, 1, words)
    assert here.state is c.EvidenceState.VERIFIED
    assert {e.state for e in (wrong_page, wrong_words, wrong_file)} == {c.EvidenceState.CLAIMED}


def test_a_call_is_verified_when_the_ledger_has_it_as_a_success(ready: ToolContext) -> None:
    store, job = ready.run.store, ready.run.job
    for number, kind, ok in ((1, "tool", True), (2, "tool", False), (3, "model", True)):
        store.begin_step(job, number, Begun(kind, "read_part"))
        store.end_step(job, number, Ended(ok))
    states = [e.state for e in looked_at(ready, "call 1", "Tool call #2", "call_3", "call 4")]
    assert states == [c.EvidenceState.VERIFIED] + [c.EvidenceState.CLAIMED] * 3


def test_evidence_is_bounded_and_named_once(ready: ToolContext) -> None:
    assert len(looked_at(ready, "output/a.md", " output/a.md ", "", "  ")) == 1
    assert len(looked_at(ready, *[f"file-{n}.md" for n in range(50)])) == MOST
    assert len(looked_at(ready, "x" * 5000)) == 1


def test_evidence_of_a_file_that_changed_is_stale(ready: ToolContext) -> None:
    [before] = looked_at(ready, "output/a.md")
    assert refreshed(before, ready.workspace.sha256("output/a.md")) == before
    ready.workspace.write("output/a.md", "changed")
    assert refreshed(before, ready.workspace.sha256("output/a.md")).state is c.EvidenceState.STALE
    assert refreshed(before, None).state is c.EvidenceState.STALE
    [claim] = looked_at(ready, "output/b.md")
    assert refreshed(claim, "ab").state is c.EvidenceState.CLAIMED


def test_what_is_reported_as_delivered_becomes_evidence(ready: ToolContext) -> None:
    use(ready, "submit_report", summary="Done.", deliverables=["output/a.md", "output/b.md"])
    assert [(e.ref, e.state.value) for e in ready.state.end.value.evidence] == [
        ("output/a.md", "verified"), ("output/b.md", "claimed"),
    ]  # fmt: skip


def test_what_is_wrong_is_said_in_the_words_of_json(ready: ToolContext) -> None:
    said = use(ready, "submit_scope", **(GOOD["submit_scope"][0] | {"milestones": []})).explanations[0]
    assert "List should have at least 1 item" in said and "uple" not in said


@pytest.mark.parametrize("says", [
    "The deliverables are not provided in the answer.", "'output/a.md' does exist, but the file output/a.md is not there",
    "There is no file output/a.md.", "The file was never delivered",
    "The deliverables do not mention the 'output/a.md' file", "The 'deliverables' list is empty.",
    "The deliverable 'output/a.md' is missing.",
])  # fmt: skip
def test_what_is_there_is_not_missed(ready: ToolContext, says: str) -> None:
    """A small QA took what stood in its prompt for missing, and the task was done three times over."""
    finding = {"says": says, "about": "output/a.md"}
    refused = use(ready, "submit_verdict", passed=False, findings=[finding])
    assert not refused.ok and "'output/a.md' is there" in refused.explanations[0] and ready.state.end is None
    (ready.workspace.root / "output/a.md").unlink()
    assert use(ready, "submit_verdict", passed=False, findings=[finding]).ok, "then it is right"


@pytest.mark.parametrize("says", [
    "The file does not name a deadline.", "Two rows are missing", "It is not included", "The file is missing its heading",
])  # fmt: skip
def test_what_is_missing_in_a_file_is_a_finding(ready: ToolContext, says: str) -> None:
    assert use(ready, "submit_verdict", passed=False, findings=[{"says": says, "about": "output/a.md"}]).ok


def test_a_file_of_the_task_is_missed_by_its_name(ready: ToolContext) -> None:
    ready.state.objects = ("plan/outline.json",)
    finding = {"says": "The files plan/outline.json are not included.", "about": ""}
    assert use(ready, "submit_verdict", passed=False, findings=[finding]).ok
    ready.state.end = None
    (ready.workspace.root / "plan").mkdir(exist_ok=True)
    (ready.workspace.root / "plan/outline.json").write_text("{}")
    refused = use(ready, "submit_verdict", passed=False, findings=[finding])
    assert not refused.ok and "'plan/outline.json' is there" in refused.explanations[0]


@pytest.mark.parametrize("says", [
    "The request does not specify what people do.", "The task does not explicitly state a list of options.",
    "The user's goal doesn't say who comes",
])  # fmt: skip
def test_what_a_request_leaves_open_is_no_fault_of_the_work(ready: ToolContext, says: str) -> None:
    """A small QA failed a good plan three times, since the goal did not say what is in it."""
    refused = use(ready, "submit_verdict", passed=False, findings=[{"says": says, "about": "output/a.md"}])
    assert not refused.ok and "no fault of the work" in refused.explanations[0] and ready.state.end is None
    assert not use(ready, "submit_assessment", trajectory="misaligned", reasons=[says]).ok
    assert use(ready, "submit_assessment", trajectory="misaligned", reasons=[says, "The list is of birds."]).ok


def test_what_a_small_model_makes_up_of_the_results_is_not_told(ready: ToolContext) -> None:
    """It has not read them: two plans with prices of their own had "the same lunch costs" in its summary."""
    says = {"summary": "Both plans cost the same.", "deliverables": ["output/a.md"], "confidence": 0.9}
    for context, is_kept in ((guided(ready), False), (ready, True)):
        assert use(context, "job_complete", **says).ok
        assert isinstance(end := ready.state.end, Submitted) and isinstance(end.value, c.JobComplete)
        assert (end.value.summary == says["summary"]) is is_kept
        assert is_kept or "stands in output/a.md" in end.value.summary
    assert not use(guided(ready), "job_complete", **{**says, "deliverables": ["output/b.md"]}).ok


def test_a_reason_is_told_once(ready: ToolContext) -> None:
    """A small model said one reason three times, and a person read it three times."""
    says = ["The table has no rooms.", "The  table has no rooms. ", "The prices are of March."]
    assert use(ready, "submit_assessment", trajectory="continue", reasons=says).ok
    assert isinstance(end := ready.state.end, Submitted) and isinstance(end.value, c.Assessment)
    assert end.value.reasons == ("The table has no rooms.", "The prices are of March.")


def test_what_was_wrong_with_an_answer_is_nothing_against_the_work(ready: ToolContext) -> None:
    """A small Assessor called the work misaligned in the words of the refusal of its own answer."""
    refused = use(ready, "submit_assessment", trajectory="continue", reasons=[f"reason {n}" for n in range(20)])
    (said,) = refused.explanations
    assert not refused.ok
    echoed = use(ready, "submit_assessment", trajectory="misaligned", reasons=[said])
    assert not echoed.ok and OF_THE_FORM in echoed.explanations[0]
    finding = {"says": said[:300], "about": "output/a.md"}
    assert OF_THE_FORM in use(ready, "submit_verdict", passed=False, findings=[finding]).explanations[0]
    assert use(ready, "submit_assessment", trajectory="misaligned", reasons=[said, "The list is of birds."]).ok


@pytest.mark.parametrize(
    "says", ["The task does not hold", "The list does not say who comes", "Goals are not numbered"]
)
def test_what_is_wrong_with_the_work_is_a_finding(ready: ToolContext, says: str) -> None:
    assert use(ready, "submit_verdict", passed=False, findings=[{"says": says, "about": "output/a.md"}]).ok


ANSWER = "The differences:\n- The meeting is on Monday at 10:00.\n- Lunch costs\n  12 euros.\n"


@pytest.mark.parametrize(("says", "holds"), [
    ("The output does not include the check: The meeting is on Monday at 10:00.", False),
    ("It doesn't say 'Lunch costs 12 euros'.", False),
    ("It does not list \"the meeting is on Monday\" and 'lunch costs 12 euros'", False),
    ("It does not list 'the meeting is on Monday' and 'lunch costs 14 euros'", True),
    ("The output does not include the check: The meeting is on Tuesday at 10:00.", True),
    ("It does not say when the meeting is on Monday at 10:00.", True),
    ("It does not name 'Monday'.", True),
    ("It says 'Lunch costs 12 euros', which is wrong.", True),
])  # fmt: skip
def test_what_stands_there_word_for_word_is_not_missed(ready: ToolContext, says: str, holds: bool) -> None:
    """A small QA listed as missing each line that stood in the file."""
    ready.workspace.write("output/a.md", ANSWER)
    result = use(ready, "submit_verdict", passed=False, findings=[{"says": says, "about": "output/a.md"}])
    assert result.ok == holds and (holds or "word for word" in result.explanations[0]), result.explanations
    ready.state.end = None
    (ready.workspace.root / "output/a.md").write_bytes(b"\0\1")
    assert use(ready, "submit_verdict", passed=False, findings=[{"says": says, "about": "output/a.md"}]).ok


@pytest.mark.parametrize(("says", "holds"), [
    ("The task does not hold: the output does not contain what was asked for: Say what differs between the plans.", False),
    ("The request 'say what differs between the plans' was not fulfilled", False),
    ("Say what differs between the plans: the price of April is missing.", True),
    ("The output does not contain what was asked for.", True),
])  # fmt: skip
def test_a_finding_says_more_than_the_request(ready: ToolContext, says: str, holds: bool) -> None:
    """A small QA failed a right answer with the request as its reason, and it was written anew, and worse."""
    text = "# Job\n\n# Instructions\n\nSay what differs between the plans.\n"
    (ready.workspace.root / "instructions.md").write_text(text, encoding="utf-8")
    result = use(ready, "submit_verdict", passed=False, findings=[{"says": says, "about": "output/a.md"}])
    assert result.ok == holds, result.explanations


@pytest.mark.parametrize(
    "says",
    ["The text in the deliverable does not match what was asked for.", "The task has not been completed yet."],
)
def test_a_small_judge_says_what_is_wrong(ready: ToolContext, says: str) -> None:
    """One failed a task since "the text does not match what was asked for", and that sentence came into the result."""
    vague = {"says": says, "about": "output/a.md"}
    assert use(ready, "submit_verdict", passed=False, findings=[vague]).ok
    ready.state.end = None
    ready = guided(ready)
    refused = use(ready, "submit_verdict", passed=False, findings=[vague])
    assert not refused.ok and "name the line, the number or the word" in refused.explanations[0]
    clear = {"says": "The text does not say that lunch costs 14 euros.", "about": "output/a.md"}
    assert use(ready, "submit_verdict", passed=False, findings=[clear]).ok


@pytest.mark.parametrize(("says", "why"), [
    ("The output contains the differences found in the two plans without any summary.", "Name the word"),
    ("The meeting is on Monday at 10:00, and lunch costs 12 euros.", "stands in the result"),
    ("The price of April, 14 euros, is missing.", ""),
    ("It says Monday where April says Tuesday.", ""),
    ("The meeting is not on Monday.", ""),
    ("'Dinner is on us' is made up.", ""),
    ("'Breakfast is on us' is made up.", "Name the word"),
])  # fmt: skip
def test_a_finding_on_short_inputs_names_something_of_them(ready: ToolContext, says: str, why: str) -> None:
    """A small QA failed right answers since they had no summary, or with the answer itself as its finding."""
    ready.workspace.write("output/a.md", f"{ANSWER}- Dinner is on us\n")
    finding = {"says": says, "about": "output/a.md"}
    ready.state.sources = (
        "The meeting is on Monday at 10:00.\nLunch costs 12 euros.",
        "The meeting is on Tuesday. 14 euros.",
    )
    result = use(ready, "submit_verdict", passed=False, findings=[finding])
    assert result.ok == (not why) and why in " ".join(result.explanations), result.explanations
    ready.state.end, ready.state.sources = None, ()
    assert use(ready, "submit_verdict", passed=False, findings=[finding]).ok, "where inputs are long it may say so"


@pytest.mark.parametrize(("says", "holds"), [
    ("The meeting date in Plan of March is wrong.", False),
    ("The plan of April is missing.", True),
    ("Lunch is wrong in March.", False),
    ("Monday is wrong.", True),
    ("Lunch costs 12 euros and not 14.", True),
    ("'Plan of March' is no heading for this.", True),
])  # fmt: skip
def test_what_every_input_says_names_no_place(ready: ToolContext, says: str, holds: bool) -> None:
    """A small QA failed a right answer with it, and in the next one nothing else was said."""
    ready.workspace.write("output/a.md", f"# Plan of March\n{ANSWER}Lunch costs 14 euros.\n")
    ready.state.sources = (
        "# Plan of March\nThe meeting is on Monday.\nLunch costs 12 euros.",
        "# Plan of April\nThe meeting is on Tuesday.\nLunch costs 14 euros.",
    )
    result = use(ready, "submit_verdict", passed=False, findings=[{"says": says, "about": "output/a.md"}])
    assert result.ok == holds, result.explanations


POINTS = ("Lunch costs 12 euros.", "Maria brings the projector.")


def test_a_point_that_does_not_hold_is_a_finding(ready: ToolContext) -> None:
    ready.state.objects, ready.state.points = ("output/a.md",), POINTS
    said = [{"line": POINTS[0], "result": "said wrong"}, {"line": POINTS[1], "result": "missing"}]
    result = use(ready, "submit_verdict", passed=False, points=said)
    assert result.ok and "points" not in result.data
    assert [(f["says"], f["about"]) for f in result.data["findings"]] == [
        ("The result says otherwise: Lunch costs 12 euros.", "output/a.md"),
        ("The result lacks: Maria brings the projector.", "output/a.md"),
    ]


@pytest.mark.parametrize("passed", [True, False])
def test_a_verdict_follows_from_its_points(ready: ToolContext, passed: bool) -> None:
    ready.state.points = POINTS
    said = [{"line": line, "result": "missing" if passed else "not asked for"} for line in POINTS]
    assert not use(ready, "submit_verdict", passed=passed, points=said).ok
    said = [{"line": line, "result": "said" if passed else "missing"} for line in POINTS]
    assert use(ready, "submit_verdict", passed=passed, points=said).ok
