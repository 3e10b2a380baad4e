"""The control state of a job between two segments, kept once: it ends the one and begins the other.

In a record it stands where it belongs: `given.snapshot` of the settings, `snapshot` of the result. In the database it
is a row of its own. Rows that a version before stored hold it themselves; they are read as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from echelon.json_text import is_object
from echelon.store import tables as t
from echelon.store.inserting import insert
from echelon.store.records.jobs import Json, Result, Settings, as_stored

_before, _after = t.snapshots.alias(), t.snapshots.alias()
ROWS = sa.select(t.jobs, _before.c.state.label("before"), _after.c.state.label("after")).select_from(
    t.jobs.outerjoin(_before, (_before.c.job == t.jobs.c.id) & (_before.c.segment == t.jobs.c.segment - 1)).outerjoin(
        _after, (_after.c.job == t.jobs.c.id) & (_after.c.segment == t.jobs.c.segment)
    )
)
"""Rows of jobs, each with the control state that its segment began with and the one that it ended with."""


def records(row: sa.Row[Any]) -> tuple[Settings, Result | None]:
    """The settings and the result of one of `ROWS`, whole."""
    config, result = dict(row.config), row.result
    given = config.get("given")
    if is_object(given) and "snapshot" not in given:
        config["given"] = None if row.before is None else {**given, "snapshot": row.before}
    if is_object(result) and result.get("snapshot") is None:  # while a segment runs: the end of the one before
        result = {**result, "snapshot": row.before if row.after is None else row.after}
    return Settings.model_validate(config), None if result is None else Result.model_validate(result)


def write(connection: sa.Connection, job: str, segment: int, values: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the control states in columns of a job that is in `segment`; returns the columns as they are stored."""
    stored = {name: as_stored(v) if isinstance(v, (Settings, Result)) else v for name, v in values.items()}
    config, result = stored.get("config"), stored.get("result")
    found: dict[int, Json] = {}
    if is_object(config) and is_object(given := config.get("given")):
        found[segment - 1] = given["snapshot"]
        stored["config"] = {**config, "given": {k: v for k, v in given.items() if k != "snapshot"}}
    if is_object(result) and result.get("snapshot") is not None:
        if result["snapshot"] != (found.get(segment - 1) or _kept(connection, job, segment - 1)):
            found[segment] = result["snapshot"]
        stored["result"] = {k: v for k, v in result.items() if k != "snapshot"}
    for number, state in found.items():
        _keep(connection, job, number, state)
    return stored


def _kept(connection: sa.Connection, job: str, segment: int) -> Json | None:
    of_segment = (t.snapshots.c.job == job) & (t.snapshots.c.segment == segment)
    state: Json | None = connection.execute(sa.select(t.snapshots.c.state).where(of_segment)).scalar()
    return state


def _keep(connection: sa.Connection, job: str, segment: int, state: Json) -> None:
    row = insert(connection, t.snapshots).values(job=job, segment=segment, state=state)
    changed = {"state": row.excluded.state}
    connection.execute(row.on_conflict_do_update(index_elements=["job", "segment"], set_=changed))
