"""Sentences about what cannot be meant: unknown names, circles, dependencies on children, resources that are too small."""

from __future__ import annotations

from collections.abc import Sequence

from echelon.domains.planning.contracts.project import Project, TaskSpec
from echelon.errors import UnknownName, UserError


def check_names(tasks: Sequence[TaskSpec]) -> None:
    """Ids are there once, and dependencies are on tasks that are there."""
    seen: set[str] = set()
    known = {t.id for t in tasks}
    for task in tasks:
        if task.id in seen:
            raise UserError(f"{task.origin or 'The tasks'}: the id '{task.id}' is there twice.")
        seen.add(task.id)
    for task in tasks:
        for link in task.after:
            if link.after not in known:
                raise UserError(
                    f"{task.origin or 'The tasks'}: '{task.id}' depends on '{link.after}', which is not there."
                )
            if link.after == task.id:
                raise UserError(f"{task.origin or 'The tasks'}: '{task.id}' depends on itself.")


def check_circles(tasks: Sequence[TaskSpec]) -> None:
    """No task waits for itself over others. A negative lag may close a circle that can be kept; the solver judges that."""
    before = {t.id: [k.after for k in t.after if k.lag >= 0] for t in tasks}
    circle = find_circle(before)
    if circle:
        raise UserError(f"The tasks wait for each other in a circle: {' -> '.join(circle)}.")


def find_circle(before: dict[str, list[str]]) -> list[str]:
    """A circle as the names along it, the first one again at the end; an empty list says that there is none."""
    done: set[str] = set()
    for root in before:
        trail: list[str] = []
        on_trail: set[str] = set()
        stack: list[tuple[str, int]] = [(root, 0)]
        while stack:
            name, position = stack.pop()
            if position == 0:
                if name in done:
                    continue
                trail.append(name)
                on_trail.add(name)
            nexts = before.get(name, [])
            if position < len(nexts):
                stack.append((name, position + 1))
                following = nexts[position]
                if following in on_trail:
                    circle = [*trail[trail.index(following) :], following]
                    return circle[::-1]
                if following not in done:
                    stack.append((following, 0))
            else:
                trail.pop()
                on_trail.discard(name)
                done.add(name)
    return []


def check_family(tasks: Sequence[TaskSpec]) -> None:
    """No task depends on a part of itself, or on what it is a part of."""
    parents = {t.id: t.parent for t in tasks}
    for task in tasks:
        for link in task.after:
            if link.after in _ancestors(parents, task.id):
                raise UserError(f"'{task.id}' depends on '{link.after}', of which it is a part.")
            if task.id in _ancestors(parents, link.after):
                raise UserError(f"'{task.id}' depends on '{link.after}', which is a part of it.")
    circle = find_circle({name: [above] if above in parents else [] for name, above in parents.items() if above})
    if circle:
        raise UserError(f"The tasks are parts of each other in a circle: {' -> '.join(circle)}.")


def _ancestors(parents: dict[str, str | None], name: str) -> set[str]:
    out: set[str] = set()
    at = parents.get(name)
    while at is not None and at in parents and at not in out:
        out.add(at)
        at = parents[at]
    return out


def check_resources(project: Project) -> None:
    """Every resource that is needed is there, with units enough; every calendar that is named is described."""
    resources = {r.id: r for r in project.resources}
    for task in project.tasks:
        for need in (*task.needs, *(n for way in task.any_of for n in way)):
            if need.resource not in resources:
                raise UserError(f"'{task.id}': {UnknownName('resource', need.resource, list(resources))}")
            if need.units > resources[need.resource].capacity:
                there = resources[need.resource].capacity
                raise UserError(f"'{task.id}' needs {need.units} of '{need.resource}', of which there are {there}.")
    for name in {project.calendar, *(r.calendar for r in project.resources), *(t.calendar for t in project.tasks)} - {
        None
    }:
        try:
            project.calendar_named(name)
        except ValueError as error:
            raise UserError(f"The calendar '{name}' is not described.") from error
