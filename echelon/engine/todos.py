"""The todo list of a task: what a role works through, one todo at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

WIDE = "═" * 67
THIN = "─" * 67


ADVICE = "advice"
"""Id of the work that the Assessor asks for. It stays open until a task that does it is accepted."""
_FINDING = re.compile(r"F\d+")
"""The id of a finding, where it is the work of a todo"""


def is_asked_for(work: str) -> bool:
    """Whether the work of this id is what a judge asked for: to mend a finding, or to follow advice."""
    return work == ADVICE or _FINDING.fullmatch(work) is not None


class PlannedCall(BaseModel):
    """A tool call that does a todo, where code knows one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Work(BaseModel):
    """One piece of open work, as code sees it. A planner names it by its id; the words are for reading."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = Field(min_length=1, max_length=40, pattern=r"^[\w.-]+$")
    says: str = Field(description="what is to be done, in one sentence")
    call: PlannedCall | None = Field(default=None, description="the tool call that does it")
    deliverable: str | None = Field(default=None, description="the file that shows that it is done")


class Dropped(BaseModel):
    """Open work that the planner leaves out, and why. It stays open until the Assessor agrees."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    says: str
    reason: str
    round: int = 0
    milestone: int = 0
    agreed: str = Field(default="", description="what the Assessor said when it agreed")


class Planned(BaseModel):
    """A todo as it is planned: open work by its id, or the planner's own words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    content: str
    work: str = Field(default="", description="id of the open work that it does; empty for the planner's own")
    call: PlannedCall | None = None
    deliverable: str | None = None

    @staticmethod
    def of(work: Work) -> Planned:
        """The todo that does a piece of open work."""
        return Planned(content=work.says, work=work.id, call=work.call, deliverable=work.deliverable)


class TodoItem(Planned):
    """A todo of a list."""

    id: int = Field(ge=1)
    done: bool = False


class TodoList(BaseModel):
    """An ordered list; the current todo is the first that is not done. Immutable: changes return a new list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    place: str = Field(default="", description="where the task stands, such as 'milestone 1 of 2, round 3'")
    items: tuple[TodoItem, ...] = ()

    @staticmethod
    def of(title: str, todos: Iterable[Planned | str], place: str = "") -> TodoList:
        """A list of open todos, numbered from 1; a text is a todo of its own."""
        planned = [Planned(content=t) if isinstance(t, str) else t for t in todos]
        items = tuple(
            TodoItem(id=n, content=p.content, work=p.work, call=p.call, deliverable=p.deliverable)
            for n, p in enumerate(planned, 1)
        )
        return TodoList(title=title, place=place, items=items)

    @property
    def current(self) -> TodoItem | None:
        return next((item for item in self.items if not item.done), None)

    @property
    def done(self) -> int:
        return sum(item.done for item in self.items)

    def completed(self) -> TodoList:
        """The list with its current todo done."""
        current = self.current
        items = tuple(i.model_copy(update={"done": True}) if i is current else i for i in self.items)
        return self.model_copy(update={"items": items})

    def completed_work(self, works: Iterable[str]) -> TodoList:
        """The list with the todos done that do this open work, wherever they stand."""
        done = set(works)
        items = tuple(i.model_copy(update={"done": True}) if i.work in done else i for i in self.items)
        return self.model_copy(update={"items": items})

    def display(self, instruction: str = "", worked: int = 0, step: str = "") -> str | None:
        """The list as a role sees it every turn, None when it is empty.

        `instruction` is for a role that does not work through the list: it stands in place of the usual one, and no
        todo is marked as current. `worked` is the id of a todo that only waits for being called complete. `step` says how
        the current todo is done, in place of the usual words.
        """
        if not self.items:
            return None
        current = None if instruction else self.current
        lines = [
            f"[{'x' if i.done else ' '}] {i.id}. {i.content}" + ("      ← CURRENT" if i is current else "")
            for i in self.items
        ]
        todo = instruction or (step if current else "") or _next_step(current, worked)
        head = f"Task: {self.title}" + (f" ({self.place})" if self.place else "")
        return "\n".join([
            WIDE, f"{'':25}ACTIVE TODO LIST", WIDE, "", head, "", *lines, "",
            f"Progress: {self.done}/{len(self.items)} todos complete", "", THIN, f"INSTRUCTION: {todo}", WIDE,
        ])  # fmt: skip

    def to_yaml(self) -> str:
        """The content of `todos.yaml`."""
        kept = self.model_dump(mode="json", exclude_defaults=True)
        return str(yaml.safe_dump(kept, sort_keys=False, allow_unicode=True))


def _next_step(current: TodoItem | None, worked: int) -> str:
    if current is None:
        return "All todos are done: call submit_report"
    if current.id == worked:
        return f"Todo {current.id} has its result: call todo_complete()"
    return f"Complete todo {current.id}, then call todo_complete()"
