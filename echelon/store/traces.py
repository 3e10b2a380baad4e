"""Which trace a job had last, so that the next one can link to it."""

from __future__ import annotations

import time

import sqlalchemy as sa

from echelon.store import tables as t
from echelon.store.inserting import insert


def latest(engine: sa.Engine, job: str) -> str | None:
    """The root span of the job's latest trace, as `traceparent` writes it."""
    with engine.connect() as c:
        return c.execute(sa.select(t.traces.c.parent).where(t.traces.c.job == job)).scalar()


def keep(engine: sa.Engine, job: str, parent: str) -> None:
    """Remember the root span of the job's trace."""
    row = {"job": job, "parent": parent, "at": time.time()}
    with engine.begin() as c:
        c.execute(insert(engine, t.traces).values(**row).on_conflict_do_update(index_elements=["job"], set_=row))
