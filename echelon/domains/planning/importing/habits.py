"""Recurring work: each time it comes becomes a task of its own, fixed to its time or free within its day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.project import Deadline, Project, TaskSpec
from echelon.domains.planning.importing.values import day_of, duration_of, moment_of, needs_of
from echelon.domains.planning.scheduling.working_time import OpenTime, minutes_after, open_time
from echelon.errors import UnknownName, UserError

KEYS = ("id", "title", "duration", "needs", "every", "at", "until", "count", "from")
RULES = {
    "day": "FREQ=DAILY",
    "week": "FREQ=WEEKLY",
    "month": "FREQ=MONTHLY",
    "workday": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
}
MOST_TIMES = 400
LONGEST = timedelta(days=366)


def habit_tasks(habit: Mapping[str, Any], project: Project, zone: ZoneInfo, hours_per_day: float) -> list[TaskSpec]:
    """The tasks of one habit; `every` is day, workday, week, month or a rule of RFC 5545 such as "FREQ=WEEKLY;BYDAY=MO".

    Days on which the project does not work are left out.
    """
    name = str(habit.get("id", "?"))
    where = f"habit '{name}'"
    for key in habit:
        if key not in KEYS:
            raise UserError(f"{where}: {UnknownName('key', str(key), list(KEYS))}")
    duration = duration_of(str(habit.get("duration", "30min")), hours_per_day, where)
    needs, ways = needs_of(str(habit.get("needs", "")), where)
    out: list[TaskSpec] = []
    days = _days(habit, project, zone, where)
    horizon = minutes_after(project.start, moment_of(max(days, default=project.start.date()), zone, where)) + 3 * 1440
    works = open_time(project.calendar_named(None), project.start, max(1, horizon))
    for day in days:
        begin = moment_of(day, zone, where)
        end = moment_of(day, zone, where, end_of_day=True)
        fixed = moment_of(f"{day} {_clock(habit['at'], where)}", zone, where) if habit.get("at") is not None else None
        if not _worked(works, *(minutes_after(project.start, m) for m in (fixed or begin, fixed or end))):
            continue
        out.append(
            TaskSpec(
                id=f"{name}-{day}",
                title=str(habit.get("title", name)),
                duration=duration,
                needs=needs,
                any_of=ways,
                release=None if fixed else begin,
                deadline=None if fixed else Deadline(at=end),
                fixed_start=fixed,
                origin=where,
            )
        )
    return out


def _clock(value: Any, where: str) -> str:
    """A time of day; YAML reads 9:30 as a number of minutes."""
    if isinstance(value, int):
        return f"{value // 60:02d}:{value % 60:02d}"
    text = str(value).strip()
    try:
        return datetime.strptime(text, "%H:%M").strftime("%H:%M")
    except ValueError as error:
        raise UserError(f"{where}: '{text}' is no time of day; write it like 09:30.") from error


def _days(habit: Mapping[str, Any], project: Project, zone: ZoneInfo, where: str) -> list[date]:
    from dateutil.rrule import rrulestr

    first = day_of(habit["from"], where) if "from" in habit else project.start.astimezone(zone).date()
    rule = RULES.get(str(habit.get("every", "week")).lower(), str(habit.get("every")))
    last = day_of(habit["until"], where) if "until" in habit else first + LONGEST
    if "until" not in habit and "count" not in habit and project.deadline is not None:
        last = min(last, project.deadline.at.astimezone(zone).date())
    try:
        found = rrulestr(rule, dtstart=datetime(first.year, first.month, first.day))
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{where}: '{rule}' is no rule; write day, workday, week, month or FREQ=WEEKLY;BYDAY=MO."
        ) from error
    begin, end = (datetime(d.year, d.month, d.day) for d in (first, last))
    days = [t.date() for t in found.between(begin, end, inc=True)]
    return days[: int(habit.get("count", MOST_TIMES))][:MOST_TIMES]


def _worked(open_: OpenTime, begin: int, end: int) -> bool:
    """Whether a minute is worked, or any between two."""
    return open_.is_open(begin) if begin == end else open_.worked(end) > open_.worked(max(0, begin))
