"""Durations, dates, dependencies and needs as people write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from echelon.domains.planning.contracts.project import Link, Need
from echelon.errors import UserError

_UNITS = {"m": 1 / 60, "min": 1 / 60, "minute": 1 / 60, "h": 1.0, "hr": 1.0, "hour": 1.0, "stunde": 1.0, "std": 1.0}
_DAYS = {"d": 1, "day": 1, "t": 1, "tag": 1, "tage": 1, "w": 5, "wk": 5, "week": 5, "woche": 5, "wochen": 5}
_DURATION = re.compile(r"^\s*([+-]?\d+(?:[.,]\d+)?)\s*(e?)([a-zäöü]*?)s?\s*$", re.IGNORECASE)


def zone_named(name: str, where: str) -> ZoneInfo:
    """A time zone by its IANA name."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UserError(f"{where}: the time zone '{name}' is unknown; use a name such as 'Europe/Berlin'.") from error


def minutes_of(text: str, hours_per_day: float, where: str) -> tuple[int, bool]:
    """Minutes of a duration such as "3d", "4 h", "1.5 weeks", "2ed", and whether they are of the clock.

    A number without a unit is days. Weeks have five days, on the clock seven.
    """
    match = _DURATION.match(text)
    amount = float(match[1].replace(",", ".")) if match else 0.0
    unit, elapsed = (match[3].lower(), bool(match[2])) if match else ("?", False)
    if unit in ("", *_DAYS):
        days = _DAYS.get(unit or "d", 1)
        hours = amount * (24 * (7 if days == 5 else 1) if elapsed else days * hours_per_day)
    elif unit in _UNITS:
        hours = amount * _UNITS[unit]
    else:
        raise UserError(f"{where}: '{text}' is no duration; write it like 3d, 4h, 30min or 2w.")
    return round(hours * 60), elapsed


def duration_of(text: str, hours_per_day: float, where: str) -> int:
    """Minutes of a duration that is not negative."""
    minutes, _ = minutes_of(text, hours_per_day, where)
    if minutes < 0:
        raise UserError(f"{where}: the duration '{text.strip()}' is negative.")
    return minutes


def moment_of(value: str | date | datetime, zone: ZoneInfo, where: str, *, end_of_day: bool = False) -> datetime:
    """A moment from "2026-03-02", "2026-03-02 14:30", the same with T and an offset, or "02.03.2026"; in UTC.

    A day alone begins at its midnight, or ends there with `end_of_day`.
    """
    if isinstance(value, datetime):
        return _in_zone(value, zone, where)
    if isinstance(value, date):
        return _of_day(value, zone, end_of_day)
    text = value.strip()
    if day := _day(text, where):
        return _of_day(day, zone, end_of_day)
    try:
        return _in_zone(datetime.fromisoformat(text), zone, where)
    except ValueError as error:
        raise _no_date(text, where) from error


def _of_day(day: date, zone: ZoneInfo, end_of_day: bool) -> datetime:
    return datetime.combine(day + timedelta(days=end_of_day), time(), tzinfo=zone).astimezone(UTC)


def day_of(value: str | date, where: str) -> date:
    """A day from "2026-03-02" or "02.03.2026"."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if day := _day(value.strip(), where):
        return day
    raise _no_date(value, where)


def _day(text: str, where: str) -> date | None:
    if match := re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})", text):
        year, month, day = (int(x) for x in match.groups())
    elif match := re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", text):
        day, month, year = (int(x) for x in match.groups())
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError as error:
        raise UserError(f"{where}: the date '{text}' does not exist.") from error


def _no_date(text: str, where: str) -> UserError:
    if re.match(r"\d{4}-\d{1,2}-\d{1,2}[T ]", text):
        return UserError(f"{where}: the date '{text}' does not exist.")
    return UserError(f"{where}: '{text}' is no date; write it like 2026-03-02 or 2026-03-02 14:30.")


def _in_zone(moment: datetime, zone: ZoneInfo, where: str) -> datetime:
    """A moment without an offset is local time; one that the clock skips does not exist."""
    if moment.tzinfo is not None:
        return moment.astimezone(UTC)
    local = moment.replace(tzinfo=zone)
    if local.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != moment:
        raise UserError(
            f"{where}: {moment:%Y-%m-%d %H:%M} does not exist in {zone.key}, the clock is set forward over it; "
            "give a time before or after."
        )
    return local.astimezone(UTC)


_LINK = re.compile(r"^(?P<id>.+?)(?:(?:\s+|(?<=\d))(?P<kind>FS|SS|FF|SF))?(?:\s*(?P<lag>[+-]\s*\d[\d.,]*\s*[a-z]*))?$")


def links_of(text: str, hours_per_day: float, where: str, known: frozenset[str]) -> tuple[Link, ...]:
    """Dependencies such as "A, B SS+2d; C FF-4h": ids, a kind (FS where there is none) and a lag."""
    return tuple(
        _link(part, hours_per_day, where, known) for part in re.split(r"[,;]\s*(?!\d+\s*[a-z]*$)", text) if part.strip()
    )


def _link(part: str, hours_per_day: float, where: str, known: frozenset[str]) -> Link:
    text = part.strip()
    if text in known:
        return Link(after=text)
    match = _LINK.match(text)
    if match is None:
        raise UserError(f"{where}: '{text}' is no dependency; write it like 'A', 'A SS+2d' or 'A FF-4h'.")
    name = match["id"].strip()
    lag, elapsed = (0, False) if not match["lag"] else minutes_of(match["lag"].replace(" ", ""), hours_per_day, where)
    return Link.model_validate({"after": name, "kind": match["kind"] or "FS", "lag": lag, "elapsed": elapsed})


def needs_of(text: str, where: str) -> tuple[tuple[Need, ...], tuple[tuple[Need, ...], ...]]:
    """Needs such as "Anna; Tester x2", and alternatives "Anna | Ben": what is always held, and the ways."""
    fixed: list[Need] = []
    ways: list[tuple[Need, ...]] = []
    for part in re.split(r"[;,+]", text):
        options = [_need(p, where) for p in part.split("|") if p.strip()]
        if len(options) == 1:
            fixed.append(options[0])
        elif options:
            if ways:
                raise UserError(f"{where}: only one choice between resources is possible in '{text.strip()}'.")
            ways = [(o,) for o in options]
    return tuple(fixed), tuple(ways)


def _need(part: str, where: str) -> Need:
    match = re.fullmatch(r"\s*(.+?)(?:\s*[x×*]\s*(\d+)|\s*\((\d+)\))?\s*", part)
    assert match is not None
    units = int(match[2] or match[3] or 1)
    if units < 1:
        raise UserError(f"{where}: '{part.strip()}' asks for no unit of the resource.")
    return Need(resource=match[1], units=units)
