"""A home made by the version before jobs had hashes, relative folders and the database's clock: it goes on."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.service.cost import cost_of
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.service.views import job_details, job_rows
from tests.support.scripted import register, service, willing

HOME = Path(__file__).parents[1] / "golden" / "home.v1.tar.xz"
"""Three plain jobs on SQLite: one completed, one at a ceiling of 9 model calls, one killed in its first task."""
DONE, LIMITED, KILLED = "plain-ee1bd256", "plain-5bddb931", "plain-bf79776b"


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with tarfile.open(HOME) as archive:
        archive.extractall(tmp_path / "home", filter="data")
    register(willing)
    with service(tmp_path) as opened:
        with opened.store.engine.begin() as c:  # the input is where it was
            c.exec_driver_sql(
                "UPDATE echelon_jobs SET config = replace(config, '/home/user/.echelon', ?)", (str(tmp_path / "home"),)
            )
        yield opened


def test_what_it_did_can_be_looked_at(jobs: Service) -> None:
    states = {row["job"]: row["state"] for row in job_rows(jobs.store)}
    assert states == {DONE: "completed", LIMITED: "limit", KILLED: "interrupted"}
    for job in states:
        details = job_details(jobs.store, job)
        assert details["steps"] and cost_of(jobs.store, job)["total"]["calls"] > 5
        assert Path(details["folder"]) == jobs.environment.home / "jobs" / job
    assert all(path.is_file() for path in jobs.result(DONE).outputs)


def test_a_job_at_a_ceiling_goes_on_and_no_finished_step_runs_again(jobs: Service) -> None:
    before = {s.number: (s.asked, s.starts) for s in jobs.store.steps(LIMITED) if s.answered}
    done = jobs.run(jobs.resume(LIMITED, {"budget.model_calls": 200}))
    assert done.state == "completed", done.reason
    assert contents(done) == contents(jobs.result(DONE))
    after = {s.number: (s.asked, s.starts) for s in jobs.store.steps(LIMITED)}
    assert {n: after[n] for n in before} == before


@pytest.mark.parametrize("lost", [False, True])
def test_a_job_that_was_killed_begins_again_without_what_it_left_half_done(jobs: Service, lost: bool) -> None:
    if lost:
        shutil.rmtree(jobs.store.job(KILLED).folder / "documents")
    done = jobs.run(jobs.resume(KILLED))
    assert done.state == "completed", done.reason
    assert contents(done) == contents(jobs.result(DONE))


def contents(result: JobResult) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in result.outputs}
