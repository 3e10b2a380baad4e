"""What an experiment costs beside its jobs, and how long the report of a thousand trials takes.

    python benchmarks/experiment_speed.py [--short]

The overhead is the time of an experiment of trials over the time of the same jobs run one after another by the same
service in the same process, after both were warmed up. Prints one JSON line a figure; exits with 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
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
from tests.experiments.making import experiment, planned, results
from tests.support.scripted import service

OVERHEAD, SECONDS = 0.05, 10.0
ARMS = {"base": {}, "copy": {"same_as": "base"}}


def overhead(tasks: int) -> dict[str, Any]:
    """An experiment against the same jobs alone."""
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        path = creator_experiment(Path(folder), tasks, ARMS)
        prepared = prepare(path, jobs)
        alone = 0.0
        for trial in (prepared.trials[0], *prepared.trials):  # the first one twice: it pays the imports
            began = time.perf_counter()
            kind, model, overrides = settings_of(prepared, trial)
            task = prepared.task(trial.task)
            jobs.run(jobs.submit(kind, list(task.inputs), task.request or None, model, overrides))
            alone += time.perf_counter() - began if alone or trial is not prepared.trials[0] else 1e-9
        began = time.perf_counter()
        done = run_experiment_file(path, service=jobs, out=Path(folder) / "results")
        together = time.perf_counter() - began
    share = together / alone - 1
    return {
        "benchmark": "experiment_speed.overhead", "trials": len(done.trials), "alone_seconds": round(alone, 2),
        "experiment_seconds": round(together, 2), "overhead": round(share, 4), "bar": OVERHEAD, "held": share <= OVERHEAD,
    }  # fmt: skip


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
    for measured in (report(), overhead(2 if given.short else 10)):
        print(json.dumps(measured), flush=True)
        held &= measured["held"]
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
