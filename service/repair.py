"""A lost database: noticed before it counts as one without jobs, and rebuilt from what the jobs' folders say."""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
from pathlib import Path

from echelon.crews.hierarchy.states import ENDS, State
from echelon.private import private_files
from echelon.settings import Environment
from echelon.store import folders
from echelon.store.engines import open_engine
from echelon.store.records.jobs import Result
from echelon.store.store import Store

HEADER = b"SQLite format 3\0"
REMEDY = "Rebuild it from the folders of the jobs with: echelon doctor --repair"
GOES_ON = (
    "The database was lost while the job was under way; resumed, it goes on with the results that its folder keeps."
)
LOST = (
    "Lost for good: the ledger and the events of what ran before, what experiments measured, what creators had handed "
    "over, whether a call that must not run twice was under way, and jobs that had not begun. Results and totals stay."
)


def lost(environment: Environment) -> str:
    """What is wrong with a local database whose jobs have folders, as a sentence; '' where nothing is.

    A look at the file alone: fast enough for every command.
    """
    path = _file(environment)
    if path is None or not job_folders(environment.home):
        return ""
    there = path.exists()
    if not there and environment.get("ECHELON_DATABASE_URL") is not None:
        return ""  # a new database beside an old home
    wal = path.with_name(f"{path.name}-wal")
    if (there and path.stat().st_size) or (wal.exists() and wal.stat().st_size):
        return "" if _begins_well(path) else f"The database {path} is damaged."
    many = len(job_folders(environment.home))
    said = "is empty" if there else "is gone"
    return f"The database {path} {said}, but {many} {'job has' if many == 1 else 'jobs have'} folders."


def job_folders(home: Path) -> list[Path]:
    """The folders of the jobs of a home."""
    with contextlib.suppress(OSError):
        return sorted(p for p in (home / "jobs").iterdir() if p.is_dir())
    return []


def unknown_folders(store: Store, home: Path) -> list[Path]:
    """The folders of jobs that the database does not know."""
    known = {row.id for row in store.all_jobs()}
    return [folder for folder in job_folders(home) if folder.name not in known]


def repair(environment: Environment) -> list[str]:
    """Rebuild what can be rebuilt; says what was done and what is lost, one sentence each. Raises UserError."""
    private_files()
    done: list[str] = []
    path = _file(environment)
    if path is not None and path.exists() and (lost(environment) or not _is_whole(path)):
        done.append(f"The damaged database is kept as {_set_aside(path)}.")
    store = Store(open_engine(environment.database_url), environment.home)
    try:
        store.migrate()
        found = [_rebuilt(store, folder) for folder in unknown_folders(store, environment.home)]
    finally:
        store.engine.dispose()
    return [*done, *found, LOST] if found else [*done, "Every folder of a job is known to the database."]


def _rebuilt(store: Store, folder: Path) -> str:
    """Make the row of one job again."""
    record = folders.kept(folder)
    if record is None:
        return f"{folder.name}: its folder holds no record of it; what it made is in {folder / 'output'}."
    if record.state not in ENDS or record.state == State.FAILED:
        result = (record.result or Result()).model_copy(update={"reason": GOES_ON})
        record = record.model_copy(update={"state": State.FAILED.value, "result": result})
    folders.restore(store.engine, record)
    return f"{record.id}: rebuilt, {record.state}."


def _file(environment: Environment) -> Path | None:
    """The file of a local database, None for one on a server."""
    url = environment.database_url
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None


def _begins_well(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(HEADER)) == HEADER
    except OSError:
        return True  # what cannot be read now is said by whoever opens it


def _is_whole(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with a database. One that is in use counts as whole."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=5)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.OperationalError:
        return True
    except sqlite3.DatabaseError:
        return False


def _set_aside(path: Path) -> Path:
    """Rename a database and what SQLite keeps beside it; returns its new path."""
    names = (path.with_name(f"{path.name}.damaged-{n}") for n in itertools.count(1))
    target = next(n for n in names if not n.exists())
    for ending in ("", "-wal", "-shm"):
        beside = path.with_name(path.name + ending)
        if beside.exists():
            beside.rename(target.with_name(target.name + ending))
    return target
