"""What the steps of a job left in its folder: one hash a file, so that a loss is noticed when the job goes on."""

from __future__ import annotations

import sqlalchemy as sa

from echelon.store import tables as t
from echelon.store.outage import steady


@steady
def known(engine: sa.Engine, job: str) -> dict[str, str]:
    """The hash of each file of a job as its last step left it, by path."""
    query = sa.select(t.files.c.path, t.files.c.sha256).where(t.files.c.job == job).order_by(t.files.c.path)
    with engine.connect() as c:
        return {row.path: row.sha256 for row in c.execute(query) if row.sha256}
