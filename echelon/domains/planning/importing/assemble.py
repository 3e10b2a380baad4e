"""One project from any mixture of files: task lists, settings and people, commitments, and prose for the goal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from echelon.domains.planning.contracts.calendar import WorkCalendar
from echelon.domains.planning.contracts.project import Absence, Deadline, Link, Project, Resource, TaskSpec
from echelon.domains.planning.contracts.strategy import Strategy, StrategyProfile
from echelon.domains.planning.importing.events import Event, read_events
from echelon.domains.planning.importing.habits import habit_tasks
from echelon.domains.planning.importing.people import People, read_people
from echelon.domains.planning.importing.rows import MOST_TASKS, Cell, Settings, tasks_of
from echelon.domains.planning.importing.sanity import check_circles, check_family, check_names, check_resources
from echelon.domains.planning.importing.tables import prose_around, read_csv, read_markdown, read_xlsx
from echelon.domains.planning.importing.taken import carved
from echelon.domains.planning.importing.values import duration_of, moment_of, zone_named
from echelon.errors import UnknownName, UserError
from echelon.json_text import is_list

NOTHING = People({}, (), (), (), ())
SUFFIXES = (".md", ".txt", ".csv", ".xlsx", ".ics", ".yaml", ".yml")


@dataclass(frozen=True)
class Imported:
    """What the files say. `project` is None where no task is written down; then `base` has all but tasks. `goal` is their
    prose, `prose` that and what stands around their tables."""

    project: Project | None
    goal: str
    people: People = NOTHING
    assumptions: tuple[str, ...] = field(default=())
    base: Project | None = None
    prose: str = ""


def read_project(paths: list[Path], today: date, title: str = "Plan") -> Imported:
    """Read files into one project. Raises UserError, one sentence that names file, row and what is wrong."""
    for path in paths:
        if path.suffix.lower() not in SUFFIXES:
            raise UserError(f"{path.name}: '{path.suffix}' is not understood; give one of {', '.join(SUFFIXES)}.")
    people = _people([p for p in paths if p.suffix.lower() in (".yaml", ".yml")])
    zone_name = str(people.project.get("zone", "UTC"))
    zone = zone_named(zone_name, "project")
    hours = people.project.get("hours_per_day", 8)
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not 0 < hours <= 24:
        raise UserError(f"project: hours_per_day is '{hours}'; it has to be a number above 0 and at most 24.")
    reader = _Reader(paths, people, zone, float(hours), today, title)
    return reader.read()


def _people(paths: list[Path]) -> People:
    out = NOTHING
    for path in paths:
        more = read_people(path, str(out.project.get("zone", "UTC")))
        out = People(
            {**out.project, **more.project},
            out.calendars + more.calendars,
            out.resources + more.resources,
            out.habits + more.habits,
            out.tasks + more.tasks,
        )
    return out


class _Reader:
    def __init__(
        self, paths: list[Path], people: People, zone: ZoneInfo, hours: float, today: date, title: str
    ) -> None:
        self.paths, self.people, self.zone, self.hours, self.today, self.title = (
            paths,
            people,
            zone,
            hours,
            today,
            title,
        )
        self.assumptions: list[str] = []
        self.around: list[str] = []

    def read(self) -> Imported:
        settings = Settings(self.zone, self.hours)
        tasks: list[TaskSpec] = []
        goal: list[str] = []
        for path in self.paths:
            rows = self._rows(path, goal)
            if rows or path.suffix.lower() in (".csv", ".xlsx"):
                tasks += tasks_of(rows, settings, path.name)
        if self.people.tasks:
            tasks += tasks_of(_as_rows(self.people.tasks), settings, "tasks")
        if len(tasks) > MOST_TASKS:
            raise UserError(f"{len(tasks):,} tasks are too many, at most {MOST_TASKS:,} are planned at once.")
        text = "\n\n".join(goal).strip()
        start = self._start()
        calendars = self._calendars()
        base = self._project(start, calendars, ())
        tasks += [t for habit in self.people.habits for t in habit_tasks(habit, base, self.zone, self.hours)]
        prose = "\n\n".join([*self.around, text]).strip()
        if not tasks:
            return Imported(None, text, self.people, tuple(dict.fromkeys(self.assumptions)), base, prose)
        check_names(tasks)
        check_family(tasks)
        tasks = with_summaries(tasks)
        check_circles(tasks)
        project = self._project(start, calendars, tuple(tasks))
        check_resources(project)
        return Imported(project, text, self.people, tuple(dict.fromkeys(self.assumptions)), prose=prose)

    def _rows(self, path: Path, goal: list[str]) -> list[list[Cell]]:
        suffix = path.suffix.lower()
        if suffix == ".csv":
            return read_csv(path)
        if suffix == ".xlsx":
            return read_xlsx(path)
        if suffix in (".md", ".txt"):
            text = path.read_text(encoding="utf-8", errors="replace")
            rows = read_markdown(text)
            if rows:
                self.around.append(prose_around(text))
            else:
                goal.append(text)
            return rows
        return []

    def _start(self) -> datetime:
        given = self.people.project.get("start")
        if given is None:
            day = self.today
            self.assumptions.append(f"The plan starts on {day}, since no start is given.")
            return moment_of(day, self.zone, "project: start")
        return moment_of(given if isinstance(given, date) else str(given), self.zone, "project: start")

    def _calendars(self) -> tuple[WorkCalendar, ...]:
        calendars = self.people.calendars
        if not any(c.name == self._calendar_name() for c in calendars):
            self.assumptions.append("Work is done Monday to Friday from 9:00 to 17:00, since no hours are given.")
            calendars = (*calendars, WorkCalendar(name="project", zone=self.zone.key))
        names = [c.name for c in calendars]
        for name in names:
            if names.count(name) > 1:
                raise UserError(f"The calendar '{name}' is described twice.")
        return calendars

    def _calendar_name(self) -> str:
        return str(self.people.project.get("calendar", "project"))

    def _project(self, start: datetime, calendars: tuple[WorkCalendar, ...], tasks: tuple[TaskSpec, ...]) -> Project:
        settings = self.people.project
        resources = self._resources(tasks)
        events = [e for p in self.paths if p.suffix.lower() == ".ics" for e in read_events(p, start, self.zone)]
        if not resources:
            calendars = tuple(carved(c, [e.absence for e in events]) for c in calendars)
        try:
            return Project(
                title=str(settings.get("title", self.title)),
                zone=self.zone.key,
                start=start,
                calendar=self._calendar_name(),
                calendars=calendars,
                resources=self._busy(resources, events),
                tasks=tasks,
                strategy=self._strategy(settings),
                hours_per_day=self.hours,
                slot_minutes=duration_of(str(settings["slot"]), self.hours, "project: slot")
                if "slot" in settings
                else None,
                deadline=self._deadline(settings),
            )
        except ValidationError as error:
            first = error.errors()[0]
            raise UserError(
                f"{'.'.join(str(x) for x in first['loc'])}: {first['msg'].removeprefix('Value error, ')}."
            ) from error

    def _strategy(self, settings: Mapping[str, Any]) -> StrategyProfile:
        name = str(settings.get("strategy", Strategy.EARLIEST_END.value)).replace(" ", "_").replace("-", "_").lower()
        if name not in list(Strategy):
            raise UserError(f"project: {UnknownName('strategy', name, list(Strategy))}")
        given = {k: settings[k] for k in ("day_price", "stretch", "buffer") if k in settings}
        return StrategyProfile.model_validate({"aim": name, **given})

    def _deadline(self, settings: Mapping[str, Any]) -> Deadline | None:
        given = settings.get("deadline")
        if given is None:
            return None
        at = moment_of(
            given if isinstance(given, date) else str(given), self.zone, "project: deadline", end_of_day=True
        )
        return Deadline(at=at)

    def _resources(self, tasks: tuple[TaskSpec, ...]) -> tuple[Resource, ...]:
        resources = self.people.resources
        if not resources:
            names = sorted({n.resource for t in tasks for n in (*t.needs, *(n for way in t.any_of for n in way))})
            units = {name: max(_units(t, name) for t in tasks) for name in names}
            resources = tuple(Resource(id=n, title=n, capacity=units[n]) for n in names)
            if names:
                self.assumptions.append(
                    f"{', '.join(names)}: there all working hours, since no resources are described."
                )
        ids = [r.id for r in resources]
        for name in ids:
            if ids.count(name) > 1:
                raise UserError(f"The resource '{name}' is described twice.")
        return resources

    def _busy(self, resources: tuple[Resource, ...], events: list[Event]) -> tuple[Resource, ...]:
        """Resources with the times that events take; an event that names nobody takes one unit of everybody."""
        if not events:
            return resources
        known = {r.id.lower(): r.id for r in resources} | {r.title.lower(): r.id for r in resources if r.title}
        taken: dict[str, list[Absence]] = {r.id: list(r.absences) for r in resources}
        common = 0
        for event in events:
            meant = {known[n.lower()] for n in event.names if n.lower() in known}
            common += not meant
            for name in meant or set(taken):
                taken[name].append(event.absence)
        if common:
            self.assumptions.append(
                f"{common} events of the calendar name nobody of the plan, so they take everybody's time."
            )
        return tuple(r.model_copy(update={"absences": tuple(_apart(taken[r.id]))}) for r in resources)


def _apart(absences: list[Absence]) -> list[Absence]:
    """Absences in order; the same one twice counts once."""
    return sorted(dict.fromkeys(absences), key=lambda a: (a.start, a.end, a.title))


def _units(task: TaskSpec, name: str) -> int:
    return max([1, *(n.units for n in (*task.needs, *(n for way in task.any_of for n in way)) if n.resource == name)])


def _as_rows(tasks: tuple[Mapping[str, Any], ...]) -> list[list[Cell]]:
    header = list(dict.fromkeys(str(key) for t in tasks for key in t))
    return [list(header), *([_cell(t.get(key)) for key in header] for t in tasks)]


def _cell(value: Any) -> Cell:
    if is_list(value):
        return ", ".join(str(v) for v in value)
    return value if value is None or isinstance(value, str | int | float | date) else str(value)


def with_summaries(tasks: list[TaskSpec]) -> list[TaskSpec]:
    """Tasks that have parts become milestones at the end of their parts; what they wait for, their parts wait for."""
    parts: dict[str, list[str]] = {}
    known = {t.id for t in tasks}
    for task in tasks:
        if task.parent is not None and task.parent in known:
            parts.setdefault(task.parent, []).append(task.id)
    by_id = {t.id: t for t in tasks}
    out: list[TaskSpec] = []
    for task in tasks:
        links = task.after
        above = task.parent
        while above is not None and above in by_id:
            links += tuple(link for link in by_id[above].after if link not in links)
            above = by_id[above].parent
        if task.id in parts:
            ends = tuple(Link(after=name) for name in parts[task.id])
            task = task.model_copy(update={"duration": 0, "needs": (), "any_of": (), "after": ends, "estimate": None})
        else:
            task = task.model_copy(update={"after": links})
        out.append(task)
    return out
