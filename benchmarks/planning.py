"""Scheduling projects with calendars: feasibility, a year of 1,000 tasks, one JSON line each.

    python benchmarks/planning.py [--short] [--part=K/N] [feasibility | infeasible | stability | thousand]

The projects are made from seeds (tests/support/made_projects.py). Every schedule is looked at by the checker of
`echelon.domains.planning.checking`, which shares no code with the model.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.project import Absence, Deadline, Link, Project, TaskSpec
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.contracts.strategy import StrategyProfile
from echelon.domains.planning.infeasible.conflict import find_conflict
from echelon.domains.planning.infeasible.facts import Fact, without
from echelon.domains.planning.replanning.progress import Actual, replan
from echelon.domains.planning.scheduling.compile import compiled
from echelon.domains.planning.scheduling.scheduler import Limits, enough, schedule
from echelon.domains.planning.solver.process import SolverProcess
from tests.support.made_projects import large_project, made_project


def processor() -> float:
    """Seconds of the processor that this process and its children that have ended have used."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)


def living() -> float:
    """Seconds of the processor that children used which still run."""
    tick, out = os.sysconf("SC_CLK_TCK"), 0.0
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            fields = Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()
            out += (int(fields[11]) + int(fields[12])) / tick
    return out


def part_of(count: int) -> tuple[int, int]:
    """The first of `count` that `--part=K/N` names, and the one after the last; all of them without it."""
    part = next((a.removeprefix("--part=") for a in sys.argv if a.startswith("--part=")), "1/1")
    number, of = map(int, part.split("/"))
    return (number - 1) * count // of, number * count // of


def feasibility(short: bool) -> bool:
    """Bar: 1,000 made projects, no violation found."""
    seeds = range(20) if short else range(*part_of(1000))
    started, used, seen, broken = time.monotonic(), processor(), Counter[str](), 0
    with SolverProcess() as solver:
        for seed in seeds:
            project = made_project(seed)
            outcome = schedule(project, Limits(seconds=1.0), solver)
            seen[outcome.status] += 1
            broken += len(check(project, outcome.schedule)) if outcome.schedule else 0
    said = {
        "benchmark": "planning",
        "what": "feasibility",
        "from": seeds.start,
        "projects": len(seeds),
        **seen,
        "violations": broken,
    }
    wall, own = time.monotonic() - started, processor() - used
    print(json.dumps({**said, "seconds": round(wall, 1), "processor_seconds": round(own, 1)}), flush=True)
    return broken == 0 and not seen["unknown"]


def thousand(short: bool) -> bool:
    """Bar: first plan within 5 s, at most 2 % above the bound within 60 s, at most 1 GB."""
    project = large_project(1, *((200, 8) if short else (1000, 20)))
    started = time.monotonic()
    first: list[tuple[float, float]] = []
    before = processor()
    with SolverProcess() as solver:
        outcome = schedule(
            project, Limits(seconds=10.0 if short else 55.0), solver,
            lambda _: first.append((time.monotonic() - started, processor() - before + living())),
        )  # fmt: skip
    seconds, worked = time.monotonic() - started, processor() - before
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
                "first_seconds": round(first[0][0], 1),
                "first_processor_seconds": round(first[0][1], 1),
                "seconds": round(seconds, 1),
                "processor_seconds": round(worked, 1),
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
    return broken == 0 and first[0][0] <= 5 and outcome.schedule.gap <= 0.02 and used + own <= 1024


def infeasible(short: bool) -> bool:
    """Bar: of 200 projects with one planted contradiction, the named set holds it and is minimal in at least 99 %.

    Each planted fact is one without which a schedule is found: so every set that is impossible holds all of them.
    """
    count, good, tried = (12 if short else 200), 0, Counter[str]()
    held, minimal, bad = Counter[str](), Counter[str](), list[str]()
    started, used, seed = time.monotonic(), processor(), 0
    with SolverProcess() as solver:
        while tried.total() < count:
            kind = list(CONTRADICTIONS)[tried.total() % len(CONTRADICTIONS)]
            seed += 1
            planted = CONTRADICTIONS[kind](seed, solver)
            if planted is None or not is_planted(*planted, solver):
                continue
            tried[kind] += 1
            project, facts = planted
            found = find_conflict(project, solver)
            has, is_minimal = found is not None and facts <= set(found.facts), found is not None and found.proven
            held[kind], minimal[kind], good = held[kind] + has, minimal[kind] + is_minimal, good + (has and is_minimal)
            bad += [] if has and is_minimal else [f"{kind} {seed}"]
    said = {"benchmark": "planning", "what": "infeasible", "projects": tried.total(), "kinds": tried, "seeds": seed,
            "contains_planted": held, "proven_minimal": minimal, "both": good, "missed": bad}  # fmt: skip
    wall, own = time.monotonic() - started, processor() - used
    print(json.dumps({**said, "seconds": round(wall, 1), "processor_seconds": round(own, 1)}), flush=True)
    return good >= 0.99 * tried.total()


Planted = tuple[Project, set[Fact]]


def is_planted(project: Project, facts: set[Fact], solver: SolverProcess) -> bool:
    """Whether the project has no schedule, and without any one of the facts it has one that the checker accepts."""
    if schedule(project, Limits(seconds=1.0), solver).schedule is not None:
        return False
    for fact in facts:
        eased = without(project, [fact])
        found = schedule(eased, Limits(seconds=1.0), solver).schedule
        if found is None or check(eased, found):
            return False
    return True


def _base(seed: int) -> tuple[Project, random.Random, list[TaskSpec]]:
    """A made project, and its tasks that take time in a random order."""
    project = made_project(seed, 8).model_copy(update={"strategy": StrategyProfile()})
    rng = random.Random(seed)
    working = [t for t in project.tasks if t.duration >= 240]
    return project, rng, rng.sample(working, len(working))


def _with(project: Project, *changed: TaskSpec) -> Project:
    new = {t.id: t for t in changed}
    return project.model_copy(update={"tasks": tuple(new.get(t.id, t) for t in project.tasks)})


def too_early(seed: int, solver: SolverProcess) -> Planted | None:
    """A deadline before the task can end even if it begins at once."""
    project, rng, working = _base(seed)
    if not working:
        return None
    at = project.start + timedelta(minutes=rng.randrange(1, working[0].duration))
    tight = working[0].model_copy(update={"deadline": Deadline(at=at)})
    return _with(project, tight), {Fact("deadline", tight.id)}


def nobody_there(seed: int, solver: SolverProcess) -> Planted | None:
    """A task whose resource is away from the start until after the task's deadline."""
    project, rng, working = _base(seed)
    task = next((t for t in working if t.needs), None)
    if task is None:
        return None
    due = project.start + timedelta(days=rng.randrange(15, 30))
    away = Absence(start=project.start - timedelta(days=1), end=due + timedelta(days=2), title="planted")
    who = rng.choice(task.needs).resource
    resources = tuple(
        r.model_copy(update={"absences": (*r.absences, away)}) if r.id == who else r for r in project.resources
    )
    number = next(len(r.absences) for r in project.resources if r.id == who)
    changed = _with(project, task.model_copy(update={"deadline": Deadline(at=due)}))
    planted = {Fact("deadline", task.id), Fact("absence", who, number)}
    return changed.model_copy(update={"resources": resources}), planted


def circle(seed: int, solver: SolverProcess) -> Planted | None:
    """One task begins after the end of another, which may begin only so shortly before it that it cannot end in time."""
    project, rng, working = _base(seed)
    if len(working) < 2:
        return None
    one, two = working[:2]
    forth = two.model_copy(update={"after": (*two.after, Link(after=one.id))})
    lead = rng.randrange(0, one.duration // 60) * 60
    back = one.model_copy(update={"after": (*one.after, Link(after=two.id, kind="SS", lag=-lead))})
    return _with(project, forth, back), {Fact("link", two.id, len(two.after)), Fact("link", one.id, len(one.after))}


def fixed_before(seed: int, solver: SolverProcess) -> Planted | None:
    """An appointment that begins while what it waits for may not begin before."""
    project, _, working = _base(seed)
    plain = [t for t in working if t.split == "calendar" and not t.any_of]
    found = schedule(project, Limits(seconds=1.0), solver).schedule
    if len(plain) < 2 or found is None:
        return None
    meeting, source = plain[:2]
    at = found.task(meeting.id).start
    fixed = meeting.model_copy(update={"fixed_start": at, "after": (*meeting.after, Link(after=source.id))})
    late = source.model_copy(update={"release": at})
    return _with(project, fixed, late), {
        Fact("fixed", fixed.id), Fact("link", fixed.id, len(meeting.after)), Fact("release", late.id)
    }  # fmt: skip


CONTRADICTIONS = {"deadline": too_early, "nobody": nobody_there, "circle": circle, "fixed": fixed_before}


def stability(short: bool) -> bool:
    """Bar: one task of 200 slips by a day: at most 10 % of the unfinished tasks move where a plan without moves exists.

    Whether one exists is the checker's word, not the solver's: the plan as it was, with the late task alone prolonged.
    """
    project = large_project(3, 200, 10)
    shares: list[float] = []
    forced: list[float] = []
    """Of slips that no plan without moves takes up"""
    started, used = time.monotonic(), processor()
    with SolverProcess() as solver:
        before = schedule(project, Limits(seconds=8.0), solver).schedule
        assert before is not None
        loose = [t for t in before.tasks if t.slack >= 480 and t.start > project.start]
        for late in loose[: 2 if short else 10]:
            done = {t.id: Actual(t.start, t.end) for t in before.tasks if t.end <= late.start}
            slip = Actual(late.start, None, project.task(late.id).duration + 480)
            actuals = {**done, late.id: slip}
            today = max(late.start, project.start)
            found = replan(project, before, today, actuals, solver, Limits(seconds=5.0))
            if found.schedule is not None:
                moved = [m for m in found.moved if f"'{late.title}'" not in m.what]
                left = _left(found.schedule, today)
                anyway = set(check(found.project, left))  # what had begun does not begin at the first minute of today
                could_stay = set(check(found.project, _unmoved(before, left, today, late.id))) <= anyway
                (shares if could_stay else forced).append(len(moved) / (len(project.tasks) - len(done)))
    print(
        json.dumps(
            {
                "benchmark": "planning",
                "what": "stability",
                "slips": len(shares) + len(forced),
                "moved_share_worst": round(max(shares, default=1.0), 4),
                "moved_shares": [round(s, 4) for s in shares],
                "moved_shares_where_something_has_to_move": [round(s, 4) for s in forced],
                "seconds": round(time.monotonic() - started, 1),
                "processor_seconds": round(processor() - used, 1),
            }
        ),
        flush=True,
    )
    return bool(shares) and max(shares) <= 0.1


def _left(after: Schedule, today: datetime) -> Schedule:
    """What a plan leaves to be done from `today` on, as its project counts it."""
    tasks = (t.model_copy(update={"start": max(t.start, today)}) for t in after.tasks if not t.done)
    return after.model_copy(update={"tasks": tuple(tasks)})


def _unmoved(before: Schedule, left: Schedule, today: datetime, late: str) -> Schedule:
    """The same with all that had not begun where it was, but the late task."""
    old = {t.id: t for t in before.tasks}
    stays = (t if t.id == late or old[t.id].start < today else old[t.id] for t in left.tasks)
    return left.model_copy(update={"tasks": tuple(stays)})


WHAT = {"infeasible": infeasible, "stability": stability, "feasibility": feasibility, "thousand": thousand}


def main() -> int:
    wanted = [a for a in sys.argv[1:] if a in WHAT] or list(WHAT)
    good = [WHAT[name]("--short" in sys.argv) for name in wanted]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
