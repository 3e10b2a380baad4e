"""The todo list of a task, as data and as a role sees it."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
import yaml
from hypothesis import given

from echelon.engine.todos import TodoItem, TodoList

FIVE = ["read section 1", "read section 2", "put the findings together", "write the results", "check the form"]

SHOWN = """\
═══════════════════════════════════════════════════════════════════
                         ACTIVE TODO LIST
═══════════════════════════════════════════════════════════════════

Task: Extraction (milestone 2 of 4)

[x] 1. read section 1
[x] 2. read section 2
[ ] 3. put the findings together      ← CURRENT
[ ] 4. write the results
[ ] 5. check the form

Progress: 2/5 todos complete

───────────────────────────────────────────────────────────────────
INSTRUCTION: Complete todo 3, then call todo_complete()
═══════════════════════════════════════════════════════════════════"""


def test_the_display_is_that_of_the_design() -> None:
    todos = TodoList.of("Extraction", FIVE, "milestone 2 of 4").completed().completed()
    assert todos.display() == SHOWN


def test_an_empty_list_shows_nothing() -> None:
    assert TodoList().display() is None
    assert TodoList().current is None
    assert TodoList().completed() == TodoList()


def test_a_finished_list_asks_for_the_report() -> None:
    todos = TodoList.of("Extraction", ["only one"]).completed()
    shown = todos.display() or ""
    assert todos.current is None
    assert "← CURRENT" not in shown
    assert "Progress: 1/1 todos complete" in shown
    assert "INSTRUCTION: All todos are done: call submit_report" in shown
    assert "Task: Extraction\n" in shown, "no brackets without a place"


def test_a_todo_that_has_its_result_only_waits_for_being_completed() -> None:
    todos = TodoList.of("Extraction", FIVE).completed()
    assert "INSTRUCTION: Todo 2 has its result: call todo_complete()" in (todos.display(worked=2) or "")
    assert "INSTRUCTION: Complete todo 2, then call todo_complete()" in (todos.display(worked=1) or "")
    assert "INSTRUCTION: Wait" in (todos.display("Wait", worked=2) or ""), "a role that only plans is told its own"


contents = st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=20)


@given(contents, st.integers(0, 25))
def test_todos_are_done_in_order_one_at_a_time(texts: list[str], times: int) -> None:
    todos = TodoList.of("t", texts)
    for _ in range(times):
        todos = todos.completed()
    done = min(times, len(texts))
    assert todos.done == done
    assert [item.done for item in todos.items] == [True] * done + [False] * (len(texts) - done)
    assert [item.id for item in todos.items] == list(range(1, len(texts) + 1))
    assert (todos.current is None) == (done == len(texts))
    assert todos.current is None or todos.current.id == done + 1
    assert (todos.display() or "").count("← CURRENT") >= (done < len(texts))


@given(contents)
def test_completing_changes_no_list_that_is_there(texts: list[str]) -> None:
    before = TodoList.of("t", texts)
    copy = before.model_dump_json()
    before.completed()
    assert before.model_dump_json() == copy


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40), contents)
def test_the_file_holds_the_whole_list(title: str, texts: list[str]) -> None:
    todos = TodoList.of(title, [t for t in texts if t.isprintable()] or ["one"], "round 3").completed()
    assert TodoList.model_validate(yaml.safe_load(todos.to_yaml())) == todos


def test_the_file_can_be_read_by_people() -> None:
    text = TodoList.of("Prüfung", ["Löschung prüfen"]).to_yaml()
    assert text.startswith("title: Prüfung\n")
    assert "content: Löschung prüfen" in text


def test_ids_count_from_one_and_nothing_unknown_is_kept() -> None:
    with pytest.raises(ValueError, match="greater than or equal to 1"):
        TodoItem(id=0, content="x")
    with pytest.raises(ValueError, match="Extra inputs"):
        TodoList.model_validate({"title": "t", "itmes": []})
