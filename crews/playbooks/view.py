"""What a playbook sees of a prompt: the phase, the lines of the task, the current todo, the last result."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

from echelon.engine.messages import Message, ModelRequest

_CURRENT = re.compile(r"^\[ \] \d+\. (?P<content>.*?) +← CURRENT$", re.MULTILINE)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


TRIES = 3
"""Calls of a tool that fail before the playbook goes on without it."""

Move = tuple[str, dict[str, Any]]
"""A tool call: its name and its arguments."""


class View:
    """A prompt, read by rules."""

    def __init__(self, request: ModelRequest) -> None:
        self._messages = request.messages
        self._results = [(m.name or "", _result(m)) for m in request.messages if m.role == "tool"]
        self.tools = {t.name for t in request.tools}
        self.task = next((m.content for m in request.messages if m.role == "user"), "")

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
    def todo(self) -> str | None:
        """The current todo, None when there is none."""
        found = _CURRENT.search(self._messages[-1].content)
        return found["content"] if found else None

    @property
    def last_call(self) -> tuple[str, dict[str, Any]] | None:
        """Name and result of the latest tool call, None before the first."""
        return self._results[-1] if self._results else None

    def lines(self, heading: str) -> list[str]:
        """The list items after the line that starts with `heading`, without their dashes."""
        lines = self.task.splitlines()
        start = next((i for i, line in enumerate(lines) if line.startswith(heading)), len(lines))
        out = []
        for line in lines[start + 1 :]:
            if not line.startswith("- "):
                break
            out.append(line[2:])
        return out

    def line(self, heading: str) -> str:
        """What follows `heading` on its line, or ''."""
        return next(
            (line[len(heading) :].strip() for line in self.task.splitlines() if heading in line[: len(heading)]), ""
        )

    def quoted(self, part: str) -> list[str]:
        """The texts in double quotes on the first line that contains `part`."""
        line = next((x for x in self.task.splitlines() if part in x), "")
        return [json.loads(f'"{q}"') for q in _QUOTED.findall(line)]


def _result(message: Message) -> dict[str, Any]:
    try:
        value = json.loads(message.content)
    except json.JSONDecodeError:  # cut, or replaced by a pointer
        return {"ok": True}
    return value if isinstance(value, dict) else {"ok": True}
