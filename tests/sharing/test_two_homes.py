"""A job whose files are shared: begun in one home, gone on with in another, with the same ledger and the same results."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from echelon.engine import durable
from echelon.errors import Superseded, UserError
from echelon.service.removal import remove
from echelon.service.service import Service
from echelon.service.trials.sweep import without_times
from echelon.settings import Environment
from echelon.sharing.blobs import InStore, blobs_at
from echelon.sharing.folder import Scanner
from echelon.sharing.shared import VARIABLE, SharedFolder
from echelon.store.engines import open_engine
from echelon.store.store import Store, this_process
from tests.cli.command import SHORT_SAMPLE, Shell
from tests.faces.http.served import served
from tests.support.forked import started
from tests.support.postgres import postgres_url  # noqa: F401
from tests.support.scripted import Seen, run_plain, service, submit_plain, willing

JOB = "creator-shared"
COMMAND = "import main; main.cli()"
SUBMIT = f"""
import sys
from echelon.service.service import Service
service = Service()
service.submit("creator", [sys.argv[1]], job="{JOB}")
service.enqueue("{JOB}")
"""


def home(tmp_path: Path, name: str, place: str) -> Any:
    """A service with a home of its own on the one database."""
    (tmp_path / name).mkdir(exist_ok=True)
    url = f"sqlite:///{tmp_path / 'one.sqlite'}"
    return service(tmp_path / name, ECHELON_DATABASE_URL=url, **{VARIABLE: place.format(tmp_path)})


def ledger(jobs: Service, job: str) -> list[tuple[Any, ...]]:
    return [(s.kind, s.name, s.role, s.asked) for s in jobs.store.steps(job)]


@pytest.mark.parametrize("place", ["database", "file://{}/store"])
def test_a_job_goes_on_in_another_home_when_the_first_is_gone(tmp_path: Path, place: str) -> None:
    with service(tmp_path / "whole") as jobs:
        whole = run_plain(jobs, {})
        expected, results = ledger(jobs, whole.job), {p.name: p.read_bytes() for p in whole.outputs}
    broken = [True]

    def once_broken(seen: Seen) -> Any:
        if seen.turn == 3 and broken:
            broken.clear()
            raise KeyboardInterrupt
        return willing(seen)

    with home(tmp_path, "a", place) as jobs:
        job = submit_plain(jobs, {"implement": once_broken})
        with contextlib.suppress(BaseException):  # the process is told to end
            jobs.run(job)
        assert jobs.store.job(job).state != "completed"
    shutil.rmtree(tmp_path / "a")
    with home(tmp_path, "b", place) as jobs:
        done = jobs.run(jobs.resume(job))
        assert done.state == "completed"
        assert [row[:3] for row in ledger(jobs, job)] == [row[:3] for row in expected]
        assert {s.starts for s in done.ledger} <= {1, 2} and sum(s.starts == 2 for s in done.ledger) <= 1
        assert {p.name: p.read_bytes() for p in done.outputs} == results
    with home(tmp_path, "c", place) as jobs:
        seen = jobs.result(job)
        assert {p.name: p.read_bytes() for p in seen.outputs} == results, "whoever looks has the files"
        remove(jobs.store, job, jobs.shared(job))
        with jobs.store.engine.connect() as c:
            left = c.exec_driver_sql(
                "select (select count(*) from echelon_shared) + (select count(*) from echelon_blobs)"
            )
            assert left.scalar() == 0


def test_who_sees_that_a_job_is_completed_finds_its_results(tmp_path: Path) -> None:
    """Over HTTP at a server with another home, asked for a file at once; when the job says so, they are shared."""
    there: list[int] = []

    def look(_connection: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith("UPDATE echelon_jobs") and "completed" in tuple(values):
            with contextlib.closing(sqlite3.connect(tmp_path / "one.sqlite")) as c:
                found = c.execute("select count(*) from echelon_shared where path like 'output/%'").fetchone()
            there.append(found[0])

    with home(tmp_path, "a", "database") as jobs:
        sa.event.listen(jobs.store.engine, "before_cursor_execute", look)
        done = run_plain(jobs, {})
        results = {p.name: p.read_bytes() for p in done.outputs}
    assert there and there[0] == len(results) > 0
    variables = {"ECHELON_DATABASE_URL": f"sqlite:///{tmp_path / 'one.sqlite'}", VARIABLE: "database"}
    with served(tmp_path / "b", variables) as server, server.client() as client:
        last = ExitStack()
        last.enter_context(durable.Lease(server.store, done.job))
        threading.Timer(1.0, last.close).start()  # who ended it was still at it
        for name, content in results.items():
            assert client.get(f"/jobs/{done.job}/files/output/{name}").content == content


def folder(tmp_path: Path, name: str, store: Store, job: str = "j") -> SharedFolder:
    root = tmp_path / name / "jobs" / job
    root.mkdir(parents=True, exist_ok=True)
    return SharedFolder(store, job, root, blobs_at("database", store.engine, job))


@pytest.fixture
def store(tmp_path: Path) -> Any:
    made = Store(open_engine(f"sqlite:///{tmp_path / 'one.sqlite'}"))
    made.migrate()
    made.lease("j", this_process())
    yield made
    made.engine.dispose()


def test_a_folder_is_made_again_as_it_was(tmp_path: Path, store: Store) -> None:
    first, root = folder(tmp_path, "a", store), tmp_path / "a" / "jobs" / "j"
    (root / "empty").mkdir()
    (root / "deep").mkdir()
    (root / "deep" / "run.sh").write_text("#!/bin/sh\n")
    (root / "deep" / "run.sh").chmod(0o755)
    (root / "link").symlink_to("deep/run.sh")
    (root / ".half.partial").write_text("no")
    first.push()
    second = folder(tmp_path, "b", store)
    (tmp_path / "b" / "jobs" / "j" / "left over").write_text("of another time")
    assert second.pull() and not second.pull()
    there = tmp_path / "b" / "jobs" / "j"
    assert Scanner(there).now() == Scanner(root).now()
    assert (there / "deep" / "run.sh").stat().st_mode & 0o777 == 0o755 and str(
        (there / "link").readlink()
    ) == "deep/run.sh"
    assert not (there / "left over").exists() and not (there / ".half.partial").exists()
    (there / "deep" / "run.sh").unlink()
    second.push()
    assert first.pull() and not (root / "deep" / "run.sh").exists(), "what a later holder took away is gone here too"


def test_who_lost_the_lease_changes_nothing(tmp_path: Path, store: Store) -> None:
    frozen = folder(tmp_path, "a", store)
    (tmp_path / "a" / "jobs" / "j" / "file").write_text("1")
    frozen.push()
    store.release("j", this_process())
    store.lease("j", "99999.1@elsewhere")
    (tmp_path / "a" / "jobs" / "j" / "file").write_text("of a worker that woke up")
    with pytest.raises(Superseded):
        frozen.push()
    other = folder(tmp_path, "b", store)
    other.pull()
    assert (tmp_path / "b" / "jobs" / "j" / "file").read_text() == "1"


def test_what_the_folder_has_beyond_the_list_is_kept_where_it_was_made(tmp_path: Path, store: Store) -> None:
    """A result that was kept before it could be shared is not paid again by the same machine."""
    mine = folder(tmp_path, "a", store)
    (tmp_path / "a" / "jobs" / "j" / "one").write_text("1")
    mine.push()
    (tmp_path / "a" / "jobs" / "j" / "two").write_text("2")
    assert not folder(tmp_path, "a", store).pull()
    assert (tmp_path / "a" / "jobs" / "j" / "two").read_text() == "2"


def test_a_content_that_was_changed_or_lost_is_refused(tmp_path: Path, store: Store) -> None:
    blobs = InStore(f"file://{tmp_path}/store", "j")
    sha = hashlib.sha256(b"content").hexdigest()
    blobs.put(sha, b"content")
    path = tmp_path / "store" / "j" / sha[:2] / sha
    path.write_bytes(b"half")
    with pytest.raises(UserError, match="was changed in"):
        blobs.get(sha)
    blobs.put(sha, b"content")
    assert blobs.get(sha) == b"content"
    blobs.clear()
    with pytest.raises(UserError, match="is gone from"):
        blobs.get(sha)
    with pytest.raises(UserError, match="needs a package"):
        blobs_at("nonsense://x", store.engine, "j")


def test_inputs_travel_files_and_folders(tmp_path: Path, store: Store) -> None:
    (tmp_path / "in" / "tree").mkdir(parents=True)
    (tmp_path / "in" / "a.md").write_text("A")
    (tmp_path / "in" / "tree" / "b.md").write_text("B")
    given = [str(tmp_path / "in" / "a.md"), str(tmp_path / "in" / "tree")]
    folder(tmp_path, "a", store).give(given)
    other = folder(tmp_path, "b", store)
    assert other.inputs(given) == given
    shutil.rmtree(tmp_path / "in")
    first, second = map(Path, other.inputs(given))
    assert first.read_text() == "A" and (second / "b.md").read_text() == "B"
    assert (first.name, second.name) == ("a.md", "tree")


def test_a_killed_worker_of_one_home_and_a_worker_of_another(tmp_path: Path, postgres_url: str) -> None:  # noqa: F811
    """Two homes on one PostgreSQL: the first worker is killed and its home removed; the second completes the job."""
    sample = tmp_path / SHORT_SAMPLE.name
    shutil.copy(SHORT_SAMPLE, sample)
    whole = Shell(tmp_path / "w", {"ECHELON_HOME": str(tmp_path / "w")})
    both = {"ECHELON_DATABASE_URL": postgres_url, VARIABLE: "database"}
    homes = {name: Shell(tmp_path, {"ECHELON_HOME": str(tmp_path / name), **both}) for name in ("a", "b")}
    (tmp_path / "w").mkdir()
    run(whole, SUBMIT, str(sample))
    run(whole, COMMAND, "worker", "--drain")
    run(homes["a"], SUBMIT, str(sample))
    store = Store(open_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://")))
    try:
        first = start(homes["a"], COMMAND, "worker")
        end = time.monotonic() + 120
        while len(store.steps(JOB)) < 8 and first.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        first.send_signal(signal.SIGKILL)
        first.wait()
        assert store.job(JOB).state == "running", "it ended before it could be killed"
        sample.unlink()
        shutil.rmtree(tmp_path / "a")
        run(homes["b"], COMMAND, "worker", "--drain")
        assert store.job(JOB).state == "completed"
        undisturbed = Service(Environment({"ECHELON_HOME": str(tmp_path / "w")}))
        asked = [(s.number, s.kind, s.name, s.role, s.asked) for s in undisturbed.store.steps(JOB)]
        assert [(s.number, s.kind, s.name, s.role, s.asked) for s in store.steps(JOB)] == asked
        assert sum(s.starts > 1 for s in store.steps(JOB)) <= 1
        assert results(tmp_path / "b") == results(tmp_path / "w")
        undisturbed.close()
    finally:
        store.engine.dispose()


def start(shell: Shell, program: str, *arguments: str) -> subprocess.Popen[str]:
    return started(program, *arguments, env=shell.environment, stdout=subprocess.DEVNULL)


def run(shell: Shell, program: str, *arguments: str) -> None:
    assert start(shell, program, *arguments).wait(timeout=240) == 0


def results(home: Path) -> dict[str, str]:
    files = sorted((home / "jobs" / JOB / "output").iterdir())
    return {p.name: hashlib.sha256(without_times(p)).hexdigest() for p in files}
