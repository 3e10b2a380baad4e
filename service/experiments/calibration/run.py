"""The loop of a calibration: jobs to the place where QA is asked, whether their work is right, and the verdicts.

What stands where QA is asked is right when a copy that goes on without QA and Assessor delivers what passes the task's
checks, with nobody having sent anything back. Only then is it worth anything that QA passes or refuses it. All of it
follows from what is stored: after a kill, whoever comes next goes on, and no verdict is asked for twice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from echelon.errors import UnknownName
from echelon.experiments.trials import Trial
from echelon.service.experiments.calibration import judging
from echelon.service.experiments.calibration.units import (
    Reference,
    Unit,
    keep_reference,
    keep_verdict,
    references,
    units,
    verdicts,
)
from echelon.service.experiments.fleet import AHEAD, Fleet
from echelon.service.experiments.forks import ENDED, fork, has_come, steps_shared
from echelon.service.experiments.judge import judge_of
from echelon.service.experiments.prepare import Prepared, judged_arms, settings_of
from echelon.service.experiments.records import prefix_of
from echelon.service.service import Service
from echelon.service.workflow import PARKED

BEAT = 0.1
ALONE: dict[str, Any] = {"without": ["qa", "assessor"]}
"""Settings of the copy that shows whether the work is right: nobody mends it"""

Say = Callable[[int, int, float, float], None]
"""Told of each new verdict: how many there are, how many there will be, tokens and US dollars of all of them"""


def _silent(_done: int, _planned: int, _tokens: float, _cost: float) -> None:
    pass


@dataclass
class Calibration:
    """The calibration of an experiment that spent `spent` (by unit: tokens, cost) on its trials before."""

    prepared: Prepared
    service: Service
    fleet: Fleet
    workers: int
    spent: dict[str, float]
    say: Say = _silent
    active: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.experiment, self.store = self.prepared.experiment, self.service.store
        assert self.experiment.qa is not None
        self.qa = self.experiment.qa
        self.judge = judge_of(self.store, self.service.environment)
        self.references = references(self.store, self.experiment.name)
        self.verdicts = verdicts(self.store, self.experiment.name)

    def run(self) -> bool:
        """Work until nothing is left, or the ceiling forbids the next; returns whether it is whole."""
        most = self.workers + AHEAD
        while wanted := list(islice(self._wanted(), most)):
            self.active = {job for job in self.active if not has_come(self._state(job))}
            for job in wanted:
                if job not in self.active and len(self.active) < most and self._fits():
                    self.service.enqueue(job)  # one that is in the queue already stays there once
                    self.active.add(job)
            if not self.active:
                return False
            self.fleet.check()
            time.sleep(BEAT)
        return True

    # what can run now; what has ended on the way there is kept

    def _wanted(self) -> Iterator[str]:
        for task in dict.fromkeys(t.task for t in self.prepared.trials):
            known = self.references.get(task)
            open_ = [u for u in units(self.experiment, task) if u.id not in self.verdicts]
            if known is None or (known.right and open_):
                yield from self._of_task(self._trial(task, self._base), open_)

    def _of_task(self, trial: Trial, open_: list[Unit]) -> Iterator[str]:
        shared = self.experiment.fork == self.qa.at
        origin = prefix_of(trial, self.prepared.digest) + ("" if shared else f"-{self.qa.at.replace(':', '-')}")
        state = self._state(origin)
        if state is None:
            self._submit(trial, origin)
        if not has_come(state):
            yield origin
        elif state != PARKED:
            says = f"its job ended ({state}) before QA was asked"
            spent = judging.used([] if shared else self.store.steps(origin))
            self._keep(Reference(task=trial.task, right=False, says=says, **spent))
        else:
            yield from self._referred(trial, origin)
            if trial.task in self.references and self.references[trial.task].right:
                for unit in open_:
                    yield from self._judged(unit, origin)

    def _referred(self, trial: Trial, origin: str) -> Iterator[str]:
        """The copy that shows whether the work is right, until that is known."""
        if trial.task in self.references:
            return
        job = f"{origin}.right"
        state = self._state(job)
        if state is None:
            _, model, overrides = settings_of(self.prepared, trial)
            fork(self.service, origin, job, model, {**overrides, **ALONE})
        if state in ENDED:
            shared = steps_shared(self.store.job(job)) if self.experiment.fork == self.qa.at else 0
            self._keep(judging.reference(self.store, self.prepared.task(trial.task), job, self.judge, shared))
        else:
            yield job

    def _judged(self, unit: Unit, origin: str) -> Iterator[str]:
        job, task = unit.job(self.experiment.name, self.prepared.digest), self.prepared.task(unit.task)
        state = self._state(job)
        if state is None:
            try:
                self._make(unit, origin, job)
            except judging.NoPlace:
                says = "this work has no place for it"
                self._keep_verdict(unit, unit.verdict(task.cluster).model_copy(update={"says": says}))
                return
        if has_come(state):
            judge = self.judge if self.qa.to_the_end else None
            self._keep_verdict(unit, judging.verdict(self.store, unit, task, job, judge))
        else:
            yield job

    # making

    @property
    def _base(self) -> str:
        """The arm whose settings the jobs run with until QA is asked."""
        arms = judged_arms(self.experiment)
        return self.experiment.baseline if self.experiment.baseline in arms or self.experiment.fork else arms[0]

    def _trial(self, task: str, arm: str) -> Trial:
        return next(t for t in self.prepared.trials if (t.task, t.arm, t.repeat) == (task, arm, 1))

    def _submit(self, trial: Trial, job: str) -> None:
        task = self.prepared.task(trial.task)
        type_, model, overrides = settings_of(self.prepared, trial)
        given = {**overrides, "park": self.qa.at}
        self.service.submit(type_, list(task.inputs), task.request or None, model, given, job=job)

    def _make(self, unit: Unit, origin: str, job: str) -> None:
        """Make the copy with what is planted in it. Raises NoPlace; then nothing is made."""
        _, model, overrides = settings_of(self.prepared, self._trial(unit.task, unit.arm))
        goes_on = {} if self.qa.to_the_end else {"park": "after qa"}

        def change(folder: Path) -> None:
            if unit.kind:
                judging.plant(self.store, unit, origin, folder, self.experiment.seed)

        fork(self.service, origin, job, model, {**overrides, **goes_on}, change)

    # keeping

    def _keep(self, found: Reference) -> None:
        keep_reference(self.store, self.experiment.name, found)
        self.references[found.task] = found

    def _keep_verdict(self, unit: Unit, found: Any) -> None:
        keep_verdict(self.store, self.experiment.name, unit, found)
        self.verdicts[unit.id] = found
        planned = sum(len(units(self.experiment, t.name)) for t in self.prepared.loaded.tasks)
        self.say(len(self.verdicts), planned, self._used("tokens"), self._used("cost"))

    def _used(self, unit: str) -> float:
        alone = sum(float(getattr(r, unit)) for r in self.references.values())
        return self.spent[unit] + alone + sum(float(getattr(v, f"all_{unit}")) for v in self.verdicts.values())

    def _fits(self) -> bool:
        """Whether one more job fits under the ceilings of the experiment, beside those that run."""
        most = [c.budget for c in self.prepared.configs.values()]
        for unit in ("cost", "tokens"):
            ceiling = getattr(self.experiment.budget.total, unit)
            each = max((float(v) for b in most if (v := getattr(b, unit)) != "unlimited"), default=0.0)
            if ceiling != "unlimited" and self._used(unit) + each * (len(self.active) + 1) > ceiling + 1e-9:
                return False
        return True

    def _state(self, job: str) -> str | None:
        try:
            return self.store.job(job).state
        except UnknownName:
            return None
