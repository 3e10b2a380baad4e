"""The gates of the submit tools: what cannot be said because code counted that it was not looked at, done or changed."""

from __future__ import annotations

import pytest

from echelon.engine.todos import TodoList
from echelon.engine.toolbox import PhaseState, ToolContext
from tests.support.tool_use import guided, use


def phase(context: ToolContext, state: PhaseState) -> ToolContext:
    """The same context in a phase of its own."""
    context.state.__dict__.update(state.__dict__)
    return context


def look(context: ToolContext, path: str, **lines: int) -> None:
    """Open a file as a phase does."""
    from echelon.crews.tool_sets import all_tools

    tool = all_tools()["read_file"]
    arguments = tool.arguments.model_validate({"path": path, **lines})
    result = use(context, "read_file", path=path, **lines)
    context.state.saw(tool.name, {"path": path, **lines}, tool.looks, tool.shown(arguments, result))


def said(context: ToolContext, name: str, **arguments: object) -> str:
    """Why a call is refused; '' when it is taken."""
    result = use(context, name, **arguments)
    return "" if result.ok else " ".join(result.explanations)


MET = {"trajectory": "milestone_met", "reasons": ["it is there"]}


@pytest.fixture
def judge(context: ToolContext) -> ToolContext:
    """A role that has two files to open; one of them is long."""
    context.workspace.write("output/a.md", "- 1.1 keep\n")
    context.workspace.write("output/b.md", "\n".join(f"- {n} keep it" for n in range(300)))
    return phase(context, PhaseState(must_open=("output/a.md", "output/b.md"), unsettled=("F1",)))


def test_nothing_passes_and_nothing_is_met_before_each_file_was_opened(judge: ToolContext) -> None:
    assert "open 'output/a.md'" in said(judge, "submit_verdict", passed=True, settled=["F1"])
    assert "open 'output/a.md'" in said(judge, "submit_assessment", **MET)
    look(judge, "output/a.md")
    assert "open 'output/b.md'" in said(judge, "submit_verdict", passed=True, settled=["F1"])
    assert "open 'output/b.md'" in said(judge, "submit_assessment", **MET), "one of two is not enough"
    look(judge, "./output/b.md")
    assert said(judge, "submit_verdict", passed=True, settled=["F1"]) == "" == said(judge, "submit_assessment", **MET)


@pytest.mark.parametrize(
    "lines", [{"from_line": 9000}, {"lines": 2}, {"from_line": 299}, {"from_line": 100, "lines": 39}]
)
def test_a_glimpse_of_a_long_file_has_not_opened_it(judge: ToolContext, lines: dict[str, int]) -> None:
    look(judge, "output/a.md")
    look(judge, "output/b.md", **lines)
    assert judge.state.unopened() == ["output/b.md"]
    look(judge, "output/b.md", from_line=100, lines=40)
    assert judge.state.unopened() == []


def test_a_verdict_can_always_fail_a_task_and_work_can_always_go_on(judge: ToolContext) -> None:
    assert said(judge, "submit_verdict", passed=False, findings=["1.2 is missing"]) == ""
    assert said(judge, "submit_assessment", trajectory="continue", reasons=["on"]) == ""


GOING_ON = {"trajectory": "continue", "reasons": ["All places are decided."]}


@pytest.mark.parametrize("advice", ["", "  ", "No more tasks are needed; the user can now continue with their work."])
def test_who_goes_on_with_a_claimed_milestone_says_what_is_missing(context: ToolContext, advice: str) -> None:
    """A small Assessor went on with what it called reached, and its advice became a task of three rounds."""
    judge = phase(guided(context), PhaseState(is_surveyed=True))
    assert "what is missing" in said(judge, "submit_assessment", **GOING_ON, advice=advice)
    assert said(judge, "submit_assessment", **GOING_ON, advice="Decide D-0003 again: it is a note.") == ""


@pytest.mark.parametrize(
    "state",
    [PhaseState(), PhaseState(is_surveyed=True, unsettled=("F1",)), PhaseState(is_surveyed=True, droppable=("w",))],
)
def test_where_something_may_be_open_it_goes_on_without_a_word(context: ToolContext, state: PhaseState) -> None:
    assert said(phase(context, state), "submit_assessment", **GOING_ON) == ""


PLANS = ("# March\n\n- The meeting is on Monday.\n- We order 20 chairs.\n", "# April\n\n- The meeting is on Tuesday.\n")


@pytest.mark.parametrize(("advice", "is_heard"), [
    ("The planner should note that the output highlights the differences between the two plans.", False),
    ("The result says Monday.", False), ("The chairs are missing.", True), ("It says '20 benches', which is wrong.", True),
])  # fmt: skip
def test_advice_on_short_inputs_names_a_word_of_them(context: ToolContext, advice: str, is_heard: bool) -> None:
    context.workspace.write("output/a.md", "Monday and Tuesday, 20 benches\n")
    judge = phase(guided(context), PhaseState(must_open=("output/a.md",), sources=PLANS))
    assert (said(judge, "submit_assessment", **GOING_ON, advice=advice) == "") is is_heard
    judge.state.unsettled = ("F1",)
    assert said(judge, "submit_assessment", **GOING_ON, advice=advice) == "", "a finding is open"


def test_reasons_on_short_inputs_name_a_word_of_them(context: ToolContext) -> None:
    """A small Assessor called a right answer misaligned since the costs "may affect users with dietary restrictions"."""
    context.workspace.write("output/a.md", "The meeting is on Tuesday instead of Monday\n")
    judge = phase(context, PhaseState(must_open=("output/a.md",), sources=PLANS))
    beside = ["The meeting does not align with the specified plan.", "It may affect users with dietary restrictions."]
    assert "Name the word or number" in said(judge, "submit_assessment", trajectory="misaligned", reasons=beside)
    chairs = [*beside, "The 20 chairs are missing."]
    assert said(judge, "submit_assessment", trajectory="misaligned", reasons=chairs) == ""


def test_words_of_advice_are_held_to_nothing_where_no_small_model_is_led(context: ToolContext) -> None:
    judge = phase(context, PhaseState(is_surveyed=True))
    assert said(judge, "submit_assessment", **GOING_ON, advice="Go on with the next task.") == ""


def test_a_place_that_qa_judged_itself_is_no_finding_as_code_compares_it(context: ToolContext) -> None:
    judge = phase(context, PhaseState(blind=("D-0001", "D-0002"), opened=("D-0001", "D-0002")))
    double = {"says": "it is no requirement", "about": "[d-0002]"}
    outside = {"says": "it is cut in the middle", "about": "D-0009"}
    assert "judged [d-0002] already" in said(judge, "submit_verdict", passed=False, findings=[outside, double])
    assert said(judge, "submit_verdict", passed=False, findings=[outside, "1.2 is missing"]) == ""


@pytest.mark.parametrize("says", ["This does not look right.", "The result is wrong."])
def test_who_judged_each_place_says_more_than_that_something_is_not_right(context: ToolContext, says: str) -> None:
    """A finding about everything can be settled by nobody who comes to the same again: such jobs went to a person."""
    failed = {"passed": False, "findings": [says]}
    judge = phase(context, PhaseState(blind=("D-0001",), opened=("D-0001",)))
    assert "no finding yet" in said(judge, "submit_verdict", **failed)
    assert said(judge, "submit_verdict", passed=False, findings=["The disposal of records is not there."]) == ""
    assert said(phase(context, PhaseState()), "submit_verdict", **failed) == "", "elsewhere it is a role's to say"


def test_a_pass_settles_each_finding_that_it_may_and_no_other(judge: ToolContext) -> None:
    look(judge, "output/a.md"), look(judge, "output/b.md")
    assert "Finding F1 is open" in said(judge, "submit_verdict", passed=True)
    assert "no open finding 'F2'" in said(judge, "submit_verdict", passed=True, settled=["F1", "F2"])
    assert "does not pass" in said(judge, "submit_verdict", passed=True, settled=["F1"], findings=["1.2 is missing"])
    assert said(judge, "submit_verdict", passed=True, settled=["F1"]) == ""


def test_where_nothing_is_open_a_verdict_that_settles_something_counts_without_it(context: ToolContext) -> None:
    judge = phase(context, PhaseState())
    assert said(judge, "submit_verdict", passed=False, findings=["1.2 is missing"], settled=["a.json"]) == ""


def test_nothing_is_settled_or_set_aside_unread(judge: ToolContext) -> None:
    failed = {"passed": False, "findings": ["1.3 is missing"], "settled": ["F1"]}
    going_on = {"trajectory": "continue", "reasons": ["QA was wrong"], "settled": ["F1"]}
    assert "settled unread" in said(judge, "submit_verdict", **failed)
    assert "set aside unread" in said(judge, "submit_assessment", **going_on)
    assert "no open finding 'F7'" in said(judge, "submit_assessment", **{**going_on, "settled": ["F7"]})
    look(judge, "output/a.md")
    assert said(judge, "submit_verdict", **failed) == "" == said(judge, "submit_assessment", **going_on)


def test_a_todo_is_completed_by_a_call_that_did_something(context: ToolContext) -> None:
    worker = phase(context, PhaseState(todos=TodoList.of("write", ["write a", "write b"]), needs_work=True))
    assert "Nothing was done for todo 1" in said(worker, "todo_complete")
    use(worker, "list_todos")
    worker.state.saw("list_todos", {})
    assert "Nothing was done for todo 1" in said(worker, "todo_complete"), "looking at the list is no work"
    worker.state.saw("write_file", {"path": "output/a.md"})
    assert said(worker, "todo_complete") == ""
    assert "Nothing was done for todo 2" in said(worker, "todo_complete"), "the work of one todo completes one"


def test_only_results_are_handed_over(context: ToolContext) -> None:
    context.workspace.write("output/a.md", "- 1.1 keep\n")
    context.workspace.write("notes/a.md", "a note\n")
    done = {"summary": "Done.", "confidence": 0.9}
    assert "is no result" in said(context, "job_complete", deliverables=["output/a.md", "notes/a.md"], **done)
    assert said(context, "job_complete", deliverables=["output/a.md"], **done) == ""
    more = {**done, "deliverables": ["output/a.md"]}
    assert "'output/gone.md', which is not there" in said(
        context, "job_complete", **more | {"summary": "See output/gone.md."}
    )
    assert "says nothing" in said(context, "job_complete", **more | {"summary": "TODO"})
