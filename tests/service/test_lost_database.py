"""A database that is lost is no home without jobs, and comes back from the folders of the jobs as far as it can."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from echelon.engine import durable
from echelon.errors import UserError
from echelon.service.doctor import examine
from echelon.service.repair import GOES_ON, LOST, lost, repair
from echelon.service.service import Service
from echelon.settings import Environment
from echelon.store.folders import RECORD
from echelon.store.records.jobs import Said
from tests.support.scripted import Seen, call, played, register, service, submit_plain


class SwitchedOff(Exception):
    """What stops a job in the middle."""


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def garbled(path: Path) -> None:
    path.write_bytes(b"\x55" * 4096)


def torn(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = b"\x55" * (len(data) - 4096)
    path.write_bytes(bytes(data))


DAMAGES: dict[str, Callable[[Path], None]] = {"emptied": emptied, "gone": Path.unlink, "garbled": garbled}


def damaged(home: Path, damage: Callable[[Path], None]) -> Environment:
    """The home after its database was damaged; nothing of SQLite's is left beside it."""
    for beside in (home / "echelon.sqlite-wal", home / "echelon.sqlite-shm"):
        beside.unlink(missing_ok=True)
    damage(home / "echelon.sqlite")
    return Environment({"ECHELON_HOME": str(home)})


def begun(folder: Path, script: Callable[[Seen], object]) -> tuple[str, str]:
    """(id, state) of a job that `script` played; the process lets go of its database."""
    with service(folder) as jobs:
        job = submit_plain(jobs, script, overrides={"todos.least": 1})  # type: ignore[arg-type]
        state = jobs.run(job).state
        with jobs.store.engine.begin() as c:
            c.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return job, state


def well(seen: Seen) -> object:
    return played(seen, tasks=1, todos=2)


def contents(jobs: Service, job: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in jobs.result(job).outputs}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home with a job that was completed."""
    folder = tmp_path_factory.mktemp("ended")
    job, state = begun(folder, well)
    assert state == "completed"
    return folder / "home", job


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_lost_database_is_said_and_rebuilt(
    tmp_path: Path, ended: tuple[Path, str], damage: Callable[[Path], None]
) -> None:
    home, job = tmp_path / "home", ended[1]
    shutil.copytree(ended[0], home, symlinks=True)
    environment = damaged(home, damage)
    with pytest.raises(UserError, match=r"echelon\.sqlite is (empty|gone|damaged).*doctor --repair"):
        _ = Service(environment).store
    assert Service(environment).has_store, "a lost database would count as none"
    assert [c.state for c in examine(environment) if c.name == "database"] == ["broken"]
    said = repair(environment)
    assert f"{job}: rebuilt, completed." in said and said[-1] == LOST
    jobs = Service(environment)
    try:
        assert jobs.result(job).state == "completed" and contents(jobs, job)
        assert [c.state for c in examine(environment) if c.name == "database"] == ["ok"]
        assert repair(environment)[-1] == "Every folder of a job is known to the database."
    finally:
        jobs.close()
    kept = list(home.glob("echelon.sqlite.damaged-1"))
    assert bool(kept) == (damage is not Path.unlink), "what was damaged is kept"


def test_pages_that_are_torn_are_found_by_the_doctor(tmp_path: Path, ended: tuple[Path, str]) -> None:
    home = tmp_path / "home"
    shutil.copytree(ended[0], home, symlinks=True)
    environment = damaged(home, torn)
    assert f"{ended[1]}: rebuilt, completed." in repair(environment)


def test_an_answer_still_reaches_a_job_that_waited_for_it(tmp_path: Path) -> None:
    def hopeless(seen: Seen) -> object:
        if seen.phase == "assess":
            return call("submit_assessment", trajectory="hopeless", reasons=["the input is a poem"])
        return well(seen)

    job, state = begun(tmp_path, hopeless)
    assert state == "escalated"
    repair(damaged(tmp_path / "home", emptied))
    register(well)  # type: ignore[arg-type]
    with service(tmp_path) as jobs:
        jobs.resume(job, said=Said(event="answered by a person", text="poems count"))
        assert jobs.run(job).state == "completed"


def test_a_job_that_was_under_way_goes_on_and_pays_nothing_twice(tmp_path: Path, ended: tuple[Path, str]) -> None:
    job, state = begun(tmp_path, lambda seen: SwitchedOff("off") if seen.number > 6 else well(seen))
    assert state == "failed"
    repair(damaged(tmp_path / "home", garbled))
    model = register(well)  # type: ignore[arg-type]
    with service(tmp_path) as jobs:
        assert (jobs.result(job).state, jobs.result(job).reason) == ("failed", GOES_ON)
        assert jobs.run(jobs.resume(job)).state == "completed"
        made = contents(jobs, job)
        assert min(Seen(request).number for request in model.asked) == 7, "what was answered is not asked again"
        steps = jobs.store.steps(job)
        assert [(s.number, s.starts) for s in steps] == [(n, 1) for n in range(1, len(steps) + 1)]
        durable.shut_down()
    whole = Service(Environment({"ECHELON_HOME": str(ended[0])}))
    assert made == contents(whole, ended[1])
    whole.close()


def test_folders_without_a_record_of_theirs_are_said_and_left(tmp_path: Path, ended: tuple[Path, str]) -> None:
    home = tmp_path / "home"
    shutil.copytree(ended[0], home, symlinks=True)
    shutil.copytree(home / "jobs" / ended[1], home / "jobs" / "plain-00000000")  # a copy says that it is another job
    (home / "jobs" / "plain-11111111" / "trace").mkdir(parents=True)
    (home / "jobs" / "plain-11111111" / RECORD).write_text("{}")
    environment = Environment({"ECHELON_HOME": str(home)})
    found = [c for c in examine(environment) if c.name == "database"]
    assert "does not know 2 job folders: plain-00000000, plain-11111111" in found[0].found
    said = repair(environment)
    assert [line.partition(":")[0] for line in said[:2]] == ["plain-00000000", "plain-11111111"]
    assert all("holds no record" in line for line in said[:2])
    jobs = Service(environment)
    assert [row.id for row in jobs.store.all_jobs()] == [ended[1]]
    jobs.close()


def test_a_new_home_and_another_database_are_not_lost(tmp_path: Path, ended: tuple[Path, str]) -> None:
    (tmp_path / "echelon.sqlite").write_bytes(b"")
    assert lost(Environment({"ECHELON_HOME": str(tmp_path)})) == ""
    elsewhere = {"ECHELON_HOME": str(ended[0]), "ECHELON_DATABASE_URL": f"sqlite:///{tmp_path}/new.sqlite"}
    assert lost(Environment(elsewhere)) == ""


def test_the_record_says_no_more_than_the_row(ended: tuple[Path, str]) -> None:
    record = json.loads((ended[0] / "jobs" / ended[1] / RECORD).read_text())
    assert record["state"] == "completed" and record["id"] == ended[1]
    assert (ended[0] / "jobs" / ended[1] / RECORD).stat().st_mode & 0o077 == 0
