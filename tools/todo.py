"""The todo list: written by the planner, worked through by the implementor."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from echelon.engine.ends import Rewound
from echelon.engine.held import with_properties
from echelon.engine.messages import ToolResult
from echelon.engine.todos import Dropped, Planned, TodoList, Work
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.errors import ModelFault
from echelon.files import write_atomically

Content = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
STEPS = 5
"""Todos that one answer is held to where nothing is offered."""
SHORTEST = 3
"""Characters of a todo in a planner's own words."""


class TodoWrite(Arguments):
    todos: list[Content] = Field(
        description="the steps of the task, in order: ids of open work, or steps of your own in one sentence each",
        min_length=1,
    )


def todo_write(context: ToolContext, a: TodoWrite) -> ToolResult:
    # a step that is named twice is one step: to refuse it costs a call and changes nothing
    todos = list({t.content: t for t in (planned(todo, context.state.offered) for todo in a.todos)}.values())
    most = context.run.config.todos.most
    if len(todos) > most:
        raise ModelFault(
            f"{len(todos)} todos are too many for one task; keep the first {most} and note the rest for later."
        )
    data = [t.model_dump(mode="json", exclude_defaults=True) for t in todos]
    return ToolResult(ok=True, explanations=(f"{len(todos)} todos written. Now call submit_task.",), data=data)


def _ids(state: PhaseState, parameters: dict[str, Any]) -> dict[str, Any]:
    """The arguments with few steps; where code offers open work, its ids: a small model writes other words around them;
    and where it knows what is to be delivered, to write that."""
    todos = parameters["properties"]["todos"]
    writing = [f"Write all that was asked for into {path}" for path in state.deliverables]
    if known := [w.id for w in state.offered] or writing:
        todos = todos | {"items": {"type": "string", "enum": known}, "maxItems": len(known)}
    else:
        todos = todos | {"maxItems": STEPS}
    return with_properties(parameters, todos=todos)


def planned(todo: str, offered: tuple[Work, ...]) -> Planned:
    """The open work that `todo` names, by its id or by its words; a todo of the planner's own where it names none.

    An id may be followed by words ("p3: extract ..."), as models like to write it. Raises ModelFault for too few words.
    """
    first = re.split(r"[\s:,]", todo, maxsplit=1)[0].strip("[]()\"'").casefold()
    for work in offered:
        if first == work.id.casefold() or todo.casefold() == work.says.casefold():
            return Planned.of(work)
    if len(todo) < SHORTEST:
        raise ModelFault(f"'{todo}' is no id of open work; name one, or write the step in words.")
    return Planned(content=todo)


def _may_plan(state: PhaseState) -> bool:
    """Who is led writes the list once, and again only when it was refused: a small model writes the same twice."""
    is_written = bool(state.deliverables and state.todos.items and not state.refused)
    return not (state.is_through or is_written)


def _write(state: PhaseState, _: TodoWrite, result: ToolResult) -> None:
    state.todos = TodoList.of("(being planned)", [Planned.model_validate(t) for t in result.data])
    planned_ids = {t.work for t in state.todos.items}
    state.dropped = tuple(d for d in state.dropped if d.id not in planned_ids)  # what is planned is not left out
    state.instruction = "The todo list is written. Call submit_task"


class DropWork(Arguments):
    id: str = Field(description="the id of the open work that is left out")
    reason: str = Field(description="why the milestone does without it", min_length=10, max_length=400)


def drop_work(context: ToolContext, a: DropWork) -> ToolResult:
    """Leave offered work out. What other roles found stays: only a verdict settles it."""
    state = context.state
    work = next((w for w in state.offered if w.id.casefold() == a.id.strip().casefold()), None)
    if work is None or work.id in state.kept_ids:
        why = "is a finding, which only a verdict of QA settles" if work else "is no id of open work"
        raise ModelFault(f"'{a.id[:40]}' {why}; name open work that code offers.")
    if work.id in {d.id for d in state.dropped}:
        raise ModelFault(f"'{work.id}' is left out already.")
    return ToolResult(
        ok=True,
        explanations=(f"'{work.id}' is left out, with your reason. The milestone is met when the Assessor agrees.",),
        data=Dropped(id=work.id, says=work.says, reason=a.reason).model_dump(mode="json"),
    )


def _drop(state: PhaseState, _: DropWork, result: ToolResult) -> None:
    state.dropped = (*state.dropped, Dropped.model_validate(result.data))


class TodoComplete(Arguments):
    pass


def todo_complete(context: ToolContext, _: TodoComplete) -> ToolResult:
    todos = context.state.todos
    current = todos.current
    if current is None:
        raise ModelFault("All todos are done; call submit_report.")
    if context.state.needs_work and not context.state.work_since:
        raise ModelFault(f"Nothing was done for todo {current.id} yet; do it with a tool, then call todo_complete.")
    after = todos.completed()
    write_atomically(context.workspace.root / "todos.yaml", after.to_yaml())
    left = len(after.items) - after.done
    following = f"Next: todo {after.current.id}." if after.current else "All todos are done: call submit_report."
    said = f"Todo {current.id} '{current.content[:80]}' is done. {left} left. {following}"
    return ToolResult(ok=True, explanations=(said,))


def _is_worked(state: PhaseState) -> bool:
    return state.todos.current is not None and (not state.needs_work or state.work_since > 0)


def _complete(state: PhaseState, _: TodoComplete, __: ToolResult) -> None:
    state.todos, state.work_since = state.todos.completed(), 0


class TodoRewind(Arguments):
    issue: str = Field(
        description="what makes this task impossible as planned, and what could be tried instead",
        min_length=10,
        max_length=2000,
    )


def todo_rewind(context: ToolContext, a: TodoRewind) -> ToolResult:
    return ToolResult(ok=True, explanations=("The task goes back to the planner.",), data={"issue": a.issue})


def _rewind(state: PhaseState, a: TodoRewind, _: ToolResult) -> None:
    state.end = Rewound(a.issue)


class ListTodos(Arguments):
    pass


def list_todos(context: ToolContext, _: ListTodos) -> ToolResult:
    return ToolResult(ok=True, explanations=(context.state.todos.display() or "There are no todos.",))


TOOLS = (
    Tool(
        "todo_write",
        "Write the todo list of the task that you plan.",
        TodoWrite,
        todo_write,
        Effect.IDEMPOTENT,
        _write,
        ready=_may_plan,
        held=_ids,
    ),
    Tool(
        "drop_work",
        "Leave open work out, with a reason; QA, the Assessor and the user are told.",
        DropWork,
        drop_work,
        Effect.IDEMPOTENT,
        _drop,
    ),
    Tool(
        "todo_complete",
        "Mark the current todo as done.",
        TodoComplete,
        todo_complete,
        Effect.IDEMPOTENT,
        _complete,
        ready=_is_worked,
    ),
    Tool(
        "todo_rewind",
        "Hand the task back when it cannot be done as planned.",
        TodoRewind,
        todo_rewind,
        Effect.IDEMPOTENT,
        _rewind,
        ends=True,
        ready=lambda _: False,  # small models hand back whatever they stumble over; a report can say what is undone
    ),
    Tool("list_todos", "Show the todo list.", ListTodos, list_todos, Effect.READ),
)
