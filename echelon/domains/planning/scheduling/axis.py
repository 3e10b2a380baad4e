"""The axis: all time that anybody works, cut into cells. In one cell each calendar is open throughout or closed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

from echelon.domains.planning.scheduling.working_time import OpenTime, Span, merged
from echelon.domains.planning.solver.problem import Table


@dataclass(frozen=True)
class Axis:
    """Cells in order, in minutes after the project's start."""

    cells: tuple[Span, ...]

    @cached_property
    def begins(self) -> list[int]:
        """Begin of each cell."""
        return [a for a, _ in self.cells]

    @cached_property
    def finishes(self) -> list[int]:
        """Finish of each cell."""
        return [b for _, b in self.cells]

    def start_minute(self, index: int) -> int:
        """The moment of a start index."""
        return self.cells[index][0] if index < len(self.cells) else self.cells[-1][1]

    def end_minute(self, index: int) -> int:
        """The moment of an end index; 0 is the project's start."""
        return self.cells[index - 1][1] if index > 0 else 0

    def first_start(self, minute: int) -> int:
        """The least index that starts at `minute` or later."""
        return bisect_left(self.begins, minute)

    def first_end(self, minute: int) -> int:
        """The least index whose end is at `minute` or later."""
        return 0 if minute <= 0 else bisect_left(self.finishes, minute) + 1

    def last_end(self, minute: int) -> int:
        """The greatest index whose end is at `minute` or before."""
        return bisect_right(self.finishes, minute)


def make_axis(calendars: list[OpenTime], cuts: set[int], slot: int) -> Axis:
    """Cells of at most `slot` minutes over the union of the calendars, cut wherever one of them opens or closes."""
    edges = sorted({edge for c in calendars for span in c.spans for edge in span} | cuts)
    cells: list[Span] = []
    for begin, finish in merged(span for c in calendars for span in c.spans):
        inner = [begin, *edges[bisect_right(edges, begin) : bisect_left(edges, finish)], finish]
        for a, b in pairwise(inner):
            cells += [(at, min(at + slot, b)) for at in range(a, b, slot)]
    return Axis(tuple(cells))


def table_of(axis: Axis, open_: OpenTime, work: int, unbroken: bool) -> Table:
    """All places for `work` minutes of open time: it starts with an open cell, and its last cell is used up.

    `unbroken` allows only places without a pause, and a pause is any time of the clock that is not open.
    """
    if work == 0:
        every = tuple(range(len(axis.cells) + 1))
        return Table(every, every)
    opened = _open_cells(axis, open_)
    done = [0, *accumulate(axis.cells[c][1] - axis.cells[c][0] for c in opened)]
    starts: list[int] = []
    ends: list[int] = []
    for number, cell in enumerate(opened):
        last = bisect_left(done, done[number] + work) - 1
        if last >= len(opened):
            break
        end = opened[last]
        if unbroken and axis.cells[end][1] - axis.cells[cell][0] != done[last + 1] - done[number]:
            continue
        starts.append(cell)
        ends.append(end + 1)
    return Table(tuple(starts), tuple(ends))


def _open_cells(axis: Axis, open_: OpenTime) -> list[int]:
    out: list[int] = []
    for begin, finish in open_.spans:
        out += range(bisect_left(axis.begins, begin), bisect_right(axis.finishes, finish))
    return out
