"""When each task is done, by whom, how sure it is, and how good the plan is."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime

from echelon.domains.planning.contracts.base import Shape
from echelon.domains.planning.contracts.project import Need

Quality = Literal["optimal", "feasible"]


class Piece(Shape):
    """An unbroken part of a task that may be split anywhere."""

    start: AwareDatetime
    end: AwareDatetime


class ScheduledTask(Shape):
    """One task in time. `slack` is the project's working time in minutes by which it may slip alone."""

    id: str
    title: str
    start: AwareDatetime
    end: AwareDatetime
    zone: str
    needs: tuple[Need, ...] = ()
    slack: int = 0
    critical: bool = False
    done: bool = False
    pieces: tuple[Piece, ...] = ()


class Confidence(Shape):
    """End dates that are kept with 50, 80 and 95 per cent, and the tasks that drive them."""

    p50: AwareDatetime
    p80: AwareDatetime
    p95: AwareDatetime
    samples: int
    drivers: tuple[str, ...] = ()


class Schedule(Shape):
    """A schedule of a project; `bound` is the earliest end that is not ruled out, in the same measure as `end`."""

    schema_version: Literal[1] = 1
    project: str
    zone: str
    start: AwareDatetime
    end: AwareDatetime
    tasks: tuple[ScheduledTask, ...]
    quality: Quality
    gap: float = 0.0
    bound_end: AwareDatetime | None = None
    slot_minutes: int
    cost: float = 0.0
    buffer_end: AwareDatetime | None = None
    """A schedule that starts as late as it can is kept free from its end to here, for what takes longer."""
    confidence: Confidence | None = None
    assumptions: tuple[str, ...] = ()

    def task(self, name: str) -> ScheduledTask:
        """The task with this id. Raises KeyError."""
        for task in self.tasks:
            if task.id == name:
                return task
        raise KeyError(name)
