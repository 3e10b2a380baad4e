"""A job that a version before interrupted goes on with this one, from where its segment began."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.support.scripted import Reply, Seen, service, submit_plain, willing


class PowerCut(BaseException):
    """Stands for whatever stops a process."""


def test_an_interrupted_job_of_the_version_before_goes_on(tmp_path: Path) -> None:
    cuts: list[int] = []

    def cut_once(seen: Seen) -> Reply:
        if seen.phase == "qa" and not cuts:
            cuts.append(seen.number)
            return PowerCut("off")
        return willing(seen)

    with service(tmp_path) as jobs:
        job = submit_plain(jobs, cut_once)
        with pytest.raises(PowerCut):
            jobs.run(job)
        with jobs.store.engine.begin() as c:
            changed = c.execute(sa.text("UPDATE workflow_status SET application_version = '1'"))
            assert changed.rowcount == 1
        result = jobs.run(job)
        assert jobs.store.job(job).segment == 2
    assert result.state == "completed"
    assert sorted(p.name for p in result.outputs) == ["result-1.md", "result-2.md"]
