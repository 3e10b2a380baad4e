"""From an answer in indexes to a schedule in dates."""

from __future__ import annotations

from datetime import datetime

from echelon.domains.planning.contracts.project import Need, TaskSpec
from echelon.domains.planning.contracts.schedule import Piece, Schedule, ScheduledTask
from echelon.domains.planning.contracts.strategy import Strategy
from echelon.domains.planning.scheduling.compile import Compiled
from echelon.domains.planning.scheduling.network import resource_arcs
from echelon.domains.planning.scheduling.working_time import minutes_after
from echelon.domains.planning.solver.problem import Answer, Choice, Problem
from echelon.domains.planning.solver.propagate import Impossible, windows


def schedule_of(made: Compiled, answer: Answer) -> Schedule:
    """The schedule that an answer stands for. Tasks that were left out are not in it."""
    slack = slack_of(made, answer)
    tasks = [scheduled for t in made.project.tasks if (scheduled := _task(made, answer, t, slack)) is not None]
    end = max((t.end for t in tasks), default=made.project.start)
    bound = _bound(made, answer)
    zone = made.project.zone
    return Schedule(
        project=made.project.title,
        zone=zone,
        start=min((t.start for t in tasks), default=made.project.start),
        end=end,
        tasks=tuple(tasks),
        quality="optimal" if answer.status == "optimal" else "feasible",
        gap=_gap(answer),
        bound_end=made.moment(made.axis.end_minute(bound)) if bound else None,
        slot_minutes=made.slot,
        cost=_cost(made, answer),
        buffer_end=_buffer_end(made, end),
        assumptions=_assumptions(made),
    )


def _buffer_end(made: Compiled, end: datetime) -> datetime | None:
    """Until when the time after a schedule that starts late is kept free; None where nothing is."""
    deadline = made.project.deadline
    if made.project.strategy.aim is not Strategy.LATEST_START or deadline is None or end >= deadline.at:
        return None
    return deadline.at


def _task(made: Compiled, answer: Answer, task: TaskSpec, slack: dict[str, int]) -> ScheduledTask | None:
    parts = [answer.choices[i] for i in range(made.first[task.id], made.last[task.id] + 1)]
    chosen = [c for c in parts if c is not None]
    if len(chosen) < len(parts):
        return None
    spans = [_minutes(made, task, c) for c in chosen]
    pieces = [Piece(start=made.moment(a), end=made.moment(b)) for a, b in spans]
    return ScheduledTask(
        id=task.id,
        title=task.title,
        start=pieces[0].start,
        end=pieces[-1].end,
        zone=made.project.zone,
        needs=needs_of(task, chosen[0].mode),
        slack=slack.get(task.id, 0),
        critical=slack.get(task.id, 0) == 0,
        pieces=tuple(pieces) if len(pieces) > 1 else (),
    )


def needs_of(task: TaskSpec, mode: int) -> tuple[Need, ...]:
    """What a task holds in one of its modes."""
    return task.needs + (task.any_of[mode] if task.any_of else ())


def _minutes(made: Compiled, task: TaskSpec, choice: Choice) -> tuple[int, int]:
    if task.duration:
        return made.axis.start_minute(choice.start), made.axis.end_minute(choice.end)
    at = made.axis.end_minute(choice.start)
    for moment in (task.release, task.fixed_start):
        if moment is not None:
            at = max(at, minutes_after(made.project.start, moment))
    return at, at


def slack_of(made: Compiled, answer: Answer) -> dict[str, int]:
    """Working minutes by which each task may slip when the order on the resources stays and the end does not move."""
    choices = [c or Choice(0, 0) for c in answer.choices]
    arcs = (*made.problem.arcs, *resource_arcs(made.problem, choices))
    bound = Problem(made.problem.horizon, made.problem.tables, made.problem.activities, arcs, made.problem.resources,
                    made.problem.shifts, made.problem.latest)  # fmt: skip
    try:
        late = windows(bound, max((c.end for c in choices), default=0))
    except Impossible:
        return {}
    out: dict[str, int] = {}
    for task in made.project.tasks:
        index = made.first[task.id]
        now, then = (made.axis.start_minute(i) for i in (choices[index].start, late.last_start[index]))
        out[task.id] = max(0, made.working.worked(then) - made.working.worked(now))
    return out


def _gap(answer: Answer) -> float:
    if answer.status == "optimal" or answer.objective <= 0:
        return 0.0
    return round(max(0.0, (answer.objective - answer.bound) / answer.objective), 6)


def _bound(made: Compiled, answer: Answer) -> int | None:
    """The end index that is proven to be the earliest; only where the aim was the end alone."""
    if made.project.strategy.aim is Strategy.LEAST_COST or any(a.due for a in made.problem.activities):
        return None
    return max(0, min(len(made.axis.cells), round(answer.bound)))


def _cost(made: Compiled, answer: Answer) -> float:
    total = 0.0
    for task in made.project.tasks:
        choice = answer.choices[made.first[task.id]]
        if choice is None:
            continue
        for need in needs_of(task, choice.mode):
            rate = next(r.rate_per_hour for r in made.project.resources if r.id == need.resource)
            total += rate * need.units * task.duration / 60
    return round(total, 2)


def _assumptions(made: Compiled) -> tuple[str, ...]:
    out: list[str] = []
    if made.rounded:
        out.append(f"Work was rounded up to slots of {made.slot} minutes.")
    return tuple(out)
