"""A job that kills its workers goes to a person after the second one, and not round all of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.durable import Lease
from echelon.service.quarantine import with_death
from echelon.service.worker import PREFIX, Worker
from echelon.store import leases
from echelon.store.records.jobs import Result
from echelon.store.store import this_process
from tests.support.forked import ran
from tests.support.scripted import service, submit_plain, willing

ROOT = Path(__file__).parents[2]
WORKER = """
import os, signal, sys
from tests.support.scripted import register
from echelon.service.service import Service
from echelon.service.worker import Worker
from echelon.settings import Environment

def implement(seen):
    os.kill(os.getpid(), signal.SIGKILL)

register({"implement": implement})
Worker(Service(Environment({"ECHELON_HOME": sys.argv[1]})), ahead=int(sys.argv[2])).run(drain=True)
"""


def worker(home: Path, ahead: int = 0) -> int:
    """The end of a worker whose jobs kill it when they implement."""
    return ran(WORKER, str(home), str(ahead)).returncode


def test_the_second_worker_that_dies_at_a_step_is_the_last(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        job = submit_plain(jobs, {})
        jobs.enqueue(job)
        home = jobs.environment.home
        assert [worker(home), worker(home)] == [-9, -9]
        assert Worker(jobs).run(drain=True) is True, "the third one takes it no more"
        held = jobs.result(job)
        assert (held.state, held.exit_code) == ("failed", 1)
        assert "ended 2 workers at step" in held.reason and f"echelon resume {job}" in held.reason
        last = jobs.store.steps(job)[-1]
        assert last.starts == 2
        submit_plain(jobs, willing)  # what killed the workers is mended
        assert jobs.run(jobs.resume(job)).state == "completed"


def test_a_job_that_a_dead_worker_held_and_had_not_begun_is_not_to_blame(tmp_path: Path) -> None:
    """Which of two jobs that are taken at once gets the room is not said: who gets it twice is to blame, and nobody else."""
    with service(tmp_path) as jobs:
        both = submit_plain(jobs, {}), submit_plain(jobs, {})
        for job in both:
            jobs.enqueue(job)
        began: Counter[str] = Counter()
        while max(began.values(), default=0) < 2:
            before = {job: jobs.store.steps(job) for job in both}
            assert worker(jobs.environment.home, ahead=1) == -9
            (held,) = [job for job in both if jobs.store.steps(job) != before[job]]
            began[held] += 1
        (other,) = [job for job in both if job != held]
        submit_plain(jobs, willing)
        assert Worker(jobs, ahead=1).run(drain=True) is True
        assert [jobs.result(job).state for job in (held, other)] == ["failed", "completed"]
        assert began[other] or jobs.store.job(other).end.deaths is None


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc")), max_size=8))
def test_deaths_count_by_worker_and_from_anew_at_each_step(deaths: list[tuple[int, str]]) -> None:
    kept = Result()
    for step, owner in deaths:
        kept = with_death(kept, step, owner)
    here: set[str] = set()
    for step, owner in reversed(deaths):
        if step != deaths[-1][0]:
            break
        here.add(owner)
    assert (set() if kept.deaths is None else set(kept.deaths.owners)) == here


def test_a_worker_that_was_told_to_end_did_not_die(tmp_path: Path) -> None:
    with service(tmp_path) as jobs, Lease(jobs.store, f"{PREFIX}1") as lease:
        assert not leases.gave_up(jobs.store.engine, this_process())
        lease.abandon()
        assert leases.gave_up(jobs.store.engine, this_process())
