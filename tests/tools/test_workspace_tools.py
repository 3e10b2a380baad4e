"""Tools for files and notes: what they do, what they refuse, and that running them twice changes nothing."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings

from echelon.crews.tool_sets import all_tools
from echelon.engine.todos import ADVICE, Planned, TodoList
from echelon.engine.toolbox import Effect, ToolContext
from echelon.tools.workspace import HITS, LINES
from tests.support.tool_use import files_of, guided, notes_only, use

TWICE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("write_file", {"path": "output/a.md", "text": "one\n"}),
    ("append_file", {"path": "notes/a.md", "text": "more"}),
    ("append_file", {"path": "notes/new.md", "text": "line with\r\nends of its own\r\n"}),
    ("append_file", {"path": "notes/a.md", "text": ""}),
    ("edit_file", {"path": "notes/a.md", "old": "second", "new": "2nd"}),
    ("edit_file", {"path": "notes/a.md", "old": "second", "new": "the second line"}),
    ("edit_file", {"path": "notes/a.md", "old": "second", "new": ""}),
    ("delete_file", {"path": "notes/a.md"}),
    ("delete_file", {"path": "notes/never was.md"}),
    ("delete_file", {"path": "notes/a.md/deeper.md"}),
    ("add_note", {"text": "tables come   first\nin Annex B"}),
    ("add_accomplishment", {"text": "Section 1 is read"}),
    ("generate_workspace_summary", {}),
)


@pytest.fixture
def files(context: ToolContext) -> ToolContext:
    """A workspace with a few files."""
    w = context.workspace
    w.write("notes/a.md", "first\nsecond\nthird")
    w.write("output/long.md", "".join(f"line {n} of the report\n" for n in range(1, 501)))
    (w.root / "documents" / "a.pdf.txt").write_text(
        "=== a.pdf, page 1 ===\nRecords shall be kept.\nRecords may be sold."
    )
    (w.root / "plan.md").write_text("# Plan")
    (w.root / "notes" / "picture.bin").write_bytes(b"\x89\xff\x00")
    return context


@pytest.mark.parametrize(("name", "arguments"), TWICE, ids=lambda x: x if isinstance(x, str) else "")
def test_running_twice_leaves_the_same_files(files: ToolContext, name: str, arguments: dict[str, Any]) -> None:
    assert all_tools()[name].effect is Effect.IDEMPOTENT
    assert use(files, name, **arguments).ok
    once = files_of(files)
    use(files, name, **arguments)
    assert files_of(files) == once


def test_every_idempotent_tool_of_the_workspace_is_tried_twice() -> None:
    from echelon.tools.workspace import TOOLS

    assert {t.name for t in TOOLS if t.effect is Effect.IDEMPOTENT} == {name for name, _ in TWICE}


pieces = st.text(alphabet="ab\n", min_size=1, max_size=4)


@given(text=st.text(alphabet="ab\n", max_size=10), old=pieces, new=st.text(alphabet="ab\n", max_size=5))
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_edit_can_run_again(context: ToolContext, text: str, old: str, new: str) -> None:
    context.workspace.write("notes/a.md", text)
    result = use(context, "edit_file", path="notes/a.md", old=old, new=new)
    once = context.workspace.read("notes/a.md")
    assert once == (text.replace(old, new) if result.ok and once != text else text)
    use(context, "edit_file", path="notes/a.md", old=old, new=new)
    assert context.workspace.read("notes/a.md") == once


@given(text=st.text(alphabet="ab\n\r", max_size=10), more=st.text(alphabet="ab\n\r", max_size=6))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_append_can_run_again(context: ToolContext, text: str, more: str) -> None:
    context.workspace.write("notes/a.md", text)
    use(context, "append_file", path="notes/a.md", text=more)
    once = context.workspace.read("notes/a.md")
    assert once.startswith(text) and once.endswith(more)
    use(context, "append_file", path="notes/a.md", text=more)
    assert context.workspace.read("notes/a.md") == once


def test_reading_tools_change_nothing(files: ToolContext) -> None:
    before = files_of(files)
    for name, arguments in (
        ("read_file", {"path": "notes/a.md"}), ("list_files", {}), ("search_files", {"words": "records"}),
        ("file_exists", {"path": "notes/a.md"}), ("list_todos", {}), ("list_documents", {}), ("check_citations", {}),
    ):  # fmt: skip
        assert all_tools()[name].effect is Effect.READ
        assert use(files, name, **arguments).ok, name
    assert files_of(files) == before


@pytest.mark.parametrize("tool", ["write_file", "append_file", "edit_file", "delete_file"])
@pytest.mark.parametrize("path", ["documents/a.pdf.txt", "plan.md", "todos.yaml", "trace/x", "requirements/a/b.json"])
def test_what_only_code_writes_is_refused(files: ToolContext, tool: str, path: str) -> None:
    before = files_of(files)
    arguments = {"write_file": {"text": "x"}, "append_file": {"text": "x"}, "edit_file": {"old": "P", "new": "x"}}
    result = use(files, tool, path=path, **arguments.get(tool, {}))
    assert not result.ok
    assert files_of(files) == before


@pytest.mark.parametrize("tool", ["write_file", "append_file", "edit_file", "delete_file"])
def test_a_role_that_may_write_notes_writes_nothing_else(files: ToolContext, tool: str) -> None:
    before = files_of(files)
    arguments = {"write_file": {"text": "x"}, "append_file": {"text": "x"}, "edit_file": {"old": "line 7 ", "new": "x"}}
    result = use(notes_only(files), tool, path="output/long.md", **arguments.get(tool, {}))
    assert not result.ok and "may only write to 'notes/'" in result.explanations[0]
    assert files_of(files) == before
    assert use(notes_only(files), "write_file", path="notes/mine.md", text="x").ok


def test_notes_and_the_summary_are_written_by_whoever_has_the_tool(files: ToolContext) -> None:
    for name, arguments in (("add_note", {"text": "a"}), ("add_accomplishment", {"text": "b"})):
        assert use(notes_only(files), name, **arguments).ok
    assert use(notes_only(files), "generate_workspace_summary").ok
    summary = files.workspace.read("workspace_summary.md")
    assert "- a" in summary and "- b" in summary and "output/long.md" in summary and "No task is under way" in summary


def test_a_note_is_one_line_and_is_kept_once(files: ToolContext) -> None:
    for text in ("tables come  first", "tables come\nfirst", "another"):
        use(files, "add_note", text=text)
    assert files.workspace.read("notes/notes.md") == "- tables come first\n- another\n"


def test_a_long_file_is_read_on_where_it_ended(files: ToolContext) -> None:
    first = use(files, "read_file", path="output/long.md")
    assert first.explanations == (f"Lines 1 to {LINES} of 500 of output/long.md.", f"Go on with from_line={LINES + 1}.")
    rest = use(files, "read_file", path="output/long.md", from_line=499, lines=5)
    assert rest.data == {"text": "line 499 of the report\nline 500 of the report"} and len(rest.explanations) == 1
    beyond = use(files, "read_file", path="output/long.md", from_line=900)
    assert beyond.ok and "has 500 lines" in beyond.explanations[0]


def test_searching_finds_the_line_with_the_words_and_where_it_stands(files: ToolContext) -> None:
    result = use(files, "search_files", words="RECORDS kept")
    assert result.data["hits"][0]["where"] == "documents/a.pdf.txt:2"
    many = use(files, "search_files", words="report", folder="output")
    assert 0 < len(many.data["hits"]) <= HITS
    assert all(hit["where"].startswith("output/long.md:") for hit in many.data["hits"])
    nothing = use(files, "search_files", words="xyzzy")
    assert nothing.ok and nothing.data["hits"] == []
    assert not use(files, "search_files", words="!!!").ok


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_file", {"path": "notes/b.md"}, "There is no file"),
        ("read_file", {"path": "notes"}, "is a folder"),
        ("read_file", {"path": "notes/picture.bin"}, "not a text file"),
        ("read_file", {"path": "../x"}, "outside the workspace"),
        ("edit_file", {"path": "notes/a.md", "old": "fourth", "new": "x"}, "stands 0 times"),
        ("edit_file", {"path": "output/long.md", "old": "line", "new": "x"}, "stands 500 times"),
        ("edit_file", {"path": "notes/b.md", "old": "a", "new": "b"}, "There is no file"),
        ("delete_file", {"path": "notes"}, "is a folder"),
        ("list_files", {"folder": "/etc"}, "outside the workspace"),
        ("file_exists", {"path": "x" * 300}, "is not a path"),
    ],
)
def test_what_cannot_be_done_is_said_and_is_no_error(
    files: ToolContext, tool: str, arguments: dict[str, Any], said: str
) -> None:
    result = use(files, tool, **arguments)
    assert not result.ok
    assert said in result.explanations[0]


def test_an_edit_that_would_happen_again_is_refused(files: ToolContext) -> None:
    """After `aab` becomes `ab` the old text stands there once more: a call that was cut off would go on."""
    files.workspace.write("notes/a.md", "aab")
    result = use(files, "edit_file", path="notes/a.md", old="ab", new="b")
    assert not result.ok and "more of the text" in result.explanations[0]
    assert use(files, "edit_file", path="notes/a.md", old="aab", new="ab").ok
    assert files.workspace.read("notes/a.md") == "ab"


@pytest.mark.parametrize(("text", "holds"), [
    ("The meeting date is  wrong. We need to correct it.\n", False),
    ("# Plan\n\nThe meeting is on Monday.\n", True),
    ("The result lacks: Maria brings the projector.", False),
    ("Maria brings the projector.", True),
    ("Lunch is at noon.", True),
    ("| 4 | 7 |\nThe planner should ensure that Maria brings the projector.\n", False),
])  # fmt: skip
@pytest.mark.parametrize("tool", ["write_file", "append_file"])
def test_who_is_led_does_not_write_what_was_asked_for_as_the_result(
    context: ToolContext, tool: str, text: str, holds: bool
) -> None:
    """A small model wrote into its answer that the answer was wrong, and added the Assessor's advice to a right one."""
    found = ("The meeting date is wrong.", "The result lacks: Maria brings the projector.", "Lunch is at noon.")
    todos = [Planned(content=f"settle finding F{n}: {says}", work=f"F{n}") for n, says in enumerate(found, 1)]
    advice = "The planner should ensure that Maria brings the projector."
    todos.append(Planned(content=f"write it again, right; the Assessor says: {advice}", work=ADVICE))
    context.state.todos = TodoList.of("mend", todos)
    assert use(context, tool, path="output/a.md", text=text).ok, "able models know what they write"
    result = use(guided(context), tool, path="output/b.md", text=text)
    assert result.ok == holds and (holds or "is what was asked for" in result.explanations[0]), result.explanations
