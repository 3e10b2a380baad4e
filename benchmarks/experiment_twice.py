"""Is anything done twice when an experiment is killed again and again?

    python benchmarks/experiment_twice.py [--short] [--tasks N] [--kills N] [--seed N]

An experiment of creator trials is run to its end in a process of its own. Then it is run again in a new home with two
processes; at random moments the coordinator, with the worker in it, or the other worker is killed with SIGKILL, and the
coordinator is started again with --resume. Held against the first: the same trials with the same results, and no model
call that had finished ran a second time.

Prints one JSON line; exits with 1 when anything differs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)

from benchmarks.experiment_tasks import creator_experiment
from echelon.experiments.trials import TrialResult
from echelon.service.experiments import records
from echelon.service.service import Service
from echelon.settings import Environment

ARMS = {"base": {}, "chaos": {"set": {"models.implementor": "chaos/malformed=0.2,seed={seed}/playbook"}}}
CODE = "from echelon.faces.cli.main import cli; cli()"


class Home:
    """One home with its experiment, and the coordinator that works on it."""

    def __init__(self, folder: Path, tasks: int) -> None:
        folder.mkdir()
        self.folder, self.path = folder, creator_experiment(folder, tasks, ARMS)
        self.environment = {**os.environ, "ECHELON_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
        self.service = Service(Environment({"ECHELON_HOME": str(folder / "home")}))

    def start(self, workers: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-W", "ignore", "-c", CODE, "experiment", str(self.path), "--resume", "--json"]
        command += ["--workers", str(workers), "--out", str(self.folder / "results")]
        out = subprocess.DEVNULL
        return subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=out, stderr=out)

    def results(self) -> dict[str, TrialResult]:
        return {r.trial: r for r in records.results(self.service.store, "benchmark")}

    def finished_calls(self) -> dict[tuple[str, int], int]:
        """How often each finished model call ran, by job and number."""
        store = self.service.store
        steps = [(j.id, s) for j in store.all_jobs() for s in store.steps(j.id)]
        return {(job, s.number): s.starts for job, s in steps if s.kind == "model" and s.answered}


def helpers_of(process: int) -> list[int]:
    """Processes that `process` started."""
    found = subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True, check=False).stdout
    return [int(line) for line in found.split()]


def killed(home: Home, kills: int, seed: int) -> dict[str, int]:
    """Run the experiment with so many kills; returns how many hit what, and the calls that were repeated."""
    pick = random.Random(seed)
    counts = {"coordinator": 0, "worker": 0, "repeated": 0}
    process = home.start(2)
    while process.poll() is None or process.returncode != 0:
        if counts["coordinator"] + counts["worker"] < kills and process.poll() is None:
            waited(home, process, pick.uniform(0.5, 4.0))
            before = home.finished_calls()
            victims = helpers_of(process.pid)
            if victims and pick.random() < 0.5:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victims[0], signal.SIGKILL)
                    counts["worker"] += 1
            elif process.poll() is None:
                process.kill()
                process.wait()
                counts["coordinator"] += 1
            after = home.finished_calls()
            counts["repeated"] += sum(after.get(key, 0) > times for key, times in before.items())
        elif process.poll() is None:
            time.sleep(0.5)
        if process.poll() is not None and process.returncode != 0:
            process = home.start(2)
    last = home.finished_calls()
    counts["repeated"] += sum(last.get(key, 0) != times for key, times in before.items())
    return counts


def waited(home: Home, process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until a trial more has begun, and then so long."""
    begun = len(home.service.store.all_jobs())
    while process.poll() is None and len(home.service.store.all_jobs()) <= begun:
        time.sleep(0.2)
    time.sleep(seconds)


def differences(one: TrialResult, other: TrialResult | None) -> dict[str, list[str]]:
    """What two trials did not come to alike; jobs, times and how often they were gone on with aside."""
    if other is None:
        return {"trial": ["there", "not there"]}
    left, right = (t.model_dump(exclude={"job": True, "attempts": True, "used": {"seconds"}}) for t in (one, other))
    return {name: [str(left[name])[:300], str(right[name])[:300]] for name in left if left[name] != right[name]}


def measure(folder: Path, tasks: int, kills: int, seed: int) -> dict[str, Any]:
    whole, other = Home(folder / "whole", tasks), Home(folder / "killed", tasks)
    assert whole.start(2).wait() == 0, "it does not end even without a kill"
    other.service.store.migrate()
    counts = killed(other, kills, seed)
    expected, found = whole.results(), other.results()
    differing = {t: told for t in sorted(expected) if (told := differences(expected[t], found.get(t)))}
    held = not differing and set(expected) == set(found) and counts["repeated"] == 0
    return {
        "benchmark": "experiment_twice", "trials": len(expected), "killed_trials": len(found), **counts,
        "differing": differing, "held": held,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="eight trials, two kills")
    parser.add_argument("--tasks", type=int, default=30)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    tasks, kills = (4, 2) if given.short else (given.tasks, given.kills)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), tasks, kills, given.seed)
    print(json.dumps(found))
    return 0 if found["held"] else 1


if __name__ == "__main__":
    sys.exit(main())
