"""Commitments from iCalendar files: times in which people are busy."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.project import Absence
from echelon.errors import UserError
from echelon.json_text import is_list

AHEAD = timedelta(days=730)
"""How far repeated events are followed."""
MOST_EVENTS = 20_000


@dataclass(frozen=True)
class Event:
    """A time that is taken, and the names of whom it takes; none means that the file does not say."""

    absence: Absence
    names: tuple[str, ...] = ()


def read_events(path: Path, start: datetime, zone: ZoneInfo) -> list[Event]:
    """Events that take time from `start` on, repeated ones each time. Free ones and cancelled ones are left out."""
    import icalendar
    import recurring_ical_events

    try:
        calendar = icalendar.Calendar.from_ical(path.read_bytes())
        found = recurring_ical_events.of(calendar).between(start - timedelta(days=1), start + AHEAD)
    except Exception as error:  # whatever the two libraries make of a broken file
        raise UserError(f"{path.name}: this is no calendar file that can be read ({_first_line(error)}).") from error
    if calendar.name != "VCALENDAR":
        raise UserError(f"{path.name}: this is no calendar file, it begins with {calendar.name}.")
    if len(found) > MOST_EVENTS:
        raise UserError(f"{path.name}: {len(found):,} events are too many.")
    events = [_event(e, zone, path) for e in found if _takes_time(e)]
    return sorted((e for e in events if e.absence.end > start), key=lambda e: (e.absence.start, e.absence.title))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or ["unreadable"])[0][:120].rstrip(".")


def _takes_time(event: Any) -> bool:
    free = str(event.get("TRANSP", "OPAQUE")).upper() == "TRANSPARENT"
    return not free and str(event.get("STATUS", "")).upper() != "CANCELLED" and event.get("DTSTART") is not None


def _event(event: Any, zone: ZoneInfo, path: Path) -> Event:
    start, end = _moment(event.start, zone), _moment(event.end, zone)
    title = str(event.get("SUMMARY", "busy"))
    if end <= start:
        end = start + timedelta(minutes=1)
    return Event(Absence(start=start, end=end, units=1, title=title), _names(event, path))


def _moment(value: date | datetime, zone: ZoneInfo) -> datetime:
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    local = value if value.tzinfo is not None else value.replace(tzinfo=zone)
    return local.astimezone(UTC)


def _names(event: Any, path: Path) -> tuple[str, ...]:
    """Whom an event may mean: attendees, resources, the organiser, and the name of the file."""
    out: list[str] = []
    for key in ("ATTENDEE", "ORGANIZER", "RESOURCES"):
        values = event.get(key, [])
        for value in values if is_list(values) else [values]:
            out.append(str(getattr(value, "params", {}).get("CN", "")))
            text = str(value)
            out += [text.lower().removeprefix("mailto:").partition("@")[0], *(t.strip() for t in text.split(","))]
    return tuple(dict.fromkeys(n for n in [*out, path.stem] if n))
