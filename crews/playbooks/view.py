"""What a playbook sees of a prompt: the tools, the data at its end, the current todo, the last result."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

from echelon.engine.messages import Message, ModelRequest
from echelon.json_text import is_list, is_object
from echelon.tasks.prompts import FENCE

_OPEN = re.compile(r"^\[ \] (?P<number>\d+)\. ", re.MULTILINE)


TRIES = 3
"""Calls of a tool that fail before the playbook goes on without it."""

Move = tuple[str, dict[str, Any]]
"""A tool call: its name and its arguments."""


class View:
    """A prompt, read by rules. Its words are not read: only the data that stands at the end of the task."""

    def __init__(self, request: ModelRequest) -> None:
        self._messages = request.messages
        self._results = [(m.name or "", _result(m)) for m in request.messages if m.role == "tool"]
        self.tools = {t.name for t in request.tools}
        self.values = _values(next((m.content for m in request.messages if m.role == "user"), ""))
        """The data of the prompt, {} where there is none."""

    def has(self, tool: str) -> bool:
        """Whether a tool is offered in this phase."""
        return tool in self.tools

    def succeeded(self, tool: str) -> bool:
        """Whether a call of a tool in this conversation did what it should."""
        return any(result.get("ok") for name, result in self._results if name == tool)

    def settled(self, tool: str) -> bool:
        """Whether a tool need not be called again: it succeeded, or failed too often to be worth another try."""
        return self.succeeded(tool) or sum(name == tool for name, _ in self._results) >= TRIES

    @property
    def failures(self) -> int:
        """How often the latest tool has failed in a row."""
        last = self.last_call
        in_a_row = itertools.takewhile(
            lambda r: last is not None and r[0] == last[0] and not r[1].get("ok"), reversed(self._results)
        )
        return sum(1 for _ in in_a_row)

    @property
    def todo(self) -> int | None:
        """Number of the current todo, None when there is none."""
        found = _OPEN.search(self._messages[-1].content)
        return int(found["number"]) if found else None

    @property
    def last_call(self) -> tuple[str, dict[str, Any]] | None:
        """Name and result of the latest tool call, None before the first."""
        return self._results[-1] if self._results else None

    @property
    def opened(self) -> set[str]:
        """The files that were opened in this conversation."""
        calls = [c for m in self._messages for c in m.calls if c.name == "read_file"]
        return {str(json.loads(c.arguments or "{}").get("path")) for c in calls}

    def texts(self, name: str) -> list[str]:
        """A list of texts of the data, [] where there is none."""
        value = self.values.get(name)
        return [str(v) for v in value] if is_list(value) else []


def _values(task: str) -> dict[str, Any]:
    """The data at the end of a task: what stands in the last fence, for what a user wrote stands before it."""
    _, fence, rest = task.rpartition(f"{FENCE}\n")
    if not fence:
        return {}
    try:
        value = json.loads(rest.partition("\n```")[0])
    except json.JSONDecodeError:
        return {}
    return value if is_object(value) else {}


def _result(message: Message) -> dict[str, Any]:
    try:
        value = json.loads(message.content)
    except json.JSONDecodeError:  # cut, or replaced by a pointer
        return {"ok": True}
    return value if is_object(value) else {"ok": True}
