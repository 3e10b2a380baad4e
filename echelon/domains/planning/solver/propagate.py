"""What time alone allows: earliest and latest places of each activity, or the proof that there is none."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from echelon.domains.planning.solver.problem import Arc, Problem, Table


@dataclass(frozen=True)
class Windows:
    """Earliest start and end, latest start and end of each activity, by index."""

    first_start: list[int]
    first_end: list[int]
    last_start: list[int]
    last_end: list[int]


class Impossible(Exception):
    """No schedule fits, whatever the resources: calendars, dependencies and dates are enough to rule it out."""


class _Propagation:
    """Bounds that only tighten, until nothing changes."""

    def __init__(self, problem: Problem, ceiling: int | None) -> None:
        self.p = problem
        top = min(x for x in (problem.horizon, problem.latest, ceiling) if x is not None)
        count = len(problem.activities)
        self.fs, self.fe = [a.earliest for a in problem.activities], [0] * count
        self.ls = [top] * count
        self.le = [min(top, a.latest if a.latest is not None else top) for a in problem.activities]
        self.out: list[list[Arc]] = [[] for _ in range(count)]
        self.into: list[list[Arc]] = [[] for _ in range(count)]
        for arc in problem.arcs:
            if self._counts(arc):
                self.out[arc.source].append(arc)
                self.into[arc.target].append(arc)

    def _counts(self, arc: Arc) -> bool:
        """An arc to or from what may be left out says nothing for certain."""
        ends = (self.p.activities[arc.source], self.p.activities[arc.target])
        return all(a.droppable is None for a in ends)

    def run(self) -> Windows:
        waiting = list(range(len(self.p.activities)))
        queued = [True] * len(waiting)
        rounds = 0
        limit = 60 * len(waiting) + 40 * self.p.horizon + 1000
        while waiting:
            current = waiting.pop()
            queued[current] = False
            rounds += 1
            if rounds > limit * 4:
                raise Impossible
            self._fit(current)
            for other in self._neighbours(current):
                if not queued[other]:
                    queued[other] = True
                    waiting.insert(0, other)
        return Windows(self.fs, self.fe, self.ls, self.le)

    def _fit(self, index: int) -> None:
        """Round the bounds of one activity to entries of its tables."""
        activity = self.p.activities[index]
        lows: list[tuple[Table, int]] = []
        highs: list[tuple[Table, int]] = []
        for mode in activity.modes:
            table = self.p.tables[mode.table]
            low = max(bisect_left(table.starts, self.fs[index]), bisect_left(table.ends, self.fe[index]))
            high = min(bisect_right(table.starts, self.ls[index]), bisect_right(table.ends, self.le[index])) - 1
            if low <= high:
                lows.append((table, low))
                highs.append((table, high))
        if not lows:
            if activity.droppable is not None:
                return
            raise Impossible
        self.fs[index] = min(t.starts[i] for t, i in lows)
        self.fe[index] = min(t.ends[i] for t, i in lows)
        self.ls[index] = max(t.starts[i] for t, i in highs)
        self.le[index] = max(t.ends[i] for t, i in highs)

    def _neighbours(self, index: int) -> list[int]:
        changed: list[int] = []
        for arc in self.out[index]:
            low = mapped(self.p, arc, self.fe[index] if arc.from_end else self.fs[index])
            bounds = self.fe if arc.to_end else self.fs
            if low > bounds[arc.target]:
                bounds[arc.target] = low
                changed.append(arc.target)
        for arc in self.into[index]:
            high = unmapped(self.p, arc, self.le[index] if arc.to_end else self.ls[index])
            bounds = self.le if arc.from_end else self.ls
            if high < bounds[arc.source]:
                bounds[arc.source] = high
                changed.append(arc.source)
        return changed


def windows(problem: Problem, ceiling: int | None = None) -> Windows:
    """Bounds of all activities when nothing ends after `ceiling`. Raises Impossible."""
    return _Propagation(problem, ceiling).run()


def mapped(problem: Problem, arc: Arc, index: int) -> int:
    """Least target index that goes with a source index."""
    if arc.shift is None:
        return index + arc.lag
    return problem.shifts[arc.shift][max(0, min(index, problem.horizon))]


def unmapped(problem: Problem, arc: Arc, index: int) -> int:
    """Greatest source index that goes with a target index; -1 when none does."""
    if arc.shift is None:
        return index - arc.lag
    return bisect_right(problem.shifts[arc.shift], index) - 1


def fixed_duration(table: Table) -> int | None:
    """The duration when starts are all consecutive and every end is as far away; else None."""
    if not table.starts or table.starts[-1] - table.starts[0] != len(table.starts) - 1:
        return None
    duration = table.ends[0] - table.starts[0]
    return duration if all(e - s == duration for s, e in zip(table.starts, table.ends, strict=True)) else None
