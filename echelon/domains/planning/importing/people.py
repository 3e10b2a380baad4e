"""Resources, working hours, habits and settings of a project from YAML."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import yaml

from echelon.domains.planning.contracts.calendar import OFFICE, CalendarException, Shift, WorkCalendar
from echelon.domains.planning.contracts.project import Absence, Resource
from echelon.domains.planning.importing.values import day_of, moment_of, zone_named
from echelon.errors import UnknownName, UserError
from echelon.json_text import is_list, is_object
from echelon.yaml_text import read_yaml

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
GERMAN = {"mo": 0, "di": 1, "mi": 2, "do": 3, "fr": 4, "sa": 5, "so": 6}
PROJECT_KEYS = (
    "title",
    "start",
    "zone",
    "hours_per_day",
    "deadline",
    "deadline_price",
    "strategy",
    "slot",
    "calendar",
    "country",
    "subdivision",
    "hours",
    "days",
    "day_price",
    "stretch",
    "buffer",
)
CALENDAR_KEYS = ("zone", "hours", "days", "country", "subdivision", "exceptions", "week")
RESOURCE_KEYS = ("id", "title", "capacity", "calendar", "absences", "rate", "share", *CALENDAR_KEYS)


@dataclass(frozen=True)
class People:
    """What a YAML file says: settings of the project, calendars, resources, habits and tasks, as written."""

    project: Mapping[str, Any]
    calendars: tuple[WorkCalendar, ...]
    resources: tuple[Resource, ...]
    habits: tuple[Mapping[str, Any], ...]
    tasks: tuple[Mapping[str, Any], ...]


def read_people(path: Path, zone: str = "UTC") -> People:
    """The content of a YAML file with any of the keys project, calendars, resources, habits, tasks."""
    name = path.name
    try:
        data = read_yaml(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        place = "" if line is None else f" (line {line + 1})"
        raise UserError(f"{name}: this is no YAML that can be read{place}.") from error
    data = _with_on(data)
    if not is_object(data):
        raise UserError(f"{name}: expected keys such as 'project', 'resources' and 'calendars'.")
    _known(data, ("project", "calendars", "resources", "habits", "tasks"), name)
    project = _mapping(data.get("project"), f"{name}: project")
    _known(project, PROJECT_KEYS, f"{name}: project")
    home = str(project.get("zone", zone))
    zone_named(home, f"{name}: project")
    calendars = [
        calendar_of(str(key), _mapping(value, f"{name}: calendar '{key}'"), home, f"{name}: calendar '{key}'")
        for key, value in _mapping(data.get("calendars"), f"{name}: calendars").items()
    ]
    resources: list[Resource] = []
    for entry in _entries(data.get("resources"), f"{name}: resources"):
        resource, own = _resource(entry, home, name, {c.name: c for c in calendars})
        resources.append(resource)
        calendars += [own] if own else []
    if set(project) & {"hours", "days", "country"} and not any(c.name == "project" for c in calendars):
        own_hours = {k: v for k, v in project.items() if k in CALENDAR_KEYS}
        calendars.append(calendar_of("project", own_hours, home, f"{name}: project"))
    habits = tuple(_entries(data.get("habits"), f"{name}: habits"))
    return People(
        project, tuple(calendars), tuple(resources), habits, tuple(_entries(data.get("tasks"), f"{name}: tasks"))
    )


def _with_on(value: Any) -> Any:
    """YAML 1.1 reads the key `on` as a truth value; give it back its name."""
    if is_object(value):
        keys: list[object] = list(value)
        return {
            ("on" if key is True else key): _with_on(entry) for key, entry in zip(keys, value.values(), strict=True)
        }
    return [_with_on(entry) for entry in value] if is_list(value) else value


def _known(data: Mapping[str, Any], names: tuple[str, ...], where: str) -> None:
    for key in data:
        if str(key) not in names:
            error = UnknownName("key", str(key), list(names))
            raise UserError(f"{where}: {error}")


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not is_object(value):
        raise UserError(f"{where}: expected keys and values.")
    return value


def _entries(value: Any, where: str) -> list[dict[str, Any]]:
    if is_object(value):
        return [{"id": str(key), **_mapping(entry, f"{where} '{key}'")} for key, entry in value.items()]
    if value is None:
        return []
    if not is_list(value) or not all(isinstance(v, dict | str) for v in value):
        raise UserError(f"{where}: expected a list of entries.")
    return [{"id": v} if isinstance(v, str) else v for v in value]


def calendar_of(name: str, data: Mapping[str, Any], zone: str, where: str) -> WorkCalendar:
    """A calendar from `zone`, `hours` ("09:00-12:00, 13:00-17:00"), `days` ("Mon-Fri"), `country` and `exceptions`."""
    _known(data, CALENDAR_KEYS, where)
    own_zone = str(data.get("zone", zone))
    zone_named(own_zone, where)
    shifts = shifts_of(data["hours"], where) if "hours" in data else OFFICE
    days = days_of(str(data.get("days", "Mon-Fri")), where)
    week = [shifts if n in days else () for n in range(7)]
    for day, hours in _mapping(data.get("week"), f"{where}: week").items():
        for number in days_of(str(day), where):
            week[number] = shifts_of(hours, where)
    country, subdivision = data.get("country"), data.get("subdivision")
    _check_country(country, subdivision, where)
    exceptions = [_exception(e, where) for e in _entries(data.get("exceptions"), f"{where}: exceptions")]
    return WorkCalendar(
        name=name,
        zone=own_zone,
        week=tuple(week),
        country=str(country) if country else None,
        subdivision=str(subdivision) if subdivision else None,
        exceptions=tuple(exceptions),
    )


def _check_country(country: Any, subdivision: Any, where: str) -> None:
    if country is None:
        return
    import holidays

    if country is False:
        raise UserError(f"{where}: the country has to be written in quotes; YAML reads NO as 'no'.")
    known = holidays.list_supported_countries()
    if str(country) not in known:
        raise UserError(f"{where}: the public holidays of '{country}' are not known; give a code such as DE or US.")
    if subdivision is not None and str(subdivision) not in known[str(country)]:
        raise UserError(
            f"{where}: '{subdivision}' is no part of {country}; known: {', '.join(known[str(country)][:20])}."
        )


def shifts_of(value: Any, where: str) -> tuple[Shift, ...]:
    """Shifts from "09:00-12:00, 13:00-17:00"; an empty text or no is closed."""
    if value in (None, False, "", "closed", "none"):
        return ()
    out: list[Shift] = []
    for part in str(value).split(","):
        match = re.fullmatch(r"\s*(\d{1,2})(?::(\d{2}))?\s*[-–]\s*(\d{1,2})(?::(\d{2}))?\s*", part)
        numbers = [int(x or 0) for x in match.groups()] if match else [99] * 4
        begin, finish = numbers[0] * 60 + numbers[1], numbers[2] * 60 + numbers[3]
        if not 0 <= begin < finish <= 1440:
            raise UserError(f"{where}: '{part.strip()}' are no working hours; write them like 09:00-17:00.")
        out.append(Shift(begin=begin, finish=finish))
    if any(a.finish > b.begin for a, b in itertools.pairwise(out)):
        raise UserError(f"{where}: the working hours '{value}' overlap.")
    return tuple(out)


def days_of(text: str, where: str) -> frozenset[int]:
    """Weekdays, Monday 0, from "Mon-Fri", "Mon, Wed" or "Mo-Do"."""
    out: set[int] = set()
    for part in text.split(","):
        first, _, last = (p.strip() for p in part.replace("–", "-").partition("-"))
        begin = _day_number(first, where)
        end = _day_number(last, where) if last else begin
        out.update((begin + n) % 7 for n in range((end - begin) % 7 + 1))
    return frozenset(out)


def _day_number(text: str, where: str) -> int:
    word = text.lower()[:3]
    if word in DAYS:
        return DAYS.index(word)
    if word[:2] in GERMAN:
        return GERMAN[word[:2]]
    raise UserError(f"{where}: '{text}' is no weekday; write Mon, Tue, Wed, Thu, Fri, Sat or Sun.")


def _exception(entry: Mapping[str, Any], where: str) -> CalendarException:
    _known(entry, ("id", "from", "to", "on", "hours", "title"), f"{where}: exceptions")
    first = day_of(entry.get("from", entry.get("on", entry.get("id", ""))), where)
    last = day_of(entry.get("to", first), where)
    if last < first:
        raise UserError(f"{where}: the exception from {first} ends before it begins.")
    return CalendarException(
        first=first, last=last, shifts=shifts_of(entry.get("hours"), where), title=str(entry.get("title", ""))
    )


def _resource(
    entry: Mapping[str, Any], zone: str, name: str, calendars: Mapping[str, WorkCalendar]
) -> tuple[Resource, WorkCalendar | None]:
    """A resource, and a calendar of its own if it says its hours itself."""
    where = f"{name}: resource '{entry.get('id', '?')}'"
    _known(entry, RESOURCE_KEYS, where)
    if "id" not in entry:
        raise UserError(f"{name}: a resource has no 'id'.")
    capacity = entry.get("capacity", 1)
    if not isinstance(capacity, int) or isinstance(capacity, bool) or capacity < 1:
        raise UserError(f"{where}: the capacity is {capacity}; it has to be a whole number of at least 1.")
    calendar, own = entry.get("calendar"), None
    hours = {k: entry[k] for k in CALENDAR_KEYS if k in entry}
    if calendar is not None and str(calendar) not in calendars and str(calendar) != "24x7":
        raise UserError(f"{where}: {UnknownName('calendar', str(calendar), list(calendars))}")
    if hours or "share" in entry:
        base = calendars.get(str(calendar)) if calendar else calendars.get("project")
        own = calendar_of(f"{entry['id']}", hours, zone, where) if hours or base is None else base
        own = _shared(own, entry.get("share", 1.0), where).model_copy(update={"name": f"hours of {entry['id']}"})
    own_zone = ZoneInfo(own.zone if own else calendars[str(calendar)].zone if str(calendar) in calendars else zone)
    absences = [_absence(a, own_zone, where) for a in _entries(entry.get("absences"), f"{where}: absences")]
    made = Resource(
        id=str(entry["id"]),
        title=str(entry.get("title", entry["id"])),
        capacity=capacity,
        calendar=own.name if own else (str(calendar) if calendar else None),
        absences=tuple(absences),
        rate_per_hour=_positive(entry.get("rate", 0), where, "rate"),
    )
    return made, own


def _positive(value: Any, where: str, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise UserError(f"{where}: the {what} is '{value}'; it has to be a number of at least 0.")
    return float(value)


def _shared(calendar: WorkCalendar, share: Any, where: str) -> WorkCalendar:
    """A part-time calendar: of each day the first part."""
    part = _positive(share, where, "share")
    if not 0 < part <= 1:
        raise UserError(f"{where}: the share is {share}; it has to be above 0 and at most 1.")
    return (
        calendar
        if part == 1
        else calendar.model_copy(update={"week": tuple(first_part(d, part) for d in calendar.week)})
    )


def first_part(day: tuple[Shift, ...], part: float) -> tuple[Shift, ...]:
    """Of the shifts of a day the first share, to five minutes."""
    left = round(sum(s.finish - s.begin for s in day) * part / 5) * 5
    out: list[Shift] = []
    for shift in day:
        length = min(left, shift.finish - shift.begin)
        if length > 0:
            out.append(Shift(begin=shift.begin, finish=shift.begin + length))
            left -= length
    return tuple(out)


def _absence(entry: Mapping[str, Any], zone: ZoneInfo, where: str) -> Absence:
    _known(entry, ("id", "from", "to", "on", "units", "title"), f"{where}: absences")
    first = entry.get("from", entry.get("on", entry.get("id", "")))
    start = moment_of(first, zone, where)
    end = moment_of(entry.get("to", first), zone, where, end_of_day=True)
    if end <= start:
        raise UserError(f"{where}: the absence from {first} ends before it begins.")
    units = entry.get("units")
    if units is not None and (not isinstance(units, int) or units < 1):
        raise UserError(f"{where}: an absence takes at least 1 unit, not {units}.")
    return Absence(start=start, end=end, units=units, title=str(entry.get("title", "")))
