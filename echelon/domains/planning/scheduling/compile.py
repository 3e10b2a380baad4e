"""From a project in days and zones to a problem in whole numbers, and back."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from echelon.domains.planning.contracts.project import Link, Need, Project, Resource, TaskSpec
from echelon.domains.planning.scheduling.axis import Axis, make_axis, table_of
from echelon.domains.planning.scheduling.working_time import (
    OpenTime,
    Span,
    common,
    merged,
    minutes_after,
    open_time,
    without,
)
from echelon.domains.planning.solver.problem import Activity, Arc, Due, Mode, Problem, Store, Table

HALF_DAY, FINEST = 240, 5
SLOTS = (5, 10, 15, 20, 30, 60, 120, HALF_DAY)
CELLS_TIMES_TASKS = 4_000_000
"""Above this product the slots are made longer."""
SCALE = 100
"""Prices are counted in hundredths."""


@dataclass(frozen=True)
class Compiled:
    """A problem, and what its numbers stand for. `first` and `last` are the pieces' indexes of each task."""

    project: Project
    problem: Problem
    axis: Axis
    slot: int
    first: dict[str, int]
    last: dict[str, int]
    rounded: bool
    working: OpenTime

    def moment(self, minute: int) -> datetime:
        """A minute after the project's start as a moment."""
        return self.project.start.astimezone(UTC) + timedelta(minutes=minute)


class Compiler:
    """Compiles one project for one horizon in minutes.

    A milestone with index k lies at the end of cell k-1, or later in the closed time before cell k when its own date
    says so. So links into a milestone go to its end, and links from a dated one leave from its start.
    """

    def __init__(self, project: Project, horizon: int, slot: int | None = None) -> None:
        self.project, self.horizon, self.origin = project, horizon, project.start.astimezone(UTC)
        self._tasks = {t.id: t for t in project.tasks}
        self.resources = {r.id: n for n, r in enumerate(project.resources)}
        self._calendars: dict[str, OpenTime] = {}
        self._together: dict[tuple[str | None, tuple[str, ...]], OpenTime] = {}
        self._open = [self._resource_time(r) for r in project.resources]
        self.working = self._calendar(None)
        self.slot, self.rounded = self._slot(slot)
        self.axis = make_axis(self._all_times(), self._cuts(), self.slot)
        self.tables: dict[tuple[tuple[Span, ...] | None, int, bool], int] = {}
        self.made: list[Table] = []
        self.shifts: dict[tuple[bool, bool, int, bool], int] = {}
        self.maps: list[tuple[int, ...]] = []
        self.first: dict[str, int] = {}
        self.last: dict[str, int] = {}

    def run(self) -> Compiled:
        """The whole problem."""
        activities: list[Activity] = []
        arcs: list[Arc] = []
        for task in self.project.tasks:
            pieces = self._activities(task)
            self.first[task.id] = len(activities)
            self.last[task.id] = len(activities) + len(pieces) - 1
            arcs += [Arc(len(activities) + n, len(activities) + n + 1) for n in range(len(pieces) - 1)]
            activities += pieces
        for task in self.project.tasks:
            arcs += [self._arc(task, link) for link in task.after]
        problem = Problem(
            horizon=len(self.axis.cells),
            tables=tuple(self.made),
            activities=tuple(activities),
            arcs=tuple(arcs),
            resources=tuple(Store(r.capacity, self._dips(r)) for r in self.project.resources),
            shifts=tuple(self.maps),
            latest=self._latest(),
            day_price=self._price(self.project.strategy.day_price),
        )
        return Compiled(self.project, problem, self.axis, self.slot, self.first, self.last, self.rounded, self.working)

    # time

    def _calendar(self, name: str | None) -> OpenTime:
        calendar = self.project.calendar_named(name)
        if calendar.name not in self._calendars:
            self._calendars[calendar.name] = open_time(calendar, self.origin, self.horizon)
        return self._calendars[calendar.name]

    def _resource_time(self, resource: Resource) -> OpenTime:
        away = [
            self._span(a.start, a.end) for a in resource.absences if (a.units or resource.capacity) >= resource.capacity
        ]
        return without(self._calendar(resource.calendar), away)

    def _span(self, start: datetime, end: datetime) -> Span:
        return minutes_after(self.origin, start), -minutes_after(end, self.origin)

    def time_of(self, task: TaskSpec, needs: tuple[Need, ...]) -> OpenTime:
        """When a task with these needs can be worked on."""
        key = (task.calendar, tuple(sorted(n.resource for n in needs)))
        if key not in self._together:
            times = [self._open[self.resources[n.resource]] for n in needs]
            if task.calendar is not None or not times:
                times.append(self._calendar(task.calendar))
            together = times[0]
            for other in times[1:]:
                together = common(together, other)
            self._together[key] = together
        return self._together[key]

    def _all_times(self) -> list[OpenTime]:
        times = [self.working, *self._open]
        times += [self._calendar(t.calendar) for t in self.project.tasks if t.calendar is not None]
        return list(dict.fromkeys(times))

    def _cuts(self) -> set[int]:
        """Moments that matter besides the calendars': releases, deadlines, appointments, partial absences."""
        out: set[int] = set()
        for task in self.project.tasks:
            out.update(minutes_after(self.origin, moment) for moment in dates_of(task))
        for resource in self.project.resources:
            for absence in resource.absences:
                out.update(self._span(absence.start, absence.end))
        return {cut for cut in out if 0 < cut < self.horizon}

    def _slot(self, wanted: int | None) -> tuple[int, bool]:
        """Minutes of a cell at most, and whether work has to be rounded up to it.

        The longest slot, up to half a day, that everything is a multiple of; longer where there would be too many.
        """
        lags = [link.lag for t in self.project.tasks for link in t.after]
        exact = math.gcd(HALF_DAY, *(t.duration for t in self.project.tasks), *lags, *self._distances())
        given = wanted or self.project.slot_minutes
        slot = given or max(exact, FINEST)
        minutes = sum(b - a for a, b in self._union())
        while not given and slot < HALF_DAY and minutes / slot * len(self.project.tasks) > CELLS_TIMES_TASKS:
            slot = next(s for s in SLOTS if s > slot)
        return slot, exact % slot != 0

    def _union(self) -> list[Span]:
        return merged(span for time in self._all_times() for span in time.spans)

    def _distances(self) -> set[int]:
        """Distances between neighbouring moments that matter, in time that anybody works."""
        edges = sorted({edge for t in self._all_times() for span in t.spans for edge in span} | self._cuts())
        out: set[int] = set()
        for begin, finish in self._union():
            inner = [*edges[bisect_left(edges, begin) : bisect_left(edges, finish)], finish]
            out.update(b - a for a, b in itertools.pairwise(inner) if b < self.horizon)
        return out

    # activities

    def _activities(self, task: TaskSpec) -> list[Activity]:
        whole = task.split != "anywhere" or task.duration <= task.piece or task.fixed_start is not None
        if whole or task.any_of:
            return [self._activity(task, task.duration)]
        count = min(12, task.duration // task.piece)
        sizes = [task.duration // count + (n < task.duration % count) for n in range(count)]
        pieces = [self._activity(task, size) for size in sizes]
        plain = [replace(p, due=None, latest=None) for p in pieces[:-1]]
        return [*plain, pieces[-1]]

    def _activity(self, task: TaskSpec, work: int) -> Activity:
        ways = task.any_of or ((),)
        earliest = 0 if task.release is None else self.axis.first_start(minutes_after(self.origin, task.release))
        latest = None
        if task.deadline is not None and task.deadline.hard:
            latest = self.axis.last_end(minutes_after(self.origin, task.deadline.at))
        return Activity(
            modes=tuple(self._mode(task, task.needs + way, work) for way in ways),
            earliest=earliest,
            latest=latest,
            weight=1 + task.priority // 100,
            due=self._due(task),
            droppable=1 + task.priority if task.optional else None,
        )

    def _mode(self, task: TaskSpec, needs: tuple[Need, ...], work: int) -> Mode:
        open_ = self.time_of(task, needs)
        table = self._table(open_, work, task.split == "never")
        if task.fixed_start is not None or _past(task):
            table = self._pinned(task, table, work)
        hours = work / 60
        rates = sum(self.project.resources[self.resources[n.resource]].rate_per_hour * n.units for n in needs)
        held = [(self.resources[n.resource], n.units) for n in needs] if work else []
        return Mode(table, tuple(held), self._price(rates * hours))

    def _table(self, open_: OpenTime, work: int, unbroken: bool) -> int:
        key = (open_.spans if work else None, work, unbroken)
        if key not in self.tables:
            self.tables[key] = len(self.made)
            self.made.append(table_of(self.axis, open_, work, unbroken))
        return self.tables[key]

    def _pinned(self, task: TaskSpec, number: int, work: int) -> int:
        """The one entry that starts at the fixed time; an empty table when the time is closed."""
        minute, table = minutes_after(self.origin, task.fixed_start or self.origin), self.made[number]
        index = self.axis.first_start(minute)
        kept = [
            (s, e)
            for s, e in zip(table.starts, table.ends, strict=True)
            if s == index and (work == 0 or self.axis.start_minute(s) == minute) and not _past(task)
        ]
        self.made.append(Table(tuple(s for s, _ in kept), tuple(e for _, e in kept)))
        return len(self.made) - 1

    def _due(self, task: TaskSpec) -> Due | None:
        if task.deadline is None or task.deadline.hard:
            return None
        index = self.axis.last_end(minutes_after(self.origin, task.deadline.at))
        return Due(index, max(1, self._price(task.deadline.price_per_day)))

    def _price(self, amount: float) -> int:
        return round(amount * SCALE)

    # dependencies

    def _arc(self, task: TaskSpec, link: Link) -> Arc:
        before = self._tasks[link.after]
        from_end = link.kind[0] == "F" if before.duration else not (before.fixed_start or before.release)
        to_end = link.kind[1] == "F" or task.duration == 0
        source = self.last[link.after] if from_end else self.first[link.after]
        target = self.last[task.id] if to_end else self.first[task.id]
        strict = to_end and not from_end
        shift, lag = None, 0
        if link.lag or strict:
            shift = self._shift(from_end, to_end, link.lag, link.elapsed or not link.lag)
        if shift is not None and (line := _straight(self.maps[shift])) is not None:
            shift, lag = None, line
        return Arc(source, target, from_end, to_end, lag, shift)

    def _shift(self, from_end: bool, to_end: bool, lag: int, elapsed: bool) -> int:
        key = (from_end, to_end, lag, elapsed)
        if key not in self.shifts:
            self.shifts[key] = len(self.maps)
            self.maps.append(
                tuple(self._least(i, from_end, to_end, lag, elapsed) for i in range(len(self.axis.cells) + 1))
            )
        return self.shifts[key]

    def _least(self, index: int, from_end: bool, to_end: bool, lag: int, elapsed: bool) -> int:
        """The least target index that keeps the lag to a source index."""
        source = self.axis.end_minute(index) if from_end else self.axis.start_minute(index)
        if elapsed:
            moment: int | None = source + lag
        else:
            work = self.working.worked(source) + lag
            moment = 0 if work <= 0 else self.working.reached(work)
        if moment is None:
            return len(self.axis.cells) + 1
        return self.axis.first_end(moment) if to_end else self.axis.first_start(moment)

    # resources and the end

    def _dips(self, resource: Resource) -> tuple[tuple[int, int, int], ...]:
        out: list[tuple[int, int, int]] = []
        for absence in resource.absences:
            units = absence.units or resource.capacity
            if units >= resource.capacity:
                continue
            begin, finish = self._span(absence.start, absence.end)
            low, high = self.axis.first_start(max(0, begin)), self.axis.last_end(finish)
            if low < high:
                out.append((low, high, units))
        return tuple(out)

    def _latest(self) -> int | None:
        deadline = self.project.deadline
        if deadline is None or not deadline.hard:
            return None
        return self.axis.last_end(minutes_after(self.origin, deadline.at))


def dates_of(task: TaskSpec) -> list[datetime]:
    """The dates that a task names."""
    moments = [task.release, task.fixed_start, task.deadline.at if task.deadline else None]
    return [m for m in moments if m is not None]


def _past(task: TaskSpec) -> bool:
    """Whether a milestone's own dates contradict each other; the axis may not see it where nobody works between."""
    if task.duration or task.deadline is None or not task.deadline.hard:
        return False
    return any(moment is not None and moment > task.deadline.at for moment in (task.fixed_start, task.release))


def _straight(values: tuple[int, ...]) -> int | None:
    """The offset when a map is a straight line as far as it goes."""
    offset = values[0] if values[0] > 0 else values[-1] - len(values) + 1
    top = len(values)
    return offset if all(max(0, i + offset) == v or v >= top <= i + offset for i, v in enumerate(values)) else None


def compiled(project: Project, horizon: int, slot: int | None = None) -> Compiled:
    """Compile a project for `horizon` minutes of the clock."""
    return Compiler(project, horizon, slot).run()
