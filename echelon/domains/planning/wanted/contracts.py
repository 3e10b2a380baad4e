"""What a goal asks for, as it was read by rule."""

from __future__ import annotations

from datetime import date

from echelon.domains.planning.contracts.base import Shape


class Away(Shape):
    """Days on which somebody is not there; nobody named means that nothing is done at all."""

    who: str = ""
    first: date
    last: date


class Due(Shape):
    """A part that is to be ready by a day: the words of the sentence, and the day."""

    says: str
    by: date


class Length(Shape):
    """What a goal says of how long something takes, at least."""

    what: str
    minutes: int
    says: str


class Event(Shape):
    """The weekdays, Monday 0, on one of which what the goal is about takes place, and the words that say so."""

    weekdays: tuple[int, ...]
    says: str


class Wanted(Shape):
    """Everything that was read. `heard` are the sentences that are held, `unread` those that speak of time, people or
    money and that no rule understands."""

    deadline: date | None = None
    is_hard: bool = True
    start: date | None = None
    closed: tuple[int, ...] = ()
    """Weekdays, Monday 0, on which nothing is done"""
    only: tuple[int, ...] = ()
    """The only weekdays on which something is done; empty: as the calendars say"""
    event: Event | None = None
    hours_a_week: float | None = None
    hours_a_day: float | None = None
    people: int | None = None
    team: tuple[str, ...] = ()
    away: tuple[Away, ...] = ()
    budget: float | None = None
    strategy: str = ""
    dues: tuple[Due, ...] = ()
    lengths: tuple[Length, ...] = ()
    things: tuple[str, ...] = ()
    """Parts that the goal lists"""
    is_in_order: bool = False
    heard: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
