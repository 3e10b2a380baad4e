"""Hosts whose clocks differ, and a database server that is away for a while."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa

from echelon.settings import Environment
from echelon.store import leases
from echelon.store.engines import open_engine
from echelon.store.outage import wait_for
from echelon.store.records.jobs import Settings
from echelon.store.store import Store
from tests.support.forked import ran
from tests.support.postgres import postgres_url  # noqa: F401

REPOSITORY = Path(__file__).parents[2]
THERE = "4711.1@another-host"
ON_ANOTHER_CLOCK = """
import sys, time
real, skew = time.time, float(sys.argv[2])
time.time = lambda: real() + skew
from echelon.store import leases
from echelon.store.engines import open_engine
from echelon.store.store import Store
store = Store(open_engine(sys.argv[1]))
if len(sys.argv) > 3:
    store.lease("worker:x", sys.argv[3])
print(leases.gone(store.engine, "worker:"), store.holder("worker:x"))
"""


def on_another_clock(url: str, seconds: float, *more: str) -> str:
    """What a host says whose clock is ahead by so many seconds."""
    return ran(ON_ANOTHER_CLOCK, url, str(seconds), *more).stdout.strip()


@pytest.mark.parametrize("seconds", [60.0, -60.0, 86_400.0])
def test_a_host_with_another_clock_takes_no_living_lease(store: Store, url: str, seconds: float) -> None:
    store.lease("worker:x", THERE)
    assert on_another_clock(url, seconds) == f"[] {THERE}"


@pytest.mark.parametrize("seconds", [60.0, -60.0])
def test_a_lease_of_a_host_with_another_clock_is_worth_the_same(store: Store, url: str, seconds: float) -> None:
    assert on_another_clock(url, seconds, THERE) == f"[] {THERE}"
    assert leases.gone(store.engine, "worker:") == []
    assert store.holder("worker:x") == THERE


class Gate:
    """A way to a PostgreSQL server over TCP that can be closed: new connections are refused, open ones are cut."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._open: list[socket.socket] = []
        self._door = self._listen(0)
        self.port: int = self._door.getsockname()[1]

    def _listen(self, port: int) -> socket.socket:
        door = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, args=(door,), daemon=True).start()
        return door

    def _accept(self, door: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = door.accept()[0]
                inside = socket.socket(socket.AF_UNIX)
                inside.connect(self._server)
                self._open += [client, inside]
                for pair in ((client, inside), (inside, client)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    @staticmethod
    def _pass(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for one in self._open:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._open.clear()

    def reopen(self) -> None:
        self._door = self._listen(self.port)


@pytest.fixture
def gate(postgres_url: str) -> Iterator[tuple[Gate, str]]:  # noqa: F811
    """A gate before a server, and the address of an empty database through it."""
    parts = urlsplit(postgres_url)
    made = Gate(f"{parse_qs(parts.query)['host'][0]}/.s.PGSQL.5432")
    given = f"postgresql://postgres@127.0.0.1:{made.port}{parts.path}"
    yield made, Environment({"ECHELON_DATABASE_URL": given}).database_url
    made.close()


def test_a_server_that_restarts_is_waited_for(gate: tuple[Gate, str]) -> None:
    way, url = gate
    store = Store(open_engine(url))
    store.migrate()
    store.add_job("a-1", "plain", "do it", Settings(), "jobs/a-1")
    way.close()
    timer = threading.Timer(1.5, way.reopen)
    timer.start()
    began = time.monotonic()
    store.set_job("a-1", state="running")
    assert store.job("a-1").state == "running"
    assert time.monotonic() - began > 1
    timer.join()
    store.engine.dispose()


def test_a_statement_that_is_cut_off_runs_once_more(gate: tuple[Gate, str]) -> None:
    way, url = gate
    store = Store(open_engine(url))
    store.migrate()
    store.add_job("a-1", "plain", "do it", Settings(), "jobs/a-1")
    with contextlib.closing(store.engine.connect()) as holder:
        holder.execute(sa.text("UPDATE echelon_jobs SET request = 'held'"))  # what follows waits for this row
        timer = threading.Timer(1.0, lambda: (way.close(), way.reopen()))
        timer.start()
        store.set_job("a-1", state="running")
        timer.join()
        with contextlib.suppress(sa.exc.DBAPIError):
            holder.rollback()
    assert store.job("a-1").state == "running"
    store.engine.dispose()


def test_a_server_that_was_never_there_is_said_at_once(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = Environment({"ECHELON_DATABASE_URL": f"postgresql://postgres@127.0.0.1:{port}/none"}).database_url
    began = time.monotonic()
    with pytest.raises(Exception, match=re.compile("refused|cannot be used", re.IGNORECASE)):
        Store(open_engine(url)).migrate()
    assert time.monotonic() - began < 20


def test_a_server_that_stays_away_is_given_up(gate: tuple[Gate, str]) -> None:
    way, url = gate
    engine = sa.create_engine(url, pool_pre_ping=True)
    wait_for(engine, patience=1.0)
    with engine.connect():
        pass
    way.close()
    with pytest.raises(sa.exc.OperationalError), engine.connect():
        pass
    engine.dispose()
