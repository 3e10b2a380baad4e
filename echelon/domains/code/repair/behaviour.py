"""Repairs that all pass the tests, told apart by what they do on other inputs.

Where they differ, those that fail on the fewest inputs and agree with the most others come first: a change that only
fits the values of the tests is alone with what it does elsewhere.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.repair.inputs import varied
from echelon.domains.code.repair.spectrum import Coverage
from echelon.domains.code.running.command import Surroundings, run_command
from echelon.domains.code.running.suite import INSIDE
from echelon.json_text import is_list

SECONDS = 0.5
"""Time of one call."""


class Behaviour(BaseModel):
    """How a repair does on inputs that no test has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    inputs: int = Field(default=0, description="on which at least one repair gives a result; 0: nothing could be tried")
    failing: int = Field(default=0, description="inputs on which this one ends with an error, or not at all")
    agrees: float = Field(default=1.0, description="mean share of all repairs that give the same result")
    same_as_all: bool = Field(default=True, description="whether every repair gives the same results everywhere")
    is_most: bool = Field(default=True, description="whether more than half of all repairs behave just like this one")


def behaviours(where: Surroundings, path: str, texts: Sequence[str], spectrum: Sequence[Coverage]) -> list[Behaviour]:
    """For each text of the file at `path`. Without calls that can be repeated, nothing tells them apart."""
    calls = [(name, said) for each in spectrum for at, name, said in each.calls if at == path]
    if len(texts) < 2 or not calls:
        return [Behaviour()] * len(texts)
    name = Counter(name for name, _ in calls).most_common(1)[0][0]
    inputs = varied([json.loads(said) for n, said in dict.fromkeys(calls) if n == name])
    rows = _answers(where, path, name, texts, inputs)
    return judged(rows) if rows else [Behaviour()] * len(texts)


def judged(rows: Sequence[Sequence[str]]) -> list[Behaviour]:
    """`rows` has for each repair a word for each input; words of failures begin with '!'."""
    columns = [c for c in zip(*rows, strict=True) if any(not word.startswith("!") for word in c)]
    if not columns:
        return [Behaviour()] * len(rows)
    kept = list(zip(*columns, strict=True))
    alike = Counter(kept)
    out: list[Behaviour] = []
    for row in kept:
        shares = [sum(word == other for other in column) / len(rows) for word, column in zip(row, columns, strict=True)]
        out.append(Behaviour(
            inputs=len(columns), failing=sum(word.startswith("!") for word in row),
            agrees=round(sum(shares) / len(shares), 4), same_as_all=len(alike) == 1, is_most=alike[row] * 2 > len(rows),
        ))  # fmt: skip
    return out


def _answers(
    where: Surroundings, path: str, name: str, texts: Sequence[str], inputs: Sequence[Sequence[object]]
) -> list[list[str]]:
    if not inputs:
        return []
    with tempfile.TemporaryDirectory(prefix="echelon-behaviour-") as made:
        job = Path(made) / "job.json"
        job.write_text(
            json.dumps({"path": path, "name": name, "texts": texts, "inputs": inputs, "seconds": SECONDS}),
            encoding="utf-8",
        )
        done = run_command(
            [where.python, str(INSIDE / "behaviour_runner.py"), str(job)], where, read=[INSIDE, Path(made)]
        )
    try:
        rows = json.loads(done.output.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return []
    return rows if is_list(rows) and len(rows) == len(texts) else []
