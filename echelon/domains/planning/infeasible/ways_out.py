"""What would make an impossible project possible: later, with more people, or with less. Each with its price, and each
with a schedule that the checker accepts."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.project import Project, TaskSpec
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.contracts.strategy import StrategyProfile
from echelon.domains.planning.infeasible.facts import Fact, most_units
from echelon.domains.planning.scheduling.compile import compiled
from echelon.domains.planning.scheduling.reading import schedule_of
from echelon.domains.planning.scheduling.scheduler import Limits, enough, schedule
from echelon.domains.planning.solver.problem import Wish
from echelon.domains.planning.solver.process import SolverProcess

DEAR = 1000.0


@dataclass(frozen=True)
class WayOut:
    """A change of the project. `kind`: later, more or less."""

    kind: str
    says: str
    project: Project


def ways_out(project: Project, conflict: tuple[Fact, ...], solver: SolverProcess, limits: Limits) -> list[WayOut]:
    """Up to three ways, each of which has a schedule that keeps every rule that is left."""
    found = [_later(project, solver, limits)]
    found += [_more(project, f.subject, solver, limits) for f in conflict if f.kind == "capacity"][:2]
    found.append(_less(project, conflict, solver, limits))
    return [w for w in found if w is not None][:3]


def _solved(project: Project, solver: SolverProcess, limits: Limits) -> Schedule | None:
    found = schedule(project, limits, solver).schedule
    return found if found is not None and not check(project, found) else None


def _later(project: Project, solver: SolverProcess, limits: Limits) -> WayOut | None:
    """Miss hard deadlines by as little as can be."""
    soft = tuple(
        t.model_copy(update={"deadline": t.deadline.model_copy(update={"hard": False, "price_per_day": DEAR})})
        if t.deadline is not None and t.deadline.hard else t
        for t in project.tasks
    )  # fmt: skip
    eased = project.model_copy(update={"tasks": soft, "deadline": None, "strategy": StrategyProfile()})
    found = _solved(eased, solver, limits)
    if found is None:
        return None
    zone = ZoneInfo(project.zone)
    said: list[str] = []
    tasks = {t.id: t for t in project.tasks}
    moved: dict[str, datetime] = {}
    for placed in found.tasks:
        deadline = tasks[placed.id].deadline
        if deadline is not None and deadline.hard and placed.end > deadline.at:
            moved[placed.id] = placed.end
            said.append(
                f"'{placed.title}' {_days(placed.end - deadline.at)} later, on {placed.end.astimezone(zone):%Y-%m-%d}"
            )
    last = project.deadline.at if project.deadline is not None else None
    if last is not None and found.end > last:
        said.append(f"everything {_days(found.end - last)} later, on {found.end.astimezone(zone):%Y-%m-%d}")
    if not said:
        return None
    changed = tuple(
        t.model_copy(update={"deadline": t.deadline.model_copy(update={"at": moved[t.id]})})
        if t.id in moved and t.deadline is not None else t
        for t in project.tasks
    )  # fmt: skip
    whole = project.deadline
    if whole is not None and last is not None and found.end > last:
        whole = whole.model_copy(update={"at": found.end})
    return WayOut(
        "later", f"Finish {'; '.join(said)}.", project.model_copy(update={"tasks": changed, "deadline": whole})
    )


def _days(late: timedelta) -> str:
    hours = late.total_seconds() / 3600
    return f"{hours:.0f} hours" if hours < 24 else f"{-(-hours // 24):.0f} days"


def _more(project: Project, name: str, solver: SolverProcess, limits: Limits) -> WayOut | None:
    """One more of a resource; says when it is needed and what it costs."""
    resource = next(r for r in project.resources if r.id == name)
    more = resource.model_copy(update={"capacity": resource.capacity + 1, "absences": tuple(
        a.model_copy(update={"units": a.units or resource.capacity}) for a in resource.absences)})  # fmt: skip
    eased = project.model_copy(update={"resources": tuple(more if r.id == name else r for r in project.resources)})
    found = _solved(eased, solver, limits)
    if found is None:
        return None
    spans = _over(found, name, resource.capacity)
    if not spans:
        return None
    hours = sum(eased_hours(eased, a, b) for a, b in spans)
    weeks = sorted({f"{a.isocalendar().year}-W{a.isocalendar().week:02d}" for a, _ in spans})
    price = f", {hours * resource.rate_per_hour:,.0f} more" if resource.rate_per_hour else ""
    when = f"week {weeks[0]}" if len(weeks) == 1 else f"weeks {weeks[0]} to {weeks[-1]}"
    return WayOut("more", f"One more '{name}' in {when} ({hours:.0f} hours{price}).", eased)


def eased_hours(project: Project, start: datetime, end: datetime) -> float:
    """Working hours of the project between two moments."""
    from echelon.domains.planning.scheduling.working_time import minutes_after, open_time

    minutes = minutes_after(project.start, end)
    open_ = open_time(project.calendar_named(None), project.start, max(1, minutes))
    return (open_.worked(minutes) - open_.worked(max(0, minutes_after(project.start, start)))) / 60


def _over(found: Schedule, name: str, capacity: int) -> list[tuple[datetime, datetime]]:
    steps: dict[datetime, int] = {}
    for task in found.tasks:
        units = sum(n.units for n in task.needs if n.resource == name)
        for start, end in [(p.start, p.end) for p in task.pieces] or [(task.start, task.end)]:
            steps[start] = steps.get(start, 0) + units
            steps[end] = steps.get(end, 0) - units
    out: list[tuple[datetime, datetime]] = []
    level, moments = 0, sorted(steps)
    for here, following in itertools.pairwise(moments):
        level += steps[here]
        if level > capacity:
            out.append((here, following))
    return out


def _less(project: Project, conflict: tuple[Fact, ...], solver: SolverProcess, limits: Limits) -> WayOut | None:
    """Leave out what matters least: as little priority and work as can be."""
    involved = {f.subject for f in conflict}
    waited = {k.after for t in project.tasks for k in t.after}

    def droppable(task: TaskSpec) -> bool:
        uses = any(most_units(task, name) for name in involved)
        return task.duration > 0 and (task.id in involved or uses or task.id not in waited)

    eased = project.model_copy(update={"tasks": tuple(
        t.model_copy(update={"optional": True}) if droppable(t) else t for t in project.tasks)})  # fmt: skip
    made = compiled(eased, enough(eased))
    answer = solver.solve(made.problem, Wish("drop", limits.seconds / 2, longest=limits.seconds * 4))
    if not answer.choices:
        return None
    found = schedule_of(made, answer)
    gone = sorted({t.id for t in project.tasks} - {t.id for t in found.tasks})
    if not gone or len(gone) > 5:
        return None
    rest = tuple(_unlinked(t, set(gone)) for t in project.tasks if t.id not in gone)
    smaller = project.model_copy(update={"tasks": rest})
    if _solved(smaller, solver, limits) is None:
        return None
    titles = ", ".join(f"'{project.task(name).title}'" for name in gone)
    hours = sum(project.task(name).duration for name in gone) / 60
    return WayOut("less", f"Leave out {titles} ({hours:.0f} hours of work).", smaller)


def _unlinked(task: TaskSpec, gone: set[str]) -> TaskSpec:
    return task.model_copy(update={"after": tuple(k for k in task.after if k.after not in gone)})
