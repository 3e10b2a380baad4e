"""A page of the list of jobs: a few columns of a few rows, however many jobs there are and however much they hold."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from echelon.crews.hierarchy.states import APPROVALS, State
from echelon.errors import UnknownName, UserError
from echelon.store import tables as t
from echelon.store.outage import steady
from echelon.store.records.jobs import JobRow
from echelon.store.store import Store

MOST = 200
"""Rows of one page, and ids that an unknown one is compared with"""


@dataclass(frozen=True, slots=True)
class Listed:
    """A job as a list shows it. Times are in seconds since 1970, `cost` in US dollars."""

    job: str
    type: str
    state: str
    reason: str
    request: str
    inputs: tuple[str, ...]
    """File names"""
    model: str
    rounds: int
    calls: int
    tokens: int
    cost: float
    created: float
    updated: float
    asks_approval: bool


@dataclass(frozen=True, slots=True)
class Page:
    """Jobs, the latest first, and where the next page begins: None where there is none."""

    jobs: tuple[Listed, ...]
    after: str | None


@dataclass(frozen=True, slots=True)
class _Place:
    """The job that a page ended with."""

    created: float
    job: str

    def as_text(self) -> str:
        return base64.urlsafe_b64encode(json.dumps([self.created, self.job]).encode()).decode().rstrip("=")


def place_of(text: str) -> _Place:
    """The place that a page named as `after`. Raises UserError for anything else."""
    try:
        created, job = json.loads(base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True))
        if not isinstance(job, str) or "\0" in job or not 0 <= float(created) < 1e12:
            raise ValueError
        return _Place(float(created), job)
    except (ValueError, TypeError, RecursionError) as error:
        raise UserError(f"'{text[:40]}' is no place in the list of jobs; give the one that a page named.") from error


def page_of_jobs(
    store: Store, *, states: Sequence[str] = (), type_: str | None = None, after: str | None = None, limit: int = 50
) -> Page:
    """The next `limit` jobs after the place `after`, of some states and a type only, where those are given.

    `states` are those that people see: `interrupted` is one of them. Raises UserError for a place that is none.
    """
    place = place_of(after) if after else None
    found: list[Listed] = []
    while True:
        rows = _rows(store, _stored(states), type_, place, limit + 1)
        standing = _standing(store, rows)
        for row in rows:
            state = standing[row.id]
            if not states or state in states:
                found.append(_listed(row, state))
        if len(rows) <= limit or len(found) > limit:
            break
        place = _Place(rows[-1].created, rows[-1].id)
    more = len(found) > limit
    shown = _with_totals(store, found[:limit])
    return Page(shown, _Place(shown[-1].created, shown[-1].job).as_text() if more else None)


def known_job(store: Store, job: str) -> JobRow:
    """The row of a job by its whole id. Raises UnknownName with the nearest of the latest ids, at a bounded price."""
    with store.engine.connect() as c:
        is_there = "\0" not in job and c.execute(sa.select(t.jobs.c.id).where(t.jobs.c.id == job)).first() is not None
        if not is_there:
            latest = sa.select(t.jobs.c.id).order_by(t.jobs.c.created.desc(), t.jobs.c.id).limit(MOST)
            raise UnknownName("job", job[:100], list(c.execute(latest).scalars()))
    return store.job(job)


def _stored(states: Sequence[str]) -> list[str]:
    """The states as rows have them: one that says it runs may be interrupted."""
    return sorted({"running" if s == "interrupted" else s for s in states})


@steady
def _rows(store: Store, states: Sequence[str], type_: str | None, place: _Place | None, limit: int) -> Any:
    jobs, place_at = t.jobs.c, ("position", "came_from")
    ended = (t.snapshots.c.job == jobs.id) & (t.snapshots.c.segment == jobs.segment)
    came_from = sa.func.coalesce(  # rows of a version before hold their snapshot themselves
        t.snapshots.c.state[place_at].as_string(), jobs.result[("snapshot", *place_at)].as_string()
    )
    query = sa.select(
        jobs.id, jobs.type, jobs.state, jobs.created, jobs.updated, sa.func.substr(jobs.request, 1, 500).label("request"),
        jobs.config["inputs"].label("inputs"), jobs.config[("config", "model")].as_string().label("model"),
        jobs.result["reason"].as_string().label("reason"), jobs.result["rounds"].as_integer().label("rounds"),
        came_from.label("came_from"),
    ).select_from(t.jobs.outerjoin(t.snapshots, ended)).order_by(jobs.created.desc(), jobs.id).limit(limit)  # fmt: skip
    if states:
        query = query.where(jobs.state.in_(states))
    if type_ is not None:
        query = query.where(jobs.type == type_)
    if place is not None:
        later = (jobs.created == place.created) & (jobs.id > place.job)
        query = query.where((jobs.created < place.created) | later)
    with store.engine.connect() as c:
        return c.execute(query).all()


def _standing(store: Store, rows: Iterable[sa.Row[Any]]) -> dict[str, str]:
    """The state of each job as people see it: what says it runs and has nobody who runs it was interrupted."""
    return {
        row.id: "interrupted" if row.state == "running" and store.holder(row.id) is None else str(row.state)
        for row in rows
    }


def _listed(row: sa.Row[Any], state: str) -> Listed:
    return Listed(
        job=row.id, type=row.type, state=state, reason=row.reason or "", request=row.request,
        inputs=tuple(Path(str(p)).name for p in row.inputs or ()), model=row.model or "", rounds=row.rounds or 0,
        calls=0, tokens=0, cost=0.0, created=row.created, updated=row.updated,
        asks_approval=state == State.NEEDS_INPUT and row.came_from in APPROVALS,
    )  # fmt: skip


@steady
def _with_totals(store: Store, rows: Sequence[Listed]) -> tuple[Listed, ...]:
    from dataclasses import replace

    steps = t.steps.c
    query = (
        sa.select(
            steps.job,
            sa.func.count(),
            sa.func.sum(steps.prompt_tokens + steps.completion_tokens),
            sa.func.sum(steps.cost),
        )
        .where(steps.kind == "model", steps.job.in_([row.job for row in rows]))
        .group_by(steps.job)
    )
    with store.engine.connect() as c:
        sums = {job: (int(calls), int(tokens), float(cost)) for job, calls, tokens, cost in c.execute(query)}
    return tuple(
        replace(row, calls=calls, tokens=tokens, cost=cost)
        for row in rows
        for calls, tokens, cost in [sums.get(row.job, (0, 0, 0.0))]
    )
