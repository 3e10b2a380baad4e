"""What is to be scheduled: tasks, dependencies, resources, calendars, commitments. Durations are whole minutes."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from echelon.domains.planning.contracts.base import Shape
from echelon.domains.planning.contracts.calendar import ALWAYS, WorkCalendar
from echelon.domains.planning.contracts.strategy import StrategyProfile

LinkKind = Literal["FS", "SS", "FF", "SF"]
Split = Literal["calendar", "never", "anywhere"]
Minutes = Annotated[int, Field(ge=0)]


class Link(Shape):
    """A dependency on another task: finish-to-start, start-to-start, finish-to-finish or start-to-finish.

    `lag` is in minutes of the project's working time, or of the clock when `elapsed`; negative is lead time.
    """

    after: str
    kind: LinkKind = "FS"
    lag: int = 0
    elapsed: bool = False


class Need(Shape):
    """Units of a resource that a task holds from its start to its end."""

    resource: str
    units: Annotated[int, Field(ge=1)] = 1


class Estimate(Shape):
    """Three-point estimate of the working time, in minutes."""

    optimistic: Minutes
    likely: Minutes
    pessimistic: Minutes

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.optimistic <= self.likely <= self.pessimistic:
            raise ValueError("an estimate rises from optimistic over likely to pessimistic")
        return self


class Deadline(Shape):
    """Latest end. A soft one may be missed at a price for each day of the project's working time."""

    at: AwareDatetime
    hard: bool = True
    price_per_day: Annotated[float, Field(ge=0)] = 1.0


class Progress(Shape):
    """What has happened: a task with an end is finished, one with a start only has `remaining` minutes to go."""

    started: AwareDatetime
    finished: AwareDatetime | None = None
    remaining: Minutes = 0


class TaskSpec(Shape):
    """A piece of work, or with a duration of 0 a milestone.

    `duration` is working time during which all needed resources work. `any_of` lists alternatives of needs, one of
    which is chosen. `split`: "calendar" pauses while closed, "never" runs through without a pause, "anywhere" lets
    other work come in between pieces of at least `piece` minutes (work with alternatives or a fixed start stays whole).
    """

    id: str
    title: str
    duration: Minutes
    needs: tuple[Need, ...] = ()
    any_of: tuple[tuple[Need, ...], ...] = ()
    after: tuple[Link, ...] = ()
    parent: str | None = None
    calendar: str | None = None
    release: AwareDatetime | None = None
    deadline: Deadline | None = None
    fixed_start: AwareDatetime | None = None
    priority: Annotated[int, Field(ge=0, le=1000)] = 500
    split: Split = "calendar"
    piece: Annotated[int, Field(ge=1)] = 240
    estimate: Estimate | None = None
    optional: bool = False
    origin: str = ""
    progress: Progress | None = None


class Absence(Shape):
    """Time in which `units` of a resource are not there; None means the whole resource."""

    start: AwareDatetime
    end: AwareDatetime
    units: Annotated[int, Field(ge=1)] | None = None
    title: str = ""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.end <= self.start:
            raise ValueError("an absence has to end after it begins")
        return self


class Resource(Shape):
    """People or machines of one kind, `capacity` of them, with their working calendar and their absences."""

    id: str
    title: str = ""
    capacity: Annotated[int, Field(ge=1)] = 1
    calendar: str | None = None
    absences: tuple[Absence, ...] = ()
    rate_per_hour: Annotated[float, Field(ge=0)] = 0.0


class Project(Shape):
    """Everything the scheduler knows. `start` is the first minute that may be used; ids are unique."""

    schema_version: Literal[1] = 1
    title: str = "Plan"
    zone: str = "UTC"
    start: AwareDatetime
    calendar: str = "project"
    calendars: tuple[WorkCalendar, ...] = ()
    resources: tuple[Resource, ...] = ()
    tasks: tuple[TaskSpec, ...]
    strategy: StrategyProfile = StrategyProfile()
    hours_per_day: Annotated[float, Field(gt=0, le=24)] = 8.0
    slot_minutes: Annotated[int, Field(ge=1, le=1440)] | None = None
    deadline: Deadline | None = None

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        for what, names in (
            ("task", [t.id for t in self.tasks]),
            ("resource", [r.id for r in self.resources]),
            ("calendar", [c.name for c in self.calendars]),
        ):
            twice = next((n for n in names if names.count(n) > 1), None) if len(set(names)) < len(names) else None
            if twice is not None:
                raise ValueError(f"the {what} '{twice}' is there twice")
        return self

    def calendar_named(self, name: str | None) -> WorkCalendar:
        """A calendar by name; None is the project's own. Unnamed ones: office hours in the project's zone, and 24x7."""
        wanted = name or self.calendar
        for calendar in self.calendars:
            if calendar.name == wanted:
                return calendar
        if wanted == ALWAYS.name:
            return ALWAYS.model_copy(update={"zone": self.zone})
        if wanted == "project":
            return WorkCalendar(name="project", zone=self.zone)
        raise ValueError(f"the calendar '{wanted}' is not described")

    def task(self, name: str) -> TaskSpec:
        """The task with this id. Raises KeyError."""
        return next((t for t in self.tasks if t.id == name), None) or _missing(name)


def _missing(name: str) -> TaskSpec:
    raise KeyError(name)
