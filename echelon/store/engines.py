"""Opening a database: a file of SQLite or a PostgreSQL server."""

from __future__ import annotations

import sqlite3
import time
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.util import LRUCache

from echelon.errors import UserError
from echelon.store.outage import wait_for

WAIT_SECONDS = 30.0
"""How long one waits for a SQLite database that others write to."""


def open_engine(url: str) -> sa.Engine:
    """An engine for the database at `url`. SQLite in WAL mode. Raises UserError when it cannot be reached."""
    if url.startswith("sqlite:///"):
        path = Path(url.removeprefix("sqlite:///"))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(f"The folder {path.parent} cannot be made: {error.strerror}.") from error
        dialect, compiled = _of_all_sqlite()
        engine = sa.create_engine(url, pool_size=10, max_overflow=40, execution_options={"compiled_cache": compiled})
        engine.dialect = dialect  # its identity is part of the key of what was compiled
        event.listen(engine, "connect", _sqlite_settings)
        return engine
    try:
        engine = sa.create_engine(
            url, pool_size=5, max_overflow=20, pool_pre_ping=True, connect_args={"connect_timeout": 10}
        )
        wait_for(engine)
        return engine
    except (exc.ArgumentError, ValueError) as error:  # the text of the error may repeat the password
        shape = "postgresql://USER:PASSWORD@HOST:PORT/NAME"
        raise UserError(f"ECHELON_DATABASE_URL is no address of a database; write it as {shape}.") from error


@cache
def _of_all_sqlite() -> tuple[sa.Dialect, LRUCache[Any, Any]]:
    """The dialect, and what was compiled for it, of every database of SQLite that this process opens.

    To compile what DBOS and we ask takes more processor time than to answer it, and would be done for each home again.
    They differ in nothing that a dialect knows; servers do, in their version at least, and keep their own.
    """
    engine = sa.create_engine("sqlite://")
    engine.connect().close()  # it is complete after its first connection
    engine.dispose()
    return engine.dialect, LRUCache(1000)


def _sqlite_settings(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout={int(WAIT_SECONDS * 1000)}")
    _use_wal(cursor)
    for pragma in ("synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
    if sqlite3.sqlite_version_info < (3, 42):
        connection.create_function("unixepoch", 1, _unixepoch)


def _use_wal(cursor: sqlite3.Cursor) -> None:
    """Switch to WAL. Of processes that open a new database together SQLite tells some at once that it is locked."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
        time.sleep(0.02)


def _unixepoch(_modifier: str) -> float:
    """`unixepoch('subsec')`, seconds since 1970 with milliseconds, which SQLite knows from 3.42 on.

    From Python 3.12 on DBOS takes it for granted, whichever SQLite that Python was built with.
    """
    return round(time.time(), 3)
