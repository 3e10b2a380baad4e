"""Do arms that are the same come out as the same? A/A/A from the file to the report: false alarms among experiments.

    python benchmarks/experiment_same.py [--short] [--experiments 100] [--tasks 12]

Each experiment compares three arms that do the same: one agent writes an answer that is right or wrong, drawn for each
trial by a seed of its own, with tasks of different difficulty and arms that draw apart from one another. Whatever the
report calls significant is a false alarm. Prints one JSON line; exits with
1 when more than 5 experiments in 100 raise one, or when nothing ever differed, so that nothing could have been raised.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[1])

from echelon.experiments.statistics.rates import wilson
from echelon.service.experiments.run import ExperimentResult
from tests.experiments.running import plain_experiment, run
from tests.support.scripted import Reply, Seen, call, register, service

ARMS = ("a", "b", "c")
BAR = 0.05
EASIEST, HARDEST = 0.9, 0.3
"""Shares of right answers that tasks have"""


def drawn(arm: str, experiment: Callable[[], int], tasks: int) -> Callable[[Seen], Reply]:
    """One agent whose answer is right as often as its task is easy."""

    def script(seen: Seen) -> Reply:
        if not seen.last_tool:
            return call("read_file", path="documents/wishes.md.txt")
        found = re.search(r"Write result (\d+)", seen.text)
        if seen.last_tool == "append_file" or found is None:
            return call("submit_report", outcome="done", summary="It is written.", confidence=0.9)
        task = int(found[1])
        share = EASIEST - (EASIEST - HARDEST) * task / tasks
        is_right = random.Random(f"{experiment()}-{arm}-{task}").random() < share
        text = f"What was asked for as result {task}." if is_right else "Another text than the one that was asked for."
        return call("append_file", path="output/result-1.md", text=f"{text}\n" * (1 + task % 3))

    return script


def alarms_of(result: ExperimentResult) -> list[str]:
    """What a report calls significant although nothing differs."""
    return [f"{d.arm} {d.metric}" for d in result.analysis.differences if d.significant]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="five experiments")
    parser.add_argument("--experiments", type=int, default=100)
    parser.add_argument("--tasks", type=int, default=12)
    given = parser.parse_args()
    count, number = 5 if given.short else given.experiments, 0
    for arm in ARMS:
        register(drawn(arm, lambda: number, given.tasks), arm)
    arms: dict[str, Any] = {a: {"model": f"scripted/{a}", "crew": "single"} for a in ARMS}
    raised: dict[int, list[str]] = {}
    differed = trials = 0
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        for number in range(count):
            place = Path(folder) / f"x{number}"
            place.mkdir()
            result = run(plain_experiment(place, given.tasks, arms, name=f"same-{number}"), jobs)
            trials += len(result.trials)
            successes = {a.name: a.success.successes for a in result.analysis.arms}
            differed += len(set(successes.values())) > 1
            if found := alarms_of(result):
                raised[number] = found
            print(f"{number + 1} of {count} experiments, {len(raised)} false alarms", file=sys.stderr, flush=True)
    rate = wilson(len(raised), count)
    held = len(raised) <= BAR * count and differed > 0
    print(json.dumps({
        "benchmark": "experiment_same", "experiments": count, "trials": trials, "arms_that_differed": differed,
        "false_alarms": len(raised), "interval": [round(rate.low or 0, 4), round(rate.high or 0, 4)],
        "raised": {str(k): v for k, v in raised.items()}, "bar": BAR, "held": held,
    }))  # fmt: skip
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
