"""The search: coverage of each test, suspicious lines, changed files in order, each tried against the tests."""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.editing.patch import unified_diff
from echelon.domains.code.map.languages import find_tests
from echelon.domains.code.map.walking import read_source, tree_files
from echelon.domains.code.repair.behaviour import Behaviour, behaviours
from echelon.domains.code.repair.mutants import Mutant, mutants
from echelon.domains.code.repair.spectrum import Coverage, Suspicion, ochiai
from echelon.domains.code.running.command import Surroundings, run_command
from echelon.domains.code.running.suite import INSIDE
from echelon.json_text import is_object

MOST_LINES = 60
"""Suspicious lines that are changed."""


class SearchBounds(BaseModel):
    """How far a search goes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mutants: int = Field(default=1_500, ge=1, description="changed files that are tried at most")
    seconds: float = Field(default=180.0, gt=0, description="time of the whole search")
    test_seconds: float = Field(default=5.0, gt=0, description="time of one test while lines are recorded")
    plausible: int = Field(default=8, ge=1, description="repairs after which the search ends")
    seed: int = Field(default=1, description="another number orders equally likely changes otherwise")


class Repair(BaseModel):
    """A change with which every test passes that failed, and every test that passed before."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    line: int
    kind: str = Field(description="what kind of change it is")
    score: float = Field(description="suspicion of the line times likeliness of the change")
    examples: int = Field(default=0, description="examples in the file's own documentation that hold with it")
    behaviour: Behaviour = Field(default=Behaviour(), description="on inputs that no test has")
    text: str = Field(description="the whole changed file")
    diff: str


class SearchResult(BaseModel):
    """What a search found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    repairs: tuple[Repair, ...] = Field(default=(), description="best first")
    suspicions: tuple[Suspicion, ...] = Field(default=(), description="most suspicious lines first")
    tried: int = 0
    made: int = Field(default=0, description="changed files that were made")
    why: str = Field(default="", description="why nothing was found, in one sentence")


def search_repair(
    where: Surroundings, failing: Sequence[str], passing: Sequence[str], bounds: SearchBounds | None = None
) -> SearchResult:
    """Look for a small change of the tree's Python files with which `failing` tests pass and `passing` ones still do.

    Names are pytest's. Nothing in the tree is changed when it ends.
    """
    bounds = bounds or SearchBounds()
    if not failing:
        return SearchResult(why="no test fails, so nothing can be searched for")
    spectrum = record_spectrum(where, [*failing, *passing], bounds)
    suspicions = ochiai(spectrum)
    if not suspicions:
        return SearchResult(why="the failing tests run no line of the repository's own Python files")
    lines = suspicions[:MOST_LINES]
    texts = _texts(where.clone, {each.path for each in lines})
    candidates = mutants(texts, lines, most=bounds.mutants, seed=bounds.seed)
    slow = max(1.0, 4 * _baseline(spectrum, bounds))
    passed, tried = try_mutants(where, candidates, failing, passing, slow, bounds)
    repairs = _ranked(where, texts, passed, spectrum)
    why = "" if repairs else f"none of {tried} small changes makes the failing tests pass without breaking others"
    return SearchResult(
        repairs=tuple(repairs), suspicions=tuple(suspicions[:20]), tried=tried, made=len(candidates), why=why
    )


def record_spectrum(where: Surroundings, tests: Sequence[str], bounds: SearchBounds) -> list[Coverage]:
    """Which lines each test runs. A test that takes longer than it may has failed."""
    with tempfile.TemporaryDirectory(prefix="echelon-spectrum-") as made:
        file = Path(made) / "spectrum.jsonl"
        environment = {
            "PYTHONPATH": os.pathsep.join(filter(None, [str(INSIDE), (where.environment or {}).get("PYTHONPATH", "")])),
            "ECHELON_SPECTRUM_FILE": str(file),
            "ECHELON_SPECTRUM_ROOT": str(where.clone.resolve()),
            "ECHELON_TEST_SECONDS": str(bounds.test_seconds),
        }
        command = [
            where.python,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "echelon_pytest",
            "-o",
            "addopts=",
        ]
        run_command([*command, *tests], where, write=[Path(made)], read=[INSIDE], environment=environment)
        if file.is_symlink() or not file.is_file():
            return []
        known = _own_sources(where.clone)
        found = [Coverage.model_validate_json(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        each.model_copy(update={"lines": {path: lines for path, lines in each.lines.items() if path in known}})
        for each in found
    ]


def try_mutants(
    where: Surroundings,
    candidates: Sequence[Mutant],
    failing: Sequence[str],
    passing: Sequence[str],
    test_seconds: float,
    bounds: SearchBounds,
) -> tuple[list[Mutant], int]:
    """Those with which all tests pass, in their order, and how many were tried within the bounds."""
    with tempfile.TemporaryDirectory(prefix="echelon-mutants-") as made:
        job = {
            "tests": list(failing),
            "all": [*failing, *passing],
            "seconds": test_seconds,
            "all_seconds": 4 * test_seconds,
            "most": bounds.seconds,
            "plausible": bounds.plausible,
            "mutants": [{"id": n, "path": m.path, "text": m.text} for n, m in enumerate(candidates)],
        }
        (Path(made) / "job.json").write_text(json.dumps(job), encoding="utf-8")
        wide = where.bounds.model_copy(
            update={"seconds": bounds.seconds + 30, "cpu_seconds": int(bounds.seconds) + 60, "output_kb": 1024}
        )
        inside = dataclasses.replace(where, bounds=wide)
        done = run_command(
            [where.python, str(INSIDE / "mutant_runner.py"), str(Path(made) / "job.json")],
            inside,
            read=[INSIDE, Path(made)],
        )
    said = [value for line in done.output.splitlines() if (value := _json(line)) is not None]
    passed = [candidates[value["id"]] for value in said if value.get("all") is True]
    return passed, max((int(value["tried"]) for value in said if "tried" in value), default=0)


def _json(line: str) -> dict[str, int | bool] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if is_object(value) else None


def _baseline(spectrum: Sequence[Coverage], bounds: SearchBounds) -> float:
    """Seconds that the failing tests may need: a second, more where many lines run."""
    events = sum(len(lines) for each in spectrum for lines in each.lines.values())
    return min(bounds.test_seconds, 0.4 + events / 50_000)


def _own_sources(root: Path) -> set[str]:
    paths = [file.path for file in tree_files(root) if file.path.endswith(".py")]
    return set(paths) - find_tests(paths)


def _texts(root: Path, paths: set[str]) -> dict[str, str]:
    return {path: read_source(root / path) for path in sorted(paths)}


def _ranked(
    where: Surroundings, texts: dict[str, str], passed: Sequence[Mutant], spectrum: Sequence[Coverage]
) -> list[Repair]:
    """Repairs by the examples in the documentation that hold, by what they do on other inputs, then as they were found."""
    from echelon.domains.code.repair.examples import examples_that_hold

    held = examples_that_hold(where, [(mutant.path, mutant.text) for mutant in passed])
    does: dict[str, Behaviour] = {}
    for path in {mutant.path for mutant in passed}:
        same = [mutant.text for mutant in passed if mutant.path == path]
        does |= dict(zip(same, behaviours(where, path, same, spectrum), strict=True))
    repairs = [
        Repair(
            path=mutant.path,
            line=mutant.line,
            kind=mutant.kind,
            score=mutant.score,
            examples=count,
            behaviour=does[mutant.text],
            text=mutant.text,
            diff=unified_diff(mutant.path, texts[mutant.path], mutant.text),
        )
        for mutant, count in zip(passed, held, strict=True)
    ]
    return sorted(repairs, key=lambda r: (-r.examples, r.behaviour.failing, -r.behaviour.agrees))
