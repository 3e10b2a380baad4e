"""The loop of an experiment: start trials as far as the ceilings allow, grade what has ended, look where it may look.

Everything that it decides follows from what is stored: the trials and their order, the results, the jobs. A coordinator
that is killed is followed by another one that finds all of it; what has ended is neither run nor graded again.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from echelon.errors import UserError
from echelon.experiments.analysis.analyse import analyse
from echelon.experiments.scoring.rubric import Judge
from echelon.experiments.trials import Trial, TrialResult
from echelon.service.experiments import records
from echelon.service.experiments.fleet import AHEAD, Fleet
from echelon.service.experiments.forks import ENDED, Prefixes
from echelon.service.experiments.judge import judge_of
from echelon.service.experiments.outcome import crashed, outcome
from echelon.service.experiments.prepare import Prepared
from echelon.service.service import Service
from echelon.store import experiments as kept

BEAT = 0.25
"""Seconds between two looks at the jobs where none of this process ends; the worker has the next one already"""
LEAST_TO_STOP = 10
"""Trials of an arm before the share of its crashes can stop the experiment"""


@dataclass(frozen=True)
class Progress:
    """How far an experiment is. `left` is an estimate of the seconds that it still takes, None before there is one."""

    done: int
    planned: int
    running: int
    tokens: int
    cost: float
    seconds: float
    left: float | None
    ended: TrialResult | None = None
    """The trial that has just ended"""
    part: str = "trials"
    """What is counted: `trials`, or `verdicts` of QA on prepared work after them"""


Report = Callable[[Progress], None]


@dataclass
class Coordinator:
    """Runs an experiment to its end, with the results so far in `results`."""

    prepared: Prepared
    service: Service
    fleet: Fleet
    workers: int
    results: dict[str, TrialResult]
    report: Report = lambda _: None
    active: dict[str, Trial] = field(default_factory=dict)
    """Job -> trial, of those that were given to the queue"""
    prefixes: Prefixes = field(init=False)
    before: dict[str, int] = field(init=False)
    """Trial -> how often an outage stopped it"""
    look: int = 0

    def __post_init__(self) -> None:
        self.prefixes = Prefixes(self.prepared, self.service)
        self.before = records.attempts(self.service.store, self.prepared.experiment.name)

    def run(self) -> str:
        """Work until nothing is left, a look decides, a ceiling or too many crashes stop it; returns which of these."""
        began, before = time.monotonic(), len(self.results)
        judge = judge_of(self.service.store, self.service.environment)
        self._say(began, before, None)
        while True:
            self.prefixes.collect()
            for ended in self._collected(judge):
                self._say(began, before, ended)
            state = self._state()
            if state != records.RUNNING:
                return state
            self._start()
            self.fleet.check()
            self.fleet.wait(BEAT)

    # what comes next

    def _state(self) -> str:
        """Whether it goes on. At a look whole clusters are done, and nothing of later ones has begun."""
        if self._too_many_crashes():
            return records.CRASHES if not self.active else records.RUNNING
        upto = self._upto()
        if not all(t.id in self.results for t in upto):
            idle, waiting = not self.active and not self.prefixes.running, self._waiting()
            return records.CEILING if idle and waiting and not self._fits(waiting[0]) else records.RUNNING
        if len(upto) == len(self.prepared.trials):
            return records.COMPLETED
        known = list(self.results.values())
        if analyse(self.prepared.experiment, upto, known, self.look).decided:
            return records.DECIDED
        self.look += 1
        return records.RUNNING

    def _upto(self) -> tuple[Trial, ...]:
        """The trials up to the next look."""
        trials, clusters = self.prepared.trials, list(dict.fromkeys(t.cluster for t in self.prepared.trials))
        share = self.prepared.experiment.compare.looks[self.look]
        within = set(clusters[: round(share * len(clusters))])
        return tuple(t for t in trials if t.cluster in within)

    def _too_many_crashes(self) -> bool:
        limit = self.prepared.experiment.stop_when.crashed
        for arm in self.prepared.experiment.arms:
            own = [r for r in self.results.values() if r.arm == arm]
            broken = sum(r.crashed or r.success is None for r in own)
            if len(own) >= LEAST_TO_STOP and broken / len(own) > limit:
                return True
        return False

    def _waiting(self) -> list[Trial]:
        """The trials that were not begun, up to the next look."""
        taken = {t.id for t in self.active.values()}
        return [t for t in self._upto() if t.id not in self.results and t.id not in taken]

    def _fits(self, trial: Trial) -> bool:
        """Whether the most that a trial can use fits under the ceilings, beside what is spent and what may be yet."""
        budget = self.prepared.experiment.budget.total
        for unit in ("cost", "tokens"):
            ceiling = getattr(budget, unit)
            if ceiling == "unlimited":
                continue
            spent = self.used(unit)
            held = [self._most(t, unit) for t in [*self.active.values(), trial]]
            if spent + sum(held) > ceiling + 1e-9:
                return False
        return True

    def used(self, unit: str) -> float:
        """What the trials that have ended used, their grading, and each shared prefix once."""
        known = self.results.values()
        spent = sum(float(getattr(r.used, unit)) + (r.grading_cost if unit == "cost" else 0) for r in known)
        return spent + sum({(r.task, r.repeat): float(getattr(r.prefix, unit)) for r in known}.values())

    def _most(self, trial: Trial, unit: str) -> float:
        """The ceiling of a trial; 0 where it has none, so that such trials run one after another until it is spent."""
        ceiling = getattr(self.prepared.configs[trial.task, trial.arm].budget, unit)
        return 0.0 if ceiling == "unlimited" else float(ceiling)

    # starting and collecting

    def _start(self) -> None:
        while len(self.active) + len(self.prefixes.running) < self.workers + AHEAD and not self._too_many_crashes():
            trial = self._ready()
            if trial is None:
                return
            job, runs = self.prefixes.job_of(trial)
            if runs:
                self.service.enqueue(job)  # one that is in the queue already stays there once
            self.active[job] = trial

    def _ready(self) -> Trial | None:
        """The next trial that fits under the ceilings and whose prefix is there; of the others the prefix begins."""
        for trial in self._waiting():
            if not self._fits(trial) or len(self.active) + len(self.prefixes.running) >= self.workers + AHEAD:
                return None
            if self.prefixes.is_ready(trial):
                return trial
        return None

    def _collected(self, judge: Judge) -> list[TrialResult]:
        """Grade and keep what has ended."""
        out: list[TrialResult] = []
        states = self.service.store.states(list(self.active)) if self.active else {}
        for job, trial in list(self.active.items()):
            if states.get(job) in ENDED:
                result = self._outcome(trial, job, judge)
                kept.keep_result(
                    self.service.store.engine, self.prepared.experiment.name, trial.id, result.model_dump(mode="json")
                )
                self.results[trial.id] = result
                del self.active[job]
                out.append(result)
        return out

    def _outcome(self, trial: Trial, job: str, judge: Judge) -> TrialResult:
        try:
            found = outcome(self.service.store, trial, self.prepared.task(trial.task), job, judge)
            return found.model_copy(update={"attempts": 1 + self.before.get(trial.id, 0)})
        except (OSError, ValueError, UserError) as error:  # a workspace that is gone or broken is a result as well
            return crashed(trial, job, f"its results cannot be read: {error}")

    def _say(self, began: float, before: int, ended: TrialResult | None) -> None:
        now, done, planned = time.monotonic() - began, len(self.results), len(self.prepared.trials)
        fresh = done - before
        self.report(
            Progress(
                done=done, planned=planned, running=len(self.active), seconds=now, ended=ended,
                tokens=int(self.used("tokens")), cost=self.used("cost"),
                left=now / fresh * (planned - done) if fresh else None,
            )
        )  # fmt: skip
