"""Leases: who may run what, who has lost it, and who is gone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.engine.durable import Lease, what_stopped
from echelon.errors import Halted, JobBusy, JobCancelled, Superseded
from echelon.store import leases
from echelon.store.engines import open_engine
from echelon.store.store import Store, this_process

ELSEWHERE = "17.4711@a-host-that-is-not-this-one"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(open_engine(f"sqlite:///{tmp_path / 'x.sqlite'}"))
    store.migrate()
    yield store
    store.engine.dispose()


def dead_process() -> str:
    """The name of a process of this host that has ended."""
    code = "from echelon.store.store import this_process; print(this_process())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_lease_is_held_while_its_block_runs(store: Store) -> None:
    with Lease(store, "job-1") as lease:
        assert store.holder("job-1") == this_process() and not lease.lost
    assert store.holder("job-1") is None


def test_a_lease_of_a_living_process_elsewhere_is_refused_unless_dbos_gave_the_job_away(store: Store) -> None:
    leases.take(store.engine, "job-1", ELSEWHERE)
    with pytest.raises(JobBusy), Lease(store, "job-1"):
        pass
    with Lease(store, "job-1", taken=True):
        assert store.holder("job-1") == this_process()
        assert leases.renew(store.engine, "job-1", ELSEWHERE) is False, "who lost it finds out when it renews"
    assert store.holder("job-1") is None


def test_an_abandoned_lease_has_run_out_but_tells_whose_it_was(store: Store) -> None:
    with Lease(store, "worker:me") as lease:
        lease.abandon()
    assert leases.gone(store.engine, "worker:") == [this_process()]
    leases.clear(store.engine, this_process())
    assert leases.gone(store.engine, "worker:") == []


def test_gone_are_those_whose_lease_ran_out_and_those_whose_process_ended(store: Store) -> None:
    dead = dead_process()
    leases.take(store.engine, "worker:a", dead)
    leases.take(store.engine, "worker:b", ELSEWHERE)
    leases.take(store.engine, "worker:c", this_process())
    leases.take(store.engine, "job-1", dead)
    assert leases.gone(store.engine, "worker:") == [dead]
    leases.expire(store.engine, ELSEWHERE)
    assert leases.gone(store.engine, "worker:") == [dead, ELSEWHERE]
    leases.clear(store.engine, dead)
    assert store.holder("job-1") is None and leases.gone(store.engine, "worker:") == [ELSEWHERE]


def test_renewing_moves_the_end_of_a_lease(store: Store) -> None:
    leases.take(store.engine, "job-1", ELSEWHERE)
    leases.expire(store.engine, ELSEWHERE)
    assert store.holder("job-1") is None
    assert leases.renew(store.engine, "job-1", ELSEWHERE) is True
    assert store.holder("job-1") == ELSEWHERE


def test_a_prefix_with_marks_of_like_is_taken_by_the_letter(store: Store) -> None:
    leases.take(store.engine, "workerXa", ELSEWHERE)
    leases.expire(store.engine, ELSEWHERE)
    assert leases.gone(store.engine, "worker_") == []


def test_what_stopped_a_segment_is_told_from_what_it_raised() -> None:
    from dbos._error import DBOSWorkflowCancelledError, DBOSWorkflowConflictIDError

    cause = OSError("the disk is full")
    assert what_stopped(Halted(cause)) is cause
    assert isinstance(what_stopped(DBOSWorkflowCancelledError("x")), JobCancelled)
    assert isinstance(what_stopped(Halted(DBOSWorkflowCancelledError("x"))), JobCancelled)
    assert isinstance(what_stopped(Halted(DBOSWorkflowConflictIDError("x"))), Superseded)
