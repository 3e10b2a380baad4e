"""Working time: shifts of a week, holidays, exceptions. Local times of one zone; daylight saving moves them."""

from __future__ import annotations

import itertools
from datetime import date
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator

from echelon.domains.planning.contracts.base import Shape

MINUTES_A_DAY = 1440
Minute = Annotated[int, Field(ge=0, le=MINUTES_A_DAY)]


class Shift(Shape):
    """Working time on one day, in minutes after local midnight; `finish` is not worked any more."""

    begin: Minute
    finish: Minute

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.finish <= self.begin:
            raise ValueError("a shift has to end after it begins")
        return self


class CalendarException(Shape):
    """Days, first and last included, on which `shifts` hold instead of the week's; none means closed."""

    first: date
    last: date
    shifts: tuple[Shift, ...] = ()
    title: str = ""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.last < self.first:
            raise ValueError(f"the exception from {self.first} ends before it begins")
        return self


OFFICE = (Shift(begin=540, finish=1020),)
NEVER: tuple[Shift, ...] = ()


class WorkCalendar(Shape):
    """When work is done.

    `week` has the shifts of Monday to Sunday. `country` (ISO 3166, with `subdivision`) closes its public holidays.
    """

    name: str
    zone: str = "UTC"
    week: tuple[tuple[Shift, ...], ...] = (OFFICE, OFFICE, OFFICE, OFFICE, OFFICE, NEVER, NEVER)
    country: str | None = None
    subdivision: str | None = None
    exceptions: tuple[CalendarException, ...] = ()

    @field_validator("week")
    @classmethod
    def _seven_days(cls, week: tuple[tuple[Shift, ...], ...]) -> tuple[tuple[Shift, ...], ...]:
        if len(week) != 7:
            raise ValueError("a week has seven days")
        for day in week:
            if any(a.finish > b.begin for a, b in itertools.pairwise(day)):
                raise ValueError("the shifts of a day follow each other")
        return week


ALWAYS_NAME = "24x7"
_ALWAYS = (Shift(begin=0, finish=MINUTES_A_DAY),)
ALWAYS = WorkCalendar(name=ALWAYS_NAME, week=(_ALWAYS,) * 7)
"""The calendar of what goes on day and night, such as concrete that cures."""
