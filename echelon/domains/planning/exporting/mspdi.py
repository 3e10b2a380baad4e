"""A schedule as MSPDI, the XML of Microsoft Project: https://learn.microsoft.com/office-project/xml-data-interchange.

Times in it are local to the plan's zone. Calendars keep their week and their exceptions (holidays of the plan's years as
days of their own); links keep their kind and lag; assignments their units.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from xml.etree import ElementTree as ET
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.calendar import Shift, WorkCalendar
from echelon.domains.planning.contracts.project import Absence, Link, Project
from echelon.domains.planning.contracts.schedule import Schedule, ScheduledTask
from echelon.domains.planning.scheduling.working_time import holidays_of, shifts_on

KINDS = {"FF": 0, "FS": 1, "SF": 2, "SS": 3}
TENTHS = 10
"""Lags are in tenths of minutes."""
HOURS, ELAPSED_HOURS = 5, 6
"""Formats of a lag."""


def to_mspdi(project: Project, schedule: Schedule) -> bytes:
    """The document, in UTF-8."""
    return _Writer(project, schedule).write()


class _Writer:
    def __init__(self, project: Project, schedule: Schedule) -> None:
        self.project, self.schedule, self.zone = project, schedule, ZoneInfo(schedule.zone)
        names = {project.calendar, *(r.calendar or project.calendar for r in project.resources)}
        names |= {t.calendar for t in project.tasks if t.calendar}
        self.calendars = {name: number for number, name in enumerate(sorted(names), start=1)}
        self.resources = {r.id: number for number, r in enumerate(project.resources, start=1)}
        self.tasks = {t.id: number for number, t in enumerate(schedule.tasks, start=1)}

    def write(self) -> bytes:
        root = ET.Element("Project", xmlns="http://schemas.microsoft.com/project")
        hours = round(self.project.hours_per_day * 60)
        _fill(root, {
            "SaveVersion": 14, "Name": self.project.title, "Title": self.project.title, "ScheduleFromStart": 1,
            "StartDate": self._local(self.schedule.start), "FinishDate": self._local(self.schedule.end),
            "CalendarUID": self.calendars[self.project.calendar], "MinutesPerDay": hours, "MinutesPerWeek": hours * 5,
            "DaysPerMonth": 20, "DefaultTaskType": 1, "NewTasksAreManual": 0,
        })  # fmt: skip
        calendars = ET.SubElement(root, "Calendars")
        for name, number in self.calendars.items():
            self._calendar(calendars, self.project.calendar_named(name), number)
        own = self._leave_calendars(calendars)
        tasks = ET.SubElement(root, "Tasks")
        links = {t.id: t.after for t in self.project.tasks}
        for task in self.schedule.tasks:
            self._task(tasks, task, links.get(task.id, ()))
        resources = ET.SubElement(root, "Resources")
        for resource in self.project.resources:
            number = self.resources[resource.id]
            calendar = own.get(resource.id) or self.calendars[resource.calendar or self.project.calendar]
            _fill(ET.SubElement(resources, "Resource"), {
                "UID": number, "ID": number, "Name": resource.id, "Type": 1, "MaxUnits": f"{resource.capacity:.2f}",
                "StandardRate": f"{resource.rate_per_hour:g}", "StandardRateFormat": 2, "CalendarUID": calendar,
            })  # fmt: skip
        self._assignments(ET.SubElement(root, "Assignments"))
        ET.indent(root)
        return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))

    def _local(self, moment: datetime) -> str:
        return f"{moment.astimezone(self.zone):%Y-%m-%dT%H:%M:%S}"

    def _calendar(self, parent: ET.Element, calendar: WorkCalendar, number: int) -> None:
        node = ET.SubElement(parent, "Calendar")
        _fill(node, {"UID": number, "Name": calendar.name, "IsBaseCalendar": 1, "BaseCalendarUID": -1})
        days = ET.SubElement(node, "WeekDays")
        for weekday, shifts in enumerate(calendar.week):
            day = ET.SubElement(days, "WeekDay")
            _fill(day, {"DayType": (weekday + 1) % 7 + 1, "DayWorking": int(bool(shifts))})
            _times(day, shifts)
        exceptions = [(e.title or "exception", e.first, e.last, e.shifts) for e in calendar.exceptions]
        first, last = (m.astimezone(self.zone).date() for m in (self.schedule.start, self.schedule.end))
        closed = sorted(d for d in holidays_of(calendar, first, last) if first <= d <= last)
        exceptions += [("holiday", d, d, ()) for d in closed if not any(a <= d <= b for _, a, b, _ in exceptions)]
        _exceptions(node, exceptions)

    def _leave_calendars(self, parent: ET.Element) -> dict[str, int]:
        """Calendars of resources that are away as a whole, on top of the one that they work by."""
        out: dict[str, int] = {}
        for resource in self.project.resources:
            calendar = self.project.calendar_named(resource.calendar)
            away = [a for a in resource.absences if (a.units or resource.capacity) >= resource.capacity]
            days = [e for absence in away for e in _days_off(absence, calendar)]
            if days:
                number = len(self.calendars) + len(out) + 1
                node = ET.SubElement(parent, "Calendar")
                base = self.calendars[resource.calendar or self.project.calendar]
                _fill(node, {"UID": number, "Name": resource.id, "IsBaseCalendar": 0, "BaseCalendarUID": base})
                _exceptions(node, days)
                out[resource.id] = number
        return out

    def _task(self, parent: ET.Element, task: ScheduledTask, links: tuple[Link, ...]) -> None:
        spec = next((t for t in self.project.tasks if t.id == task.id), None)
        minutes = spec.duration if spec else 0
        node = ET.SubElement(parent, "Task")
        number = self.tasks[task.id]
        _fill(node, {
            "UID": number, "ID": number, "Name": task.title, "Type": 1, "IsNull": 0, "WBS": task.id, "OutlineLevel": 1,
            "Priority": spec.priority if spec else 500, "Start": self._local(task.start), "Finish": self._local(task.end),
            "Duration": _duration(minutes), "DurationFormat": 7, "Milestone": int(minutes == 0),
            "PercentComplete": 100 if task.done else 0, "Critical": int(task.critical), "Manual": 0, "Estimated": 0,
            "ConstraintType": 4, "ConstraintDate": self._local(task.start),
        })  # fmt: skip
        if spec is not None and spec.calendar:
            _fill(node, {"CalendarUID": self.calendars[spec.calendar]})
        if spec is not None and spec.deadline is not None:
            _fill(node, {"Deadline": self._local(spec.deadline.at)})
        for link in links:
            if link.after in self.tasks:
                _fill(ET.SubElement(node, "PredecessorLink"), {
                    "PredecessorUID": self.tasks[link.after], "Type": KINDS[link.kind], "CrossProject": 0,
                    "LinkLag": link.lag * TENTHS, "LagFormat": ELAPSED_HOURS if link.elapsed else HOURS,
                })  # fmt: skip

    def _assignments(self, parent: ET.Element) -> None:
        number = 0
        minutes = {t.id: t.duration for t in self.project.tasks}
        for task in self.schedule.tasks:
            for need in task.needs:
                number += 1
                _fill(ET.SubElement(parent, "Assignment"), {
                    "UID": number, "TaskUID": self.tasks[task.id], "ResourceUID": self.resources[need.resource],
                    "Units": need.units, "Work": _duration(minutes.get(task.id, 0) * need.units),
                    "Start": self._local(task.start), "Finish": self._local(task.end),
                })  # fmt: skip


Days = tuple[str, date, date, tuple[Shift, ...]]
"""The title, first and last day of an exception, and what is worked then."""


def _days_off(absence: Absence, calendar: WorkCalendar) -> list[Days]:
    """The working days that an absence takes away, whole or in part; whole ones that follow each other are one."""
    zone, title = ZoneInfo(calendar.zone), absence.title or "absence"
    start, end = absence.start.astimezone(zone), absence.end.astimezone(zone)
    closed = holidays_of(calendar, start.date(), end.date())
    out: list[Days] = []
    for number in range((end.date() - start.date()).days + 1):
        day = start.date() + timedelta(days=number)
        low = start.hour * 60 + start.minute if number == 0 else 0
        high = end.hour * 60 + end.minute if day == end.date() else 1440
        shifts = shifts_on(calendar, day, closed)
        left = tuple(part for s in shifts for part in _without(s, low, high))
        if left == shifts:
            continue
        follows = bool(out) and not left and not out[-1][3] and _is_free_between(out[-1][2], day, calendar, closed)
        out = [*out[:-1], (title, out[-1][1], day, ())] if follows else [*out, (title, day, day, left)]
    return out


def _without(shift: Shift, low: int, high: int) -> list[Shift]:
    """What is left of a shift without the minutes from `low` to `high`."""
    parts = ((shift.begin, min(shift.finish, low)), (max(shift.begin, high), shift.finish))
    return (
        [Shift(begin=a, finish=b) for a, b in parts if a < b] if low < shift.finish and shift.begin < high else [shift]
    )


def _is_free_between(last: date, day: date, calendar: WorkCalendar, closed: frozenset[date]) -> bool:
    """Whether nothing is worked between two days."""
    return not any(shifts_on(calendar, last + timedelta(days=n), closed) for n in range(1, (day - last).days))


def _exceptions(node: ET.Element, exceptions: list[tuple[str, date, date, tuple[Shift, ...]]]) -> None:
    if not exceptions:
        return
    parent = ET.SubElement(node, "Exceptions")
    for title, first, last, shifts in sorted(exceptions, key=lambda e: e[1]):
        entry = ET.SubElement(parent, "Exception")
        _fill(entry, {"EnteredByOccurrences": 0})
        _fill(ET.SubElement(entry, "TimePeriod"), {"FromDate": f"{first}T00:00:00", "ToDate": f"{last}T23:59:00"})
        _fill(
            entry, {"Occurrences": (last - first).days + 1, "Name": title, "Type": 1, "DayWorking": int(bool(shifts))}
        )
        _times(entry, shifts)


def _times(node: ET.Element, shifts: tuple[Shift, ...]) -> None:
    if shifts:
        parent = ET.SubElement(node, "WorkingTimes")
        for shift in shifts:
            times = {"FromTime": _clock(shift.begin), "ToTime": _clock(shift.finish)}
            _fill(ET.SubElement(parent, "WorkingTime"), times)


def _clock(minute: int) -> str:
    return f"{minute // 60 % 24:02d}:{minute % 60:02d}:00"


def _duration(minutes: int) -> str:
    return f"PT{minutes // 60}H{minutes % 60}M0S"


def _fill(node: ET.Element, values: Mapping[str, object]) -> None:
    for name, value in values.items():
        ET.SubElement(node, name).text = str(value)
