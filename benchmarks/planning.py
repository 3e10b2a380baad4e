"""Scheduling projects with calendars: feasibility, a year of 1,000 tasks, one JSON line each.

    python benchmarks/planning.py [--short] [feasibility | thousand]

The projects are made from seeds (tests/support/made_projects.py). Every schedule is looked at by the checker of
`echelon.domains.planning.checking`, which shares no code with the model.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import Counter

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.scheduling.compile import compiled
from echelon.domains.planning.scheduling.scheduler import Limits, enough, schedule
from echelon.domains.planning.solver.process import SolverProcess
from tests.support.made_projects import large_project, made_project


def feasibility(short: bool) -> bool:
    """Bar: 1,000 made projects, no violation found."""
    count = 20 if short else 1000
    started, seen, broken = time.monotonic(), Counter[str](), 0
    with SolverProcess() as solver:
        for seed in range(count):
            project = made_project(seed)
            outcome = schedule(project, Limits(seconds=1.0), solver)
            seen[outcome.status] += 1
            broken += len(check(project, outcome.schedule)) if outcome.schedule else 0
    said = {"benchmark": "planning", "what": "feasibility", "projects": count, **seen, "violations": broken}
    print(json.dumps({**said, "seconds": round(time.monotonic() - started, 1)}), flush=True)
    return broken == 0 and not seen["unknown"]


def thousand(short: bool) -> bool:
    """Bar: first plan within 5 s, at most 2 % above the bound within 60 s, at most 1 GB."""
    project = large_project(1, *((200, 8) if short else (1000, 20)))
    started = time.monotonic()
    first: list[float] = []
    with SolverProcess() as solver:
        outcome = schedule(
            project, Limits(seconds=10.0 if short else 55.0), solver,
            lambda _: first.append(time.monotonic() - started),
        )  # fmt: skip
    seconds = time.monotonic() - started
    assert outcome.schedule is not None and outcome.answer is not None
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    broken = len(check(project, outcome.schedule))
    made = compiled(project, enough(project))
    print(
        json.dumps(
            {
                "benchmark": "planning",
                "what": "thousand",
                "tasks": len(project.tasks),
                "cells": len(made.axis.cells),
                "slot_minutes": made.slot,
                "first_seconds": round(first[0], 1),
                "seconds": round(seconds, 1),
                "status": outcome.status,
                "gap": outcome.schedule.gap,
                "child_mb": round(used),
                "own_mb": round(own),
                "violations": broken,
                "days": (outcome.schedule.end - project.start).days,
            }
        ),
        flush=True,
    )
    return broken == 0 and first[0] <= 5 and outcome.schedule.gap <= 0.02 and used + own <= 1024


WHAT = {"feasibility": feasibility, "thousand": thousand}


def main() -> int:
    wanted = [a for a in sys.argv[1:] if a in WHAT] or list(WHAT)
    good = [WHAT[name]("--short" in sys.argv) for name in wanted]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
