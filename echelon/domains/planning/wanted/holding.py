"""What a goal asks for, put into the project, so that the solver and the checker hold it as they hold every other rule.

Doing it again changes nothing more: it is done when the inputs are read, and when a role has written tasks and people.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.calendar import ALWAYS_NAME, OFFICE, CalendarException, Shift, WorkCalendar
from echelon.domains.planning.contracts.project import Absence, Deadline, Project, Resource, TaskSpec
from echelon.domains.planning.contracts.strategy import Strategy
from echelon.domains.planning.importing.people import first_part
from echelon.domains.planning.wanted.contracts import Away, Wanted
from echelon.domains.planning.wanted.words import names_any

CROWD = "people"
"""The resource that stands for people whose number is known, and no name."""
ITS_DAY = "the day of it"
"""The calendar of the weekday on which what is planned takes place"""
NOT_HELD = "Not held by code, so see whether the plan keeps it: "


def held(project: Project, wanted: Wanted, *, has_people: bool = True) -> Project:
    """The project with what is asked for. `has_people`: whether people of the goal do its tasks; those of a given list name
    their own."""
    zone = ZoneInfo(project.zone)
    calendars = tuple(_calendar(_opened(c, project, wanted), wanted) for c in _calendars(project))
    values: dict[str, object] = {"calendars": calendars}
    if wanted.start is not None:
        values["start"] = max(project.start, _midnight(wanted.start, zone))
    if wanted.deadline is not None and _is_stricter(project.deadline, _midnight(wanted.deadline, zone, 1)):
        values["deadline"] = Deadline(at=_midnight(wanted.deadline, zone, 1), hard=wanted.is_hard)
    if wanted.strategy:
        values["strategy"] = project.strategy.model_copy(update={"aim": Strategy(wanted.strategy)})
    resources = project.resources
    if has_people and not resources:
        crowd = (Resource(id=CROWD, title=CROWD, capacity=wanted.people),) if wanted.people else ()
        resources = tuple(Resource(id=n, title=n) for n in wanted.team) or crowd
    values["resources"] = tuple(_resource(r, wanted.away, zone) for r in resources)
    values["tasks"] = tuple(_task(t, wanted, zone) for t in project.tasks)
    return _on_its_day(project.model_copy(update=values), wanted)


def told(project: Project, wanted: Wanted) -> list[str]:
    """What was read of the goal, for the assumptions of the plan: what is held, and what nothing holds."""
    open_ = list(wanted.unread)
    heard = list(wanted.heard)
    if wanted.event is not None and not any(t.calendar == ITS_DAY for t in project.tasks):
        heard.remove(wanted.event.says)
        open_.append(wanted.event.says)
    out = [f"Read from the goal, and held: {said}" for said in heard]
    if wanted.budget is not None and not any(r.rate_per_hour for r in project.resources):
        open_.append(f"the budget of {wanted.budget:,.0f}, since nothing says what an hour costs")
    titles = [t.title for t in project.tasks]
    named = {n.casefold() for r in project.resources for n in (r.id, r.title)}
    open_ += [
        f"{a.who} is away from {a.first} to {a.last}" for a in wanted.away if a.who and a.who.casefold() not in named
    ]
    parts = [d.says for d in wanted.dues] + [k.says for k in wanted.lengths]
    subjects = [d.says for d in wanted.dues] + [k.what for k in wanted.lengths]
    open_ += [p for p, about in zip(parts, subjects, strict=True) if not any(names_any(t, about) for t in titles)]
    if wanted.people and wanted.people > 1 and not project.resources:
        open_.append(f"{wanted.people} people")
    return [*out, *(f"{NOT_HELD}{said}" for said in open_)]


def _calendars(project: Project) -> tuple[WorkCalendar, ...]:
    """All calendars that are worked by, the project's own among them even where it is not written down."""
    if any(c.name == project.calendar for c in project.calendars):
        return project.calendars
    return (*project.calendars, project.calendar_named(None))


def _opened(calendar: WorkCalendar, project: Project, wanted: Wanted) -> WorkCalendar:
    """The calendar of the project with the weekday of the event, on which work is done then."""
    if wanted.event is None or calendar.name != project.calendar or calendar.name == ALWAYS_NAME:
        return calendar
    open_ = next((day for day in calendar.week if day), OFFICE)
    week = tuple(day or (open_ if n in wanted.event.weekdays else ()) for n, day in enumerate(calendar.week))
    return calendar.model_copy(update={"week": week})


def _on_its_day(project: Project, wanted: Wanted) -> Project:
    """The project with its last tasks on the weekday on which it takes place, those that a day of work is enough for."""
    if wanted.event is None:
        return project
    usual = project.calendar_named(None)
    week = tuple(day if n in wanted.event.weekdays else () for n, day in enumerate(usual.week))
    longest = max(map(_length, week))
    waited_for = {link.after for t in project.tasks if t.duration for link in t.after}
    last = {t.id for t in project.tasks if 0 < t.duration <= longest and t.id not in waited_for and not t.calendar}
    if not last:
        return project
    tasks = tuple(t.model_copy(update={"calendar": ITS_DAY}) if t.id in last else t for t in project.tasks)
    others = tuple(c for c in project.calendars if c.name != ITS_DAY)
    own = usual.model_copy(update={"name": ITS_DAY, "week": week})
    return project.model_copy(update={"tasks": tasks, "calendars": (*others, own)})


def _calendar(calendar: WorkCalendar, wanted: Wanted) -> WorkCalendar:
    if calendar.name in (ALWAYS_NAME, ITS_DAY):
        return calendar
    week = calendar.week
    if wanted.only:
        week = tuple((week[n] or OFFICE) if n in wanted.only else () for n in range(7))
    week = tuple(() if n in wanted.closed else day for n, day in enumerate(week))
    if wanted.hours_a_day is not None:
        week = tuple(_part(day, wanted.hours_a_day * 60) for day in week)
    total = sum(_length(day) for day in week)
    if wanted.hours_a_week is not None and total > wanted.hours_a_week * 60:
        week = tuple(_part(day, _length(day) * wanted.hours_a_week * 60 / total) for day in week)
    days = tuple(CalendarException(first=a.first, last=a.last, title="closed") for a in wanted.away if not a.who)
    exceptions = (*calendar.exceptions, *(d for d in days if d not in calendar.exceptions))
    return calendar.model_copy(update={"week": week, "exceptions": exceptions})


def _part(day: tuple[Shift, ...], minutes: float) -> tuple[Shift, ...]:
    length = _length(day)
    return first_part(day, minutes / length) if length > minutes else day


def _length(day: tuple[Shift, ...]) -> int:
    return sum(s.finish - s.begin for s in day)


def _resource(resource: Resource, away: tuple[Away, ...], zone: ZoneInfo) -> Resource:
    names = {resource.id.casefold(), resource.title.casefold()}
    new = [
        Absence(start=_midnight(a.first, zone), end=_midnight(a.last, zone, 1), title="away")
        for a in away
        if a.who.casefold() in names
    ]
    new = [a for a in new if a not in resource.absences]
    return resource.model_copy(update={"absences": (*resource.absences, *new)}) if new else resource


def _task(task: TaskSpec, wanted: Wanted, zone: ZoneInfo) -> TaskSpec:
    """A part that is to be ready by a day of its own has that as its deadline."""
    for due in wanted.dues:
        at = _midnight(due.by, zone, 1)
        if task.duration and names_any(task.title, due.says) and _is_stricter(task.deadline, at):
            task = task.model_copy(update={"deadline": Deadline(at=at)})
    return task


def _is_stricter(there: Deadline | None, at: datetime) -> bool:
    return there is None or at < there.at


def _midnight(day: date, zone: ZoneInfo, after: int = 0) -> datetime:
    return datetime.combine(day + timedelta(days=after), time(), tzinfo=zone).astimezone(UTC)
