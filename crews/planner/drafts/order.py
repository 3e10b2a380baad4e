"""The order in which a goal lists its parts, where it says that it is one."""

from __future__ import annotations

import itertools

from echelon.domains.planning.contracts.project import Link, TaskSpec
from echelon.domains.planning.wanted.contracts import Wanted
from echelon.domains.planning.wanted.words import names_any

SAYS = "The parts come in the order in which the goal lists them."


def sorted_by_goal(tasks: list[TaskSpec], wanted: Wanted) -> list[TaskSpec]:
    """Tasks that nobody linked yet: those that do a part of the goal change places until the parts are in order."""
    parts = {t.id: _part(t, wanted) for t in tasks}
    places = [n for n, t in enumerate(tasks) if parts[t.id] is not None]
    out = list(tasks)
    for place, task in zip(places, sorted((tasks[n] for n in places), key=lambda t: parts[t.id] or 0), strict=True):
        out[place] = task
    return out


def linked_by_goal(tasks: list[TaskSpec], wanted: Wanted) -> list[TaskSpec]:
    """Each task of a part waits for those of the part before it; what would make a circle is left to the grammar."""
    if not wanted.is_in_order:
        return tasks
    parts = [[t.id for t in tasks if t.duration and _part(t, wanted) == n] for n in range(len(wanted.things))]
    links = {later: before for before, after in itertools.pairwise(p for p in parts if p) for later in after}
    return [t.model_copy(update={"after": _more(t, links.get(t.id, []))}) for t in tasks]


def _more(task: TaskSpec, before: list[str]) -> tuple[Link, ...]:
    known = {k.after for k in task.after if k.kind == "FS" and k.lag >= 0}
    return (*task.after, *(Link(after=name) for name in before if name not in known))


def _part(task: TaskSpec, wanted: Wanted) -> int | None:
    """The one part of the goal that a task does; None where it does none, or several."""
    found = [n for n, thing in enumerate(wanted.things) if names_any(task.title, thing)]
    return found[0] if len(found) == 1 else None
