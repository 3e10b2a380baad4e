"""Commitments that bind nobody in particular: their times are taken out of the working hours."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.calendar import CalendarException, Shift, WorkCalendar
from echelon.domains.planning.contracts.project import Absence
from echelon.domains.planning.scheduling.working_time import holidays_of, shifts_on


def carved(calendar: WorkCalendar, busy: list[Absence]) -> WorkCalendar:
    """A calendar without the times that are taken: days of their own, with the hours that are left."""
    zone = ZoneInfo(calendar.zone)
    days: dict[date, list[Shift]] = {}
    closed: frozenset[date] = frozenset()
    if busy:
        closed = holidays_of(calendar, min(b.start for b in busy).date(), max(b.end for b in busy).date())
    for absence in busy:
        start, end = absence.start.astimezone(zone), absence.end.astimezone(zone)
        for n in range((end.date() - start.date()).days + 1):
            day = start.date() + timedelta(days=n)
            begin = start.hour * 60 + start.minute if n == 0 else 0
            finish = end.hour * 60 + end.minute if day == end.date() else 1440
            left = days.get(day, list(shifts_on(calendar, day, closed)))
            days[day] = [s for shift in left for s in _without(shift, begin, finish)]
    more = [CalendarException(first=d, last=d, shifts=tuple(left), title="taken") for d, left in sorted(days.items())
            if tuple(left) != shifts_on(calendar, d, closed)]  # fmt: skip
    return calendar.model_copy(update={"exceptions": (*calendar.exceptions, *more)}) if more else calendar


def _without(shift: Shift, begin: int, finish: int) -> list[Shift]:
    parts = ((shift.begin, min(shift.finish, begin)), (max(shift.begin, finish), shift.finish))
    return [Shift(begin=a, finish=b) for a, b in parts if a < b]
