"""Small projects written by hand, with dates that can be worked out on paper. Monday is 5 January 2026."""

from __future__ import annotations

from datetime import UTC, datetime

from echelon.domains.planning.contracts.project import Link, LinkKind, Need, Project, Resource, TaskSpec
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.scheduling.scheduler import Limits, schedule

DAY = 480
QUICK = Limits(seconds=2.0)


def at(day: int, hour: int, minute: int = 0) -> datetime:
    """A moment in January 2026, UTC; the 5th is a Monday."""
    return datetime(2026, 1, day, hour, minute, tzinfo=UTC)


def task(name: str, days: float, *after: str | Link, who: str | None = None, **more: object) -> TaskSpec:
    """A task of whole days after others, done by `who`."""
    links = tuple(a if isinstance(a, Link) else Link(after=a) for a in after)
    needs = (Need(resource=who),) if who else ()
    return TaskSpec.model_validate(
        {"id": name, "title": name.title(), "duration": round(days * DAY), "after": links, "needs": needs, **more}
    )


def link(after: str, kind: LinkKind, lag_days: float = 0, elapsed: bool = False) -> Link:
    """A dependency with a lag in working days, or in days of the clock."""
    return Link(after=after, kind=kind, lag=round(lag_days * (1440 if elapsed else DAY)), elapsed=elapsed)


def project(*tasks: TaskSpec, **more: object) -> Project:
    """A project from Monday on, with one person for each name that tasks ask for."""
    names = sorted({n.resource for t in tasks for n in (*t.needs, *(n for way in t.any_of for n in way))})
    given = {"resources": tuple(Resource(id=n) for n in names), **more}
    return Project.model_validate({"title": "Test", "start": at(5, 0), "tasks": tasks, **given})


def solved(made: Project) -> Schedule:
    """Its schedule; there has to be one."""
    found = schedule(made, QUICK).schedule
    assert found is not None
    return found


def span(found: Schedule, name: str) -> tuple[datetime, datetime]:
    """Start and end of a task."""
    placed = found.task(name)
    return placed.start, placed.end
