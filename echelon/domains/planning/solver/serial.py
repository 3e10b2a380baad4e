"""A serial schedule: one activity after another, each at its first free place. Sub-second, and a good start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echelon.domains.planning.solver.problem import Choice, Problem
from echelon.domains.planning.solver.propagate import Windows, mapped

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Serial:
    """Makes serial schedules of one problem. Arrays of the tables are made once."""

    def __init__(self, problem: Problem, bounds: Windows) -> None:
        import numpy as np

        self.problem, self.bounds = problem, bounds
        self.starts = [np.asarray(t.starts, dtype=np.int64) for t in problem.tables]
        self.ends = [np.asarray(t.ends, dtype=np.int64) for t in problem.tables]
        self.into: list[list[int]] = [[] for _ in problem.activities]
        self.after: list[set[int]] = [set() for _ in problem.activities]
        for number, arc in enumerate(problem.arcs):
            self.into[arc.target].append(number)
        pairs = {(arc.source, arc.target) for arc in problem.arcs}
        for arc in problem.arcs:
            lead = arc.shift is None and arc.lag < 0 and (arc.target, arc.source) in pairs
            if arc.source != arc.target and not lead:
                self.after[arc.target].add(arc.source)

    def build(self, priority: list[float]) -> list[Choice] | None:
        """The schedule in the order of `priority` (least first) as far as dependencies let it; None: it got stuck."""
        import numpy as np

        use = [np.full(self.problem.horizon + 1, 0, dtype=np.int64) for _ in self.problem.resources]
        for store, line in zip(self.problem.resources, use, strict=True):
            for begin, finish, units in store.dips:
                line[begin:finish] += units
        chosen: list[Choice | None] = [None] * len(self.problem.activities)
        for index in self.order(priority):
            place = self._place(index, chosen, use)
            if place is None:
                return None
            chosen[index] = place
            for resource, units in self.problem.activities[index].modes[place.mode].needs:
                use[resource][place.start : place.end] += units
        done = [c for c in chosen if c is not None]
        return done if len(done) == len(chosen) and self._holds(done) else None

    def order(self, priority: list[float]) -> list[int]:
        """Activities by priority, each after those it waits for; what is in a circle comes by priority alone."""
        import heapq

        waits = [len(a) for a in self.after]
        followers: list[list[int]] = [[] for _ in waits]
        for target, sources in enumerate(self.after):
            for source in sources:
                followers[source].append(target)
        heap = [(priority[i], i) for i, n in enumerate(waits) if n == 0]
        heapq.heapify(heap)
        out: list[int] = []
        seen = [False] * len(waits)
        rest = sorted(range(len(waits)), key=lambda i: (priority[i], i))
        while len(out) < len(waits):
            if not heap:
                forced = next(i for i in rest if not seen[i])
                heap = [(priority[forced], forced)]
            _, index = heapq.heappop(heap)
            if seen[index]:
                continue
            seen[index] = True
            out.append(index)
            for follower in followers[index]:
                waits[follower] -= 1
                if waits[follower] == 0:
                    heapq.heappush(heap, (priority[follower], follower))
        return out

    def _place(self, index: int, chosen: list[Choice | None], use: list[NDArray[np.int64]]) -> Choice | None:
        low_start, low_end = self.bounds.first_start[index], self.bounds.first_end[index]
        for number in self.into[index]:
            arc = self.problem.arcs[number]
            source = chosen[arc.source]
            if source is None:
                continue
            low = mapped(self.problem, arc, source.end if arc.from_end else source.start)
            if arc.to_end:
                low_end = max(low_end, low)
            else:
                low_start = max(low_start, low)
        best: Choice | None = None
        for mode in range(len(self.problem.activities[index].modes)):
            found = self._first(index, mode, low_start, low_end, use)
            if found is not None and (best is None or found.end < best.end):
                best = found
        return best

    def _first(
        self, index: int, mode_number: int, low_start: int, low_end: int, use: list[NDArray[np.int64]]
    ) -> Choice | None:
        import numpy as np

        mode = self.problem.activities[index].modes[mode_number]
        starts, ends = self.starts[mode.table], self.ends[mode.table]
        first = max(int(np.searchsorted(starts, low_start)), int(np.searchsorted(ends, low_end)))
        last = min(
            int(np.searchsorted(starts, self.bounds.last_start[index], side="right")),
            int(np.searchsorted(ends, self.bounds.last_end[index], side="right")),
        )
        step = 64 if mode.needs else last - first
        while first < last:
            upto = min(last, first + max(step, 1))
            lows, highs = starts[first:upto], ends[first:upto]
            free = self._free(mode.needs, int(lows[0]), int(highs[-1]), lows, highs, use)
            if free.any():
                at = first + int(free.argmax())
                return Choice(int(starts[at]), int(ends[at]), mode_number)
            first, step = upto, step * 2
        return None

    def _free(
        self,
        needs: tuple[tuple[int, int], ...],
        low: int,
        high: int,
        lows: NDArray[np.int64],
        highs: NDArray[np.int64],
        use: list[NDArray[np.int64]],
    ) -> NDArray[np.bool_]:
        """Which of the places [lows, highs) have room for the needs all along."""
        import numpy as np

        if not needs or high <= low:
            return np.ones(len(lows), dtype=bool)
        full = np.zeros(high - low, dtype=bool)
        for resource, units in needs:
            full |= use[resource][low:high] + units > self.problem.resources[resource].capacity
        before = np.concatenate(([0], np.cumsum(full)))
        return np.asarray(before[highs - low] == before[lows - low])

    def _holds(self, chosen: list[Choice]) -> bool:
        """Whether all arcs hold; those against the order may not."""
        for arc in self.problem.arcs:
            source, target = chosen[arc.source], chosen[arc.target]
            low = mapped(self.problem, arc, source.end if arc.from_end else source.start)
            if (target.end if arc.to_end else target.start) < low:
                return False
        return True


def by_latest_start(bounds: Windows) -> list[float]:
    """Priorities: what must start soonest comes first."""
    return [last + first / 1e6 for last, first in zip(bounds.last_start, bounds.first_start, strict=True)]


def makespan(chosen: list[Choice]) -> int:
    """The last end."""
    return max((c.end for c in chosen), default=0)
