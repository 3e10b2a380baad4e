"""Whole jobs whose model is broken on purpose: they deliver what an undisturbed job delivers, or say that they did not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.chaos import SAMPLE, Cell, delivered, holds
from benchmarks.false_qa import SPOILS, register, results
from benchmarks.plain_creator import PlainPlaybook, plain_job
from echelon.crews.hierarchy.planning import next_batch, todos_fingerprint
from echelon.engine.models.chaos import FAULTS, chaos
from echelon.engine.todos import Work
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store.records.events import Gated, Moved, PhaseBegan
from tests.support.events import of_kind
from tests.support.scripted import Reply, Script, Seen, call, run_plain, service, willing


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("chaos")) as it:
        yield it


@pytest.fixture(scope="module")
def undisturbed(jobs: Service) -> JobResult:
    return jobs.run(jobs.submit("creator", [SAMPLE], None, "playbook"))


def creator(jobs: Service, model: str = "playbook", overrides: Mapping[str, Any] | None = None) -> JobResult:
    return jobs.run(jobs.submit("creator", [SAMPLE], None, model, dict(overrides or {})))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_job_with_a_fault_in_every_fifth_call_delivers_the_same(
    jobs: Service, undisturbed: JobResult, fault: str
) -> None:
    result = creator(jobs, f"chaos/{fault}=0.2,seed=5/playbook/creator")
    assert result.state == "completed", result.reason
    assert delivered(result.folder) == delivered(undisturbed.folder)


def test_a_verdict_turned_round_at_the_end_of_the_work_sends_nobody_to_a_person(
    jobs: Service, undisturbed: JobResult
) -> None:
    """The work is done again and comes to the same, so that nothing could settle a finding that says nothing."""
    result = creator(jobs, "chaos/false_verdict=0.3,seed=1/playbook/creator")
    assert result.state == "completed", result.reason
    assert delivered(result.folder) == delivered(undisturbed.folder)


def test_a_model_that_only_talks_ends_with_a_person_and_not_with_a_claim(jobs: Service) -> None:
    result = creator(jobs, "chaos/over_long=1,seed=1/playbook/creator")
    assert result.state == "escalated" and result.spent["model_calls"] < 60


def test_a_model_that_always_says_that_it_is_done_never_completes(jobs: Service) -> None:
    result = creator(jobs, "chaos/early_done=1,seed=1/playbook/creator")
    assert result.state == "escalated" and result.spent["model_calls"] < 200


def test_work_that_is_skipped_or_spoilt_under_false_qa_is_done_again(jobs: Service, undisturbed: JobResult) -> None:
    register(0.3)
    models = {"models.implementor": "spoiler/3", "models.qa": "liar/3"}
    done = creator(jobs, overrides=models)
    assert done.state == "completed" and results(done) == results(undisturbed)


def test_the_spoiler_tries_what_a_role_may_do_and_what_it_may_not() -> None:
    assert {c.name for c in SPOILS} == {"todo_complete", "submit_report", "write_file", "delete_file"}


# planning after a failure


def work(*todos: str) -> tuple[Work, ...]:
    return tuple(Work(id=t.replace(" ", "-"), says=t) for t in todos)


def test_after_a_failure_the_same_work_is_offered_in_smaller_pieces() -> None:
    parts = work(*(f"part {n}" for n in range(1, 8)))
    assert next_batch(parts, 5, {}) == parts[:5]
    failed = {todos_fingerprint([w.says for w in parts[:5]]): "stuck"}
    assert next_batch(parts, 5, failed) == parts[:2]
    failed[todos_fingerprint(["part 1", "part 2"])] = "stuck"
    assert next_batch(parts, 5, failed) == parts[:1]
    failed[todos_fingerprint(["part 1"])] = "stuck"
    assert next_batch(parts, 5, failed) == parts[:1], "the gate has to see it"
    assert next_batch((), 5, failed) == ()


def test_the_next_parts_are_other_work_than_those_that_failed() -> None:
    """Numbers make another todo, case and white space do not."""
    assert todos_fingerprint(["Part  1"]) == todos_fingerprint(["part 1"])
    assert todos_fingerprint(["part 1"]) != todos_fingerprint(["part 2"])
    assert todos_fingerprint(["a", "b"]) != todos_fingerprint(["b", "a"])


def moves(jobs: Service, result: JobResult) -> list[tuple[str, str, str]]:
    return [(m.before, m.event, m.after) for m in of_kind(jobs, result.job, Moved)]


def test_assessments_that_change_nothing_end_with_a_person(tmp_path: Path) -> None:
    """Planner and Assessor send each other round for ever: that is bounded, whatever the rounds allow."""
    aborting = {"plan": lambda _: call("submit_abort", reason="it cannot be done in this way")}
    with service(tmp_path) as jobs:
        result = run_plain(jobs, aborting)
        path = moves(jobs, result)
    assert result.state == "escalated" and "No task was accepted for several assessments" in result.reason
    assert path[-1] == ("assess", "continue, without progress", "escalated")
    assert result.spent["model_calls"] < 12


def planning_again(todo: str) -> Script:
    """A planner that, after a failure, plans this todo alone."""

    def plan(seen: Seen) -> Reply:
        if "The last attempt failed" in seen.task and seen.last_tool != "todo_write":
            return call("todo_write", todos=[todo])
        return willing(seen)

    return plan


def test_a_role_that_goes_round_in_circles_loses_its_work_but_not_what_was_accepted(tmp_path: Path) -> None:
    def implement(seen: Seen) -> Reply:
        if "result 2" in seen.task and "What went wrong" not in seen.task:
            return call("write_file", path="output/half.md", text="half")
        return willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"implement": implement, "plan": planning_again("write all of result 2")})
        path = moves(jobs, result)
    assert ("implement", "stuck", "plan") in path and result.state == "completed"
    assert sorted(p.name for p in result.outputs) == ["result-1.md", "result-2.md"]
    assert "round in circles" in (result.folder / "archive" / "round-002-failed.md").read_text()


def test_a_task_of_one_todo_may_get_stuck_once_and_is_ruled_out_the_second_time(tmp_path: Path) -> None:
    """It cannot be planned smaller; what happened is told to the second try."""
    told: list[str] = []

    def implement(seen: Seen) -> Reply:
        told.append(seen.task)
        return call("list_files")

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"implement": implement, "plan": planning_again("write all of result 1")})
        rounds = [e.round for e in of_kind(jobs, result.job, PhaseBegan) if e.phase == "implement"]
    assert result.state == "escalated"
    assert rounds == [1, 2, 3], "five todos once, one todo twice"
    assert "round in circles" in told[-1]


def test_a_plan_must_name_the_file_that_its_todo_makes(jobs: Service) -> None:
    """The plan is otherwise right: it goes back for repair, no round is spent on it."""
    result = creator(jobs, "chaos/early_done=0.3,seed=2/playbook/creator")
    gates = [e.problems for e in of_kind(jobs, result.job, Gated)]
    assert result.state == "completed"
    named = [p for problems in gates for p in problems if "name it as a deliverable" in p]
    assert named or result.rounds <= 4


# the plain agent that the benchmark compares with


def test_the_plain_agent_does_the_job_when_nothing_is_broken(jobs: Service, undisturbed: JobResult) -> None:
    done = plain_job(jobs, SAMPLE, PlainPlaybook(), "plain")
    assert done.said_done and delivered(done.folder) == delivered(undisturbed.folder)


def test_the_plain_agent_says_that_it_is_done_when_it_is_not(jobs: Service, undisturbed: JobResult) -> None:
    done = plain_job(jobs, SAMPLE, chaos(PlainPlaybook(), {"early_done": 1.0}, 1), "early")
    assert done.said_done and delivered(done.folder) is None


def test_bars() -> None:
    assert holds({"false_completed": 0, "bar": 0.97, "right": 0.97})
    assert not holds({"false_completed": 1, "bar": 0.97, "right": 1.0})
    assert not holds({"false_completed": 0, "bar": 0.97, "right": 0.96})
    assert Cell("empty", 0.1, 2).why is False
