"""Progress comes in, the rest is planned anew from today: finished work stays, and what need not move does not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from echelon.domains.planning.contracts.plan import AdaptationLogEntry
from echelon.domains.planning.contracts.project import Project, TaskSpec
from echelon.domains.planning.contracts.schedule import Schedule, ScheduledTask
from echelon.domains.planning.scheduling.scheduler import Limits, schedule
from echelon.domains.planning.solver.process import SolverProcess
from echelon.errors import UnknownName, UserError


@dataclass(frozen=True)
class Actual:
    """What happened to a task. Without an end it goes on, with `remaining` minutes of work."""

    started: datetime
    finished: datetime | None = None
    remaining: int = 0


@dataclass(frozen=True)
class Replanned:
    """The new schedule, None where there is none, and each task that moved."""

    schedule: Schedule | None
    project: Project
    moved: tuple[AdaptationLogEntry, ...]


def replan(
    project: Project,
    before: Schedule,
    today: datetime,
    actuals: Mapping[str, Actual],
    solver: SolverProcess,
    limits: Limits,
) -> Replanned:
    """Plan what is left of a project from `today` on; what was to run then and is not spoken of goes on as planned.

    Raises UserError for a task that is not there.
    """
    names = [t.id for t in project.tasks]
    for name in actuals:
        if name not in names:
            raise UserError(f"{UnknownName('task', name, names)}")
    actuals = {**under_way(project, before, today), **actuals}
    done = {name: a for name, a in actuals.items() if a.finished is not None}
    rest = remaining(project, today, actuals)
    outcome = schedule(rest, limits, solver, previous=before)
    if outcome.schedule is None:
        return Replanned(None, rest, ())
    kept = [_finished(before.task(name), a) for name, a in done.items()]
    found = outcome.schedule
    whole = found.model_copy(update={
        "tasks": (*kept, *(_begun(t, actuals) for t in found.tasks)),
        "start": min([found.start, *(t.start for t in kept)]),
    })  # fmt: skip
    return Replanned(whole, rest, tuple(moves(before, whole, set(done))))


def under_way(project: Project, before: Schedule, today: datetime) -> dict[str, Actual]:
    """What the earlier schedule has running at `today`, with the work that is left of each task by it."""
    from echelon.domains.planning.scheduling.compile import Compiler
    from echelon.domains.planning.scheduling.scheduler import enough
    from echelon.domains.planning.scheduling.working_time import minutes_after

    running = [t for t in before.tasks if not t.done and t.start < today < t.end]
    if not running:
        return {}
    times = Compiler(project, max(enough(project), minutes_after(project.start, before.end)))
    out: dict[str, Actual] = {}
    for placed in running:
        task = project.task(placed.id)
        open_ = times.time_of(task, placed.needs)
        spans = [(p.start, min(p.end, today)) for p in placed.pieces if p.start < today] or [(placed.start, today)]
        worked = sum(
            open_.worked(minutes_after(project.start, end)) - open_.worked(minutes_after(project.start, start))
            for start, end in spans
        )
        out[placed.id] = Actual(placed.start, None, max(0, task.duration - worked))
    return out


def remaining(project: Project, today: datetime, actuals: Mapping[str, Actual]) -> Project:
    """The project of what is left: finished tasks become dates that others wait for."""
    done = {name: a.finished for name, a in actuals.items() if a.finished is not None}
    tasks = tuple(_left(t, done, actuals, project) for t in project.tasks if t.id not in done)
    start = max(today, project.start)
    return project.model_copy(update={"start": start, "tasks": tasks})


def _left(task: TaskSpec, done: Mapping[str, datetime], actuals: Mapping[str, Actual], project: Project) -> TaskSpec:
    """A task whose links to finished ones are dates, with the work that remains."""
    from echelon.domains.planning.scheduling.working_time import minutes_after, open_time

    release = task.release
    for link in task.after:
        if link.after not in done or link.kind[1] == "F":
            continue
        source = done[link.after] if link.kind[0] == "F" else actuals[link.after].started
        moment = source + timedelta(minutes=link.lag)
        if link.lag and not link.elapsed:
            horizon = minutes_after(project.start, source) + abs(link.lag) * 20 + 30 * 1440
            open_ = open_time(project.calendar_named(None), project.start, max(1, horizon))
            work = open_.worked(minutes_after(project.start, source)) + link.lag
            moment = project.start + timedelta(minutes=open_.reached(max(0, work)) or 0)
        release = moment if release is None else max(release, moment)
    update: dict[str, object] = {"after": tuple(k for k in task.after if k.after not in done), "release": release}
    if task.id in actuals:
        update |= {"duration": actuals[task.id].remaining, "after": (), "release": None, "fixed_start": None}
    return task.model_copy(update=update)


def _finished(placed: ScheduledTask, actual: Actual) -> ScheduledTask:
    return placed.model_copy(update={
        "start": actual.started, "end": actual.finished, "done": True, "critical": False, "slack": 0, "pieces": (),
    })  # fmt: skip


def _begun(placed: ScheduledTask, actuals: Mapping[str, Actual]) -> ScheduledTask:
    """A task that goes on began when it began."""
    actual = actuals.get(placed.id)
    return placed if actual is None else placed.model_copy(update={"start": min(actual.started, placed.start)})


def moves(before: Schedule, after: Schedule, done: set[str]) -> list[AdaptationLogEntry]:
    """Each task that lies elsewhere than before, but those that are done."""
    out: list[AdaptationLogEntry] = []
    old = {t.id: t for t in before.tasks}
    for task in after.tasks:
        was = old.get(task.id)
        if was is not None and task.id not in done and (was.start, was.end) != (task.start, task.end):
            out.append(AdaptationLogEntry(
                what=f"'{task.title}' moves", why="progress", origin="ai_adaptation",
                before=f"{was.start:%Y-%m-%d %H:%M}", after=f"{task.start:%Y-%m-%d %H:%M}",
            ))  # fmt: skip
    return out
