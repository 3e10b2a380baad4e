"""What a person could take back: deadlines, dates, dependencies, absences, and that there are no more of a resource."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.project import Link, Project, Resource, TaskSpec


@dataclass(frozen=True)
class Fact:
    """One constraint of a project. `kind`: deadline, project deadline, release, fixed, link, capacity or absence."""

    kind: str
    subject: str
    number: int = 0


def facts_of(project: Project) -> list[Fact]:
    """All facts, those that people take back most readily last."""
    out = [Fact("link", t.id, n) for t in project.tasks for n in range(len(t.after))]
    out += [Fact("capacity", r.id) for r in project.resources]
    out += [Fact("absence", r.id, n) for r in project.resources for n in range(len(r.absences))]
    out += [Fact("release", t.id) for t in project.tasks if t.release is not None]
    out += [Fact("fixed", t.id) for t in project.tasks if t.fixed_start is not None]
    out += [Fact("deadline", t.id) for t in project.tasks if t.deadline is not None and t.deadline.hard]
    if project.deadline is not None and project.deadline.hard:
        out.append(Fact("project deadline", project.title))
    return out


def without(project: Project, dropped: Collection[Fact]) -> Project:
    """The project without some of its facts."""
    gone = frozenset(dropped)
    if not gone:
        return project
    names = {f.subject for f in gone}
    return project.model_copy(
        update={
            "tasks": tuple(_task(t, gone) if t.id in names else t for t in project.tasks),
            "resources": tuple(_resource(r, gone, project) if r.id in names else r for r in project.resources),
            "deadline": None if Fact("project deadline", project.title) in gone else project.deadline,
        }
    )


def _task(task: TaskSpec, gone: frozenset[Fact]) -> TaskSpec:
    return task.model_copy(
        update={
            "after": tuple(k for n, k in enumerate(task.after) if Fact("link", task.id, n) not in gone),
            "release": None if Fact("release", task.id) in gone else task.release,
            "fixed_start": None if Fact("fixed", task.id) in gone else task.fixed_start,
            "deadline": None if Fact("deadline", task.id) in gone else task.deadline,
        }
    )


def _resource(resource: Resource, gone: frozenset[Fact], project: Project) -> Resource:
    absences = tuple(a for n, a in enumerate(resource.absences) if Fact("absence", resource.id, n) not in gone)
    capacity = resource.capacity
    if Fact("capacity", resource.id) in gone:
        capacity = max(capacity, sum(most_units(t, resource.id) for t in project.tasks))
        absences = tuple(a.model_copy(update={"units": a.units or capacity}) for a in absences)
    return resource.model_copy(update={"capacity": capacity, "absences": absences})


def most_units(task: TaskSpec, resource: str) -> int:
    """Units of a resource that a task may hold at most."""
    own = sum(n.units for n in task.needs if n.resource == resource)
    return own + max((sum(n.units for n in way if n.resource == resource) for way in task.any_of), default=0)


def sentence(project: Project, fact: Fact) -> str:
    """The fact in words."""
    zone = ZoneInfo(project.zone)
    if fact.kind == "project deadline":
        assert project.deadline is not None
        return f"everything has to be done by {project.deadline.at.astimezone(zone):%Y-%m-%d %H:%M}"
    if fact.kind in ("capacity", "absence"):
        resource = next(r for r in project.resources if r.id == fact.subject)
        if fact.kind == "capacity":
            return f"there is no more than {resource.capacity} of '{resource.id}' at once"
        absence = resource.absences[fact.number]
        start, end = (f"{m.astimezone(zone):%Y-%m-%d %H:%M}" for m in (absence.start, absence.end))
        return f"'{resource.id}' is away from {start} to {end}" + (f" ({absence.title})" if absence.title else "")
    task = project.task(fact.subject)
    if fact.kind == "link":
        return f"'{task.title}' {_link(task.after[fact.number], project)}"
    moments = {"release": task.release, "fixed": task.fixed_start, "deadline": task.deadline and task.deadline.at}
    moment = moments[fact.kind]
    verb = {"release": "may not start before", "fixed": "starts exactly on", "deadline": "has to end by"}[fact.kind]
    return f"'{task.title}' {verb} {moment.astimezone(zone):%Y-%m-%d %H:%M}" if moment else ""


def _link(link: Link, project: Project) -> str:
    verbs = {"FS": "starts after the end of", "SS": "starts after the start of", "FF": "ends after the end of",
             "SF": "ends after the start of"}  # fmt: skip
    lag = f" {link.lag / 60:+g} {'hours of the clock' if link.elapsed else 'working hours'}" if link.lag else ""
    return f"{verbs[link.kind]} '{project.task(link.after).title}'{lag}"
