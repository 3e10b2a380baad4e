"""Whether a check can do its work at all, asked before anything is spent."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from echelon.domains.code.running.fence import FenceState, fence_state
from echelon.errors import UserError
from echelon.experiments.definition.checks import (
    Check,
    CommandCheck,
    JSONSchemaCheck,
    JUnitCheck,
    PythonCheck,
    RequirementsCheck,
    RubricCheck,
    SameFileCheck,
)
from echelon.experiments.scoring.commands import program_exists
from echelon.experiments.scoring.files import validator_of
from echelon.experiments.scoring.finished import Finished, laid_out
from echelon.experiments.scoring.functions import python
from echelon.experiments.scoring.requirements import stated
from echelon.experiments.scoring.rubric import labels_of


class HasFolder(Protocol):
    """A task, as far as its checks need it."""

    @property
    def name(self) -> str: ...

    @property
    def folder(self) -> Path: ...

    @property
    def inputs(self) -> tuple[Path, ...]: ...


def ready(check: Check, task: HasFolder, fence: FenceState | None = None) -> None:
    """Raises UserError when the check of a task cannot work: a missing file, an unknown program, a function that raises.

    `fence` is what this machine offers; found out where it is not given.
    """

    def readable(read: Callable[[Path], object], name: str) -> None:
        try:
            read(task.folder / name)
        except Exception as error:  # of whatever kind: the file is the user's, and the sentence is for the user
            raise UserError(
                f"Task '{task.name}': {name} of the check '{check.kind}' cannot be used: {error}."
            ) from error

    match check:
        case CommandCheck() | JUnitCheck():
            if check.run and not program_exists(check.run):
                raise UserError(
                    f"Task '{task.name}': there is no program '{check.run[0]}' for the check '{check.kind}'."
                )
            if check.run and check.fence != "none" and (why := (fence or fence_state()).why):
                raise UserError(
                    f"Task '{task.name}': the check '{check.kind}' runs what a job wrote, and nothing here can fence it in "
                    f"({why}); install bubblewrap, or write 'fence: none' in the check where that code is trusted."
                )
        case RequirementsCheck():
            readable(stated, check.gold)
        case SameFileCheck():
            readable(Path.read_bytes, check.expected)
        case JSONSchemaCheck():
            readable(validator_of, check.json_schema)
        case PythonCheck():
            _says_something(check, task)
        case RubricCheck():
            if check.labels:
                readable(labels_of, check.labels)


def _says_something(check: PythonCheck, task: HasFolder) -> None:
    """A function is asked about a job that delivered nothing: that is what it will meet sooner or later."""
    with tempfile.TemporaryDirectory() as empty, laid_out(Path(empty) / "none", task.folder, task.inputs) as trial:
        found = python(check, _failed(trial))
    if found.passed is None:
        raise UserError(f"Task '{task.name}': on an empty result {found.says}.")


def _failed(trial: Finished) -> Finished:
    return Finished(trial.output, trial.workspace, trial.task, trial.inputs, "failed")
