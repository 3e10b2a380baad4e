"""A copy of a job's rows under another name: its ledger, events, effects and files, and a row of its own."""

from __future__ import annotations

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa

from echelon.store import snapshots
from echelon.store import tables as t
from echelon.store.records.jobs import Settings


def add_fork(
    engine: sa.Engine,
    origin: str,
    job: str,
    config: Settings,
    *,
    goes_on: bool,
    changed: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Make `job` a job with everything that the rows of `origin` say; all of it, or nothing.

    One that `goes_on` is submitted with the next segment; any other has ended as `origin` did. `changed` has the hashes
    of files that were changed in the copy, "" for what is gone.
    """
    now = time.time()
    with engine.begin() as c:
        row = c.execute(sa.select(t.jobs).where(t.jobs.c.id == origin)).mappings().one()
        own: dict[str, Any] = {"id": job, "folder": f"jobs/{job}", "created": now, "updated": now}
        if goes_on:
            own |= {"state": "submitted", "segment": row["segment"] + 1, "result": None}
        for table in (t.steps, t.events, t.effects, t.files, t.snapshots):
            others = [column for column in table.c if column.name != "job"]
            copied = sa.select(sa.literal(job), *others).where(table.c.job == origin)
            c.execute(table.insert().from_select(["job", *(column.name for column in others)], copied))
        own |= snapshots.write(c, job, own.get("segment", row["segment"]), {"config": config})
        c.execute(t.jobs.insert().values({**row, **own}))
        for path, sha in changed.items():
            there = sa.and_(t.files.c.job == job, t.files.c.path == path)
            c.execute(t.files.delete().where(there))
            c.execute(
                t.files.insert().values(job=job, path=path, sha256=sha, step=config.fork.steps if config.fork else 0)
            )
