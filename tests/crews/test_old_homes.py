"""Homes made by earlier versions go on: one from before jobs had hashes, relative folders and the database's clock, and one
from when code took more steps than now."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from echelon.service.cost import cost_of
from echelon.service.service import Service
from echelon.service.views import job_details, job_rows
from tests.support.scripted import contents, register, service, willing

GOLDEN = Path(__file__).parents[1] / "golden"


@dataclass(frozen=True)
class Home:
    """Three plain jobs on SQLite: one completed, one at a ceiling of 9 model calls, one killed in its first task."""

    archive: str
    done: str
    limited: str
    killed: str
    more_than: int
    """Model calls that each of them has had"""


HOMES = (
    Home("home.v1.tar.xz", "plain-ee1bd256", "plain-5bddb931", "plain-bf79776b", 5),
    Home("home.v3.tar.xz", "plain-b505742c", "plain-149625d1", "plain-29eeabc4", 4),
)


@pytest.fixture(params=HOMES, ids=lambda home: home.archive.partition(".tar")[0])
def home(request: pytest.FixtureRequest) -> Home:
    chosen: Home = request.param
    return chosen


@pytest.fixture
def jobs(tmp_path: Path, home: Home) -> Iterator[Service]:
    with tarfile.open(GOLDEN / home.archive) as archive:
        archive.extractall(tmp_path / "home", filter="data")
    register(willing)
    with service(tmp_path) as opened:
        with opened.store.engine.begin() as c:  # the input is where it was
            c.exec_driver_sql(
                "UPDATE echelon_jobs SET config = replace(config, '/home/user/.echelon', ?)", (str(tmp_path / "home"),)
            )
        yield opened


def test_what_it_did_can_be_looked_at(jobs: Service, home: Home) -> None:
    states = {row["job"]: row["state"] for row in job_rows(jobs.store)}
    assert states == {home.done: "completed", home.limited: "limit", home.killed: "interrupted"}
    for job in states:
        details = job_details(jobs.store, job)
        assert details["steps"] and cost_of(jobs.store, job)["total"]["calls"] > home.more_than
        assert Path(details["folder"]) == jobs.environment.home / "jobs" / job
    assert all(path.is_file() for path in jobs.result(home.done).outputs)


def test_a_job_at_a_ceiling_goes_on_and_no_finished_step_runs_again(jobs: Service, home: Home) -> None:
    before = {s.number: (s.asked, s.starts) for s in jobs.store.steps(home.limited) if s.answered}
    done = jobs.run(jobs.resume(home.limited, {"budget.model_calls": 200}))
    assert done.state == "completed", done.reason
    assert contents(done) == contents(jobs.result(home.done))
    after = {s.number: (s.asked, s.starts) for s in jobs.store.steps(home.limited)}
    assert {n: after[n] for n in before} == before


@pytest.mark.parametrize("lost", [False, True])
def test_a_job_that_was_killed_begins_again_without_what_it_left_half_done(
    jobs: Service, home: Home, lost: bool
) -> None:
    if lost:
        shutil.rmtree(jobs.store.job(home.killed).folder / "documents")
    done = jobs.run(jobs.resume(home.killed))
    assert done.state == "completed", done.reason
    assert contents(done) == contents(jobs.result(home.done))
