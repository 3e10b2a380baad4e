"""A schedule as an iCalendar file: one event a task, one without length a milestone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import TYPE_CHECKING, Any

from echelon.digest import digest
from echelon.domains.planning.contracts.schedule import Schedule, ScheduledTask

if TYPE_CHECKING:
    from icalendar import Component


def to_ics(schedule: Schedule) -> bytes:
    """Events in UTC with stable ids; the stamp is the plan's start, so that the same plan is the same file."""
    from icalendar import Calendar, Event

    calendar = Calendar()
    _fill(calendar, {"prodid": "-//Echelon//Plan//EN", "version": "2.0", "x-wr-calname": schedule.project})
    for task in schedule.tasks:
        event = Event()
        _fill(event, _said(schedule, task))
        calendar.add_component(event)
    return bytes(calendar.to_ical())


def _said(schedule: Schedule, task: ScheduledTask) -> dict[str, Any]:
    who = ", ".join(f"{n.resource} x{n.units}" if n.units > 1 else n.resource for n in task.needs)
    said = {
        "uid": f"{digest([schedule.project, task.id])[:24]}@echelon",
        "dtstamp": schedule.start.astimezone(UTC),
        "summary": task.title,
        "dtstart": task.start.astimezone(UTC),
        "dtend": task.end.astimezone(UTC),
        "description": "; ".join(x for x in (f"id {task.id}", who, "critical" if task.critical else "") if x),
    }
    return said | ({"resources": [n.resource for n in task.needs]} if task.needs else {})


def _fill(component: Component, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        component.add(name, value)  # pyright: ignore[reportUnknownMemberType]  # icalendar gives `value` no type
