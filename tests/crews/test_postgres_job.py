"""The creator job on PostgreSQL and on SQLite: the same ledger and the same results, also when it is killed."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from echelon.service.trials.sweep import without_times
from echelon.store.engines import open_engine
from echelon.store.records.steps import Step
from echelon.store.store import Store
from tests.cli.command import SHORT_SAMPLE, Shell
from tests.support.forked import started
from tests.support.postgres import postgres_url  # noqa: F401

JOB = "creator-same"
PROGRAM = f"""
import sys
from echelon.faces.cli.main import leave
from echelon.service.service import Service
service = Service()
if not any(row.id == "{JOB}" for row in service.store.all_jobs()):
    service.submit("creator", [sys.argv[1]], job="{JOB}")
leave(service.run(service.resume("{JOB}")).exit_code)
"""
"""The same id in each database: it is written in the results."""


class Place:
    """A folder and a database for one job."""

    def __init__(self, home: Path, url: str | None = None) -> None:
        home.mkdir()
        self.home, self.url = home, url or f"sqlite:///{home / 'echelon.sqlite'}"
        database = {"ECHELON_DATABASE_URL": url} if url else {}
        self.environment = Shell(home, {"ECHELON_HOME": str(home), **database}).environment
        self._store: Store | None = None

    def start(self) -> subprocess.Popen[str]:
        """The job in a process of its own: the first time it is submitted, after that resumed."""
        return started(PROGRAM, str(SHORT_SAMPLE), env=self.environment)

    def complete(self) -> None:
        assert self.start().wait(timeout=180) == 0

    def kill_after(self, count: int) -> list[dict[str, Any]]:
        """Run until `count` steps have begun, then SIGKILL; returns the steps that were finished by then."""
        process = self.start()
        end = time.monotonic() + 120
        while process.poll() is None and len(self.steps()) < count and time.monotonic() < end:
            time.sleep(0.01)
        assert process.poll() is None, "it ended before it could be killed"
        process.send_signal(signal.SIGKILL)
        process.wait()
        return [step for step in self.steps() if step.answered]

    def steps(self) -> list[Step]:
        """The ledger so far, empty before there is one."""
        if self._store is None:
            if self.url.startswith("sqlite") and not (self.home / "echelon.sqlite").exists():
                return []
            self._store = Store(open_engine(self.url.replace("postgresql://", "postgresql+psycopg://")))
            self._store.migrate()
        return self._store.steps(JOB)

    def close(self) -> None:
        if self._store is not None:
            self._store.engine.dispose()

    def ledger(self) -> list[tuple[Any, ...]]:
        return [(s.number, s.kind, s.name, s.role, s.asked) for s in self.steps()]

    def deliverables(self) -> dict[str, str]:
        """Content hashes of the results by name."""
        files = sorted((self.home / "jobs" / JOB / "output").iterdir())
        return {p.name: hashlib.sha256(without_times(p)).hexdigest() for p in files}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """A job on SQLite that nobody disturbed."""
    place = Place(tmp_path_factory.mktemp("whole") / "home")
    place.complete()
    place.steps()
    place.close()
    return place


def goes_on_as_if_nothing_had_happened(place: Place, whole: Place, count: int) -> None:
    finished = place.kill_after(count)
    half = place.home / "jobs" / JOB / "output" / ".requirements.md.99999999.1.partial"
    half.parent.mkdir(exist_ok=True)
    half.write_text("what a killed process was writing")
    place.complete()
    starts = {step.number: step.starts for step in place.steps()}
    assert {n: starts[n] for n in (s.number for s in finished)} == {s.number: 1 for s in finished}
    assert place.ledger() == whole.ledger()
    assert place.deliverables() == whole.deliverables()
    place.close()


def test_a_killed_job_on_sqlite_goes_on(whole: Place, tmp_path: Path) -> None:
    middle = len(whole.ledger()) // 2
    goes_on_as_if_nothing_had_happened(Place(tmp_path / "home"), whole, middle)


def test_a_job_on_postgresql_is_the_same(whole: Place, tmp_path: Path, postgres_url: str) -> None:  # noqa: F811
    place = Place(tmp_path / "home", postgres_url)
    place.complete()
    assert place.ledger() == whole.ledger()
    assert place.deliverables() == whole.deliverables()
    assert len(place.deliverables()) == 7
    assert not (place.home / "echelon.sqlite").exists()
    place.close()


def test_a_killed_job_on_postgresql_goes_on(whole: Place, tmp_path: Path, postgres_url: str) -> None:  # noqa: F811
    third = len(whole.ledger()) // 3
    goes_on_as_if_nothing_had_happened(Place(tmp_path / "home", postgres_url), whole, third)
