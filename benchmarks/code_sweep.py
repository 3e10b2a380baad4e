"""A scripted coder job, killed at its steps and resumed, compared with one that was never killed.

`python benchmarks/code_sweep.py [--kills N | --every] [--seed 1]` prints one JSON line a kill and one for all. The job
makes a change with a new test; the ledger, the deliverables, the commits and the tree of the repository at each of them
must be the same.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.code_cases import HONEST_TASKS
from echelon.service.trials.sweep import Sweep, run
from tests.support.coders import QUICK, made_repository, team
from tests.support.scripted import register

CASE = next(case for case in HONEST_TASKS if case.name == "add an option")


def main() -> int:
    """Sweep and print; 1 when anything differed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", action="store_true", help="every boundary, and one step in ten inside")
    parser.add_argument("--kills", type=int, default=10, help="so many places at random (10)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()

    def say(found: dict[str, Any]) -> None:
        print(json.dumps({"benchmark": "code_sweep", **found}), flush=True)

    register(dict(team(CASE.steps)), "sweep")
    with tempfile.TemporaryDirectory() as made:
        source = made_repository(Path(made) / "repository", dict(CASE.files))
        sweep = Sweep("coder", (source,), "scripted/sweep", dict(QUICK), CASE.request)
        total = run(sweep, given.every, given.kills, given.seed, say)
    say({**total, "bar": 0})
    return 0 if total["held"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
