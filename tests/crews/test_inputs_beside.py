"""Short inputs of a plain job beside each other: every line once, as the same, as another wording, or as one's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.plain.beside import beside
from echelon.crews.plain.job_type import SAID, UNSAID, PlainJob
from echelon.crews.plain.points import MOST, named_as_changes, of_another, points
from echelon.store.records.events import TaskFailed
from echelon.tasks.texts.wanted import ROWS
from tests.support.events import of_kind
from tests.support.scripted import Reply, Script, Seen, call, passing, played, register, service, willing

MARCH = (
    "# Plan of March\n\n- The meeting is on Monday in room 4.\n- Maria brings the projector.\n- We order 20 chairs.\n"
)
APRIL = "# Plan of April\n\n- Maria brings  the projector.\n- The meeting is on Tuesday in room 7.\n- Bring a cake.\n"
WORDS = st.sampled_from(
    ["we", "order", "twenty", "chairs", "for", "the", "meeting", "on", "monday", "in", "room", "four"]
)
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), max_size=6).map("\n".join)


def plans(folder: Path) -> list[str | Path]:
    """The two plans as files."""
    files = {folder / "march.md": MARCH, folder / "april.md": APRIL}
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return list(files)


def test_lines_are_the_same_in_all_differ_or_stand_in_one_alone() -> None:
    assert beside({"march.md": MARCH, "april.md": APRIL}).splitlines()[1:] == [
        "- the same in all: Maria brings the projector.",
        "- differs: march.md: The meeting is on Monday in room 4. | april.md: The meeting is on Tuesday in room 7.",
        "- only in march.md: We order 20 chairs.",
        "- only in april.md: Bring a cake.",
    ]


def test_three_texts_are_compared_together() -> None:
    said = beside({n: f"The rent is {n} euros a month.\nWe pay on the first." for n in ("800", "900", "950")})
    assert "- the same in all: We pay on the first." in said
    assert said.count("- differs:") == 1 and said.count("The rent is") == 3


def test_texts_without_anything_in_common_are_not_compared() -> None:
    assert beside({"a": "Bake the bread at noon.", "b": "Die Katze schläft."}) == ""
    assert beside({"a": MARCH}) == "" and beside({}) == "" and beside({"a": "", "b": ""}) == ""


@given(st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md"]), TEXTS, min_size=2))
def test_no_line_is_made_up_or_said_of_the_wrong_text(texts: dict[str, str]) -> None:
    rows = [row for row in beside(texts).splitlines()[1:] if not row.startswith("- the same in all: ")]
    for row in rows:
        named = row.removeprefix("- differs: ").removeprefix("- only in ").split(" | ")
        assert len({part.partition(": ")[0] for part in named}) == len(named)
        for part in named:
            name, _, line = part.partition(": ")
            assert line in [" ".join(own.split()) for own in texts[name].splitlines()]
    assert len(rows) == len(set(rows))


@pytest.mark.parametrize(("request_", "result", "left"), [
    ("Say what differs.", "", ["differs", "only in march.md", "only in april.md"]),
    ("Say what differs.", "Monday room 4, Tuesday room 7; 20 chairs in March, bring a cake in April", []),
    ("Say what differs.", "Monday room 4, Tuesday room 8; 20 chairs in March, bring a cake in April", ["differs"]),
    ("Say what is the same.", "Nothing.", ["same"]),
    ("Say what is the same.", "Maria brings the projector.", []),
    ("Say what differs and what is the same.", "Monday 4, Tuesday 7, 20 chairs, bring a cake", ["same"]),
    ("Make a checklist.", "Maria: projector; Monday 4; Tuesday 7; 20 chairs; bring a cake", []),
    ("Make a table of the rooms and of what is to bring.", "", ["same", "differs", "only in march.md", "only in april.md"]),
    ("Make a table of the rooms and prices.", "", ["differs", "only in march.md"]),
    ("Make a table of the rooms and prices.", "Monday 4, Tuesday 7, 20 chairs", []),
    ("Write down everything about rooms.", "Monday 4, Tuesday 7, 20 chairs", ["same", "only in april.md"]),
    ("Say what changes in April.", "Tuesday in room 7. Bring a cake. No chairs are ordered.", ["only in march.md"]),
    ("Say what changes in April.", "Monday in room 4. 20 chairs. Bring a cake.", ["differs"]),
    ("Say what changes in April.", "The meeting is on April 1st in room 7. 20 chairs. Bring a cake.", ["differs"]),
    ("Say what changes from March to April.", "Tuesday in room 7. 20 chairs. Bring a cake.", ["differs"]),
    ("Mach eine Liste.", "Monday 4, Tuesday 7, 20 chairs", ["same", "only in april.md"]),
])  # fmt: skip
def test_points_are_what_may_be_asked_for_and_is_not_found(request_: str, result: str, left: list[str]) -> None:
    rows = {
        "same": "Maria brings the projector.",
        "differs": "march.md: The meeting is on Monday in room 4. | april.md: The meeting is on Tuesday in room 7.",
        "only in march.md": "march.md: We order 20 chairs.",
        "only in april.md": "april.md: Bring a cake.",
    }
    assert points({"march.md": MARCH, "april.md": APRIL}, [result], request_) == tuple(rows[name] for name in left)


CHANGES = "Write a short note to the team that says what changes in April."


@pytest.mark.parametrize(("result", "is_named"), [
    ("In April Maria will bring a projector, and the meeting is on Tuesday in room 7.", True),
    ("The meeting moves to Tuesday.\n- Projector: Maria brings one\n", True),
    ("The meeting moves to Tuesday. Maria still brings the projector.", False),
    ("Maria, the meeting moves to Tuesday.", False),
    ("The meeting moves to Tuesday, in room 7; bring a cake.", False),
])  # fmt: skip
def test_what_stands_in_all_inputs_is_no_change_in_whatever_words(result: str, is_named: bool) -> None:
    texts = {"march.md": MARCH, "april.md": APRIL}
    assert bool(named_as_changes(texts, {"output/a.md": result}, CHANGES)) is is_named
    assert not named_as_changes(texts, {"output/a.md": result}, "List what is the same in both plans.")
    assert not named_as_changes(
        texts, {"output/a.md": result}, "What does Maria bring, and what changes for the projector?"
    )
    assert not named_as_changes({"march.md": MARCH}, {"output/a.md": result}, CHANGES)


CHECKLIST = "Make a checklist of everything to prepare for April."


@pytest.mark.parametrize(("result", "says"), [
    (f"# Checklist for April\n{MARCH}{APRIL}", "on Monday"), ("- Go to room 4 on Monday\n- Bring a cake\n", "on Monday"),
    ("- Tuesday, room 7\n- We order 20 chairs\n", "20 chairs"),
    ("- Tuesday (not Monday), room 7 (not 4)\n- Maria: projector\n- Bring a cake\n", ""),
    ("- The meeting on Tuesday, room 7\n- Bring a cake, and 4 plates\n", ""),
])  # fmt: skip
def test_what_stands_in_another_input_is_no_answer_about_one(result: str, says: str) -> None:
    """The plans of both months in one list were COMPLETED as the checklist for April."""
    texts, results = {"march.md": MARCH, "april.md": APRIL}, {"output/a.md": result}
    found = of_another(texts, results, CHECKLIST)
    assert bool(found) is bool(says) and all(says in sentence and "'april.md'" in sentence for sentence in found)
    for about_both in ("Make a checklist of everything.", "Make a checklist for March and April.", CHANGES):
        assert not of_another(texts, results, about_both)


def test_points_of_one_input_are_its_lines_and_few() -> None:
    left = ("The meeting is on Monday in room 4.", "We order 20 chairs.")
    assert points({"march.md": MARCH}, ["Maria brings the projector"], "Say what is the same.") == left
    many = "\n".join(f"Chair number {n} is blue." for n in range(MOST + 1))
    assert points({"a.md": many}, [""], "List them.") == ()
    assert len(points({"a.md": many}, ["Chair number 3 is blue."], "List them.")) == MOST
    assert points({}, ["anything"], "List them.") == ()


@pytest.mark.parametrize(("request_", "is_told"), [
    ("Make a table of the rooms.", True), ("List what differs as a table.", True), ("Erstelle eine Tabelle.", True),
    ("Make a checklist.", False), ("Say what differs.", False), ("Explain the table of the rooms.", False),
])  # fmt: skip
def test_who_writes_a_table_is_told_how_its_rows_are_written(request_: str, is_told: bool) -> None:
    """A small model copied the lines three times before it heard so from the check."""
    assert (ROWS in PlainJob().shown({"march.md": MARCH, "april.md": APRIL}, request_)) is is_told


def test_guided_roles_of_a_plain_job_are_told_and_others_are_not(tmp_path: Path) -> None:
    """Where a request is to compare, nothing stands in the prompt twice: a small model copied what it saw first."""
    told: dict[tuple[bool, bool], set[str]] = {}

    def script(seen: Seen) -> Reply:
        shown = ("The inputs line by line" in seen.task, "The inputs, whole" in seen.task)
        told.setdefault(shown, set()).add(seen.phase)
        return passing(seen) if seen.phase == "qa" else willing(seen)

    files = plans(tmp_path)
    with service(tmp_path) as jobs:
        register(script)
        for request, prompts, shown in (
            ("Say what differs.", "guided", (True, False)), ("Make a list.", "guided", (True, True)),
            ("Say what differs.", "plain", (False, False)),
        ):  # fmt: skip
            told.clear()
            jobs.run(jobs.submit("plain", files, request, "scripted/test", {"prompts": prompts}))
            assert {"scope", "plan", "implement", "qa"} <= told[shown] and len(told) == 1, request


def test_qa_is_told_whether_every_figure_is_there(tmp_path: Path) -> None:
    shown: list[str] = []

    def script(answer: str) -> Script:
        def play(seen: Seen) -> Reply:
            if seen.phase == "qa":
                shown.append(seen.task)
                return passing(seen)
            if seen.phase == "implement" and seen.todo is not None and seen.turn == 0:
                return call("write_file", path="output/result.md", text=answer)
            return played(seen, 2, 5)

        return play

    (tmp_path / "march.md").write_text(MARCH, encoding="utf-8")
    with service(tmp_path) as jobs:
        for answer in ("Chairs for March: 20, and the room is number 4.\n", "Room number 4 is where they meet.\n"):
            register(script(answer))
            files = [tmp_path / "march.md"]
            jobs.run(
                jobs.submit("plain", files, "Say which room and how many.", "scripted/test", {"prompts": "guided"})
            )
    assert all((SAID in text) != (UNSAID in text) for text in shown)
    assert any(SAID in text for text in shown) and any(f"{UNSAID}\n- We order 20 chairs." in text for text in shown)


TABLE, NO_TABLE = "Make a table of the days and rooms.", "Monday is in room 4.\nTuesday is in room 7.\n"
NOTE = "In April the meeting is on Tuesday in room 7, and Maria will bring the projector.\n"


@pytest.mark.parametrize(("prompts", "request_", "answer", "says"), [
    ("guided", TABLE, NO_TABLE, "has no table"), ("guided", TABLE, MARCH + APRIL, "has no table"),
    ("plain", TABLE, NO_TABLE, "has no table"), ("guided", CHANGES, NOTE, "stands in all inputs"),
    ("guided", CHANGES, "- Tuesday, room 7\n- Maria brings the projector.\n", "stands in all inputs"),
    ("guided", CHECKLIST, f"# Checklist\n{MARCH}{APRIL}", "does not stand in 'april.md'"),
])  # fmt: skip
def test_what_a_request_says_plainly_is_held_in_the_task_of_a_guided_job(
    tmp_path: Path, prompts: str, request_: str, answer: str, says: str
) -> None:
    """A small QA passed the inputs one after another as a table, and a list of what differs as what is the same."""
    verdicts = 0

    def script(seen: Seen) -> Reply:
        nonlocal verdicts
        if seen.phase == "qa" and seen.last_tool == "read_file":
            verdicts += 1
            return call("submit_verdict", passed=True)
        if seen.phase == "plan" and seen.last_tool == "todo_write":
            return call("submit_task", title="t", rationale="It is asked for.", deliverables=["output/answer.md"])
        if seen.phase == "implement" and seen.todo is not None and seen.last_tool != "write_file":
            return call("write_file", path="output/answer.md", text=answer)
        return willing(seen)

    files = plans(tmp_path)
    with service(tmp_path) as jobs:
        register(script)
        settings = {"prompts": prompts, "todos.least": 1, "budget.model_calls": 20}
        job = jobs.submit("plain", files, request_, "scripted/test", settings)
        assert jobs.run(job).state != "completed"
        said = [failed.findings for failed in of_kind(jobs, job, TaskFailed)]
    assert all(sum("Maria" in f for f in found) <= 1 for found in said), "one line is told once"
    assert any(says in f for found in said for f in found) is (prompts == "guided"), said
    assert bool(verdicts) is (prompts == "plain"), "nobody judges what code has refused"


def test_what_qa_says_of_a_point_is_mended_and_settled(tmp_path: Path) -> None:
    """QA is asked of the lines that code does not find; what is missing is written in one todo, and the job ends."""
    asked: list[list[str]] = []
    todos: list[str] = []
    offered: list[list[str]] = []

    def script(seen: Seen) -> Reply:
        if seen.phase == "qa" and seen.last_tool == "read_file":
            (held,) = (tool.parameters for tool in seen.request.held if tool.name == "submit_verdict")
            forms = [form["properties"] for form in held["anyOf"]]
            lines = forms[-1].get("points", {}).get("prefixItems", [])
            asked.append([point["properties"]["line"]["const"] for point in lines])
            if asked[-1]:
                points = [{"line": line, "result": "missing"} for line in asked[-1]]
                return call("submit_verdict", passed=False, points=points)
            return call("submit_verdict", passed=True, settled=["F1", "F2"] if len(asked) > 1 else [])
        if seen.phase == "plan" and seen.last_tool == "todo_write":
            return call("submit_task", title="t", rationale="It is asked for.", deliverables=["output/answer.md"])
        if seen.phase == "plan" and len(asked) == 1:
            (held,) = (tool.parameters for tool in seen.request.held if tool.name == "todo_write")
            offered.append(held["properties"]["todos"]["items"]["enum"])
            return call("todo_write", todos=offered[-1])
        if seen.phase == "implement" and seen.todo is not None and seen.last_tool != "write_file":
            todos.append(seen.todo[1])
            text = "March: Monday, room 4. April: Tuesday, room 7." + (" 20 chairs. Bring a cake." if asked else "")
            return call("write_file", path="output/answer.md", text=f"The differences. {text}\n")
        return willing(seen)

    files = plans(tmp_path)
    with service(tmp_path) as jobs:
        register(script)
        held = {"prompts": "guided", "model_settings.tool_calls": "json_schema"}
        result = jobs.run(jobs.submit("plain", files, "Say what differs.", "scripted/test", held))
    assert result.state == "completed", result.reason
    left = ["march.md: We order 20 chairs.", "april.md: Bring a cake."]
    assert sorted(asked[0]) == sorted(left) and not any(asked[1:]), "what is there is not asked for again"
    (again,) = (todo for todo in todos if "QA found" in todo)
    assert offered == [["F1"]] and "again, right; QA found: The result lacks: " in again
    assert all(line in again for line in left)


def test_an_assessor_of_a_claimed_answer_says_what_of_the_inputs_is_missing(tmp_path: Path) -> None:
    """A small one went on with a right answer: the planner "should ensure that the changes are reflected in the output"."""
    advice = ["See that the changes are reflected in the output.", "The cake is missing."]
    told: list[str] = []
    heard: list[str] = []

    def script(seen: Seen) -> Reply:
        if seen.phase == "assess":
            heard.append(seen.text)
        if seen.phase == "assess" and seen.last_tool and len(told) < len(advice):
            told.append(advice[len(told)])
            return call("submit_assessment", trajectory="continue", reasons=["so"], advice=told[-1])
        if seen.phase == "plan" and seen.last_tool == "todo_write":
            return call("submit_task", title="t", rationale="It is asked for.", deliverables=["output/answer.md"])
        if seen.phase == "plan" and ("Done so far: 0" in seen.task or seen.values["advice"]):
            return call("todo_write", todos=["advice" if told else "Write the answer."])
        if seen.phase == "implement" and seen.todo is not None and seen.last_tool != "write_file":
            text = "March: Monday, room 4. April: Tuesday, room 7. 20 chairs." + (" Bring a cake." if told else "")
            return call("write_file", path="output/answer.md", text=f"The differences. {text}\n")
        return call("submit_milestone_done", reason="It is there.") if seen.phase == "plan" else willing(seen)

    files = plans(tmp_path)
    with service(tmp_path) as jobs:
        register(script)
        result = jobs.run(jobs.submit("plain", files, "Say what differs.", "scripted/test", {"prompts": "guided"}))
    assert result.state == "completed", result.reason
    assert told == advice and any("Name the word or number" in text for text in heard)
    assert "cake" in (result.folder / "output" / "answer.md").read_text(encoding="utf-8")
