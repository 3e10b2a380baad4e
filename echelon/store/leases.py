"""Leases of whole processes: taking one over, renewing, and telling whose have run out."""

from __future__ import annotations

import time

import sqlalchemy as sa

from echelon.store import tables as t
from echelon.store.store import LEASE_SECONDS, is_dead


def take(engine: sa.Engine, name: str, owner: str) -> None:
    """Take the lease `name` from whoever has it."""
    values = {"owner": owner, "expires": time.time() + LEASE_SECONDS}
    with engine.begin() as c:
        if c.execute(t.leases.update().where(t.leases.c.name == name).values(values)).rowcount == 0:
            c.execute(t.leases.insert().values(name=name, **values))


def renew(engine: sa.Engine, name: str, owner: str) -> bool:
    """Renew a lease that `owner` has; False when it has it no more."""
    mine = (t.leases.c.name == name) & (t.leases.c.owner == owner)
    with engine.begin() as c:
        return c.execute(t.leases.update().where(mine).values(expires=time.time() + LEASE_SECONDS)).rowcount > 0


def expire(engine: sa.Engine, owner: str) -> None:
    """Let every lease of `owner` run out now: it is about to end, and others may go on at once."""
    with engine.begin() as c:
        c.execute(t.leases.update().where(t.leases.c.owner == owner).values(expires=0.0))


def clear(engine: sa.Engine, owner: str) -> None:
    """Delete every lease of `owner`, who is gone; one who only slept finds out when it renews."""
    with engine.begin() as c:
        c.execute(t.leases.delete().where(t.leases.c.owner == owner))


def gone(engine: sa.Engine, prefix: str) -> list[str]:
    """Owners of leases with a name that begins with `prefix` that have run out, or whose process has ended."""
    query = sa.select(t.leases).where(t.leases.c.name.startswith(prefix, autoescape=True)).order_by(t.leases.c.name)
    with engine.connect() as c:
        rows = c.execute(query).all()
    return [r.owner for r in rows if r.expires < time.time() or is_dead(r.owner)]
