"""Who waits for whom in a schedule: dependencies, and the order in which tasks use each unit of a resource."""

from __future__ import annotations

from collections.abc import Sequence

from echelon.domains.planning.solver.problem import Arc, Choice, Problem


def resource_arcs(problem: Problem, choices: Sequence[Choice]) -> list[Arc]:
    """Finish-to-start arcs along which units pass from task to task; with them, the order on resources stays."""
    out: list[Arc] = []
    held = [_needs(problem, i, c) for i, c in enumerate(choices)]
    for resource, store in enumerate(problem.resources):
        users = sorted((i for i, n in enumerate(held) if n.get(resource)), key=lambda i: (choices[i].start, i))
        out += _chains(users, [held[i][resource] for i in users], choices, store.capacity)
    return out


def _needs(problem: Problem, index: int, choice: Choice) -> dict[int, int]:
    return dict(problem.activities[index].modes[choice.mode].needs)


def _chains(users: list[int], units: list[int], choices: Sequence[Choice], capacity: int) -> list[Arc]:
    """Hand each user units that are free by its start, those that came free last first."""
    free: list[tuple[int, int | None]] = [(0, None)] * capacity
    arcs: dict[tuple[int, int], Arc] = {}
    for user, wanted in zip(users, units, strict=True):
        choice = choices[user]
        able = sorted((u for u in free if u[0] <= choice.start), key=lambda u: -u[0])[:wanted]
        for unit in able:
            free.remove(unit)
            if unit[1] is not None:
                arcs[unit[1], user] = Arc(unit[1], user)
        free += [(choice.end, user)] * len(able)
    return list(arcs.values())
