"""A schedule as an iCalendar file: one event a task, one without length a milestone."""

from __future__ import annotations

from datetime import UTC

from echelon.digest import digest
from echelon.domains.planning.contracts.schedule import Schedule


def to_ics(schedule: Schedule) -> bytes:
    """Events in UTC with stable ids; the stamp is the plan's start, so that the same plan is the same file."""
    from icalendar import Calendar, Event

    calendar = Calendar()
    calendar.add("prodid", "-//Echelon//Plan//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", schedule.project)
    for task in schedule.tasks:
        event = Event()
        event.add("uid", f"{digest([schedule.project, task.id])[:24]}@echelon")
        event.add("dtstamp", schedule.start.astimezone(UTC))
        event.add("summary", task.title)
        event.add("dtstart", task.start.astimezone(UTC))
        event.add("dtend", task.end.astimezone(UTC))
        who = ", ".join(f"{n.resource} x{n.units}" if n.units > 1 else n.resource for n in task.needs)
        event.add("description", "; ".join(x for x in (f"id {task.id}", who, "critical" if task.critical else "") if x))
        if task.needs:
            event.add("resources", [n.resource for n in task.needs])
        calendar.add_component(event)
    return bytes(calendar.to_ical())
