"""What a job's folder says of its job: enough to know it again when the database is lost."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Literal

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from echelon.files import write_atomically
from echelon.store import snapshots
from echelon.store import tables as t
from echelon.store.records.jobs import JobRow, Result, Settings

RECORD = Path("trace") / "job.json"


class JobRecord(BaseModel):
    """The row of a job without its folder, which is where the record stands."""

    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1] = 1
    id: str
    type: str
    state: str
    request: str
    config: Settings
    segment: int
    created: float
    updated: float
    result: Result | None


def keep(row: JobRow, *, make: bool = False) -> None:
    """Write the record of this row into its folder; `make` says that the folder may be made.

    A disk that takes no more is no reason to stop: the database is what counts while it is there.
    """
    folder = row.folder
    if not folder.is_absolute() or not (make or folder.is_dir()):
        return
    record = JobRecord(
        id=row.id, type=row.type, state=row.state, request=row.request, config=row.config, segment=row.segment,
        created=row.created, updated=row.updated, result=row.result,
    )  # fmt: skip
    with contextlib.suppress(OSError):
        write_atomically(folder / RECORD, record.model_dump_json(exclude_unset=True))


def kept(folder: Path) -> JobRecord | None:
    """The record of the job whose folder this is, None where there is none that can be read, or that of another job."""
    try:
        record = JobRecord.model_validate_json((folder / RECORD).read_bytes())
    except (OSError, ValueError):
        return None
    return record if record.id == folder.name else None


def restore(engine: sa.Engine, record: JobRecord) -> None:
    """Make the row of a job again from its record."""
    row = record.model_dump(exclude={"schema_version", "config", "result"}) | {"folder": f"jobs/{record.id}"}
    with engine.begin() as c:
        row |= snapshots.write(c, record.id, record.segment, {"config": record.config, "result": record.result})
        c.execute(t.jobs.insert().values(**row))
