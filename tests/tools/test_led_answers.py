"""What a model that answers to a schema is held to: the very ids, files and kinds of checks that are asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import ValidationError

from echelon.agents.roster import roster
from echelon.crews.creator.asked import HELD
from echelon.crews.creator.asked import REFUSED as REFUSALS
from echelon.crews.creator.deciding import LONGEST_REASON, DecisionArguments
from echelon.crews.tool_sets import all_tools
from echelon.engine.todos import Planned, PlannedCall, TodoList, Work
from echelon.engine.toolbox import PhaseState
from echelon.tools.check_arguments import MOST_CHECKS, CheckArguments, as_values
from echelon.tools.judging import HOLDS, REFUSED
from echelon.tools.todo import STEPS


def forms(name: str, state: PhaseState) -> list[dict[str, Any]]:
    """The fields of each form that an answer may have."""
    tool = all_tools()[name]
    assert tool.held is not None
    asked = tool.held(state, tool.schema.parameters)
    return [form["properties"] for form in asked.get("anyOf", [asked])]


def held(name: str, state: PhaseState) -> dict[str, Any]:
    return forms(name, state)[-1]


def is_ready(name: str, state: PhaseState) -> bool:
    return all_tools()[name].ready(state)


def ids(asked: dict[str, Any]) -> list[str]:
    return [each["anyOf"][0]["properties"]["id"]["const"] for each in asked["decisions"]["prefixItems"]]


def test_a_batch_is_decided_one_by_one_in_its_order() -> None:
    todos = TodoList.of("decide", [Planned(content=f"decide D-000{n}", work=f"D-000{n}") for n in (1, 2, 3)])
    state = PhaseState(todos=todos)
    asked = held("decide_doubts", state)
    assert ids(asked) == ["D-0001", "D-0002", "D-0003"]
    plain, split = asked["decisions"]["prefixItems"][0]["anyOf"]
    assert "split" not in plain["properties"]["ruling"]["enum"] and "texts" not in plain["properties"]
    assert split["properties"]["ruling"] == {"const": "split"} and "texts" in split["required"]
    assert (asked["decisions"]["minItems"], asked["decisions"]["maxItems"]) == (3, 3)
    state.todos = todos.completed_work(["D-0001"])
    assert ids(held("decide_doubts", state)) == ["D-0002", "D-0003"]
    state.todos = TodoList.of("else", [Planned(content="look into the annex")])
    assert "prefixItems" not in held("decide_doubts", state)["decisions"]


def test_a_split_has_two_pieces_and_is_offered_until_answers_were_refused_twice() -> None:
    todos = TodoList.of("decide", [Planned(content="decide D-0001", work="D-0001")])
    for name, state in (("decide_doubts", PhaseState(todos=todos)), ("judge_doubts", PhaseState(blind=("D-0001",)))):
        for refused in range(REFUSALS + 1):
            rulings = held(name, state)["decisions"]["prefixItems"][0]["anyOf"]
            splits = [r for r in rulings if r["properties"]["ruling"] == {"const": "split"}]
            assert len(rulings) - len(splits) == 1 and len(splits) == (refused < REFUSALS), name
            assert all(s["properties"]["texts"]["minItems"] == 2 for s in splits)
            state.was_refused(all_tools()[name])


def test_a_reason_that_goes_on_and_on_is_cut() -> None:
    decision = DecisionArguments.model_validate({"id": "D-0001", "ruling": "accept", "reason": "so it is " * 100})
    assert len(decision.reason) == LONGEST_REASON and decision.reason.endswith("…")
    with pytest.raises(ValidationError):
        DecisionArguments.model_validate({"id": "D-0001", "ruling": "accept", "reason": ""})


def test_qa_judges_what_is_left_of_its_sample_and_no_more_than_an_answer_holds() -> None:
    blind = tuple(f"D-{n:04d}" for n in range(1, 12))
    state = PhaseState(blind=blind)
    assert ids(held("judge_doubts", state)) == list(blind[:HELD])
    state.opened = blind[:HELD]
    assert ids(held("judge_doubts", state)) == list(blind[HELD:])


def test_what_must_be_opened_is_opened_from_its_beginning() -> None:
    state = PhaseState(must_open=("output/a.md", "output/b.md"), opened=("output/a.md",))
    assert held("read_file", state)["path"]["enum"] == ["output/b.md"] and set(held("read_file", state)) == {"path"}
    state.opened = ("output/a.md", "output/b.md")
    assert set(held("read_file", state)) == {"path"}, "a small model reads one line after another"
    assert set(held("read_file", PhaseState())) == {"path", "from_line", "lines"}


def test_a_plan_names_offered_work_by_its_ids() -> None:
    offered = (Work(id="D-0001", says="decide it"), Work(id="w2", says="write it"))
    assert held("todo_write", PhaseState(offered=offered))["todos"]["items"]["enum"] == ["D-0001", "w2"]
    assert "enum" not in held("todo_write", PhaseState())["todos"]["items"]


def test_nothing_is_handed_over_before_its_turn() -> None:
    work = Work(id="D-0001", says="decide it")
    planning = PhaseState(offered=(work,))
    assert not is_ready("submit_task", planning)
    assert not is_ready("submit_milestone_done", planning) and not is_ready("submit_abort", planning)
    planning.todos = TodoList.of("t", [Planned(content="decide it")])
    assert is_ready("submit_task", planning) and not is_ready("submit_milestone_done", planning)
    through = PhaseState(is_through=True)
    assert is_ready("submit_milestone_done", through) and not is_ready("todo_write", through)
    assert not is_ready("read_file", through), "the prompt shows all that there is to say"
    assert not is_ready("submit_abort", through), "who has nothing to plan says that the milestone is done"
    assert is_ready("submit_milestone_done", PhaseState()) and is_ready("submit_abort", PhaseState())


@pytest.mark.parametrize("submit", ["submit_verdict", "submit_assessment"])
def test_no_verdict_before_what_has_to_be_seen_and_judged(submit: str) -> None:
    state = PhaseState(must_open=("output/a.md",), blind=("D-0001",))
    assert not is_ready(submit, state) and not is_ready("read_file", state), "first its own judgement"
    state.opened = ("D-0001",)
    assert not is_ready(submit, state) and is_ready("read_file", state)
    state.opened = ("D-0001", "output/a.md")
    assert is_ready(submit, state)


def test_only_a_pass_is_left_to_who_found_nothing_in_a_proven_change() -> None:
    def verdicts(state: PhaseState) -> list[bool]:
        return [form["passed"]["const"] for form in forms("submit_verdict", state)]

    change = {"repository/a.py": "x = 1"}
    assert verdicts(PhaseState(changed=change, refused=REFUSED - 1)) == [True, False]
    assert verdicts(PhaseState(changed=change, refused=REFUSED)) == [True]
    assert verdicts(PhaseState(is_surveyed=True, refused=REFUSED - 1)) == [True, False]
    assert verdicts(PhaseState(is_surveyed=True, refused=REFUSED)) == [True]
    assert verdicts(PhaseState(is_surveyed=True, refused=REFUSED, unsettled=("F1",))) == [True, False]
    assert verdicts(PhaseState(refused=REFUSED)) == [True, False], "nothing but a judge can say whether it holds"
    still_open = PhaseState(changed=change, refused=REFUSED, unsettled=("F1",))
    assert verdicts(still_open) == [True, False], "an open finding may hold"


def test_who_cannot_say_what_is_missing_in_surveyed_work_is_left_with_nothing_to_miss() -> None:
    def left(**state: Any) -> list[str]:
        (form,) = forms("submit_assessment", PhaseState(refused=REFUSED, **({"is_surveyed": True} | state)))
        enum: list[str] = form["trajectory"]["enum"]
        return enum

    assert left() == ["milestone_met"] == left(is_surveyed=False, sources=("short",))
    assert len(left(unsettled=("F1",))) == len(left(droppable=("w1",))) == 4, "that may be missing"
    (early,) = forms("submit_assessment", PhaseState(is_surveyed=True, refused=REFUSED - 1))
    (seen_by_no_code,) = forms("submit_assessment", PhaseState(refused=REFUSED))
    assert len(early["trajectory"]["enum"]) == len(seen_by_no_code["trajectory"]["enum"]) == 4


def test_open_work_is_named_once_and_steps_of_its_own_are_few() -> None:
    todos = held("todo_write", PhaseState(offered=tuple(Work(id=f"w{n}", says=f"do {n}") for n in range(3))))["todos"]
    assert (todos["items"]["enum"], todos["maxItems"]) == (["w0", "w1", "w2"], 3)
    own = held("todo_write", PhaseState())["todos"]
    assert "enum" not in own["items"] and own["maxItems"] == STEPS


def test_one_call_writes_for_each_todo_and_only_what_is_to_be_delivered() -> None:
    state = PhaseState(todos=TodoList.of("t", ["write it", "add the end"]), deliverables=("output/a.md",))
    for tool in ("write_file", "append_file"):
        assert held(tool, state)["path"]["enum"] == ["output/a.md"]
        assert "enum" not in held(tool, PhaseState())["path"]
    assert is_ready("write_file", state) and not is_ready("append_file", state) and not is_ready("read_file", state)
    state.saw("write_file", {"path": "output/a.md"})
    assert not is_ready("write_file", state) and not is_ready("append_file", state), "first the todo is completed"
    state.todos, state.work_since = state.todos.completed(), 0
    assert is_ready("append_file", state) and not is_ready("write_file", state), "what is there is not written over"
    assert all(is_ready(tool, PhaseState(called=(tool,), work_since=3)) for tool in ("write_file", "append_file"))


def test_a_file_that_is_mended_is_written_anew_for_each_finding() -> None:
    """A small model added the answer once more for each finding, and the file said everything three times."""
    todos = TodoList.of("mend", [Planned(content=f"settle finding F{n}", work=f"F{n}") for n in (1, 2)])
    state = PhaseState(todos=todos, deliverables=("output/a.md",), called=("write_file",))
    assert is_ready("write_file", state) and not is_ready("append_file", state)
    state.work_since = 1
    assert not is_ready("write_file", state), "once for each"
    state.work_since, state.todos = 0, TodoList.of("write", [Planned(content="write the second part")])
    assert is_ready("append_file", state) and not is_ready("write_file", state)


def test_a_plan_is_drafted_step_by_step_with_lengths() -> None:
    steps = [Planned(content=f"do {name}", work=name) for name in ("select_pattern", "generate_nodes")]
    state = PhaseState(todos=TodoList.of("plan", steps))
    assert is_ready("select_pattern", state) and not is_ready("generate_nodes", state)
    state.saw("select_pattern", {})
    assert not is_ready("select_pattern", state), "it was chosen for this todo"
    state.todos, state.work_since = state.todos.completed(), 0
    assert is_ready("generate_nodes", state) and not is_ready("write_plan", state)
    tasks = held("generate_nodes", state)["nodes"]
    assert set(tasks["items"]["required"]) == {"title", "takes"} == set(tasks["items"]["properties"])
    assert "3d" in tasks["items"]["properties"]["takes"]["enum"] and tasks["minItems"] > 1
    given = TodoList.of(
        "plan", [Planned(content="do it", work="generate_nodes", call=PlannedCall(tool="generate_nodes"))]
    )
    assert held("generate_nodes", PhaseState(todos=given)) == {}, "the inputs name the tasks"
    free = PhaseState(todos=TodoList.of("plan", [Planned(content="follow what was said", work="answer1")]))
    assert is_ready("revise_plan", free) and is_ready("generate_nodes", PhaseState())


def test_a_scope_promises_no_less_than_its_type_of_job_usually_does() -> None:
    state = PhaseState(outcomes=("It is all there.", "It is kept."), kinds=("judged",))
    milestones = held("submit_scope", state)["milestones"]
    assert [m["properties"]["outcome"]["const"] for m in milestones["prefixItems"]] == list(state.outcomes)
    assert (milestones["minItems"], milestones["maxItems"]) == (2, 2)
    checks = milestones["prefixItems"][0]["properties"]["checks"]
    assert checks["minItems"] == 1, "a milestone without a check is refused"
    forms = checks["items"]["anyOf"]
    assert [form["properties"]["kind"]["const"] for form in forms] == ["judged"]
    says = re.compile(forms[0]["properties"]["says"]["pattern"])
    assert says.match("The answer names the day of each meeting.")
    assert not says.match("A reader sees a file named 'output/plan-march-april-differences.md'."), "nobody may write it"
    assert "prefixItems" not in held("submit_scope", PhaseState(kinds=("judged",)))["milestones"]


def test_who_is_led_hands_no_task_back() -> None:
    todo = TodoList.of("t", [Planned(content="decide it")])
    assert not is_ready("todo_rewind", PhaseState(todos=todo, called=("decide_doubts",)))


def test_a_todo_is_completed_after_work() -> None:
    state = PhaseState(todos=TodoList.of("t", [Planned(content="write it")]), needs_work=True)
    assert not is_ready("todo_complete", state)
    state.saw("write_file", {"path": "output/a.md"})
    assert is_ready("todo_complete", state)


def test_each_kind_of_check_is_offered_with_its_own_fields() -> None:
    kinds = {form["properties"]["kind"]["const"]: form for form in CheckArguments.model_json_schema()["anyOf"]}
    assert set(kinds) == {"judged", "file", "command", "quote"}
    assert set(kinds["judged"]["properties"]) == {"says", "kind"}
    assert kinds["file"]["required"] == ["says", "kind", "path"] and "headings" in kinds["file"]["properties"]
    assert kinds["quote"]["required"] == ["says", "kind", "path", "quote"]
    offered = all_tools()["submit_scope"].schema.parameters["properties"]["milestones"]["items"]["properties"]["checks"]
    assert {form["properties"]["kind"]["const"] for form in offered["items"]["anyOf"]} == set(kinds)


@pytest.mark.parametrize("submit", ["submit_scope", "submit_task"])
def test_only_checks_that_can_be_carried_out_are_asked_for_and_few(submit: str) -> None:
    def checks(state: PhaseState) -> dict[str, Any]:
        fields = held(submit, state)
        inside = fields["milestones"]["items"]["properties"] if submit == "submit_scope" else fields
        listed: dict[str, Any] = inside["checks"]
        return listed

    plain = checks(PhaseState(kinds=("judged", "file", "quote")))
    assert [form["properties"]["kind"]["const"] for form in plain["items"]["anyOf"]] == ["judged", "file", "quote"]
    assert plain["maxItems"] == MOST_CHECKS
    runs = checks(PhaseState(kinds=("judged", "command")))["items"]["anyOf"]
    assert runs[1]["required"] == ["says", "kind", "command"], "a command check without a command checks nothing"


def test_a_guided_role_whose_prompt_shows_all_keeps_few_tools() -> None:
    """And each that it keeps is one that it has: nothing is granted by a shorter list."""
    for role in roster().values():
        for phase in role.guided:
            lean = role.lean_in(phase, ())
            assert set(lean) < set(role.tools_in(phase)) and lean, (role.name, phase)
            assert any(all_tools()[name].ends for name in lean), "it must be able to end"
    judge = roster()["qa"].given(("judge_doubts",), ("read_part",))
    assert judge.lean_in("qa", ("judge_doubts",)) == tuple(
        name for name in judge.tools_in("qa") if name in {"judge_doubts", "submit_verdict", "read_file"}
    )


@pytest.mark.parametrize(("tool", "name"), [("submit_verdict", "settled"), ("submit_assessment", "settled"),
                                            ("submit_assessment", "let_go")])  # fmt: skip
def test_ids_are_those_that_are_open_and_none_where_nothing_is(tool: str, name: str) -> None:
    state = PhaseState(unsettled=("F1", "F2")) if name == "settled" else PhaseState(droppable=("F1", "F2"))
    assert held(tool, state)[name]["items"]["enum"] == ["F1", "F2"]
    assert name not in held(tool, PhaseState())


def test_who_has_opened_what_it_must_looks_twice_more_and_decides() -> None:
    """A small QA read the same file until it was stopped."""
    state = PhaseState(must_open=("output/a.md",), at_hand=("documents/in.md.txt",))
    for further in range(3):
        named = held("read_file", state)["path"]["enum"]
        assert named == (["output/a.md", "documents/in.md.txt"] if further else ["output/a.md"]), "no file of its own"
        assert is_ready("read_file", state), further
        state.saw("read_file", {"path": "output/a.md"}, looks="path")
    assert not is_ready("read_file", state) and is_ready("submit_verdict", state)
    assert is_ready("read_file", PhaseState(opened=("a", "b", "c"))), "who has nothing to open may look around"


def test_who_is_shown_the_inputs_opens_what_was_made_and_decides() -> None:
    state = PhaseState(must_open=("output/a.md",), at_hand=("output/a.md",))
    assert is_ready("read_file", state)
    state.saw("read_file", {"path": "output/a.md"}, looks="path")
    assert not is_ready("read_file", state) and is_ready("submit_verdict", state)


def test_who_has_nothing_to_open_looks_into_what_there_is() -> None:
    """A small Assessor looked for a file of its own, took it for missing, and sent the work back."""
    state = PhaseState(at_hand=("plan/roadmap.json", "documents/goal.md.txt"))
    for _ in range(2):
        assert held("read_file", state)["path"]["enum"] == list(state.at_hand) and is_ready("read_file", state)
        assert set(held("read_file", state)) == {"path"}, "not line by line"
        state.saw("read_file", {"path": "plan/roadmap.json"}, looks="path")
    assert not is_ready("read_file", state)


def test_an_assessment_has_a_reason_and_few() -> None:
    """Refused for want of one, or for twenty, a small model gave the refusal as its reason, and the job up."""
    reasons = held("submit_assessment", PhaseState())["reasons"]
    assert reasons["minItems"] == 1 and reasons["maxItems"] < 10


@pytest.mark.parametrize("tool", ["submit_verdict", "submit_assessment"])
def test_open_findings_are_decided_first(tool: str) -> None:
    """What need not be said a small judge left out: it passed over a finding, was refused, and failed the task for that."""
    parameters = all_tools()[tool].schema.parameters
    whole = all_tools()[tool].held(PhaseState(unsettled=("F1",)), parameters)  # type: ignore[misc]
    asked = whole.get("anyOf", [whole])[-1]
    assert next(iter(asked["properties"])) == "settled" and "settled" in asked["required"]
    assert asked["properties"]["settled"]["items"]["enum"] == ["F1"]
    assert set(asked["required"]) > set(parameters["required"])


def test_an_assessor_opens_a_file_before_it_decides_on_findings() -> None:
    """One asked five times to set a finding aside that it had not looked into, and got no further."""
    state = PhaseState(unsettled=("F1",), at_hand=("output/a.md",))
    assert not is_ready("submit_assessment", state) and is_ready("read_file", state)
    state.saw("read_file", {"path": "output/a.md"}, looks="path")
    assert is_ready("submit_assessment", state)
    assert is_ready("submit_assessment", PhaseState(unsettled=("F1",))), "there is nothing to open"
    assert is_ready("submit_assessment", PhaseState(at_hand=("output/a.md",)))


def test_a_finding_is_about_a_file_of_the_task() -> None:
    item = held("submit_verdict", PhaseState(objects=("plan/outline.json",)))["findings"]["items"]
    assert item["properties"]["about"]["enum"] == ["plan/outline.json"] and item["required"] == ["about", "says"]
    assert "enum" not in held("submit_verdict", PhaseState())["findings"]["items"]["properties"]["about"]


def test_a_verdict_either_passes_or_names_what_is_wrong() -> None:
    """A small QA settled a finding, failed the task all the same, named nothing, and went round in circles."""
    tool = all_tools()["submit_verdict"]
    assert tool.held is not None
    passes, fails = tool.held(PhaseState(unsettled=("F1", "F2")), tool.schema.parameters)["anyOf"]
    assert passes["properties"]["passed"] == {"const": True} and "findings" not in passes["properties"]
    assert passes["properties"]["settled"]["minItems"] == 2 and "minItems" not in fails["properties"]["settled"]
    assert fails["properties"]["passed"] == {"const": False} and fails["properties"]["findings"]["minItems"] == 1
    assert {"settled", "passed", "findings"} <= set(fails["required"])
    passes, fails = tool.held(PhaseState(), tool.schema.parameters)["anyOf"]
    assert "settled" not in {**passes["properties"], **fails["properties"]}


def test_points_come_before_the_verdict_that_follows_from_them() -> None:
    state = PhaseState(points=("Lunch is at noon.", "We are ten."), objects=("output/a.md",), unsettled=("F1",))
    found = forms("submit_verdict", state)
    assert [form["passed"]["const"] for form in found] == [True, False, False]
    for form in found:
        assert list(form)[:2] == ["points", "settled"]
        assert [p["properties"]["line"]["const"] for p in form["points"]["prefixItems"]] == list(state.points)
    allowed = [set(form["points"]["prefixItems"][0]["properties"]["result"]["enum"]) for form in found]
    assert allowed[0] == allowed[2] == set(HOLDS) and allowed[1] > {*HOLDS, "missing"}
    assert ["findings" in form for form in found] == [False, False, True]
    assert "points" not in all_tools()["submit_verdict"].schema.parameters["properties"], "nobody else is asked"


def test_who_is_led_writes_its_list_once() -> None:
    state = PhaseState(deliverables=("output/a.md",))
    assert is_ready("todo_write", state)
    state.todos = TodoList.of("t", [Planned(content="write it")])
    assert not is_ready("todo_write", state) and is_ready("submit_task", state)
    state.refused = 1
    assert is_ready("todo_write", state), "what was refused may be for the list"
    assert is_ready("todo_write", PhaseState(todos=state.todos)), "able models may think again"


def test_a_task_that_settles_findings_has_no_checks_of_its_own() -> None:
    """A small planner made the finding its check: that the meeting is wrong had to hold."""
    state = PhaseState(deliverables=("output/a.md",), todos=TodoList.of("t", [Planned(content="write it")]))
    assert "checks" in held("submit_task", state)
    state.todos = TodoList.of("t", [Planned(content="settle it", work="F1")])
    assert "checks" not in held("submit_task", state)


def test_no_number_of_items_is_asked_for_with_nought() -> None:
    """A small planner filled in 0, and code failed an answer with four items."""
    checks = [CheckArguments(says="it is there", kind="file", path="output/a.md", items=0, least=0),
              CheckArguments(says="three", kind="file", path="output/a.md", items=3, least=2)]  # fmt: skip
    assert [(c["items"], c["least"]) for c in as_values(checks)] == [(None, None), (3, 2)]
