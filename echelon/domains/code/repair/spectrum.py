"""Spectrum-based fault localisation: lines that failing tests run and passing tests do not are suspicious.

Ochiai after Abreu, Zoeteweij and van Gemund, "An Evaluation of Similarity Coefficients for Software Fault Localization"
(2006): failed(line) / sqrt(all failed * (failed(line) + passed(line))).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from pydantic import BaseModel, ConfigDict, Field

Line = tuple[str, int]
"""(path relative to the tree, line from 1)."""


class Coverage(BaseModel):
    """What one test ran."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    test: str
    passed: bool
    lines: dict[str, list[int]] = Field(default_factory=dict, description="path to the lines that were run")
    calls: list[tuple[str, str, str]] = Field(
        default_factory=list, description="(path, function, arguments as JSON) of calls by the test itself"
    )


class Suspicion(BaseModel):
    """How suspicious a line is, between 0 and 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    line: int
    score: float


def ochiai(spectrum: Iterable[Coverage]) -> list[Suspicion]:
    """Suspicion of every line that a failing test ran, highest first; equals by path and line."""
    failed: dict[Line, int] = {}
    passed: dict[Line, int] = {}
    failures = 0
    for test in spectrum:
        failures += not test.passed
        counts = passed if test.passed else failed
        for line in _lines(test.lines):
            counts[line] = counts.get(line, 0) + 1
    scored = [
        Suspicion(
            path=path, line=line, score=round(count / math.sqrt(failures * (count + passed.get((path, line), 0))), 6)
        )
        for (path, line), count in failed.items()
    ]
    return sorted(scored, key=lambda s: (-s.score, s.path, s.line))


def _lines(by_path: Mapping[str, list[int]]) -> Iterable[Line]:
    return ((path, line) for path, numbers in by_path.items() for line in sorted(set(numbers)))
