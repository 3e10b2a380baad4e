"""Jobs whose model is broken on purpose: how many complete with the right results, and whether one lies about it.

    python benchmarks/chaos.py [--short] [--faults NAME ...] [--rates 0.1 0.3] [--jobs N] [--processes N] [--why]

For each fault and rate a number of creator jobs (40 at 10 % of the calls, 20 at 30 %; `--short`: 2) run on a document of
two pages, each with a seed of its own. A job is right when it is COMPLETED and its requirements.json is, but for the job's
name, what a job without faults delivers. A false COMPLETED is one that is not right. Beside it the same faults meet one
plain crewai agent with the same tools. Prints one JSON line a fault and rate; exits with 1 when a bar does not hold.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.plain_creator import PlainPlaybook, plain_job
from echelon.engine.models.chaos import FAULTS, chaos, parsed_rates
from echelon.service.service import Service
from tests.support.scripted import service

SAMPLE = ROOT / "knowledge" / "records-retention-policy-2pages.pdf"
BARS = {0.1: 0.97, 0.3: 0.90}
LONG = {0.1: 40, 0.3: 20}
SHORT = 2


@dataclass(frozen=True)
class Cell:
    """One fault at one rate."""

    fault: str
    rate: float
    jobs: int
    why: bool = False


def delivered(folder: Path) -> Any:
    """What requirements.json of a job says, without the job's name and how often places were read; None when it is not
    there or no JSON."""
    try:
        value = json.loads((folder / "output" / "requirements.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    value.pop("job", None)
    value.pop("review", None)
    return value


def measure(cell: Cell) -> dict[str, Any]:
    """Run the jobs of a cell, ours and plain, and count."""
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        whole = jobs.run(jobs.submit("creator", [SAMPLE], None, "playbook"))
        expected = delivered(whole.folder)
        assert whole.state == "completed" and expected["requirements"], whole.reason
        began = time.perf_counter()
        ours = list(_ours(jobs, cell, expected))
        seconds = (time.perf_counter() - began) / cell.jobs
        plain = Counter(_plain(jobs, cell, expected))
    states = Counter(state for state, *_ in ours)
    right = sum(is_right for state, is_right, *_ in ours if state == "completed")
    calls = sum(n for *_, n in ours) / len(ours)
    return {
        "benchmark": "chaos",
        "fault": cell.fault,
        "rate": cell.rate,
        "jobs": cell.jobs,
        "right": round(right / cell.jobs, 4),
        "bar": BARS.get(cell.rate),
        "false_completed": states["completed"] - right,
        "states": dict(sorted(states.items())),
        "model_calls": round(calls, 1),
        "model_calls_without_faults": whole.spent["model_calls"],
        "seconds_a_job": round(seconds, 2),
        "plain_right": round(plain["right"] / cell.jobs, 4),
        "plain_false_completed": plain["false completed"],
        "plain_failed": plain["failed"],
    }


def _ours(jobs: Service, cell: Cell, expected: Any) -> Iterator[tuple[str, bool, int]]:
    """(state, whether the deliverables are right, model calls) of each job."""
    for seed in range(1, cell.jobs + 1):
        spec = f"chaos/{cell.fault}={cell.rate},seed={seed}/playbook/creator"
        result = jobs.run(jobs.submit("creator", [SAMPLE], None, spec))
        is_right = delivered(result.folder) == expected
        if cell.why and not (is_right and result.state == "completed"):
            print(
                json.dumps({"spec": spec, "state": result.state, "reason": result.reason}), file=sys.stderr, flush=True
            )
        yield result.state, is_right, result.spent["model_calls"]


def _plain(jobs: Service, cell: Cell, expected: Any) -> Iterator[str]:
    """`right`, `false completed` or `failed` for each job of the plain agent."""
    for seed in range(1, cell.jobs + 1):
        model = chaos(PlainPlaybook(), parsed_rates(f"{cell.fault}={cell.rate}")[0], seed)
        done = plain_job(jobs, SAMPLE, model, f"{cell.fault}-{cell.rate}-{seed}")
        if cell.why and done.error:
            print(json.dumps({"plain": cell.fault, "seed": seed, "error": done.error}), file=sys.stderr, flush=True)
        is_right = delivered(done.folder) == expected
        yield "failed" if not done.said_done else "right" if is_right else "false completed"


def holds(figures: dict[str, Any]) -> bool:
    return figures["false_completed"] == 0 and (figures["bar"] is None or figures["right"] >= figures["bar"])


def cells(given: argparse.Namespace) -> list[Cell]:
    """The cells that are asked for, in a stable order."""

    def jobs(rate: float) -> int:
        return given.jobs or (SHORT if given.short else LONG.get(rate, 20))

    return [Cell(fault, rate, jobs(rate), given.why) for rate in given.rates for fault in given.faults]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help=f"{SHORT} jobs for each fault and rate")
    parser.add_argument("--faults", nargs="+", default=[*FAULTS, "all"], metavar="NAME")
    parser.add_argument("--rates", nargs="+", type=float, default=[0.1, 0.3], metavar="SHARE")
    parser.add_argument("--jobs", type=int, default=0, help="jobs for each fault and rate")
    parser.add_argument("--processes", type=int, default=1, help="cells that run at the same time")
    parser.add_argument("--why", action="store_true", help="say on standard error which jobs were not right")
    given = parser.parse_args()
    good = True
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(given.processes, mp_context=context) as pool:
        for figures in pool.map(measure, cells(given)):
            good = good and holds(figures)
            print(json.dumps(figures), flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
