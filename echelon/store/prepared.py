"""Statements that are made and compiled once: that takes SQLAlchemy longer than the database takes to run them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa


class Prepared:
    """A statement that was compiled once for an engine. `columns`: those that each row has, where it does not say them."""

    def __init__(self, engine: sa.Engine, statement: sa.ClauseElement, columns: Sequence[str] | None = None) -> None:
        schemas = engine.get_execution_options().get("schema_translate_map")
        compiled = statement.compile(
            dialect=engine.dialect, column_keys=None if columns is None else list(columns),
            schema_translate_map=schemas, render_schema_translate=schemas is not None,
        )  # fmt: skip
        self._text = str(compiled)
        self._order: list[str] | None = getattr(compiled, "positiontup", None)
        self._constants: dict[str, Any] = dict(compiled.params or {})

    def run(self, connection: sa.Connection, rows: Sequence[Mapping[str, object]]) -> None:
        """Run it for each of the rows."""
        connection.exec_driver_sql(self._text, [self._given(row) for row in rows])

    def first(self, connection: sa.Connection, row: Mapping[str, object]) -> tuple[Any, ...] | None:
        """Run it for one row; the first one of what it returns."""
        found = connection.exec_driver_sql(self._text, self._given(row)).first()
        return None if found is None else tuple(found)

    def _given(self, row: Mapping[str, object]) -> Any:
        given = {**self._constants, **row}
        return given if self._order is None else tuple(given[name] for name in self._order)
