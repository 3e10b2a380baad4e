"""The todo list: written by the planner, worked through by the implementor."""

from __future__ import annotations

import json
import re
from typing import Annotated

from pydantic import Field, StringConstraints

from echelon.engine.messages import ToolResult
from echelon.engine.todos import TodoList
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.errors import ModelFault
from echelon.files import write_atomically

Content = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=400)]


class TodoWrite(Arguments):
    todos: list[Content] = Field(description="the steps of the task, in order, one sentence each", min_length=1)


def todo_write(context: ToolContext, a: TodoWrite) -> ToolResult:
    most = context.run.config.todos.most
    if len(a.todos) > most:
        raise ModelFault(
            f"{len(a.todos)} todos are too many for one task; keep the first {most} and note the rest for later."
        )
    todos = [as_offered(todo, context.state.offered) for todo in a.todos]
    if len(set(todos)) < len(todos):
        raise ModelFault("Two todos are the same; write each step once.")
    return ToolResult(ok=True, explanations=(f"{len(todos)} todos written. Now call submit_task.",), data=todos)


def as_offered(todo: str, offered: tuple[str, ...]) -> str:
    """The open work that `todo` paraphrases, word for word; `todo` itself where nothing is offered.

    The Implementor finds the tool of a todo by its words, so a plan may choose among the open work but not reword it.
    Same numbers and at least 60 % of shared words make a paraphrase. Raises ModelFault for anything else.
    """
    from rapidfuzz import fuzz

    if not offered or todo in offered:
        return todo
    near = [line for line in offered if _numbers(line) == _numbers(todo)]
    score, best = max(((fuzz.token_set_ratio(todo.lower(), line.lower()), line) for line in near), default=(0.0, ""))
    if score < 60:
        lines = json.dumps(list(offered), ensure_ascii=False)
        raise ModelFault(f"'{todo[:80]}' is not one of the lines of open work. Call todo_write with these: {lines}")
    return best


def _numbers(text: str) -> list[str]:
    """The numbers that stand alone; those inside of file names do not count."""
    return re.findall(r"(?<![\w.-])\d+(?![\w.-]*\w)", text)


def _write(state: PhaseState, _: TodoWrite, result: ToolResult) -> None:
    state.todos = TodoList.of("(being planned)", list(result.data))
    state.instruction = "The todo list is written. Call submit_task"


class TodoComplete(Arguments):
    pass


def todo_complete(context: ToolContext, _: TodoComplete) -> ToolResult:
    todos = context.state.todos
    current = todos.current
    if current is None:
        raise ModelFault("All todos are done; call submit_report.")
    after = todos.completed()
    write_atomically(context.workspace.root / "todos.yaml", after.to_yaml())
    left = len(after.items) - after.done
    following = f"Next: todo {after.current.id}." if after.current else "All todos are done: call submit_report."
    said = f"Todo {current.id} '{current.content[:80]}' is done. {left} left. {following}"
    return ToolResult(ok=True, explanations=(said,))


def _complete(state: PhaseState, _: TodoComplete, __: ToolResult) -> None:
    state.todos = state.todos.completed()


class TodoRewind(Arguments):
    issue: str = Field(
        description="what makes this task impossible as planned, and what could be tried instead",
        min_length=10,
        max_length=2000,
    )


def todo_rewind(context: ToolContext, a: TodoRewind) -> ToolResult:
    return ToolResult(ok=True, explanations=("The task goes back to the planner.",), data={"issue": a.issue})


def _rewind(state: PhaseState, a: TodoRewind, _: ToolResult) -> None:
    state.issue, state.ended = a.issue, "rewind"


class ListTodos(Arguments):
    pass


def list_todos(context: ToolContext, _: ListTodos) -> ToolResult:
    return ToolResult(ok=True, explanations=(context.state.todos.display() or "There are no todos.",))


TOOLS = (
    Tool(
        "todo_write", "Write the todo list of the task that you plan.", TodoWrite, todo_write, Effect.IDEMPOTENT, _write
    ),
    Tool("todo_complete", "Mark the current todo as done.", TodoComplete, todo_complete, Effect.IDEMPOTENT, _complete),
    Tool(
        "todo_rewind",
        "Hand the task back when it cannot be done as planned.",
        TodoRewind,
        todo_rewind,
        Effect.IDEMPOTENT,
        _rewind,
        ends=True,
    ),
    Tool("list_todos", "Show the todo list.", ListTodos, list_todos, Effect.READ),
)
