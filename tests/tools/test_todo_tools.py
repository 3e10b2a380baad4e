"""The todo tools: one list, one todo at a time; only `apply` changes what the phase knows."""

from __future__ import annotations

from typing import Any

import pytest

from echelon.crews.tool_sets import take
from echelon.engine.ends import Rewound
from echelon.engine.todos import TodoList
from echelon.engine.toolbox import Toolbox, ToolContext, work_result
from echelon.errors import ModelFault
from tests.support.tool_use import files_of, use

STEPS = ["read part 1", "read part 2", "write the results"]


@pytest.fixture
def working(context: ToolContext) -> ToolContext:
    """A phase with three todos."""
    context.state.todos = TodoList.of("Read", STEPS, "milestone 1, round 1")
    return context


def test_the_list_is_written_at_once(context: ToolContext) -> None:
    result = use(context, "todo_write", todos=[" read part 1 ", "read part 2"])
    assert result.ok and "submit_task" in result.explanations[0]
    assert [item.content for item in context.state.todos.items] == ["read part 1", "read part 2"]
    use(context, "todo_write", todos=["something else"])
    assert [item.content for item in context.state.todos.items] == ["something else"], "a new list replaces the old one"


def test_a_list_that_is_too_long_is_refused(context: ToolContext) -> None:
    result = use(context, "todo_write", todos=[f"step number {n}" for n in range(21)])
    assert not result.ok and "too many" in result.explanations[0]
    assert context.state.todos.items == ()


def test_a_step_that_is_named_twice_is_one_step(context: ToolContext) -> None:
    assert use(context, "todo_write", todos=["read part 1", "read part 2", "read part 1"] * 9).ok
    assert [item.content for item in context.state.todos.items] == ["read part 1", "read part 2"]


@pytest.mark.parametrize("todos", [[], [""], ["  "], ["x" * 401], "read part 1", None])
def test_todos_are_a_list_of_sentences(context: ToolContext, todos: Any) -> None:
    with pytest.raises(ModelFault, match="do not fit"):
        use(context, "todo_write", todos=todos)


def test_todos_are_completed_in_order_and_the_file_says_so(working: ToolContext) -> None:
    for n in range(3):
        result = use(working, "todo_complete")
        assert f"Todo {n + 1} '{STEPS[n]}' is done. {2 - n} left." in result.explanations[0]
        assert working.workspace.read("todos.yaml") == working.state.todos.to_yaml()
    assert "submit_report" in result.explanations[0]
    assert working.state.todos.done == 3
    assert not use(working, "todo_complete").ok


def test_completing_again_after_a_cut_completes_one_todo(working: ToolContext) -> None:
    """The work of a step may run twice; what the phase knows changes only once it is recorded."""
    [tool] = take(["todo_complete"])
    arguments = Toolbox([tool]).checked(tool.name, {})
    first = work_result(tool, working, arguments)
    files = files_of(working)
    assert work_result(tool, working, arguments) == first
    assert files_of(working) == files
    assert working.state.todos.done == 0
    assert tool.apply is not None
    tool.apply(working.state, arguments, first)
    assert working.state.todos.done == 1


def test_a_rewind_ends_the_phase_with_its_issue(working: ToolContext) -> None:
    issue = "part 2 is an image; read the scan first"
    assert use(working, "todo_rewind", issue=issue).ok
    assert working.state.end == Rewound(issue)
    assert working.state.todos.done == 0


def test_a_rewind_says_why(working: ToolContext) -> None:
    with pytest.raises(ModelFault, match="issue"):
        use(working, "todo_rewind", issue="no")
    assert working.state.end is None


def test_the_list_can_be_shown(working: ToolContext, context: ToolContext) -> None:
    shown = use(working, "list_todos").explanations[0]
    assert "ACTIVE TODO LIST" in shown and "read part 1      ← CURRENT" in shown
    context.state.todos = TodoList()
    assert use(context, "list_todos").explanations == ("There are no todos.",)
