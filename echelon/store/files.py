"""What the steps of a job left in its folder: one hash a file, so that a loss is noticed when the job goes on."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from echelon.store import tables as t
from echelon.store.outage import steady


@steady
def note(engine: sa.Engine, job: str, step: int, changed: dict[str, str]) -> None:
    """Write down the hashes of the files that a step changed, "" for those that it took away; again is harmless."""
    rows = [{"job": job, "path": path, "sha256": sha, "step": step} for path, sha in sorted(changed.items())]
    if not rows:
        return
    insert = (postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert)(t.files)
    new = {"sha256": insert.excluded.sha256, "step": insert.excluded.step}
    with engine.begin() as c:
        c.execute(insert.on_conflict_do_update(index_elements=["job", "path"], set_=new), rows)


@steady
def known(engine: sa.Engine, job: str) -> dict[str, str]:
    """The hash of each file of a job as its last step left it, by path."""
    query = sa.select(t.files.c.path, t.files.c.sha256).where(t.files.c.job == job).order_by(t.files.c.path)
    with engine.connect() as c:
        return {row.path: row.sha256 for row in c.execute(query) if row.sha256}


@steady
def forget(engine: sa.Engine, job: str) -> None:
    """Forget what the steps of a job left: it begins again."""
    with engine.begin() as c:
        c.execute(t.files.delete().where(t.files.c.job == job))
