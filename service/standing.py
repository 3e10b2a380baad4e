"""How the whole does: workers, the queue, and figures over all jobs, each from the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from echelon.crews.hierarchy.states import State
from echelon.service.worker import PREFIX
from echelon.store import tables as t
from echelon.store.clock import now
from echelon.store.store import Store, is_dead

BOUNDS = (0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Seconds that histograms count up to"""


@dataclass(frozen=True)
class Standing:
    """Workers that live as (name, seconds that their lease still lasts), and jobs by what they wait for."""

    workers: tuple[tuple[str, float], ...]
    running: int
    queued: int
    waiting: int


@dataclass(frozen=True)
class Histogram:
    """How many values are at most each bound, how many there are, and their sum."""

    counts: tuple[int, ...]
    total: int
    sum: float


@dataclass(frozen=True)
class Figures:
    """Sums over all jobs. Keys are the labels."""

    jobs: dict[tuple[str, str], int]
    """(type, state)"""
    steps: dict[tuple[str, str], int]
    """(kind, role)"""
    tokens: dict[str, int]
    """by role"""
    cost: dict[str, float]
    """by role, in US dollars"""
    refusals: int
    escalations: int
    seconds: dict[str, Histogram]
    """of steps, by kind"""
    waits: Histogram
    """between making a job and its first step"""


def standing(store: Store) -> Standing:
    """How the whole does now."""
    states = _by_state(store)
    queued = states.get("submitted", 0)
    waiting = states.get(State.NEEDS_INPUT.value, 0) + states.get(State.ESCALATED.value, 0)
    return Standing(tuple(_workers(store)), states.get("running", 0), queued, waiting)


def ready(store: Store) -> dict[str, bool]:
    """Whether the parts that a job needs are there."""
    try:
        with store.engine.connect() as c:
            c.execute(sa.select(t.migrations.c.name).limit(1)).first()
        return {"database": True, "queue": _has_queue(store), "workers": bool(_workers(store))}
    except SQLAlchemyError:
        return {"database": False, "queue": False, "workers": False}


def _has_queue(store: Store) -> bool:
    schema = "dbos" if store.engine.dialect.name == "postgresql" else None
    return sa.inspect(store.engine).has_table("workflow_status", schema=schema)


def _workers(store: Store) -> list[tuple[str, float]]:
    left = (t.leases.c.expires - now(store.engine)).label("left")
    query = sa.select(t.leases.c.owner, left).where(t.leases.c.name.startswith(PREFIX, autoescape=True))
    with store.engine.connect() as c:
        rows = c.execute(query.order_by(t.leases.c.owner)).all()
    return [(owner, round(float(left), 1)) for owner, left in rows if left > 0 and not is_dead(owner)]


def _by_state(store: Store) -> dict[str, int]:
    with store.engine.connect() as c:
        rows = c.execute(sa.select(t.jobs.c.state, sa.func.count()).group_by(t.jobs.c.state)).all()
    return {str(state): int(count) for state, count in rows}


def figures(store: Store) -> Figures:
    """Sums over all jobs."""
    steps = t.steps.c
    with store.engine.connect() as c:
        jobs = c.execute(
            sa.select(t.jobs.c.type, t.jobs.c.state, sa.func.count()).group_by(t.jobs.c.type, t.jobs.c.state)
        )
        by_state = {(str(kind), str(state)): int(n) for kind, state, n in jobs}
        of_steps = c.execute(
            sa.select(
                steps.kind, steps.role, sa.func.count(), sa.func.sum(steps.prompt_tokens + steps.completion_tokens),
                sa.func.sum(steps.cost),
            ).group_by(steps.kind, steps.role)
        ).all()  # fmt: skip
        told = c.execute(
            sa.select(t.events.c.kind, sa.func.count())
            .where(t.events.c.kind.in_(("refused", "escalation")))
            .group_by(t.events.c.kind)
        ).all()
        events = {str(kind): int(n) for kind, n in told}
        seconds = {str(kind): value for kind, value in _histograms(c, steps.kind, steps.milliseconds / 1000)}
        waits = _waits(c)
    tokens, cost = dict[str, int](), dict[str, float]()
    for _, role, _, used, paid in of_steps:
        tokens[role] = tokens.get(role, 0) + int(used or 0)
        cost[role] = cost.get(role, 0.0) + float(paid or 0)
    return Figures(
        jobs=by_state, steps={(kind, role): int(n) for kind, role, n, _, _ in of_steps}, tokens=tokens, cost=cost,
        refusals=events.get("refused", 0), escalations=events.get("escalation", 0), seconds=seconds, waits=waits,
    )  # fmt: skip


def _histograms(
    connection: sa.Connection, group: sa.ColumnElement[str], value: sa.ColumnElement[Any]
) -> list[tuple[str, Histogram]]:
    rows = connection.execute(sa.select(group, *_sums(value)).group_by(group)).all()
    return [(str(row[0]), _histogram(row[1:])) for row in rows]


def _waits(connection: sa.Connection) -> Histogram:
    begun = sa.select(t.steps.c.job, t.steps.c.started).where(t.steps.c.number == 1).subquery()
    value = begun.c.started - t.jobs.c.created
    query = sa.select(*_sums(value)).select_from(t.jobs.join(begun, begun.c.job == t.jobs.c.id))
    return _histogram(connection.execute(query).one())


def _sums(value: sa.ColumnElement[Any]) -> list[sa.ColumnElement[Any]]:
    """What `_histogram` takes: how many lie up to each bound, how many there are, and their sum."""
    up_to = [sa.func.sum(sa.case((value <= bound, 1), else_=0)) for bound in BOUNDS]
    return [*up_to, sa.func.count(), sa.func.sum(value)]


def _histogram(row: sa.Row[object] | tuple[object, ...]) -> Histogram:
    values = [float(str(v or 0)) for v in row]
    return Histogram(tuple(int(v) for v in values[:-2]), int(values[-2]), values[-1])
