"""Arms that share a prefix: paid once, the same steps and files behind every arm, and only what follows differs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from echelon.errors import UnknownName
from echelon.service.experiments.coordinator import Progress
from echelon.service.experiments.forks import Prefixes, fork
from echelon.service.experiments.prepare import prepare
from echelon.service.experiments.records import prefix_of
from echelon.service.service import Service
from echelon.service.workflow import PARKED
from tests.experiments.running import careless, plain_experiment, run
from tests.support.scripted import Reply, Seen, register, service

SAME = ("kind", "name", "role", "phase", "asked", "answered", "prompt_tokens", "completion_tokens", "starts")
CALLS: dict[str, int] = {}


def counted(seen: Seen) -> Reply:
    """As `careless`, and every call that is really asked for is counted by its phase."""
    CALLS[seen.phase] = CALLS.get(seen.phase, 0) + 1
    return careless(seen)


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    CALLS.clear()
    register(counted, "counted")
    with service(tmp_path) as found:
        yield found


ARMS = {"with": {"model": "scripted/counted"}, "without": {"model": "scripted/counted", "set": {"without": ["qa"]}}}


def forked(folder: Path, at: str, arms: dict[str, Any] | None = None, tasks: int = 2) -> Path:
    return plain_experiment(folder, tasks, arms or ARMS, **{"from": at})


def test_arms_have_the_same_steps_and_files_up_to_the_fork_and_pay_them_once(tmp_path: Path, jobs: Service) -> None:
    spent: list[Progress] = []
    result = run(forked(tmp_path, "qa"), jobs, report=spent.append)
    assert result.state == "completed" and len(result.trials) == 4
    for task in ("t1", "t2"):
        one, other = (next(t for t in result.trials if (t.task, t.arm) == (task, arm)) for arm in ARMS)
        shared = one.prefix.model_calls + one.prefix.tool_calls
        assert one.prefix == other.prefix and one.prefix.model_calls > 0
        ledgers = [jobs.store.steps(t.job) for t in (one, other)]
        fork = jobs.store.job(one.job).config.fork
        assert fork is not None
        upto = fork.steps
        same = [[[getattr(s, k) for k in SAME] for s in ledger if s.number <= upto] for ledger in ledgers]
        assert same[0] == same[1] and len(same[0]) >= shared
        assert [s.name for s in ledgers[0]] != [s.name for s in ledgers[1]], "after it they differ"
        assert "qa" not in {s.phase[5:] for s in ledgers[0] if s.number <= upto}
        assert "qa" in {s.phase[5:] for s in ledgers[0]} and "qa" not in {s.phase[5:] for s in ledgers[1]}
        assert one.used.model_calls > other.used.model_calls
    paid = {(t.task, t.prefix.model_calls) for t in result.trials}
    assert sum(CALLS.values()) == sum(n for _, n in paid) + sum(t.used.model_calls for t in result.trials)
    tokens = {(t.task, t.prefix.tokens) for t in result.trials}
    assert spent[-1].tokens == sum(n for _, n in tokens) + sum(t.used.tokens for t in result.trials)


def test_what_follows_the_fork_of_two_arms_that_are_the_same_is_the_same(tmp_path: Path, jobs: Service) -> None:
    result = run(forked(tmp_path, "implement", {"a": {"model": "scripted/counted"}, "b": {"same_as": "a"}}), jobs)
    for task in ("t1", "t2"):
        one, other = (t for t in result.trials if t.task == task)
        ledgers = [
            [[getattr(s, k) for k in SAME] for s in jobs.store.steps(t.job) if s.name != "commit"] for t in (one, other)
        ]  # a commit answers with its id, which hangs on the clock
        assert ledgers[0] == ledgers[1]
    assert result.analysis.of("b", "success").found.estimate == 0.0


def test_a_job_that_ends_before_the_fork_has_ended_in_every_arm(tmp_path: Path, jobs: Service) -> None:
    result = run(forked(tmp_path, "qa:40", tasks=2), jobs)
    assert {t.state for t in result.trials} == {"completed"}
    assert all(t.used.model_calls == 0 and t.prefix.model_calls > 0 for t in result.trials)
    assert len({t.job for t in result.trials}) == 4, "a job of its own for each trial, so that each can be looked at"
    assert sum(CALLS.values()) == sum({t.task: t.prefix.model_calls for t in result.trials}.values())


def test_a_fork_that_a_kill_left_half_done_is_made_again(tmp_path: Path, jobs: Service) -> None:
    prepared = prepare(forked(tmp_path, "qa"), jobs)
    trial = prepared.trials[0]
    prefixes = Prefixes(prepared, jobs)
    assert not prefixes.is_ready(trial) and not prefixes.is_ready(trial)
    origin = prefix_of(trial, prepared.digest)
    assert prefixes.running == {origin}
    jobs.run(origin)
    assert jobs.store.job(origin).state == PARKED and prefixes.is_ready(trial)
    half = jobs.environment.home / "jobs" / "copy"
    half.mkdir()
    (half / "left.txt").write_text("half of a copy")
    fork(jobs, origin, "copy", "scripted/counted", {})
    assert not (half / "left.txt").exists() and (half / ".git").is_dir()
    done = jobs.run("copy")
    assert done.state == "completed"
    assert jobs.store.job(origin).state == PARKED, "the origin stays as it was, for the other arms"
    shutil.rmtree(half)


def test_a_state_at_which_nothing_can_fork_is_refused_before_anything_runs(tmp_path: Path, jobs: Service) -> None:
    with pytest.raises(UnknownName, match="state in from"):
        prepare(forked(tmp_path, "qaa"), jobs)
    with pytest.raises(UnknownName, match="state in from"):
        prepare(forked(tmp_path, "completed"), jobs)
    assert jobs.store.all_jobs() == []


def test_a_coordinator_that_begins_again_starts_no_prefix_twice(tmp_path: Path, jobs: Service) -> None:
    result = run(forked(tmp_path, "qa"), jobs)
    before, asked = len(jobs.store.all_jobs()), dict(CALLS)
    again = run(forked(tmp_path, "qa"), jobs, resume=True)
    assert again.sentences == result.sentences
    assert (len(jobs.store.all_jobs()), CALLS) == (before, asked) and before == 2 + 4
