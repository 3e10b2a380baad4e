"""Arms that share a prefix: it runs once for each task and repeat, and every arm goes on from a copy of where it stopped.

A copy has the same steps behind it, file for file and row for row, so that only what follows the fork differs. What
the prefix cost stands in every copy's ledger and counts against its ceilings, as if the arm had done it itself.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from echelon.crews.hierarchy.states import ENDS
from echelon.engine.integrity import Seen, changes
from echelon.experiments.trials import Trial
from echelon.service.experiments.prepare import Prepared, settings_of
from echelon.service.experiments.records import job_of, prefix_of
from echelon.service.service import Service
from echelon.service.workflow import PARKED
from echelon.store.forks import add_fork
from echelon.store.records.jobs import Fork, Given, JobRow, Settings

ENDED = frozenset(state.value for state in ENDS)


@dataclass
class Prefixes:
    """The prefixes of an experiment; where it does not fork, every trial is its own."""

    prepared: Prepared
    service: Service
    running: set[str] = field(default_factory=set)
    """Jobs that run up to the fork now"""
    _there: set[str] = field(default_factory=set)

    def is_ready(self, trial: Trial) -> bool:
        """Whether the trial can begin; where its prefix was not begun yet, that begins."""
        if not self.prepared.experiment.fork:
            return True
        job = prefix_of(trial, self.prepared.digest)
        if job in self._there:
            return True
        state = self._state(job)
        if state is None:
            self._submit(self._of_baseline(trial), job, park=self.prepared.experiment.fork)
        if has_come(state):
            self._there.add(job)
            return True
        if job not in self.running:
            self.service.enqueue(job)  # one that is in the queue already stays there once
            self.running.add(job)
        return False

    def collect(self) -> None:
        """Take those that have come to the fork from those that run."""
        come = {job for job in self.running if has_come(self._state(job))}
        self.running -= come
        self._there |= come

    def job_of(self, trial: Trial) -> tuple[str, bool]:
        """The trial's job, made unless an earlier coordinator did; and whether it is still to run."""
        job = job_of(trial, self.prepared.digest)
        state = self._state(job)
        if state is None:
            if self.prepared.experiment.fork:
                _, model, overrides = settings_of(self.prepared, trial)
                fork(self.service, prefix_of(trial, self.prepared.digest), job, model, overrides)
            else:
                self._submit(trial, job)
            state = self._state(job)
        return job, state not in ENDED

    def _submit(self, trial: Trial, job: str, **more: Any) -> None:
        """Make a job that does the trial's task from its beginning, with the settings of its arm and `more`."""
        task = self.prepared.task(trial.task)
        type_, model, overrides = settings_of(self.prepared, trial)
        self.service.submit(type_, list(task.inputs), task.request or None, model, {**overrides, **more}, job=job)

    def _of_baseline(self, trial: Trial) -> Trial:
        """The trial of the arm whose settings the prefix runs with."""
        baseline = self.prepared.experiment.baseline
        return next(t for t in self.prepared.trials if t.pair == trial.pair and t.arm == baseline)

    def _state(self, job: str) -> str | None:
        return self.service.store.states([job]).get(job)


def has_come(state: str | None) -> bool:
    """Whether a prefix in this state goes no further."""
    return state == PARKED or state in ENDED


def fork(
    service: Service, origin: str, job: str, model: str | None, overrides: dict[str, Any],
    change: Callable[[Path], object] = lambda _: None,
) -> None:  # fmt: skip
    """Make `job` of one that is parked or has ended: the same steps behind it, its own settings before it.

    One that ended before it came to the fork has ended in the copy as well. `change` may change the files of the copy,
    as if its steps had left them so. Raises UserError for settings that do not hold; then nothing is made.
    """
    row = service.store.job(origin)
    config = service.configuration(row.type, model, overrides)
    changed = _copy_folder(row.folder, service.environment.home / "jobs" / job, change)
    goes_on = row.state == PARKED
    settings = Settings(
        config=config.model_dump(mode="json"), inputs=row.config.inputs,
        given=Given(snapshot=row.end.snapshot or {}) if goes_on else row.config.given,
        fork=Fork(job=origin, steps=max((s.number for s in service.store.steps(origin)), default=0)),
    )  # fmt: skip
    add_fork(service.store.engine, origin, job, settings, goes_on=goes_on, changed=changed)


def steps_shared(row: JobRow) -> int:
    """How many steps a job has in common with the one that it was forked from; 0 for one that was not."""
    return 0 if row.config.fork is None else row.config.fork.steps


def _copy_folder(source: Path, target: Path, change: Callable[[Path], object]) -> dict[str, str]:
    """Copy a folder whole or not at all, and change it; returns the hashes of what was changed.

    What an earlier attempt left half done is replaced.
    """
    half = target.with_name(f".{target.name}.half")
    for left in (half, target):  # without a row in the database neither is a job
        shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(source, half, symlinks=True)
    before = Seen(half).now()
    change(half)
    changed = changes(before, Seen(half).now())
    half.rename(target)
    return changed
