"""A model as a judge, and how far it may be believed: its agreement with people who judged the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from echelon.experiments.definition.checks import RubricCheck
from echelon.experiments.scoring.finished import CheckResult, Finished, broken, passed
from echelon.experiments.statistics.rates import Agreement, cohens_kappa
from echelon.json_text import is_object

SHOWN = 24_000
"""Characters of a result that the judge is shown."""


@dataclass(frozen=True)
class Asked:
    """A question to a judge: which model, by which rubric, about which text."""

    model: str
    rubric: str
    text: str


@dataclass(frozen=True)
class Judged:
    """What a judge says: a score from 0 to 1, why, and what it cost in US dollars."""

    score: float
    why: str
    cost: float = 0.0


Judge = Callable[[Asked], Judged]
"""Raises ModelUnavailable or ValueError when there is no answer to be had."""


@dataclass(frozen=True)
class Label:
    """A text that a person judged."""

    text: str
    passed: bool


def rubric(check: RubricCheck, trial: Finished, judge: Judge | None) -> CheckResult:
    """What the judge says of a file of the result; see `RubricCheck`."""
    path = trial.output / check.file
    if not path.is_file():
        return passed("rubric", False, f"there is no {check.file}")
    if judge is None:
        return broken("rubric", "there is no judge")
    text = path.read_text(encoding="utf-8", errors="replace")[:SHOWN]
    try:
        said = judge(Asked(check.model, check.rubric, text))
    except Exception as error:  # a server that is away is no verdict on the result
        return broken("rubric", f"the judge gave no answer: {error}")
    good = said.score >= check.at_least
    return CheckResult(kind="rubric", passed=good, score=said.score, says=said.why[:300], cost=said.cost)


def labels_of(path: Path) -> list[Label]:
    """The labelled texts of a file of JSON lines. Raises OSError and ValueError."""
    out: list[Label] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        value = json.loads(line) if line.strip() else None
        if value is None:
            continue
        if not is_object(value) or not isinstance(value.get("text"), str) or not isinstance(value.get("passed"), bool):
            raise ValueError(f"line {number} is no object with a text and passed")
        out.append(Label(value["text"], value["passed"]))
    return out


def agreement(check: RubricCheck, labels: list[Label], judge: Judge) -> Agreement:
    """Cohen's kappa of the judge and the people, on the texts that the people judged."""
    pairs = [
        (label.passed, judge(Asked(check.model, check.rubric, label.text[:SHOWN])).score >= check.at_least)
        for label in labels
    ]
    return cohens_kappa(pairs)
