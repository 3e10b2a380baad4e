"""`run_experiment`: an experiment from its file to its results, the same for the command line and for Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echelon.engine import durable
from echelon.experiments.analysis.analyse import Analysis, analyse
from echelon.experiments.analysis.words import sentences
from echelon.experiments.report.tables import as_frame
from echelon.experiments.trials import TrialResult
from echelon.service.experiments import records, results
from echelon.service.experiments.calibration.run import Calibration
from echelon.service.experiments.calibration.units import NOT_TRIED, Calibrated, calibrated
from echelon.service.experiments.coordinator import Coordinator, Progress, Report
from echelon.service.experiments.fleet import Fleet
from echelon.service.experiments.prepare import Outlook, Prepared, outlook, prepare
from echelon.service.service import Service, make_home
from echelon.store import experiments as kept

FOLDER = Path("results")
"""Where the results go, in a folder with the name of the experiment, if nothing else is said"""


@dataclass(frozen=True)
class ExperimentResult:
    """How an experiment ended, and what may be said of it."""

    name: str
    state: str
    """`completed`, `decided at a look`, `ceiling reached`, `too many crashes`"""
    sentences: tuple[str, str]
    """What differs and how sure that is; at what price"""
    analysis: Analysis
    trials: tuple[TrialResult, ...]
    files: tuple[Path, ...]
    qa: Calibrated = NOT_TRIED
    """How often QA was wrong about work of which it is known whether it is right, where the file asks for that"""

    def frame(self) -> Any:
        """A pandas DataFrame with a row a trial. Raises ImportError without pandas (the extra `experiments`)."""
        return as_frame(self.trials)


Before = Callable[[Prepared, Outlook], None]


def run_experiment_file(
    path: Path,
    *,
    resume: bool = False,
    workers: int = 1,
    out: Path | None = None,
    service: Service | None = None,
    report: Report = lambda _: None,
    before: Before = lambda _prepared, _outlook: None,
) -> ExperimentResult:
    """Run an experiment, or with `resume` go on with it. `before` is told what it can show before anything is spent.

    Raises UserError for everything that is wrong with the file, before anything is made.
    """
    service = service or Service()
    prepared = prepare(path, service)
    expected = outlook(prepared, service)
    make_home(service.environment.home)
    name = prepared.experiment.name
    with durable.Lease(service.store, f"experiment:{name}"):
        known = records.open_record(service.store, prepared, resume)
        before(prepared, expected)
        state = str(kept.get(service.store.engine, name)["state"])
        if resume and state != records.DECIDED and records.try_again(service, name, known):
            state = records.RUNNING
        if state not in records.ENDED:
            with Fleet(service, workers) as fleet:
                state = _run(Coordinator(prepared, service, fleet, workers, known, report))
            kept.set_state(service.store.engine, name, state)
    return finished(prepared, service, state, out or FOLDER / name)


def _run(trials: Coordinator) -> str:
    """The trials, and after them the calibration of QA where the file asks for one; returns how it ended."""
    state, began = trials.run(), time.monotonic()
    if state not in (records.COMPLETED, records.DECIDED) or trials.prepared.experiment.qa is None:
        return state

    def say(done: int, planned: int, tokens: float, cost: float) -> None:
        now = time.monotonic() - began
        left = now / done * (planned - done)
        trials.report(Progress(done, planned, len(rest.active), int(tokens), cost, now, left, part="verdicts of QA"))

    spent = {unit: trials.used(unit) for unit in ("tokens", "cost")}
    rest = Calibration(trials.prepared, trials.service, trials.fleet, trials.workers, spent, say)
    return state if rest.run() else records.CEILING


def finished(prepared: Prepared, service: Service, state: str, folder: Path) -> ExperimentResult:
    """The result of an experiment that has ended, written into `folder`."""
    done = records.results(service.store, prepared.experiment.name)
    look = records.look_of(prepared.experiment, prepared.trials, done, state)
    analysis = analyse(prepared.experiment, prepared.trials, done, look)
    qa = calibrated(service.store, prepared.experiment)
    created = float(kept.get(service.store.engine, prepared.experiment.name)["created"])
    files = results.write(folder, prepared, analysis, done, state, results.judges_of(prepared, service), qa, created)
    return ExperimentResult(prepared.experiment.name, state, sentences(analysis), analysis, tuple(done), files, qa)


__all__ = ["ExperimentResult", "Progress", "run_experiment_file"]
