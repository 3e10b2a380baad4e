"""The database's clock: what hosts with different clocks agree on."""

from __future__ import annotations

import sqlalchemy as sa

_SECONDS = {
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) AS double precision)",
}


def now(engine: sa.Engine) -> sa.ColumnElement[float]:
    """The time on the database's clock as a part of a statement, in seconds since 1970."""
    return sa.literal_column(_SECONDS[engine.dialect.name], sa.Float)
