"""Experiments on small plain jobs with scripted models: whole jobs, in this process, in a second or two each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from echelon.service.experiments.run import ExperimentResult, run_experiment_file
from echelon.service.service import Service
from tests.support.scripted import Reply, Seen, call, played, register

SCORER = """
def grade(trial):
    path = trial.output / "result-1.md"
    return path.exists() and "another text" not in path.read_text().lower()
"""


TODOS = 2
"""Todos of a task: fewer calls, and nothing that experiments look at hangs on their number."""


def good(seen: Seen) -> Reply:
    """One task of a few todos, done."""
    return played(seen, 1, TODOS)


def careless(seen: Seen) -> Reply:
    """As `good`, but what it writes is worth nothing, and nobody sees it."""
    reply = good(seen)
    if seen.phase == "implement" and seen.last_tool in ("", "todo_complete") and seen.todo is not None:
        return call("append_file", path="output/result-1.md", text="Another text than the one that was asked for.\n")
    return reply


def rash(seen: Seen) -> Reply:
    """As `good`, but QA fails the first attempt without opening anything."""
    if seen.phase == "qa" and not seen.values["open_findings"]:
        return call("submit_verdict", passed=False, findings=["it feels wrong"])
    return good(seen)


def broken(seen: Seen) -> Reply:
    """A model whose server is gone when it comes to the work."""
    return OSError("the cable was cut") if seen.phase == "implement" else good(seen)


MODELS = {"good": good, "careless": careless, "rash": rash, "broken": broken}


def plain_experiment(folder: Path, tasks: int = 5, arms: dict[str, Any] | None = None, **says: Any) -> Path:
    """An experiment file with so many plain tasks; an arm's value is the name of its script, or the whole arm."""
    for name, script in MODELS.items():
        register(script, name)
    for n in range(1, tasks + 1):
        task = folder / "tasks" / f"t{n}"
        task.mkdir(parents=True, exist_ok=True)
        (task / "wishes.md").write_text(f"# Wishes\n\nWrite result {n}.\n")
        (task / "scorer.py").write_text(SCORER)
    given_arms = {k: {"model": f"scripted/{v}"} if isinstance(v, str) else v for k, v in (arms or {}).items()}
    given = {
        "name": "small",
        "tasks": {
            "from": "tasks/*", "job_type": "plain", "inputs": ["wishes.md"], "request": "Write the results.",
            "set": {"todos.least": TODOS}, "checks": [{"kind": "python", "function": "scorer:grade"}],
        },
        "arms": given_arms or {"good": {"model": "scripted/good"}, "careless": {"model": "scripted/careless"}},
        **says,
    }  # fmt: skip
    path = folder / "experiment.yaml"
    path.write_text(yaml.safe_dump(given, sort_keys=False))
    return path


def run(path: Path, jobs: Service, **more: Any) -> ExperimentResult:
    """Run an experiment with results beside its file."""
    return run_experiment_file(path, service=jobs, out=path.parent / "results", **more)
