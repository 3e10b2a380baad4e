"""The todo list of a task: what a role works through, one todo at a time."""

from __future__ import annotations

import yaml
from pydantic import BaseModel, ConfigDict, Field

WIDE = "═" * 67
THIN = "─" * 67


class TodoItem(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: int = Field(ge=1)
    content: str
    done: bool = False


class TodoList(BaseModel):
    """An ordered list; the current todo is the first that is not done. Immutable: changes return a new list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str = ""
    place: str = Field(default="", description="where the task stands, such as 'milestone 1 of 2, round 3'")
    items: tuple[TodoItem, ...] = ()

    @staticmethod
    def of(title: str, contents: list[str], place: str = "") -> TodoList:
        """A list of open todos, numbered from 1."""
        return TodoList(
            title=title, place=place, items=tuple(TodoItem(id=n, content=c) for n, c in enumerate(contents, 1))
        )

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

    def display(self, instruction: str = "", worked: int = 0) -> str | None:
        """The list as a role sees it every turn, None when it is empty.

        `instruction` is for a role that does not work through the list: it stands in place of the usual one, and no
        todo is marked as current. `worked` is the id of a todo that only waits for being called complete.
        """
        if not self.items:
            return None
        current = None if instruction else self.current
        lines = [
            f"[{'x' if i.done else ' '}] {i.id}. {i.content}" + ("      ← CURRENT" if i is current else "")
            for i in self.items
        ]
        todo = instruction or _next_step(current, worked)
        head = f"Task: {self.title}" + (f" ({self.place})" if self.place else "")
        return "\n".join([
            WIDE, f"{'':25}ACTIVE TODO LIST", WIDE, "", head, "", *lines, "",
            f"Progress: {self.done}/{len(self.items)} todos complete", "", THIN, f"INSTRUCTION: {todo}", WIDE,
        ])  # fmt: skip

    def to_yaml(self) -> str:
        """The content of `todos.yaml`."""
        return str(yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False, allow_unicode=True))


def _next_step(current: TodoItem | None, worked: int) -> str:
    if current is None:
        return "All todos are done: call submit_report"
    if current.id == worked:
        return f"Todo {current.id} has its result: call todo_complete()"
    return f"Complete todo {current.id}, then call todo_complete()"
