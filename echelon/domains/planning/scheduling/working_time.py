"""Working calendars as open stretches of time, in minutes after the project's start."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from itertools import accumulate
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.calendar import MINUTES_A_DAY, Shift, WorkCalendar

Span = tuple[int, int]


@dataclass(frozen=True)
class OpenTime:
    """Disjoint open spans in order. `worked` and `reached` turn clock minutes into worked minutes and back."""

    spans: tuple[Span, ...]

    @cached_property
    def _begins(self) -> list[int]:
        return [a for a, _ in self.spans]

    @cached_property
    def _before(self) -> list[int]:
        return [0, *accumulate(b - a for a, b in self.spans)]

    def worked(self, minute: int) -> int:
        """Open minutes before `minute`."""
        at = bisect_right(self._begins, minute) - 1
        if at < 0:
            return 0
        begin, finish = self.spans[at]
        return self._before[at] + min(minute, finish) - begin

    def reached(self, work: int) -> int | None:
        """The first minute at which `work` open minutes have passed; None when the time is not long enough."""
        if work > self._before[-1]:
            return None
        at = max(0, bisect_left(self._before, work) - 1)
        if not self.spans:
            return 0
        return self.spans[at][0] + work - self._before[at]

    def is_open(self, minute: int) -> bool:
        """Whether the minute that begins at `minute` is worked."""
        at = bisect_right(self._begins, minute) - 1
        return at >= 0 and minute < self.spans[at][1]


def minutes_after(origin: datetime, moment: datetime) -> int:
    """Whole minutes from `origin` to `moment`, rounded down."""
    return int((moment - origin).total_seconds() // 60)


def open_time(calendar: WorkCalendar, origin: datetime, horizon: int) -> OpenTime:
    """The open spans of a calendar in [0, `horizon`) minutes after `origin`."""
    zone = ZoneInfo(calendar.zone)
    first = origin.astimezone(zone).date() - timedelta(days=1)
    last = (origin + timedelta(minutes=horizon)).astimezone(zone).date() + timedelta(days=1)
    closed = holidays_of(calendar, first, last)
    spans: list[Span] = []
    day = first
    while day <= last:
        for shift in shifts_on(calendar, day, closed):
            begin, finish = (_instant(day, m, zone, origin) for m in (shift.begin, shift.finish))
            spans.append((max(0, begin), min(horizon, finish)))
        day += timedelta(days=1)
    return OpenTime(tuple(merged(spans)))


def shifts_on(calendar: WorkCalendar, day: date, closed: frozenset[date]) -> tuple[Shift, ...]:
    """The shifts of one day: the last exception that names it, else none on a holiday, else the week's."""
    for exception in reversed(calendar.exceptions):
        if exception.first <= day <= exception.last:
            return exception.shifts
    return () if day in closed else calendar.week[day.weekday()]


def holidays_of(calendar: WorkCalendar, first: date, last: date) -> frozenset[date]:
    """Public holidays of the calendar's country between two days."""
    if calendar.country is None:
        return frozenset()
    import holidays

    years = range(first.year, last.year + 1)
    return frozenset(holidays.country_holidays(calendar.country, subdiv=calendar.subdivision, years=years))


def _instant(day: date, minute: int, zone: ZoneInfo, origin: datetime) -> int:
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    wall = midnight.replace(tzinfo=None) + timedelta(minutes=minute % MINUTES_A_DAY, days=minute // MINUTES_A_DAY)
    return minutes_after(origin, wall.replace(tzinfo=zone).astimezone(UTC))


def merged(spans: Iterable[Span]) -> list[Span]:
    """The union of spans, in order; empty ones are left out."""
    out: list[Span] = []
    for begin, finish in sorted(s for s in spans if s[0] < s[1]):
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], finish))
        else:
            out.append((begin, finish))
    return out


def common(one: OpenTime, other: OpenTime) -> OpenTime:
    """Time that is open in both."""
    out: list[Span] = []
    i = j = 0
    while i < len(one.spans) and j < len(other.spans):
        begin, finish = max(one.spans[i][0], other.spans[j][0]), min(one.spans[i][1], other.spans[j][1])
        if begin < finish:
            out.append((begin, finish))
        if one.spans[i][1] < other.spans[j][1]:
            i += 1
        else:
            j += 1
    return OpenTime(tuple(out))


def without(open_: OpenTime, closed: Iterable[Span]) -> OpenTime:
    """Open time less some spans."""
    gaps = merged(closed)
    out: list[Span] = []
    for begin, finish in open_.spans:
        at = begin
        for a, b in gaps:
            if b <= at or a >= finish:
                continue
            if a > at:
                out.append((at, a))
            at = max(at, b)
        if at < finish:
            out.append((at, finish))
    return OpenTime(tuple(out))
