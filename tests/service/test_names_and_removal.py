"""Which job is meant, and removing one: nothing of it stays, and nothing of another goes."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from echelon.errors import UnknownName, UserError
from echelon.service.names import job_named
from echelon.service.removal import remove
from echelon.service.service import Service
from echelon.store.engines import open_engine
from echelon.store.records.jobs import Settings
from echelon.store.store import Store
from tests.support.scripted import run_plain, service


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(open_engine(f"sqlite:///{tmp_path / 'echelon.sqlite'}"))
    store.migrate()
    for job in ("creator-0ab1", "creator-0ac2", "plain-77", "plain-778"):
        store.add_job(job, job.split("-")[0], "Do it.", Settings(), str(tmp_path / job))
    return store


@pytest.mark.parametrize(
    ("text", "job"),
    [
        ("creator-0ab1", "creator-0ab1"),
        ("creator-0ac", "creator-0ac2"),
        ("0ab", "creator-0ab1"),
        ("plain-77", "plain-77"),
        ("778", "plain-778"),
        ("last", "plain-778"),
    ],
)
def test_a_job_is_named_by_what_no_other_begins_with(store: Store, text: str, job: str) -> None:
    assert job_named(store, text) == job


def test_what_may_be_several_jobs_is_refused_with_their_names(store: Store) -> None:
    with pytest.raises(UserError, match=r"'0a' may be 2 jobs: creator-0ab1, creator-0ac2; say more of the id\."):
        job_named(store, "0a")


@pytest.mark.parametrize("text", ["", "ab1", "Creator-0ab1", "creator-0ab1x"])
def test_what_no_job_begins_with_is_unknown(store: Store, text: str) -> None:
    with pytest.raises(UnknownName):
        job_named(store, text)


def rows_of(jobs: Service, job: str) -> dict[str, int]:
    """How many rows of every table name the job."""
    found = {}
    with jobs.store.engine.connect() as c:
        for name in sa.inspect(jobs.store.engine).get_table_names():
            table = sa.Table(name, sa.MetaData(), autoload_with=jobs.store.engine)
            texts = [column for column in table.columns if isinstance(column.type, sa.String | sa.Text)]
            named = sa.or_(*(column.startswith(job, autoescape=True) for column in texts)) if texts else sa.false()
            found[name] = c.execute(sa.select(sa.func.count()).select_from(table).where(named)).scalar_one()
    return {name: count for name, count in found.items() if count}


def test_a_removed_job_leaves_nothing_and_takes_nothing_of_another(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        gone, kept = run_plain(jobs, {}), run_plain(jobs, {})
        before = rows_of(jobs, kept.job)
        assert {"echelon_jobs", "echelon_steps", "echelon_events"} <= set(rows_of(jobs, gone.job))
        remove(jobs.store, gone.job)
        assert rows_of(jobs, gone.job) == {}
        assert not gone.folder.exists()
        assert rows_of(jobs, kept.job) == before and kept.outputs[0].exists()
        with pytest.raises(UnknownName):
            remove(jobs.store, gone.job)


def test_a_job_whose_folder_is_gone_can_be_removed(store: Store) -> None:
    remove(store, "plain-77")
    with pytest.raises(UnknownName):
        store.job("plain-77")


def test_a_running_job_is_not_removed(store: Store) -> None:
    store.lease("plain-77", "1.0@another-host")
    with pytest.raises(UserError, match="Job plain-77 is running; stop it first with: echelon cancel plain-77"):
        remove(store, "plain-77")
    assert store.job("plain-77")
