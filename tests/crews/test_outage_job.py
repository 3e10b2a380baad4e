"""A database server that restarts in the middle of a job: neither a run nor a worker ends, and nothing runs twice.

A minute is two leases long; here a lease is two seconds, and the server is away for more than two of them.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from echelon.engine import durable
from echelon.service import worker
from echelon.service.service import Service
from echelon.service.worker import Worker
from echelon.store import leases, store
from tests.store.test_outage import Gate
from tests.store.test_outage import gate as gate
from tests.support.postgres import postgres_url as postgres_url
from tests.support.scripted import Reply, Seen, played, service, submit_plain

LEASE, AWAY = 2.0, 4.5
RESTART_AT = 5


@pytest.fixture
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (store, leases, durable, worker):
        monkeypatch.setattr(module, "LEASE_SECONDS", LEASE)


class Restarting:
    """Plays a plain job; in the middle of one model call the database goes away."""

    def __init__(self, way: Gate) -> None:
        self._way, self.timers, self.calls = way, list[threading.Timer](), list[int]()

    def __call__(self, seen: Seen) -> Reply:
        self.calls.append(seen.number)
        if seen.number == RESTART_AT and not self.timers:
            self._way.close()
            self.timers.append(threading.Timer(AWAY, self._way.reopen))
            self.timers[0].start()
        return played(seen, tasks=1, todos=2)


def held(jobs: Service, job: str, script: Restarting) -> None:
    """The job is completed, the server was away, and no step and no model call of it ran twice."""
    result = jobs.result(job)
    assert result.state == "completed", result.reason
    assert script.timers and not script.timers[0].is_alive()
    assert len(script.calls) == len(set(script.calls)), "a model call was paid twice"
    assert {s.number: s.starts for s in jobs.store.steps(job) if s.starts != 1} == {}


def test_a_run_lives_through_a_restart(tmp_path: Path, gate: tuple[Gate, str], short_leases: None) -> None:
    script = Restarting(gate[0])
    with service(tmp_path, ECHELON_DATABASE_URL=gate[1].replace("+psycopg", "")) as jobs:
        job = submit_plain(jobs, script, overrides={"todos.least": 1})
        jobs.run(job)
        held(jobs, job, script)


def test_a_worker_lives_through_a_restart(tmp_path: Path, gate: tuple[Gate, str], short_leases: None) -> None:
    script, said = Restarting(gate[0]), list[str]()
    with service(tmp_path, ECHELON_DATABASE_URL=gate[1].replace("+psycopg", "")) as jobs:
        job = submit_plain(jobs, script, overrides={"todos.least": 1})
        jobs.enqueue(job)
        assert Worker(jobs, report=lambda kind, _: said.append(kind)).run(drain=True)
        held(jobs, job, script)
    assert said == ["started", "ended"], "the job was taken from a worker that lives"


def test_the_queue_is_looked_into_though_the_server_goes_away_in_the_first_question(
    tmp_path: Path, gate: tuple[Gate, str], short_leases: None
) -> None:
    way, cut = gate[0], list[str]()

    def once(_connection: sa.Connection, _cursor: object, statement: str, *_: object) -> None:
        if not cut:
            cut.append(statement)
            way.close()
            threading.Timer(0.5, way.reopen).start()

    with service(tmp_path, ECHELON_DATABASE_URL=gate[1].replace("+psycopg", "")) as jobs:
        jobs.enqueue(submit_plain(jobs, Restarting(way)))
        sa.event.listen(jobs.store.engine, "before_cursor_execute", once)
        assert durable.waiting_or_running(jobs.store) == 1
        sa.event.remove(jobs.store.engine, "before_cursor_execute", once)
    assert len(cut) == 1, "nothing was asked"
