"""What an experiment costs beside its jobs, and how long the report of a thousand trials takes.

    python benchmarks/experiment_speed.py [--short]

The overhead is the time of an experiment over the time of the same jobs run one after another by the same service in the
same process. The two are measured in turns, as one machine is not equally fast at two moments, and which comes first
changes from pair to pair, as the second of a pair finds a fuller database. The median of the pairs is held against the
bar. Prints one JSON line a figure; exits with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.experiment_tasks import creator_experiment
from echelon.experiments.analysis.analyse import analyse
from echelon.experiments.report.page import Extras, page
from echelon.experiments.report.tables import as_csv, as_jsonl
from echelon.service.experiments.prepare import prepare, settings_of
from echelon.service.experiments.run import run_experiment_file
from echelon.service.service import Service
from tests.experiments.making import experiment, planned, results
from tests.support.scripted import service

OVERHEAD, SECONDS = 0.05, 10.0
ARMS = {"base": {}, "copy": {"same_as": "base"}}


def overhead(tasks: int, rounds: int) -> dict[str, Any]:
    """Experiments and the same jobs alone in turns; the share of each pair, and the middle one of them."""
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        names = [f"round-{n}" for n in range(rounds)]
        paths = [creator_experiment(Path(folder) / name, tasks, ARMS, name=name) for name in names]
        _alone(paths[0], jobs, 1)  # pays the imports
        pairs = [_pair(path, jobs, n % 2 == 1) for n, path in enumerate(paths)]
    shares = sorted(together / alone - 1 for alone, together in pairs)
    share = statistics.median(shares)
    return {
        "benchmark": "experiment_speed.overhead", "rounds": rounds, "trials_a_round": tasks * len(ARMS),
        "alone_seconds": round(sum(a for a, _ in pairs), 2), "experiment_seconds": round(sum(t for _, t in pairs), 2),
        "overhead": round(share, 4), "lowest": round(shares[0], 4), "highest": round(shares[-1], 4),
        "bar": OVERHEAD, "held": share <= OVERHEAD,
    }  # fmt: skip


def _pair(path: Path, jobs: Service, is_together_first: bool) -> tuple[float, float]:
    """Seconds of the jobs alone and of the experiment."""
    if is_together_first:
        together = _together(path, jobs)
        return _alone(path, jobs, None), together
    return _alone(path, jobs, None), _together(path, jobs)


def _alone(path: Path, jobs: Service, count: int | None) -> float:
    """Seconds of the first `count` jobs of an experiment, one after another, without the experiment."""
    prepared = prepare(path, jobs)
    began = time.perf_counter()
    for trial in prepared.trials[:count]:
        kind, model, overrides = settings_of(prepared, trial)
        task = prepared.task(trial.task)
        jobs.run(jobs.submit(kind, list(task.inputs), task.request or None, model, overrides))
    return time.perf_counter() - began


def _together(path: Path, jobs: Service) -> float:
    """Seconds of an experiment from its file to its report."""
    began = time.perf_counter()
    run_experiment_file(path, service=jobs, out=path.parent / "results")
    return time.perf_counter() - began


def report() -> dict[str, Any]:
    """The analysis and all files of 1,000 trials."""
    definition = experiment(arms={f"a{n}": {"model": f"m{n}"} for n in range(5)}, repeats=5)
    trials = planned(definition, 40)
    done = results(trials, lambda t: {"success": int(t.task[1:]) % 3 > 0 or t.arm == "a0"})
    began = time.perf_counter()
    text = page(analyse(definition, trials, done), trials, done, Extras()) + as_csv(done) + as_jsonl(done)
    seconds = time.perf_counter() - began
    return {
        "benchmark": "experiment_speed.report", "trials": len(trials), "seconds": round(seconds, 2),
        "bytes": len(text.encode()), "bar": SECONDS, "held": seconds <= SECONDS,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="few trials")
    given = parser.parse_args()
    held = True
    for measured in (report(), overhead(2, 2) if given.short else overhead(10, 10)):
        print(json.dumps(measured), flush=True)
        held &= measured["held"]
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
