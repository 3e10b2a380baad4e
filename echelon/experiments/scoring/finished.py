"""What a check is given, and what it answers."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from echelon.settings import Section


@dataclass(frozen=True)
class Finished:
    """A trial that has ended. All folders are copies: what a check does to them touches no job."""

    output: Path
    """What the job delivered"""
    workspace: Path
    """Everything that the job had, without its history and the record of its steps (`trace/`)"""
    task: Path
    """The folder of the task, as it is"""
    inputs: tuple[Path, ...] = ()
    state: str = ""
    """How the job ended, by its own word"""


class CheckResult(Section):
    """What a check says of a trial. `passed` is None when the check itself failed: then nothing is known."""

    kind: str
    passed: bool | None
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    says: str = ""
    cost: float = 0.0
    """US dollars of a judging model"""


def passed(kind: str, good: bool, says: str = "", score: float | None = None) -> CheckResult:
    """A result with the score 1 or 0 where there is no other."""
    return CheckResult(kind=kind, passed=good, score=float(good) if score is None else score, says=says)


def broken(kind: str, says: str) -> CheckResult:
    """The check itself failed."""
    return CheckResult(kind=kind, passed=None, says=says)


@contextmanager
def laid_out(workspace: Path, task: Path, inputs: tuple[Path, ...] = (), state: str = "") -> Generator[Finished]:
    """A fresh copy of a job's workspace while the block runs, without links that lead out. A missing one is empty."""
    with tempfile.TemporaryDirectory(prefix="echelon-grade-") as folder:
        copy = Path(folder) / "workspace"
        if workspace.is_dir():
            # beside being long, the record of a job that has just ended is still written: files come and go meanwhile
            shutil.copytree(
                workspace, copy, symlinks=True, copy_function=shutil.copy,
                ignore=lambda folder, _: (".git", "trace") if folder == str(workspace) else (".git",),
            )  # fmt: skip
        for path in [p for p in copy.rglob("*") if p.is_symlink()]:
            if not path.resolve().is_relative_to(copy.resolve()):
                path.unlink()
        output = copy / "output"
        output.mkdir(parents=True, exist_ok=True)
        yield Finished(output, copy, task, inputs, state)
