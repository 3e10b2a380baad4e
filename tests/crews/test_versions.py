"""A job that a version before interrupted goes on with this one, from where its segment began."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store.records.jobs import Said
from tests.support.scripted import Reply, Script, Seen, contents, run_plain, service, submit_plain, willing

CALLS = 24
"""Model calls of a willing job"""
FIRST_QA = 9
"""The first of them in which QA is asked"""
OF_ANOTHER = (
    "UPDATE workflow_status SET application_version = '1' WHERE status = 'PENDING' AND application_version <> '1'"
)


class PowerCut(BaseException):
    """Stands for whatever stops a process."""


def cut_in(*calls: int) -> tuple[Script, list[str]]:
    """Roles that are willing, but for those of their calls in which the power goes; and the phases of all calls."""
    asked: list[str] = []

    def play(seen: Seen) -> Reply:
        asked.append(seen.phase)
        return PowerCut("off") if len(asked) in calls else willing(seen)

    return play, asked


def interrupted_by_an_update(jobs: Service, script: Script, **more: Any) -> str:
    """A job whose process ended in the middle of a segment, and whose home another version opens now."""
    job = submit_plain(jobs, script, **more)
    with pytest.raises(PowerCut):
        jobs.run(job)
    as_by_another_version(jobs)
    return job


def as_by_another_version(jobs: Service) -> None:
    with jobs.store.engine.begin() as c:
        changed = c.execute(sa.text(OF_ANOTHER))
        assert changed.rowcount == 1


def answered_once(jobs: Service, job: str) -> None:
    """Nothing is told twice, or of what was undone."""
    events = jobs.store.events(job)
    assert [e.number for e in events] == list(range(1, len(events) + 1))
    steps = jobs.store.steps(job)
    assert [s.number for s in steps] == list(range(1, len(steps) + 1)) and all(s.answered for s in steps)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> JobResult:
    """A job that nothing happened to."""
    with service(tmp_path_factory.mktemp("whole")) as jobs:
        done = run_plain(jobs, willing)
    assert done.state == "completed" and sorted(contents(done)) == ["result-1.md", "result-2.md"]
    return done


@pytest.mark.parametrize("cut", [3, FIRST_QA, 16, CALLS])
def test_a_job_of_the_version_before_goes_on_and_no_call_is_paid_twice(
    tmp_path: Path, whole: JobResult, cut: int
) -> None:
    """Whichever call of a model it was in, all that were answered are not made again, and what they did is done."""
    play, asked = cut_in(cut)
    with service(tmp_path) as jobs:
        job = interrupted_by_an_update(jobs, play)
        result = jobs.run(job)
        assert jobs.store.job(job).segment == 2
        answered_once(jobs, job)
    assert len(asked) == CALLS + 1
    assert (result.state, result.rounds) == ("completed", whole.rounds)
    assert contents(result) == contents(whole)


def test_one_that_is_interrupted_again_takes_the_rest_of_the_answers(tmp_path: Path, whole: JobResult) -> None:
    play, asked = cut_in(12, 14)
    with service(tmp_path) as jobs:
        job = interrupted_by_an_update(jobs, play)
        with pytest.raises(PowerCut):
            jobs.run(job)
        as_by_another_version(jobs)
        result = jobs.run(job)
        assert jobs.store.job(job).segment == 3
        answered_once(jobs, job)
    assert len(asked) == CALLS + 2 and contents(result) == contents(whole)


def test_what_a_model_is_asked_otherwise_is_asked(tmp_path: Path) -> None:
    """An answer to another question is none: here the settings that come with each call are others."""
    play, asked = cut_in(8)
    with service(tmp_path) as jobs:
        job = interrupted_by_an_update(jobs, play)
        config = jobs.store.job(job).config
        given = {**config.config, "model_settings": {**config.config["model_settings"], "temperature": 0.7}}
        jobs.store.set_job(job, config=config.model_copy(update={"config": given}))
        assert jobs.run(job).state == "completed"
    assert len(asked) == 8 + CALLS


def test_one_that_a_person_had_answered_goes_on_from_that_answer(tmp_path: Path) -> None:
    """The segment that is begun again starts with the same control state and the same answer."""
    with service(tmp_path) as jobs:
        job = submit_plain(jobs, cut_in(FIRST_QA)[0], overrides={"approvals": "scope"})
        assert jobs.run(job).state == "needs_input"
        with pytest.raises(PowerCut):
            jobs.run(jobs.resume(job, said=Said(event="approved")))
        began = jobs.store.job(job).config
        as_by_another_version(jobs)
        result = jobs.run(job)
        row = jobs.store.job(job)
        answered_once(jobs, job)
    assert (row.segment, row.config) == (3, began) and began.snapshot["scope"]
    assert result.state == "completed" and result.rounds == 2
