"""Better serial schedules: there and back again. Each pass pushes everything to one end of the axis, then to the other."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from echelon.domains.planning.solver.problem import Activity, Arc, Choice, Problem, Store, Table, Wish
from echelon.domains.planning.solver.propagate import Windows, unmapped
from echelon.domains.planning.solver.serial import Serial, by_latest_start, makespan

Found = Callable[[list[Choice]], None]
TRIES, WORK = 60, 600.0
"""Most tries, and activities placed by tries for a second; counted, so that the same input gives the same plan."""

SHARE = 0.4
"""Part of the time that is spent here at most."""


class Improver:
    """Serial schedules of a problem and of its mirror image (forward-backward improvement, Tormos and Lova 2001)."""

    def __init__(self, problem: Problem, bounds: Windows) -> None:
        self.top, self.bounds = problem.horizon, bounds
        self.forward = Serial(problem, bounds)
        self.backward = Serial(mirrored(problem), _mirrored_windows(bounds, problem.horizon))

    def run(self, wish: Wish, floor: int = 0, found: Found = lambda _: None) -> list[Choice] | None:
        """The best schedule of as many tries as the wish's seconds are worth; it stops at `floor`, the least of all."""
        stop = time.monotonic() + (wish.longest or wish.seconds) * SHARE
        rng, base = random.Random(wish.seed), by_latest_start(self.bounds)
        spread = (max(base, default=0.0) - min(base, default=0.0)) or 1.0
        best: list[Choice] | None = None
        order = base
        for attempt in range(max(3, min(TRIES, int(WORK * wish.seconds / max(1, len(base)))))):
            noise = 0.0 if attempt == 0 else 0.02 + 0.05 * (attempt % 5)
            built = self._polished([value + rng.gauss(0.0, noise * spread) for value in order])
            if built is not None and (best is None or makespan(built) < makespan(best)):
                best, order = built, [float(c.start) for c in built]
                found(best)
            if time.monotonic() > stop or (best is not None and makespan(best) <= floor):
                break
        return best

    def _polished(self, order: list[float]) -> list[Choice] | None:
        best = self.forward.build(order)
        while best is not None:
            back = self.backward.build([float(self.top - c.end) for c in best])
            again = back and self.forward.build([float(self.top - c.end) for c in back])
            if not again or makespan(again) >= makespan(best):
                break
            best = again
        return best


def mirrored(problem: Problem) -> Problem:
    """The same problem with time running backwards: index k becomes `horizon` - k."""
    top = problem.horizon
    return Problem(
        horizon=top,
        tables=tuple(
            Table(tuple(top - e for e in reversed(t.ends)), tuple(top - s for s in reversed(t.starts)))
            for t in problem.tables
        ),
        activities=tuple(Activity(a.modes) for a in problem.activities),
        arcs=tuple(_turned(a) for a in problem.arcs),
        resources=tuple(
            Store(r.capacity, tuple((top - f, top - b, u) for b, f, u in r.dips)) for r in problem.resources
        ),
        shifts=tuple(_inverse(problem, number) for number in range(len(problem.shifts))),
    )


def _turned(arc: Arc) -> Arc:
    return Arc(arc.target, arc.source, not arc.to_end, not arc.from_end, arc.lag, arc.shift)


def _inverse(problem: Problem, number: int) -> tuple[int, ...]:
    probe, top = Arc(0, 0, shift=number), problem.horizon
    return tuple(top - unmapped(problem, probe, top - index) for index in range(top + 1))


def _mirrored_windows(bounds: Windows, top: int) -> Windows:
    return Windows(
        [top - x for x in bounds.last_end],
        [top - x for x in bounds.last_start],
        [top - x for x in bounds.first_end],
        [top - x for x in bounds.first_start],
    )
