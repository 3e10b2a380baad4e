"""Leases of whole processes: taking one over, renewing, and telling whose have run out. Time is the database's."""

from __future__ import annotations

import sqlalchemy as sa

from echelon.store import tables as t
from echelon.store.clock import now
from echelon.store.store import LEASE_SECONDS, is_dead

GIVEN_UP = 0.0
"""When a lease ran out that its owner gave up."""


def take(engine: sa.Engine, name: str, owner: str) -> None:
    """Take the lease `name` from whoever has it."""
    values = {"owner": owner, "expires": now(engine) + LEASE_SECONDS}
    with engine.begin() as c:
        if c.execute(t.leases.update().where(t.leases.c.name == name).values(values)).rowcount == 0:
            c.execute(t.leases.insert().values(name=name, **values))


def renew(engine: sa.Engine, name: str, owner: str) -> bool:
    """Renew a lease that `owner` has; False when it has it no more."""
    mine = (t.leases.c.name == name) & (t.leases.c.owner == owner)
    with engine.begin() as c:
        return c.execute(t.leases.update().where(mine).values(expires=now(engine) + LEASE_SECONDS)).rowcount > 0


def expire(engine: sa.Engine, owner: str) -> None:
    """Let every lease of `owner` run out now: it is about to end, and others may go on at once."""
    with engine.begin() as c:
        c.execute(t.leases.update().where(t.leases.c.owner == owner).values(expires=GIVEN_UP))


def clear(engine: sa.Engine, owner: str) -> None:
    """Delete every lease of `owner`, who is gone; one who only slept finds out when it renews."""
    with engine.begin() as c:
        c.execute(t.leases.delete().where(t.leases.c.owner == owner))


def gone(engine: sa.Engine, prefix: str) -> list[str]:
    """Owners of leases with a name that begins with `prefix` that have run out, or whose process has ended."""
    query = sa.select(t.leases.c.owner, (t.leases.c.expires < now(engine)).label("over"))
    query = query.where(t.leases.c.name.startswith(prefix, autoescape=True)).order_by(t.leases.c.name)
    with engine.connect() as c:
        rows = c.execute(query).all()
    return [r.owner for r in rows if r.over or is_dead(r.owner)]


def names(engine: sa.Engine, owner: str) -> set[str]:
    """The leases that `owner` has, run out or not."""
    with engine.connect() as c:
        return set(c.execute(sa.select(t.leases.c.name).where(t.leases.c.owner == owner)).scalars())


def gave_up(engine: sa.Engine, owner: str) -> bool:
    """Whether `owner` let its leases run out itself: it was told to end and did not die of what it ran."""
    query = sa.select(sa.func.max(t.leases.c.expires)).where(t.leases.c.owner == owner)
    with engine.connect() as c:
        return c.execute(query).scalar() == GIVEN_UP
