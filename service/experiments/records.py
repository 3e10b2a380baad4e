"""What is kept of an experiment: opened anew or gone on with, its results, its rows for a list."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from echelon.engine import durable
from echelon.errors import UserError
from echelon.experiments.analysis.analyse import Analysis, analyse
from echelon.experiments.analysis.words import sentences
from echelon.experiments.definition.settings import Experiment
from echelon.experiments.trials import Trial, TrialResult
from echelon.service.experiments.calibration.units import NOT_TRIED, Calibrated, calibrated
from echelon.service.experiments.prepare import Prepared
from echelon.service.ordering import go_on
from echelon.service.service import Service
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


def try_again(service: Service, name: str, known: dict[str, TrialResult]) -> list[str]:
    """Take back the results of trials that an outage stopped, whatever their arm; returns those trials.

    Their jobs go on after their last finished step, so that nothing is paid twice. What a trial did itself stays its
    result. One whose prefix was stopped stays as well: there is nothing that it could go on from.
    """
    store, again = service.store, [r for r in known.values() if r.crashed and r.outage]
    for result in again:
        row = store.job(result.job)
        if row.config.fork is not None and row.segment == store.job(row.config.fork.job).segment:
            continue
        if row.state in ("failed", "submitted") and not durable.is_queued(store, row.id, row.segment):
            store.set_job(row.id, state="submitted")  # so that nobody takes it for ended before a worker has it
            go_on(service, row.id)
        kept.set_aside(store.engine, name, result.trial, f"{result.trial}#{result.attempts}")
        del known[result.trial]
    taken = [r.trial for r in again if r.trial not in known]
    if taken:
        kept.set_state(store.engine, name, RUNNING)
    return taken


def attempts(store: Store, name: str) -> dict[str, int]:
    """How often each trial that an outage stopped was begun before."""
    return dict(Counter(key.rpartition("#")[0] for key in kept.results(store.engine, f"{name}/outages")))


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
    qa: Calibrated = NOT_TRIED


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
    qa = calibrated(store, experiment)
    return Stored(experiment, trials, tuple(known), row["state"], found, sentences(found), qa)


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
