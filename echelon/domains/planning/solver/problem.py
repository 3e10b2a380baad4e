"""The problem in whole numbers: what the heuristic and the solver see. Times are indexes of cells on one axis.

A start index k means the beginning of cell k, an end index k the end of cell k-1. A task chooses one entry of the
table of its mode: `starts[i]` and `ends[i]`, both rising with i; so calendars are in the tables, and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """Possible starts and their ends, by rising start."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]


@dataclass(frozen=True)
class Mode:
    """One way to do a task: a table, units of resources by index, and a price."""

    table: int
    needs: tuple[tuple[int, int], ...] = ()
    cost: int = 0


@dataclass(frozen=True)
class Due:
    """A soft deadline: each cell past `index` costs `price`."""

    index: int
    price: int


@dataclass(frozen=True)
class Activity:
    """A task, or a piece of one. `latest` bounds the end; `weight` orders the ends once the aim is reached."""

    modes: tuple[Mode, ...]
    earliest: int = 0
    latest: int | None = None
    weight: int = 1
    due: Due | None = None
    droppable: int | None = None
    """What leaving it out costs; None: it cannot be left out."""


@dataclass(frozen=True)
class Arc:
    """`target` endpoint >= f(`source` endpoint). `shift` maps source index to least target index; else + `lag`."""

    source: int
    target: int
    from_end: bool = True
    to_end: bool = False
    lag: int = 0
    shift: int | None = None


@dataclass(frozen=True)
class Store:
    """A resource: units in all, and cells [from, to) in which some of them are missing."""

    capacity: int
    dips: tuple[tuple[int, int, int], ...] = ()
    cost: int = 0


@dataclass(frozen=True)
class Problem:
    """Activities, arcs and resources on an axis of `horizon` cells.

    `shifts` are the rising maps that arcs name, one entry a source index 0..horizon; an entry above the horizon says
    that there is no such target.
    """

    horizon: int
    tables: tuple[Table, ...]
    activities: tuple[Activity, ...]
    arcs: tuple[Arc, ...]
    resources: tuple[Store, ...]
    shifts: tuple[tuple[int, ...], ...] = ()
    latest: int | None = None
    day_price: int = 1


@dataclass(frozen=True)
class Choice:
    """Where an activity lies, and in which of its modes."""

    start: int
    end: int
    mode: int = 0


@dataclass(frozen=True)
class Previous:
    """Where the activity was before; moving it costs."""

    start: int
    mode: int = 0


@dataclass(frozen=True)
class Wish:
    """What to solve for, and how long.

    aim: "makespan", "level", "late", "cost", "keep" (move as little as can be from `previous`), "any" (any
    feasible one), "drop" (leave out as little as can be) or "deadlines" (miss them by as little as can be).
    """

    aim: str = "makespan"
    seconds: float = 10.0
    longest: float | None = None
    """Seconds of the clock at most; None: as `seconds`. A steady wish that may take longer is steady on a busy machine."""
    workers: int = 2
    steady: bool = True
    """Same input, same answer: searches interleave, and work is counted instead of time."""
    ceiling: int | None = None
    previous: dict[int, Previous] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True)
class Answer:
    """What the solver found. `status`: "optimal", "feasible", "infeasible" (proven) or "unknown"."""

    status: str
    choices: tuple[Choice | None, ...] = ()
    objective: float = 0.0
    bound: float = 0.0
    seconds: float = 0.0
    first_seconds: float | None = None
    note: str = ""
