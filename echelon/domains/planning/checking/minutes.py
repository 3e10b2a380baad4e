"""Calendars minute by minute, for the checker only. It shares no code with what makes schedules, on purpose."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.calendar import WorkCalendar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Minutes:
    """One flag a minute from `start` on: is it worked?"""

    def __init__(self, start: datetime, count: int) -> None:
        self.start, self.count = start.astimezone(UTC), count

    def at(self, moment: datetime) -> int:
        """The number of the minute that begins at a moment."""
        seconds = (moment.astimezone(UTC) - self.start).total_seconds()
        return round(seconds) // 60

    def open(self, calendar: WorkCalendar) -> NDArray[np.bool_]:
        """The flags of a calendar."""
        import numpy as np

        flags = np.zeros(self.count, dtype=bool)
        zone = ZoneInfo(calendar.zone)
        today = self.start.astimezone(zone).date() - timedelta(days=2)
        until = (self.start + timedelta(minutes=self.count)).astimezone(zone).date() + timedelta(days=2)
        free = _free_days(calendar, today.year, until.year)
        while today <= until:
            hours = calendar.week[today.weekday()]
            if today in free:
                hours = ()
            for special in calendar.exceptions:
                if special.first <= today <= special.last:
                    hours = special.shifts
            for shift in hours:
                begin, finish = self._edge(today, shift.begin, zone), self._edge(today, shift.finish, zone)
                flags[max(0, begin) : max(0, finish)] = True
            today += timedelta(days=1)
        return flags

    def _edge(self, day: date, minute: int, zone: ZoneInfo) -> int:
        if minute == 1440:
            day, minute = day + timedelta(days=1), 0
        return self.at(datetime.combine(day, time(minute // 60, minute % 60), tzinfo=zone))


def _free_days(calendar: WorkCalendar, first: int, last: int) -> set[date]:
    if not calendar.country:
        return set()
    from holidays import country_holidays

    found = country_holidays(calendar.country, subdiv=calendar.subdivision, years=list(range(first, last + 1)))
    return set(found.keys())
