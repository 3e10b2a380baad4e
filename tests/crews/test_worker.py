"""Jobs through the queue: workers that are killed, frozen or told to stop, and jobs that fail or are cancelled."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from echelon.engine import durable
from echelon.service.service import Service
from echelon.service.worker import PREFIX, Worker
from echelon.store import leases, tables
from echelon.store.store import this_process
from tests.support.forked import started
from tests.support.postgres import postgres_url as postgres_url
from tests.support.scripted import Seen, call, service, submit_plain, willing

ROOT = Path(__file__).parents[2]
TEXT = "# Rules\n\n1.1 The operator shall keep records for ten years.\n\n1.2 Nobody may delete records before that.\n"
WORK = "import main; main.cli()"
PATIENCE = 120.0


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "rules.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def submitted(jobs: Service, document: Path, count: int = 1) -> list[str]:
    names = [jobs.submit("creator", [document]) for _ in range(count)]
    for name in names:
        jobs.enqueue(name)
    return names


class Workers:
    """Worker processes on the database of a service; those that are left over are killed."""

    def __init__(self, jobs: Service) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "ECHELON_HOME": str(jobs.environment.home)}
        url = jobs.environment.get("ECHELON_DATABASE_URL")
        self._environment = {**environment, **({"ECHELON_DATABASE_URL": url} if url else {})}
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *, drain: bool = False) -> subprocess.Popen[str]:
        home = Path(self._environment["ECHELON_HOME"])
        home.mkdir(parents=True, exist_ok=True)
        process = started(WORK, "worker", "--json", *(["--drain"] if drain else []), env=self._environment, cwd=home)
        self._started.append(process)
        return process

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()


def until(holds: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + PATIENCE
    while not (value := holds()):
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.02)
    return value


def finished(jobs: Service, job: str) -> dict[int, int]:
    """How often each finished step ran, by number."""
    return {s.number: s.starts for s in jobs.store.steps(job) if s.answered}


def owners(jobs: Service) -> list[str]:
    with jobs.store.engine.connect() as c:
        names = c.execute(tables.leases.select().order_by(tables.leases.c.name)).all()
    return [row.owner for row in names if row.name.startswith(PREFIX)]


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as opened:
        yield opened


def test_a_drained_queue_has_every_job_completed(jobs: Service, small: Path) -> None:
    names = submitted(jobs, small, 3)
    assert [jobs.result(n).state for n in names] == ["submitted"] * 3
    told: list[tuple[str, dict[str, Any]]] = []
    assert Worker(jobs, 2, lambda kind, data: told.append((kind, data))).run(drain=True) is True
    for name in names:
        result = jobs.result(name)
        assert (result.state, result.exit_code, bool(result.outputs)) == ("completed", 0, True)
        assert set(finished(jobs, name).values()) == {1}
    assert sorted(d["job"] for k, d in told if k == "started") == sorted(names)
    assert sorted(d["job"] for k, d in told if k == "ended") == sorted(names)
    assert owners(jobs) == [], "a worker that is done leaves no lease"
    assert all(jobs.store.holder(n) is None for n in names)


def test_the_queue_and_run_leave_the_same_row(jobs: Service, small: Path) -> None:
    (queued,) = submitted(jobs, small)
    Worker(jobs).run(drain=True)
    ran = jobs.run(jobs.submit("creator", [small]))
    through = jobs.result(queued)
    assert (through.state, through.rounds, through.figures) == (ran.state, ran.rounds, ran.figures)
    assert [s.name for s in through.ledger] == [s.name for s in ran.ledger]


def test_a_job_of_a_killed_worker_is_finished_by_another_and_no_step_runs_twice(jobs: Service, small: Path) -> None:
    (job,) = submitted(jobs, small)
    with Workers(jobs) as workers:
        first = workers.start()
        until(lambda: len(finished(jobs, job)) > 20)
        first.kill()
        first.wait()
        before = finished(jobs, job)
        assert workers.start(drain=True).wait(PATIENCE) == 0
    assert jobs.result(job).state == "completed"
    after = finished(jobs, job)
    assert {n: after[n] for n in before} == before, "a finished step ran again"
    assert sorted(after) == list(range(1, len(after) + 1))
    assert owners(jobs) == []


def is_frozen_outside_of_a_write(process: subprocess.Popen[str], file: Path) -> bool:
    """Freeze a process. One that is frozen in the middle of a write keeps the file locked; it is let go again."""
    process.send_signal(signal.SIGSTOP)
    connection = sqlite3.connect(file, timeout=0.5, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except sqlite3.OperationalError:
        process.send_signal(signal.SIGCONT)
        return False
    else:
        return True
    finally:
        connection.close()


def test_a_frozen_worker_that_wakes_up_ends_and_changes_nothing(jobs: Service, small: Path) -> None:
    (job,) = submitted(jobs, small)
    with Workers(jobs) as workers:
        frozen = workers.start()
        until(lambda: len(finished(jobs, job)) > 10)
        until(lambda: is_frozen_outside_of_a_write(frozen, jobs.environment.home / "echelon.sqlite"))
        until(lambda: owners(jobs))
        leases.expire(jobs.store.engine, owners(jobs)[0])  # as if it had been frozen for longer than a lease holds
        assert workers.start(drain=True).wait(PATIENCE) == 0
        assert jobs.result(job).state == "completed"
        row, ledger = jobs.store.job(job), jobs.store.steps(job)
        frozen.send_signal(signal.SIGCONT)
        assert frozen.wait(PATIENCE) == 1, "it must not go on under a lease that is gone"
    assert jobs.store.job(job).result == row.result and jobs.result(job).state == "completed"
    again = {s.number: s for s in jobs.store.steps(job)}
    assert [again[s.number].answered for s in ledger] == [s.answered for s in ledger]


def test_a_worker_that_is_told_to_stop_leaves_its_job_to_others_at_once(jobs: Service, small: Path) -> None:
    (job,) = submitted(jobs, small)
    with Workers(jobs) as workers:
        first = workers.start()
        until(lambda: len(finished(jobs, job)) > 10)
        first.send_signal(signal.SIGINT)
        first.wait(PATIENCE)
        assert leases.gone(jobs.store.engine, PREFIX) == owners(jobs) != []
        assert workers.start(drain=True).wait(PATIENCE) == 0
    assert jobs.result(job).state == "completed"


def test_a_job_that_fails_in_a_worker_says_why_and_can_be_resumed(jobs: Service) -> None:
    broken = [True]

    def implement(seen: Seen) -> Any:
        return RuntimeError("the disk is upside down") if broken[0] else willing(seen)

    job = submit_plain(jobs, {"implement": implement})
    jobs.enqueue(job)
    assert Worker(jobs).run(drain=True) is True, "a failed job must not keep the queue from draining"
    failed = jobs.result(job)
    assert (failed.state, failed.exit_code) == ("failed", 1) and "upside down" in failed.reason
    assert durable.recover(this_process()) == [], "a failed job waits for a person, not for a recovery"
    broken[0] = False
    assert jobs.run(jobs.resume(job)).state == "completed"


def test_a_job_cancelled_in_the_queue_never_starts(jobs: Service, small: Path) -> None:
    cancelled, other = submitted(jobs, small, 2)
    jobs.cancel(cancelled)
    Worker(jobs).run(drain=True)
    assert (jobs.result(cancelled).state, jobs.store.steps(cancelled)) == ("cancelled", [])
    assert jobs.result(other).state == "completed"


def test_a_job_cancelled_at_work_stops_and_says_so(jobs: Service) -> None:
    def implement(seen: Seen) -> Any:
        jobs.cancel(job)
        return call("todo_complete")

    job = submit_plain(jobs, {"implement": implement})
    jobs.enqueue(job)
    Worker(jobs).run(drain=True)
    result = jobs.result(job)
    assert (result.state, result.exit_code) == ("cancelled", 6)
    assert jobs.store.steps(job)[-1].role == "Implementor", "nothing ran after the cancellation"


def test_workers_share_a_postgresql_database(tmp_path: Path, small: Path, postgres_url: str) -> None:
    with service(tmp_path, ECHELON_DATABASE_URL=postgres_url) as jobs, Workers(jobs) as workers:
        names = submitted(jobs, small, 4)
        first, second = workers.start(drain=True), workers.start(drain=True)
        until(lambda: any(len(finished(jobs, n)) > 10 for n in names))
        first.kill()
        first.wait()
        assert second.wait(PATIENCE) == 0
        for name in names:
            assert jobs.result(name).state == "completed"
            assert max(finished(jobs, name).values()) <= 2 and jobs.result(name).outputs
