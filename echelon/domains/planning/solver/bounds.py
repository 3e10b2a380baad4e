"""A lower bound on the last end from the work that waits for each resource: no solver needed."""

from __future__ import annotations

from echelon.domains.planning.solver.problem import Mode, Problem, Table
from echelon.domains.planning.solver.propagate import Windows


def lower_bound(problem: Problem, bounds: Windows) -> int:
    """The least last end that time and each resource's work allow.

    Of each resource: the work that cannot start before some index, divided among the units that are open from there on.
    """
    longest = max(bounds.first_end, default=0)
    return max([longest, *(_of_resource(problem, bounds, r) for r in range(len(problem.resources)))])


def _of_resource(problem: Problem, bounds: Windows, resource: int) -> int:
    users = [i for i, a in enumerate(problem.activities) if a.droppable is None and _demand(a.modes, resource) > 0]
    if not users:
        return 0
    open_cells = _open(problem, resource, users)
    best = 0
    for head in sorted({bounds.first_start[i] for i in users})[:40]:
        late = [i for i in users if bounds.first_start[i] >= head]
        work = sum(_demand(problem.activities[i].modes, resource) * _shortest(problem, i, resource) for i in late)
        end = _filled(open_cells, head, work)
        best = max(best, end)
    return best


def _demand(modes: tuple[Mode, ...], resource: int) -> int:
    return min(dict(mode.needs).get(resource, 0) for mode in modes)


def _shortest(problem: Problem, index: int, resource: int) -> int:
    """Cells of the table's own working time that the activity holds the resource at least."""
    out: list[int] = []
    for mode in problem.activities[index].modes:
        table = problem.tables[mode.table]
        out.append(min((e - s for s, e in zip(table.starts, table.ends, strict=True)), default=0))
    return min(out, default=0)


def _open(problem: Problem, resource: int, users: list[int]) -> list[int]:
    """Units that are there in each cell, 0 where no user of the resource can begin a cell of work."""
    used = {mode.table for index in users for mode in problem.activities[index].modes}
    worked = {cell for number in used for cell in _worked(problem.tables[number])}
    store = problem.resources[resource]
    units = [store.capacity if cell in worked else 0 for cell in range(problem.horizon)]
    for begin, finish, missing in store.dips:
        for cell in range(begin, min(finish, problem.horizon)):
            units[cell] = max(0, units[cell] - missing)
    return units


def _worked(table: Table) -> set[int]:
    """Cells in which somebody works by this table. Where it pauses, starts and last cells tell."""
    shortest = min((e - s for s, e in zip(table.starts, table.ends, strict=True)), default=0)
    cells = set(table.starts) | {e - 1 for e in table.ends}
    for start, end in zip(table.starts, table.ends, strict=True):
        if end - start == shortest:
            cells.update(range(start, end))
    return cells


def _filled(units: list[int], head: int, work: int) -> int:
    left = work
    for cell in range(head, len(units)):
        left -= units[cell]
        if left <= 0:
            return cell + 1
    return len(units)
