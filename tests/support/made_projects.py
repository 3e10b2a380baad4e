"""Projects made from a seed: zones, holidays, absences, alternatives, all four links with lags, splits, soft deadlines."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from echelon.domains.planning.contracts.calendar import ALWAYS_NAME, Shift, WorkCalendar
from echelon.domains.planning.contracts.project import (
    Absence,
    Deadline,
    Link,
    LinkKind,
    Need,
    Project,
    Resource,
    TaskSpec,
)
from echelon.domains.planning.contracts.strategy import Strategy, StrategyProfile

ZONES: dict[str, tuple[str, str | None]] = {
    "Europe/Berlin": ("DE", "BE"),
    "America/New_York": ("US", None),
    "Asia/Kolkata": ("IN", None),
}
LUNCH = (Shift(begin=540, finish=720), Shift(begin=780, finish=1020))
HOUR, DAY = 60, 480
KINDS: list[LinkKind] = ["FS", "FS", "FS", "SS", "FF", "SF"]


def made_project(seed: int, size: int = 12) -> Project:
    """A small project with a bit of everything. It may be impossible only by links that contradict each other."""
    rng = random.Random(seed)
    zones = rng.sample(list(ZONES), rng.choice([1, 1, 2, 3]))
    calendars = tuple(_calendar(rng, zone) for zone in zones)
    start = datetime(2026, 3, rng.randint(16, 27), rng.choice([0, 7, 8]), tzinfo=UTC)
    resources = tuple(_resource(rng, n, start, calendars) for n in range(rng.randint(1, 4)))
    return Project(
        title=f"project {seed}",
        zone=zones[0],
        start=start,
        calendar=calendars[0].name,
        calendars=calendars,
        resources=resources,
        tasks=tuple(_task(rng, n, start, resources) for n in range(size)),
        strategy=StrategyProfile(aim=rng.choice(list(Strategy))),
    )


def _calendar(rng: random.Random, zone: str) -> WorkCalendar:
    country, subdivision = ZONES[zone]
    week = WorkCalendar(name=zone).week
    if rng.random() < 0.3:
        week = (*(LUNCH for _ in range(5)), (), ())
    closed = rng.random() < 0.7
    return WorkCalendar(
        name=zone,
        zone=zone,
        week=week,
        country=country if closed else None,
        subdivision=subdivision if closed else None,
    )


def _resource(rng: random.Random, number: int, start: datetime, calendars: tuple[WorkCalendar, ...]) -> Resource:
    absences = []
    if rng.random() < 0.4:
        begin = start + timedelta(days=rng.randint(0, 15), hours=rng.randint(0, 10))
        length = timedelta(hours=rng.choice([1, 24, 72]))
        absences.append(Absence(start=begin, end=begin + length, units=rng.choice([None, 1])))
    return Resource(
        id=f"r{number}",
        capacity=rng.choice([1, 1, 2, 3]),
        calendar=rng.choice(calendars).name,
        absences=tuple(absences),
        rate_per_hour=rng.choice([0.0, 50.0, 80.0]),
    )


def _task(rng: random.Random, number: int, start: datetime, resources: tuple[Resource, ...]) -> TaskSpec:
    duration = rng.choice([0, 240, 480, 480, 960, 1440, HOUR if rng.random() < 0.3 else 240])
    needs: tuple[Need, ...] = ()
    ways: tuple[tuple[Need, ...], ...] = ()
    if rng.random() < 0.8:
        held = rng.sample(resources, rng.choice([1, 1, min(2, len(resources))]))
        needs = tuple(Need(resource=r.id, units=rng.randint(1, r.capacity)) for r in held)
    elif len(resources) > 1:
        ways = tuple((Need(resource=r.id),) for r in rng.sample(resources, 2))
    due = start + timedelta(days=rng.randint(5, 60))
    return TaskSpec(
        id=f"t{number}",
        title=f"Task {number}",
        duration=duration,
        needs=needs,
        any_of=ways,
        after=tuple(_links(rng, number)),
        release=start + timedelta(hours=rng.randint(0, 300)) if rng.random() < 0.15 else None,
        deadline=Deadline(at=due, hard=False, price_per_day=rng.choice([1, 5])) if rng.random() < 0.1 else None,
        calendar=ALWAYS_NAME if not needs and not ways and rng.random() < 0.3 else None,
        split=rng.choice(["calendar"] * 6 + ["anywhere", "never" if duration <= 180 else "anywhere"]),
        priority=rng.choice([500, 500, 900]),
    )


def _links(rng: random.Random, number: int) -> list[Link]:
    before = rng.sample(range(number), min(number, rng.choice([0, 1, 1, 2])))
    lags = [0, 0, 0, 240, 480, -240, -480, 1440]
    return [
        Link(after=f"t{n}", kind=rng.choice(KINDS), lag=rng.choice(lags), elapsed=rng.random() < 0.2) for n in before
    ]


def large_project(seed: int, size: int = 1000, crew: int = 20) -> Project:
    """A year's work: `size` tasks on `crew` people with their own holidays and leave, in phases that build on each other."""
    rng = random.Random(seed)
    start = datetime(2026, 1, 5, 0, tzinfo=UTC)
    calendar = WorkCalendar(name="project", zone="Europe/Berlin", country="DE", subdivision="BE")
    resources = []
    for number in range(crew):
        leave = []
        for _ in range(rng.randint(1, 3)):
            begin = start + timedelta(days=7 * rng.randint(2, 48))
            leave.append(Absence(start=begin, end=begin + timedelta(days=rng.choice([5, 7, 14]))))
        resources.append(Resource(id=f"p{number}", calendar="project", absences=tuple(leave)))
    tasks = []
    for number in range(size):
        before = rng.sample(range(max(0, number - 60), number), min(number, rng.choice([0, 1, 1, 2])))
        links = tuple(Link(after=f"t{b}", kind=rng.choice(["FS", "FS", "FS", "SS"])) for b in before)
        needs = (Need(resource=f"p{rng.randrange(crew)}"),)
        tasks.append(
            TaskSpec(
                id=f"t{number}",
                title=f"Task {number}",
                duration=rng.choice([480, 960, 1440, 2400]) if size < 600 else rng.choice([480, 960, 1440, 1920]),
                needs=needs,
                after=links,
            )
        )
    return Project(
        title="a year",
        zone="Europe/Berlin",
        start=start,
        calendars=(calendar,),
        resources=tuple(resources),
        tasks=tuple(tasks),
    )
