"""Scheduling projects with calendars: feasibility, a year of 1,000 tasks, one JSON line each.

    python benchmarks/planning.py [--short] [feasibility | infeasible | stability | thousand]

The projects are made from seeds (tests/support/made_projects.py). Every schedule is looked at by the checker of
`echelon.domains.planning.checking`, which shares no code with the model.
"""

from __future__ import annotations

import json
import random
import resource
import sys
import time
from collections import Counter
from datetime import datetime, timedelta

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.project import Deadline, Project
from echelon.domains.planning.contracts.schedule import ScheduledTask
from echelon.domains.planning.contracts.strategy import StrategyProfile
from echelon.domains.planning.infeasible.conflict import find_conflict
from echelon.domains.planning.infeasible.facts import Fact
from echelon.domains.planning.replanning.progress import Actual, replan
from echelon.domains.planning.scheduling.compile import Compiler, compiled
from echelon.domains.planning.scheduling.scheduler import Limits, enough, schedule
from echelon.domains.planning.scheduling.working_time import minutes_after
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


def infeasible(short: bool) -> bool:
    """Bar: of 200 projects with one planted contradiction, the named set holds it and is minimal in at least 99 %."""
    count, good, contains, minimal, tried = (10 if short else 200), 0, 0, 0, 0
    started, seed = time.monotonic(), 0
    with SolverProcess() as solver:
        while tried < count:
            seed += 1
            planted = contradiction(seed)
            if planted is None:
                continue
            tried += 1
            project, facts = planted
            found = find_conflict(project, solver)
            named = set(found.facts) if found else set()
            has, is_minimal = bool(named & facts), bool(found and found.proven)
            contains, minimal, good = contains + has, minimal + is_minimal, good + (has and is_minimal)
    print(
        json.dumps(
            {
                "benchmark": "planning",
                "what": "infeasible",
                "projects": tried,
                "contains_planted": contains,
                "proven_minimal": minimal,
                "both": good,
                "seconds": round(time.monotonic() - started, 1),
            }
        ),
        flush=True,
    )
    return good >= 0.99 * tried


def contradiction(seed: int) -> tuple[Project, set[Fact]] | None:
    """A made project with a deadline on one task before its earliest end, and the facts that are planted with it."""
    project = made_project(seed, 8)
    project = project.model_copy(update={"strategy": StrategyProfile()})
    rng = random.Random(seed)
    task = rng.choice([t for t in project.tasks if t.duration > 0] or [project.tasks[0]])
    if task.duration == 0:
        return None
    at = project.start + timedelta(minutes=rng.randrange(1, task.duration))
    index = project.tasks.index(task)
    tight = task.model_copy(update={"deadline": Deadline(at=at)})
    tasks = (*project.tasks[:index], tight, *project.tasks[index + 1 :])
    return project.model_copy(update={"tasks": tasks}), {Fact("deadline", task.id)}


def stability(short: bool) -> bool:
    """Bar: one task of 200 slips by a day: at most 10 % of the unfinished tasks move."""
    project = large_project(3, 200, 10)
    shares = []
    times = Compiler(project, enough(project))
    with SolverProcess() as solver:
        before = schedule(project, Limits(seconds=8.0), solver).schedule
        assert before is not None
        loose = [t for t in before.tasks if t.slack >= 480 and t.start > project.start]
        for late in loose[: 2 if short else 10]:
            done = {t.id: Actual(t.start, t.end) for t in before.tasks if t.end <= late.start}
            running = {
                t.id: _running(times, project, t, late.start) for t in before.tasks if t.start < late.start < t.end
            }
            slip = Actual(late.start, None, project.task(late.id).duration + 480)
            actuals = {**done, **running, late.id: slip}
            found = replan(project, before, max(late.start, project.start), actuals, solver, Limits(seconds=5.0))
            if found.schedule is not None:
                moved = [m for m in found.moved if f"'{late.title}'" not in m.what]
                shares.append(len(moved) / (len(project.tasks) - len(done)))
    print(
        json.dumps(
            {
                "benchmark": "planning",
                "what": "stability",
                "slips": len(shares),
                "moved_share_worst": round(max(shares, default=1.0), 4),
            }
        ),
        flush=True,
    )
    return bool(shares) and max(shares) <= 0.1


def _running(times: Compiler, project: Project, placed: ScheduledTask, now: datetime) -> Actual:
    """A task that goes on as it was planned, with the work that is left."""
    open_ = times.time_of(project.task(placed.id), placed.needs)
    start, here = (minutes_after(project.start, m) for m in (placed.start, now))
    left = project.task(placed.id).duration - (open_.worked(here) - open_.worked(start))
    return Actual(placed.start, None, left)


WHAT = {"infeasible": infeasible, "stability": stability, "feasibility": feasibility, "thousand": thousand}


def main() -> int:
    wanted = [a for a in sys.argv[1:] if a in WHAT] or list(WHAT)
    good = [WHAT[name]("--short" in sys.argv) for name in wanted]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
