"""Tasks for experiments that measure experiments: small documents with their requirements, written here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

PLACES = (
    "Ahlen", "Bergen", "Celle", "Dorum", "Emden", "Fulda", "Gera", "Hagen", "Jever", "Kiel", "Lahr", "Moers", "Neuss",
    "Olpe", "Peine", "Rhede", "Soest", "Trier", "Unna", "Varel",
)  # fmt: skip
CLAUSES = (
    "The archive of {place} shall keep every register for {years} years.",
    "Nobody may remove a file of {place} without a written order.",
    "The head of {place} should review the register once a year.",
    "Visitors may read open files in the reading room of {place}.",
)


def clauses(number: int) -> list[str]:
    """The requirements of document `number`, counted from 0."""
    return [c.format(place=PLACES[number % len(PLACES)], years=5 + number) for c in CLAUSES]


def creator_experiment(folder: Path, tasks: int, arms: dict[str, Any], **says: Any) -> Path:
    """An experiment file with so many creator tasks, each a document of its own with its gold list."""
    for number in range(tasks):
        task = folder / "tasks" / f"t{number + 1:02}"
        task.mkdir(parents=True, exist_ok=True)
        said = clauses(number)
        body = "\n\n".join(f"1.{n} {text}" for n, text in enumerate(said, 1))
        (task / "rules.md").write_text(f"# Rules of {PLACES[number % len(PLACES)]}\n\n{body}\n", encoding="utf-8")
        (task / "gold.json").write_text(json.dumps([{"text": t, "page": 1} for t in said]), encoding="utf-8")
    check = {"kind": "requirements", "gold": "gold.json", "at_least": 1.0, "alike": 100}
    given = {
        "name": "benchmark",
        "tasks": {"from": "tasks/*", "job_type": "creator", "inputs": ["rules.md"], "checks": [check]},
        "arms": arms,
        **says,
    }
    path = folder / f"{given['name']}.yaml"
    path.write_text(yaml.safe_dump(given, sort_keys=False), encoding="utf-8")
    return path
