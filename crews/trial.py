"""The sample job as a trial: run it several times and score it; go on with a job from one of its steps."""

from __future__ import annotations

import json
import re
import statistics
import unicodedata
from pathlib import Path

from crews.service import Service
from echelon.engine.errors import UserError

MATCH = 85.0
"""Similarity in percent from which a found text is a gold text."""


def score_sample(service: Service, sample: Path, number: int, model: str) -> int:
    """Run the creator job on `sample` `number` times and print one JSON line a run, and the mean. Returns an exit code."""
    gold = [r["text"] for r in json.loads(sample.with_suffix(".gold.json").read_text(encoding="utf-8"))]
    scores = []
    for n in range(1, number + 1):
        result = service.run(service.submit("creator", [sample], model=model))
        found = _found(result.folder)
        scores.append(f1(found, gold))
        print(json.dumps({"run": n, "job": result.job, "state": result.state, "found": len(found), "gold": len(gold),
                          "f1": round(scores[-1], 3), "cost": result.cost, **result.spent}))  # fmt: skip
    print(json.dumps({"runs": number, "mean_f1": round(statistics.mean(scores), 3), "lowest_f1": round(min(scores), 3)}))
    return 0


def _found(folder: Path) -> list[str]:
    path = folder / "output" / "requirements.json"
    return [r["text"] for r in json.loads(path.read_text(encoding="utf-8"))["requirements"]] if path.exists() else []


def f1(found: list[str], gold: list[str]) -> float:
    """F1 of a one-to-one matching of texts, best pairs first; a pair matches at a Levenshtein ratio of 85 %."""
    from rapidfuzz import fuzz

    pairs = sorted(
        ((fuzz.ratio(_folded(a), _folded(b)), i, j) for i, a in enumerate(found) for j, b in enumerate(gold)), reverse=True
    )
    left: set[int] = set()
    right: set[int] = set()
    for score, i, j in pairs:
        if score >= MATCH and i not in left and j not in right:
            left.add(i)
            right.add(j)
    return 2 * len(left) / max(1, len(found) + len(gold))


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text).lower()).strip()


def replay_from(service: Service, step: str) -> int:
    """Start a new job that takes the latest job's recorded answers before `step` and asks the model from there on.

    Tools run again, in a workspace of its own. Returns an exit code; raises UserError when there is nothing to replay.
    """
    rows = [r for r in service.store.all_jobs() if r["state"] not in ("submitted", "running")]
    if not rows:
        raise UserError("There is no finished job to replay; run one first.")
    row = rows[0]
    if not step.isdigit():
        raise UserError(f"'{step}' is no step; give its number, as 'echelon show {row['id']} --json' lists it.")
    recorded = sum(s["kind"] == "model" and s["number"] < int(step) for s in service.store.steps(row["id"]))
    model = f"replay/{row['id']},{recorded},{row['config']['config']['model']}"
    result = service.run(service.submit(row["type"], row["config"]["inputs"], row["request"], model))
    print(f"Job {result.job} took {recorded} answers of {row['id']} and went on from step {step}: {result.state}")
    return result.exit_code
