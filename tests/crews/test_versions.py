"""A job that a version before interrupted goes on with this one, from where its segment began."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from echelon.store.records.jobs import Said
from tests.support.scripted import Reply, Script, Seen, service, submit_plain, willing


class PowerCut(BaseException):
    """Stands for whatever stops a process."""


def cut_once() -> Script:
    """Roles that are willing, but for the first call of QA, in which the power goes."""
    cuts: list[int] = []

    def play(seen: Seen) -> Reply:
        if seen.phase == "qa" and not cuts:
            cuts.append(seen.number)
            return PowerCut("off")
        return willing(seen)

    return play


def test_an_interrupted_job_of_the_version_before_goes_on(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        job = submit_plain(jobs, cut_once())
        with pytest.raises(PowerCut):
            jobs.run(job)
        with jobs.store.engine.begin() as c:
            changed = c.execute(sa.text("UPDATE workflow_status SET application_version = '1'"))
            assert changed.rowcount == 1
        result = jobs.run(job)
        assert jobs.store.job(job).segment == 2
    assert result.state == "completed"
    assert sorted(p.name for p in result.outputs) == ["result-1.md", "result-2.md"]


def test_one_that_a_person_had_answered_goes_on_from_that_answer(tmp_path: Path) -> None:
    """The segment that is begun again starts with the same control state and the same answer."""
    with service(tmp_path) as jobs:
        job = submit_plain(jobs, cut_once(), overrides={"approvals": "scope"})
        assert jobs.run(job).state == "needs_input"
        with pytest.raises(PowerCut):
            jobs.run(jobs.resume(job, said=Said(event="approved")))
        began = jobs.store.job(job).config
        with jobs.store.engine.begin() as c:
            c.execute(sa.text("UPDATE workflow_status SET application_version = '1'"))
        result = jobs.run(job)
        row = jobs.store.job(job)
    assert (row.segment, row.config) == (3, began) and began.snapshot["scope"]
    assert result.state == "completed"
