"""Memory of a long job: one plain job of many rounds with a scripted model, in one process.

`python benchmarks/long_job.py [--rounds 200] [--short]` prints one JSON line each 20 rounds and one at the end: by how
much the resident memory grows in a round, as the slope of a line through all rounds after the first 20, when caches are
filled. Linux only.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from echelon.engine.run import listen
from echelon.store.records.events import Event, TaskAccepted
from tests.support.scripted import played, register, service, submit_plain

BAR = 0.2
"""Megabytes a round."""
WARM = 20
"""Rounds before the measurement begins."""


def resident() -> float:
    """Resident memory of this process in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status has no VmRSS")


def slope(points: list[tuple[int, float]]) -> float:
    """The least-squares slope through (x, y) points."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def measure(rounds: int, folder: Path) -> tuple[str, list[tuple[int, float]]]:
    """(state at the end, (round, megabytes) after each accepted task)."""
    points: list[tuple[int, float]] = []
    began = time.monotonic()

    def watch(event: Event) -> None:
        if not isinstance(event, TaskAccepted):
            return
        model.asked.clear()  # the scripted model keeps what it saw, for tests
        gc.collect()
        points.append((len(points) + 1, resident()))
        if len(points) % 20 == 0:
            report = {
                "round": len(points),
                "megabytes": round(points[-1][1], 1),
                "seconds": round(time.monotonic() - began, 1),
            }
            print(json.dumps({"benchmark": "long_job", **report}), flush=True)

    overrides = {
        "ceilings.rounds": rounds * 2,
        "budget.model_calls": "unlimited",
        "budget.tokens": "unlimited",
        "budget.seconds": "unlimited",
    }
    with service(folder) as jobs:
        job = submit_plain(jobs, {}, overrides=overrides)
        model = register(lambda seen: played(seen, rounds))
        listen(job, watch)
        result = jobs.run(job)
        return f"{result.state} {result.reason}".strip(), points


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--short", action="store_true", help="40 rounds")
    given = parser.parse_args()
    rounds = 40 if given.short else given.rounds
    with tempfile.TemporaryDirectory() as folder:
        state, points = measure(rounds, Path(folder))
    growth = slope([p for p in points if p[0] > WARM])
    held = state == "completed" and len(points) == rounds and growth <= BAR
    print(
        json.dumps(
            {
                "benchmark": "long_job",
                "rounds": len(points),
                "state": state,
                "megabytes_a_round": round(growth, 4),
                "bar": BAR,
            }
        )
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
