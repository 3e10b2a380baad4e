"""From the file of an experiment to the experiment and its tasks, or one sentence that says what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from echelon.errors import UserError
from echelon.experiments.definition.checks import Check
from echelon.experiments.definition.settings import Experiment, TaskSet, TaskSettings
from echelon.json_text import is_object
from echelon.settings import validated
from echelon.yaml_text import read_yaml

TASK_FILE = "task.yaml"


@dataclass(frozen=True)
class Task:
    """A task, resolved: what its own file says over what the experiment says for all."""

    name: str
    folder: Path
    job_type: str
    request: str
    inputs: tuple[Path, ...]
    cluster: str
    checks: tuple[Check, ...]
    set: dict[str, Any]


@dataclass(frozen=True)
class Loaded:
    """An experiment with its tasks; `folder` is that of its file, `text` its content."""

    experiment: Experiment
    tasks: tuple[Task, ...]
    folder: Path
    text: str

    @property
    def clusters(self) -> tuple[str, ...]:
        """The clusters of the tasks, in the order of the tasks."""
        return tuple(dict.fromkeys(t.cluster for t in self.tasks))


def load(path: Path) -> Loaded:
    """The experiment that a file describes. Raises UserError for the first thing that is wrong with it."""
    text = _text(path, "experiment file")
    experiment = validated(Experiment, _mapping(text, path), path.name)
    folder = path.resolve().parent
    tasks = tuple(_task(p, experiment.tasks) for p in _folders(experiment.tasks, folder))
    return Loaded(experiment, tasks, folder, text)


def _folders(given: TaskSet, folder: Path) -> list[Path]:
    """The folders of the tasks, sorted by name within each pattern."""
    out: list[Path] = []
    for pattern in given.folders:
        found = [p for p in sorted(_matches(folder, pattern)) if p.is_dir() and not p.name.startswith(".")]
        if not found:
            raise UserError(f"No folder of a task fits '{pattern}' (tasks.from, looked for in {folder}).")
        out += [p for p in found if p not in out]
    names = [p.name for p in out]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise UserError(f"Two tasks are called '{twice}'; the name of a task is that of its folder.")
    return out


def _matches(folder: Path, pattern: str) -> list[Path]:
    """The paths that fit a pattern, absolute or relative to a folder."""
    path = Path(pattern)
    start, parts = (Path(path.anchor), path.parts[1:]) if path.is_absolute() else (folder, path.parts)
    plain = [*parts]
    while plain and plain[0] == "..":
        start, plain = start.parent, plain[1:]
    return list(start.glob(str(Path(*plain)))) if plain else [start]


def _task(folder: Path, common: TaskSet) -> Task:
    path = folder / TASK_FILE
    own = TaskSettings()  # type: ignore[call-arg]
    if path.exists():
        own = validated(TaskSettings, _mapping(_text(path, "task file"), path), f"{folder.name}/{TASK_FILE}")
    request = own.request or _request_of(folder, own.request_file)
    return Task(
        name=folder.name,
        folder=folder,
        job_type=own.job_type or common.job_type,
        request=request or common.request or _request_of(folder, common.request_file),
        inputs=_inputs(folder, own.inputs or common.inputs),
        cluster=own.cluster or common.cluster.replace("{task}", folder.name) or folder.name,
        checks=own.checks or common.checks,
        set={**common.set, **own.set},
    )


def _request_of(folder: Path, name: str) -> str:
    return _text(folder / name, f"request of task '{folder.name}'").strip() if name else ""


def _inputs(folder: Path, patterns: tuple[str, ...]) -> tuple[Path, ...]:
    out: list[Path] = []
    for pattern in patterns:
        found = [p for p in sorted(_matches(folder, pattern)) if p.is_file() or (p.is_dir() and p == folder / pattern)]
        if not found:
            raise UserError(f"Task '{folder.name}' has no input that fits '{pattern}'.")
        out += [p for p in found if p not in out]
    return tuple(out)


def _text(path: Path, what: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"There is no {what} {path}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The {what} {path} cannot be read: {error}.") from error


def _mapping(text: str, path: Path) -> dict[str, Any]:
    try:
        value = read_yaml(text)
    except yaml.YAMLError as error:
        raise UserError(f"{path.name} is not valid YAML: {' '.join(str(error).split())}.") from error
    if not is_object(value):
        raise UserError(f"{path.name} must hold a mapping of settings.")
    return value
