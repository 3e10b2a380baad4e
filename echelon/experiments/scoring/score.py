"""All checks of a task on one trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from echelon.experiments.scoring.commands import command, junit
from echelon.experiments.scoring.files import json_schema, same_file
from echelon.experiments.scoring.finished import CheckResult, Finished
from echelon.experiments.scoring.functions import python
from echelon.experiments.scoring.requirements import requirements
from echelon.experiments.scoring.rubric import Judge, rubric


@dataclass(frozen=True)
class Grade:
    """What the checks say together. `success` is None when a check failed to say anything."""

    checks: tuple[CheckResult, ...]

    @property
    def success(self) -> bool | None:
        """Whether every check passes. One that fails decides, whatever another could not say."""
        if any(c.passed is False for c in self.checks):
            return False
        return None if any(c.passed is None for c in self.checks) else True

    @property
    def score(self) -> float | None:
        """The mean score of the checks, None when one is missing."""
        scores = [c.score for c in self.checks if c.score is not None]
        return sum(scores) / len(scores) if len(scores) == len(self.checks) else None

    @property
    def cost(self) -> float:
        """US dollars of judging models."""
        return sum(c.cost for c in self.checks)


def grade(checks: Sequence[Check], trial: Finished, judge: Judge | None = None) -> Grade:
    """The grade of a finished trial. `judge` asks a model, for checks with a rubric."""
    return Grade(tuple(_one(check, trial, judge) for check in checks))


def _one(check: Check, trial: Finished, judge: Judge | None) -> CheckResult:
    match check:
        case CommandCheck():
            return command(check, trial)
        case JUnitCheck():
            return junit(check, trial)
        case RequirementsCheck():
            return requirements(check, trial)
        case SameFileCheck():
            return same_file(check, trial)
        case JSONSchemaCheck():
            return json_schema(check, trial)
        case PythonCheck():
            return python(check, trial)
        case RubricCheck():
            return rubric(check, trial, judge)
