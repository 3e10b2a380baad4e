"""An INSERT that can say what happens where the row is there already: SQLAlchemy has one for each kind of database."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def insert(bind: sa.Engine | sa.Connection, table: sa.Table) -> Any:
    """An INSERT into a table of `bind`, with `on_conflict_do_nothing` and `on_conflict_do_update`."""
    dialect = postgresql if bind.dialect.name == "postgresql" else sqlite
    return dialect.insert(table)
