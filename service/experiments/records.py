"""What is kept of an experiment: opened anew or gone on with, its results, its rows for a list."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from echelon.errors import UserError
from echelon.experiments.analysis.analyse import Analysis, analyse
from echelon.experiments.analysis.words import sentences
from echelon.experiments.definition.settings import Experiment
from echelon.experiments.trials import Trial, TrialResult
from echelon.service.experiments.prepare import Prepared
from echelon.store import experiments as kept
from echelon.store.store import Store

RUNNING, COMPLETED, DECIDED, CEILING, CRASHES = (
    "running", "completed", "decided at a look", "ceiling reached", "too many crashes"
)  # fmt: skip
ENDED = (COMPLETED, DECIDED, CEILING, CRASHES)


def open_record(store: Store, prepared: Prepared, resume: bool) -> dict[str, TrialResult]:
    """Make the record of a new experiment, or take up that of an old one; returns the results that are there.

    Raises UserError for a name that is taken, and for an experiment that was changed since.
    """
    name = prepared.experiment.name
    row = kept.found(store.engine, name)
    if row is None:
        kept.add(store.engine, name, prepared.digest, prepared.definition)
        return {}
    if row["digest"] != prepared.digest:
        raise UserError(f"The experiment '{name}' was run with another content; give this one another name.")
    known = results(store, name)
    if not resume:
        raise UserError(
            f"There is an experiment '{name}' already, {len(known)} of {len(prepared.trials)} trials done; "
            "go on with --resume, or give this one another name."
        )
    return {r.trial: r for r in known}


def results(store: Store, name: str) -> list[TrialResult]:
    """The results of an experiment, in the order of their ends."""
    return [TrialResult.model_validate(r) for r in kept.results(store.engine, name).values()]


def job_of(trial: Trial, digest: str) -> str:
    """The id of a trial's job: the same whenever it is asked for, another one for another experiment."""
    experiment, _, _ = trial.id.partition(f"-{trial.task}-{trial.arm}-")
    return f"{experiment}.{hashlib.sha256(f'{digest}:{trial.id}'.encode()).hexdigest()[:10]}"


def prefix_of(trial: Trial, digest: str) -> str:
    """The id of the job that all arms of a trial's task and repeat fork from."""
    experiment, _, _ = trial.id.partition(f"-{trial.task}-{trial.arm}-")
    return f"{experiment}.{hashlib.sha256(f'{digest}:{trial.pair}'.encode()).hexdigest()[:10]}.prefix"


@dataclass(frozen=True)
class Stored:
    """An experiment as it is kept. `analysis` is None until it has ended: before that it would be a look."""

    experiment: Experiment
    trials: tuple[Trial, ...]
    results: tuple[TrialResult, ...]
    state: str
    analysis: Analysis | None
    sentences: tuple[str, ...]


def stored(store: Store, name: str) -> Stored:
    """What is kept of an experiment. Raises UnknownName."""
    row = kept.get(store.engine, name)
    definition = row["definition"]
    experiment = Experiment.model_validate(definition["experiment"])
    clusters = {task: value["cluster"] for task, value in definition["tasks"].items()}
    trials = tuple(Trial(cluster=clusters[t["task"]], **t) for t in definition["trials"])
    known = results(store, name)
    if row["state"] not in ENDED:
        return Stored(experiment, trials, tuple(known), "running or interrupted", None, ())
    found = analyse(experiment, trials, known, look_of(experiment, trials, known, row["state"]))
    return Stored(experiment, trials, tuple(known), row["state"], found, sentences(found))


def look_of(experiment: Experiment, trials: Sequence[Trial], known: Sequence[TrialResult], state: str) -> int | None:
    """The index of the look at which an experiment was decided, None when it went to its end."""
    if state != DECIDED:
        return None
    done, total = len({r.cluster for r in known}), len({t.cluster for t in trials})
    return next(n for n, share in enumerate(experiment.compare.looks) if round(share * total) >= done)


def rows(store: Store) -> list[dict[str, Any]]:
    """One row an experiment, the newest first."""
    out: list[dict[str, Any]] = []
    for row in kept.all_(store.engine):
        done = kept.results(store.engine, row["name"]).values()
        out.append({
            "name": row["name"], "state": row["state"], "trials": len(row["definition"]["trials"]), "done": len(done),
            "arms": list(row["definition"]["experiment"]["arms"]), "cost": sum(r["used"]["cost"] for r in done),
            "tokens": sum(r["used"]["tokens"] for r in done), "question": row["definition"]["experiment"]["question"],
            "created": datetime.datetime.fromtimestamp(row["created"]).astimezone().isoformat(timespec="seconds"),
        })  # fmt: skip
    return out
