"""Experiments and results for tests: files in a folder, and trials whose ends are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from echelon.experiments.definition.settings import Experiment
from echelon.experiments.trials import Spending, Trial, TrialResult, schedule
from echelon.settings import validated

PASSES = "def passes(trial):\n    return (trial.output / 'answer.txt').exists()\n"


def task_folder(folder: Path, name: str, **says: Any) -> Path:
    """A folder of a task with an input and a scorer, and what `task.yaml` says of it."""
    path = folder / "tasks" / name
    path.mkdir(parents=True)
    (path / "input.md").write_text(f"The clerk of {name} must keep the register.\n")
    (path / f"scorer_{name.replace('-', '_')}.py").write_text(PASSES)
    check = {"kind": "python", "function": f"scorer_{name.replace('-', '_')}:passes"}
    given = {"job_type": "creator", "inputs": ["input.md"], "checks": [check], **says}
    (path / "task.yaml").write_text(yaml.safe_dump({k: v for k, v in given.items() if v is not None}))
    return path


def experiment_file(folder: Path, count: int = 5, **says: Any) -> Path:
    """An experiment of so many tasks with two arms; `says` is added to its file, None takes a key away."""
    for n in range(1, count + 1):
        if not (folder / "tasks" / f"t{n}").exists():
            task_folder(folder, f"t{n}")
    given = {
        "name": "x1", "tasks": {"from": "tasks/*"}, "arms": {"one": {}, "two": {"set": {"todos.batch": 3}}}, **says
    }  # fmt: skip
    path = folder / "experiment.yaml"
    path.write_text(yaml.safe_dump({k: v for k, v in given.items() if v is not None}, sort_keys=False))
    return path


def experiment(**says: Any) -> Experiment:
    """An experiment without files."""
    given = {"name": "x1", "tasks": {"from": "tasks/*"}, "arms": {"a": {}, "b": {"model": "other"}}, **says}
    return validated(Experiment, given, "the experiment")


class Cell:
    """A task and its cluster."""

    def __init__(self, name: str, cluster: str = "") -> None:
        self.name, self.cluster = name, cluster or name


End = Callable[[Trial], dict[str, Any]]


def results(planned: Sequence[Trial], end: End) -> list[TrialResult]:
    """A result for every trial; `end` says what is special about it."""
    return [_result(t, end(t)) for t in planned]


def _result(trial: Trial, said: dict[str, Any]) -> TrialResult:
    known = {
        "trial": trial.id, "task": trial.task, "cluster": trial.cluster, "arm": trial.arm, "repeat": trial.repeat,
        "seed": trial.seed, "state": "completed", "success": True, "job": f"j-{trial.id}",
        "used": Spending(tokens=1_000, cost=0.01, seconds=2.0, model_calls=9),
    }  # fmt: skip
    return TrialResult.model_validate({**known, **said})


def planned(given: Experiment, tasks: int, per_cluster: int = 1) -> tuple[Trial, ...]:
    """The trials of so many tasks, `per_cluster` of them in each cluster."""
    cells = [Cell(f"t{n}", f"c{n // per_cluster}") for n in range(tasks)]
    return schedule(given.name, cells, list(given.arms), given.repeats, given.seed)
