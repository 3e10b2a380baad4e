"""What guided roles of the coder job are given: what code shows them needs no tool to look again."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.crews.coder import tree
from echelon.crews.coder.job_type import JOB_TYPE
from echelon.domains.code.running.fence import FenceKind, fence_state
from echelon.tools.groundless import why_groundless
from echelon.tools.judging import REFUSED
from tests.support.coders import QUICK, context_on, made_repository, put, scoped
from tests.support.scripted import Reply, Seen, call, register, service

pytestmark = pytest.mark.skipif(fence_state().kind is FenceKind.NONE, reason="no fence on this machine")
FILES = {
    "sums.py": "def add(a, b):\n    return a - b\n",
    "tests/test_sums.py": "from sums import add\n\n\ndef test_add():\n    assert add(2, 3) == 5 and add(7, 1) == 8\n",
}
SOURCE = "repository/sums.py"
BESIDE = ("The 'deliverables' list is empty.", "The text file 'notes.txt' does not contain the line '## Files'")
"""What a small judge finds that has nothing to do with the change"""
LOOKS = {"find_places", "read_code", "search_code", "list_code", "review_change"}
LED = {**QUICK, "todos.least": 1, "prompts": "guided", "model_settings.tool_calls": "json_schema"}


def searched(seen: Seen) -> Reply:
    """Everybody follows the prompt; the Implementor calls what its todo names."""
    match seen.phase:
        case "plan" if not seen.values["open"]:
            return call("submit_milestone_done", reason="The tests pass.")
        case "plan" if seen.last_tool != "todo_write":
            return call("todo_write", todos=seen.values["open"])
        case "plan":
            return call(
                "submit_task", title="search", rationale="Tests fail.", deliverables=seen.values["deliverables"]
            )
        case "implement" if not seen.last_tool:
            return call("search_repair")
        case "implement" if seen.todo is not None:
            return call("todo_complete")
        case "implement":
            return call("submit_report", summary="It is found.", deliverables=["output/summary.md"])
        case "qa" if seen.turn < len(BESIDE):
            return call("submit_verdict", passed=False, findings=[{"says": BESIDE[seen.turn], "about": SOURCE}])
        case "qa":
            return call("submit_verdict", passed=True, confidence=0.9)
        case "scope":
            return scoped(seen)
        case "deliver":
            return call("job_complete", summary="The tests pass.", deliverables=["output/summary.md"], confidence=0.9)
        case _:
            return call("submit_assessment", trajectory="milestone_met", reasons=["the tests show it"])


@pytest.fixture(scope="module", params=[True, False], ids=["guided", "plain"])
def is_guided(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def phases(is_guided: bool, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Seen]]:
    """What each phase of a job saw at its beginning, by its name and in order."""
    folder = tmp_path_factory.mktemp("coder")
    source = made_repository(folder / "source", FILES)
    first: dict[str, list[Seen]] = {}

    def script(seen: Seen) -> Reply:
        if not seen.turn:
            first.setdefault(seen.phase, []).append(seen)
        return searched(seen)

    register(script, "coder")
    whole: dict[str, object] = {"prompts": "guided"}
    begun: dict[str, object] = {"prompts": "plain", "budget.model_calls": 5}
    settings = {**QUICK, "todos.least": 1, **(whole if is_guided else begun)}
    with service(folder) as jobs:
        result = jobs.run(jobs.submit("coder", [source], "Mend add.", "scripted/coder", settings))
    assert not is_guided or result.state == "completed", result.reason
    return first


def test_a_role_that_code_shows_all_has_nothing_to_look_with(phases: dict[str, list[Seen]], is_guided: bool) -> None:
    assert (LOOKS & set(phases["plan"][0].tools) == set()) is is_guided
    if is_guided:
        planned, claimed = phases["plan"]
        assert "submit_milestone_done" in claimed.tools and not LOOKS & {*planned.tools, *claimed.tools}
        assert not LOOKS & {*phases["qa"][0].tools, *phases["assess"][0].tools}
        assert "return a + b" in phases["qa"][0].task, "QA sees the change itself"


def test_a_finding_names_a_word_of_the_change(tmp_path: Path) -> None:
    with context_on(tmp_path / "job", "Mend add.") as context:
        taken = JOB_TYPE.take_in(context.run, context.workspace, [str(made_repository(tmp_path / "source", FILES))])
        assert not taken.problems
        put(context, {"sums.py": FILES["sums.py"].replace("-", "+"), "new.py": "x = 1\n", "tests/test_sums.py": None})
        changed = tree.changed_lines(context.workspace)
    assert changed["sums.py"] == "    return a - b\n    return a + b" and changed["new.py"] == "x = 1"
    assert changed["tests/test_sums.py"].startswith("from sums import add")
    context.state.changed = {SOURCE: changed["sums.py"]}
    for says in BESIDE:
        assert why_groundless(context, says, SOURCE).startswith("What is wrong with a change that tests prove")
    assert why_groundless(context, "'return a + b' adds where it should multiply", SOURCE) == ""
    context.state.changed = {SOURCE: "x = 1\nx = 2"}
    assert why_groundless(context, "It has to be 3.", SOURCE) == "", "there is no word that it could name"
    context.state.changed = {}
    assert why_groundless(context, "The list of wishes is empty.", SOURCE) == "", (
        "where nothing was changed, all is open"
    )


def test_a_judge_that_repeats_what_is_no_finding_ends(tmp_path: Path) -> None:
    """It answers with the last form that it is offered, as a small model does that always finds something."""
    source = made_repository(tmp_path / "source", FILES)
    verdicts: list[bool] = []

    def script(seen: Seen) -> Reply:
        if seen.phase != "qa":
            return searched(seen)
        (asked,) = (tool.parameters for tool in seen.request.held if tool.name == "submit_verdict")
        verdicts.append(asked.get("anyOf", [asked])[-1]["properties"]["passed"]["const"])
        findings = [] if verdicts[-1] else [{"says": BESIDE[0], "about": SOURCE}]
        return call("submit_verdict", passed=verdicts[-1], findings=findings)

    register(script, "coder")
    with service(tmp_path) as jobs:
        result = jobs.run(jobs.submit("coder", [source], "Mend add.", "scripted/coder", LED))
    assert result.state == "completed", result.reason
    assert verdicts == [False] * REFUSED + [True]


@pytest.mark.parametrize("said", ["misaligned", "hopeless"])
def test_an_assessor_that_repeats_what_is_no_reason_ends(tmp_path: Path, said: str) -> None:
    source = made_repository(tmp_path / "source", FILES)
    offered: list[list[str]] = []

    def script(seen: Seen) -> Reply:
        if seen.phase != "assess":
            return searched(seen)
        (asked,) = (tool.parameters for tool in seen.request.held if tool.name == "submit_assessment")
        offered.append(asked["properties"]["trajectory"]["enum"])
        is_off = said in offered[-1]
        return call("submit_assessment", trajectory=said if is_off else "milestone_met", reasons=[BESIDE[0]])

    register(script, "coder")
    with service(tmp_path) as jobs:
        result = jobs.run(jobs.submit("coder", [source], "Mend add.", "scripted/coder", LED))
    assert result.state == "completed", result.reason
    assert [said in each for each in offered] == [True] * REFUSED + [False]


def test_an_assessor_that_names_the_change_is_heard(tmp_path: Path) -> None:
    source = made_repository(tmp_path / "source", FILES)

    def script(seen: Seen) -> Reply:
        if seen.phase != "assess":
            return searched(seen)
        reasons = ["The report is short.", "'return a + b' adds where it should multiply"]
        return call("submit_assessment", trajectory="hopeless", reasons=reasons)

    register(script, "coder")
    with service(tmp_path) as jobs:
        result = jobs.run(jobs.submit("coder", [source], "Mend add.", "scripted/coder", {**QUICK, "prompts": "guided"}))
    assert result.state != "completed"


def test_a_search_is_one_tool_and_told_so(phases: dict[str, list[Seen]], is_guided: bool) -> None:
    tools, task = set(phases["implement"][0].tools), phases["implement"][0].task
    assert ("Call search_repair once" in task) is is_guided and ("edit_code" in tools) is not is_guided
    if is_guided:
        assert tools == {"search_repair", "todo_complete", "submit_report", "todo_rewind"}
