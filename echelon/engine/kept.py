"""What steps left in `trace/`: the result of each, until the database has it, and of models until they are asked it again.

A segment that a version before began begins again with other steps (`integrity.set_back`). What its steps did is undone,
so that their results are set aside; what models answered was paid for, and is taken where the same is asked.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict, deque
from functools import cached_property
from pathlib import Path
from typing import Any

from echelon.json_text import is_object

BEFORE = Path("trace") / "before"
"""Where the record of undone steps is, below a folder for each time that a segment began again."""
_STEP = re.compile(r"(\d{5,})[-.].*(?<!\.tries)$")
"""A file of a step. What `asking` notes of requests without an answer stays where it is: they may have been paid."""


def kept_at(path: Path, asked: str) -> dict[str, Any] | None:
    """What a step left at `path`, where it was asked the same; None for less than a whole record."""
    found = _record(path)
    return found if found.get("asked") == asked else None


def _record(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # half a file, or what is no text
        return {}
    return found if is_object(found) else {}


def set_aside(folder: Path, after: int) -> None:
    """Move the files of all steps after that number out of the way of steps that get their numbers."""
    now = folder / BEFORE / f"{time.time_ns():020d}"
    trace = folder / "trace"
    for path in sorted(trace.iterdir()) if trace.is_dir() else ():
        if (step := _STEP.match(path.name)) and int(step[1]) > after:
            now.mkdir(parents=True, exist_ok=True)
            path.replace(now / path.name)


class Answered:
    """The answers of models among the steps that were set aside, each of them to be taken once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / BEFORE

    def take(self, asked: str, path: Path) -> dict[str, Any] | None:
        """The earliest answer to what is asked, which is moved to `path`; None where there is none."""
        files = self._files.get(asked)
        if not files:
            return None
        files.popleft().replace(path)
        return kept_at(path, asked)

    @cached_property
    def _files(self) -> dict[str, deque[Path]]:
        found = defaultdict[str, deque[Path]](deque)
        for path in sorted(self._folder.glob("*/*.json")):
            record = _record(path)
            if "files" not in record and _is_answer(record.get("value")):
                found[str(record.get("asked"))].append(path)
        return found


def _is_answer(value: object) -> bool:
    """Whether it is what a model said: that it was not asked, for want of a budget, may be otherwise today."""
    return is_object(value) and value.get("ok") is not False
