"""The sample job as a trial: run it several times and score it; go on with a job from one of its steps."""

from __future__ import annotations

import json
import re
import statistics
import unicodedata
from pathlib import Path
from typing import Any

from echelon.engine.models.opening import with_playbook
from echelon.errors import UserError
from echelon.service.service import Service
from echelon.store.records.jobs import JobRow

MATCH = 85.0
"""Similarity in percent from which a found text is a gold text."""


def score_sample(sample: Path, number: str = "1", model: str = "") -> int:
    """Run the creator job on `sample` `number` times and print one JSON line a run, and the mean. Returns an exit code.

    0 when every run completed, 1 otherwise. A bare model name, as crewai gives it, is one of OpenAI; without a key the
    playbook plays. Raises UserError.
    """
    if not number.isdigit() or int(number) < 1:
        raise UserError(f"'{number}' is no number of runs; give 1 or more.")
    service = Service()
    model = _model(service, model)
    gold = [r["text"] for r in json.loads(sample.with_suffix(".gold.json").read_text(encoding="utf-8"))]
    scores: list[float] = []
    completed = 0
    for n in range(1, int(number) + 1):
        result = service.run(service.submit("creator", [sample], model=model))
        found = _found(result.folder)
        scores.append(f1(found, gold))
        completed += result.state == "completed"
        line = {
            "run": n,
            "job": result.job,
            "model": model,
            "state": result.state,
            "found": len(found),
            "gold": len(gold),
        }
        print(json.dumps({**line, "f1": round(scores[-1], 3), **result.spent}), flush=True)
    mean = {"mean_f1": round(statistics.mean(scores), 3), "lowest_f1": round(min(scores), 3)}
    print(json.dumps({"runs": len(scores), "completed": completed, **mean}))
    return 0 if completed == len(scores) else 1


def _model(service: Service, name: str) -> str:
    if name and re.search(r"[/:]", name) is None and name != "playbook":
        return f"openai/{name}" if service.environment.get("OPENAI_API_KEY") else "playbook"
    return name or "playbook"


def _found(folder: Path) -> list[str]:
    path = folder / "output" / "requirements.json"
    if not path.exists():
        return []
    value = json.loads(path.read_text(encoding="utf-8"))
    return [r["text"] for r in value["requirements"] if r["status"] != "duplicate"]


def f1(found: list[str], gold: list[str]) -> float:
    """F1 of a one-to-one matching of texts, best pairs first; a pair matches at a Levenshtein ratio of 85 %."""
    from rapidfuzz import fuzz

    left_texts, right_texts = [_folded(t) for t in found], [_folded(t) for t in gold]
    pairs = sorted(
        ((-fuzz.ratio(a, b), i, j) for i, a in enumerate(left_texts) for j, b in enumerate(right_texts)),
    )
    left: set[int] = set()
    right: set[int] = set()
    for score, i, j in pairs:
        if -score >= MATCH and i not in left and j not in right:
            left.add(i)
            right.add(j)
    return 2 * len(left) / max(1, len(found) + len(gold))


def _folded(text: str) -> str:
    return re.sub(r"\W+", " ", unicodedata.normalize("NFKC", text).lower()).strip()


def replay_from(step: str = "") -> int:
    """Start a new job that takes the latest job's recorded answers before `step` and asks the model from there on.

    Tools run again, in a workspace of its own. Returns an exit code; raises UserError when there is nothing to replay.
    """
    service = Service()
    ended = service.store.all_jobs() if service.has_store else []
    rows = [r for r in ended if r.state not in ("submitted", "running", "rejected")]
    if not rows:
        raise UserError("There is no job to replay; run one first.")
    row = rows[0]
    steps = service.store.steps(row.id)
    if not step.isdigit() or not 1 <= int(step) <= len(steps):
        listed = f"give a number from 1 to {len(steps)}, as 'echelon show {row.id} --json' lists them"
        raise UserError(f"'{step}' is no step of {row.id}; {listed}.")
    recorded = sum(s.kind == "model" and bool(s.answered) and s.number < int(step) for s in steps)
    model, overrides = _replayed(row, recorded)
    result = service.run(service.submit(row.type, list(row.config.inputs), row.request, model, overrides))
    took = f"took {recorded} recorded answers of {row.id} and went on from step {step}"
    print(f"Job {result.job} {took}: {result.state}. See: echelon show {result.job}")
    return result.exit_code


def _replayed(row: JobRow, recorded: int) -> tuple[str, dict[str, Any]]:
    """The model of the new job and its settings: those of the recorded one, every model behind its recorded answers."""
    config = dict(row.config.config)
    playbook = config["playbook"]

    def behind(spec: str) -> str:
        return f"replay/{row.id},{recorded},{with_playbook(spec, playbook)}"

    models = {role: behind(spec) for role, spec in config["models"].items()}
    kept = {key: value for key, value in config.items() if key not in ("job", "model")}
    return behind(config["model"]), {**kept, "models": models}
