"""What a job's folder says of its job: enough to know it again when the database is lost."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from echelon.files import write_atomically
from echelon.store import tables as t

RECORD = Path("trace") / "job.json"


class JobRecord(BaseModel):
    """The row of a job without its folder, which is where the record stands."""

    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1] = 1
    id: str
    type: str
    state: str
    request: str
    config: dict[str, Any]
    segment: int
    created: float
    updated: float
    result: dict[str, Any] | None


def keep(row: dict[str, Any], *, make: bool = False) -> None:
    """Write the record of this row into its folder; `make` says that the folder may be made.

    A disk that takes no more is no reason to stop: the database is what counts while it is there.
    """
    folder = Path(row["folder"])
    if not folder.is_absolute() or not (make or folder.is_dir()):
        return
    record = JobRecord(**{name: row[name] for name in JobRecord.model_fields if name != "schema_version"})
    with contextlib.suppress(OSError):
        write_atomically(folder / RECORD, record.model_dump_json())


def kept(folder: Path) -> JobRecord | None:
    """The record of the job whose folder this is, None where there is none that can be read, or that of another job."""
    try:
        record = JobRecord.model_validate_json((folder / RECORD).read_bytes())
    except (OSError, ValueError):
        return None
    return record if record.id == folder.name else None


def restore(engine: sa.Engine, record: JobRecord) -> None:
    """Make the row of a job again from its record."""
    row = record.model_dump(exclude={"schema_version"}) | {"folder": f"jobs/{record.id}"}
    with engine.begin() as c:
        c.execute(t.jobs.insert().values(**row))
