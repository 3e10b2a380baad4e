"""A person approves what the policy says: the job waits durably, over restarts, and takes what the person says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from echelon.crews.hierarchy.approvals import POLICIES
from echelon.crews.hierarchy.states import APPROVALS
from echelon.errors import UserError
from echelon.faces.cli.printing import job_text, summary
from echelon.service.job_result import JobResult
from echelon.service.replies import overdue
from echelon.service.service import Service
from echelon.service.views import job_details
from echelon.store.records.events import MilestoneReached, Moved
from echelon.store.records.jobs import JobRow, Said
from tests.support.events import of_kind
from tests.support.scripted import Reply, Seen, call, run_plain, service, submit_plain, willing

APPROVED = Said(event="approved")
REFUSED = Said(event="refused by a person")


def two_milestones(seen: Seen) -> Reply:
    return call(
        "submit_scope",
        in_scope=["the results"],
        success=["they are there"],
        confidence=0.9,
        milestones=[
            {"outcome": f"A reader finds the {n} half of the results", "checks": ["open it"]}
            for n in ("first", "second")
        ],
    )


def plan(seen: Seen) -> Reply:
    """One task a milestone."""
    done = int(seen.task.partition("Done so far: ")[2].split()[0])
    wanted = 1 if "Milestone 1 of" in seen.task else 2
    if done >= wanted and "A person says" not in seen.task:
        return call("submit_milestone_done", reason="It is done.")
    if seen.last_tool != "todo_write":
        return call("todo_write", todos=[f"write part {n} of result {done + 1}" for n in (1, 2)])
    return call(
        "submit_task",
        title=f"result {done + 1}",
        rationale="It is next.",
        deliverables=[f"output/result-{done + 1}.md"],
    )


SCRIPTS = {"scope": two_milestones, "plan": plan}


def asking(policy: str) -> dict[str, Any]:
    """Settings of a job with this policy and with the short tasks of `plan`."""
    return {"approvals": policy, "todos.least": 2}


def to_the_end(jobs: Service, result: JobResult, said: dict[str, Any] = APPROVED) -> tuple[JobResult, list[str]]:
    """Approve whatever is asked; returns the end and the questions."""
    asked = []
    while result.state == "needs_input":
        asked.append(result.reason)
        result = jobs.run(jobs.resume(result.job, said=said))
    return result, asked


@pytest.mark.parametrize(
    ("policy", "questions"),
    [
        ("none", []),
        ("scope", ["scope"]),
        ("single_final", ["results"]),
        ("milestones", ["milestone 1", "results"]),
        ("every_step", ["scope", "task 'result 1'", "milestone 1", "task 'result 2'", "results"]),
    ],
)
def test_each_policy_asks_what_it_says_and_nothing_else(tmp_path: Path, policy: str, questions: list[str]) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, SCRIPTS, overrides=asking(policy))
        done, asked = to_the_end(jobs, result)
        milestones = [e.number for e in of_kind(jobs, done.job, MilestoneReached)]
    assert done.state == "completed" and done.rounds == 2
    assert len(asked) == len(questions)
    assert all(part in question for part, question in zip(questions, asked, strict=True))
    assert milestones == [1, 2], "each milestone is reached once"


def test_the_wait_survives_a_restart(tmp_path: Path) -> None:
    """Each segment runs in a service of its own, as after a restart of the machine."""
    with service(tmp_path) as jobs:
        result = run_plain(jobs, SCRIPTS, overrides=asking("milestones"))
        assert result.state == "needs_input" and result.exit_code == 4
    asked = 0
    while result.state == "needs_input":
        asked += 1
        with service(tmp_path) as jobs:
            before = [s.number for s in jobs.store.steps(result.job)]
            result = jobs.run(jobs.resume(result.job, said=APPROVED))
            after = [s.number for s in jobs.store.steps(result.job)]
        assert after[: len(before)] == before and len(after) > len(before)
    assert (result.state, asked) == ("completed", 2)


def test_what_a_person_asks_for_reaches_the_planner_and_the_milestone_stays_open(tmp_path: Path) -> None:
    plans: list[str] = []

    def listening(seen: Seen) -> Reply:
        plans.append(seen.task)
        return plan(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {**SCRIPTS, "plan": listening}, overrides=asking("milestones"))
        answered = Said(event="answered by a person", text="add a third result first")
        again = jobs.run(jobs.resume(result.job, said=answered))
    assert (again.state, again.rounds) == ("needs_input", 2) and "milestone 1" in again.reason
    assert any("A person says: add a third result first" in p and "Milestone 1 of 2" in p for p in plans)


def test_changes_of_a_task_are_planned_again(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {}, overrides={"approvals": "every_step"})
        result = jobs.run(jobs.resume(result.job, said=APPROVED))
        assert "task 'result 1'" in result.reason
        result = jobs.run(jobs.resume(result.job, said=Said(event="changes asked for", text="shorter, please")))
        assert "task 'result 1'" in result.reason
        moves = [(e.before, e.after) for e in of_kind(jobs, result.job, Moved)]
        done, _ = to_the_end(jobs, result)
    assert ("needs_input", "plan") in moves and done.state == "completed"


@pytest.mark.parametrize("policy", ["scope", "single_final", "milestones", "every_step"])
def test_a_refusal_ends_the_job_wherever_it_waits(tmp_path: Path, policy: str) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, SCRIPTS, overrides=asking(policy))
        refused = jobs.run(jobs.resume(result.job, said=REFUSED))
    assert (refused.state, refused.exit_code) == ("cancelled", 6)


def test_the_results_can_be_looked_at_before_they_are_approved(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, SCRIPTS, overrides=asking("single_final"))
        assert sorted(p.name for p in result.outputs) == ["result-1.md", "result-2.md"]
        assert not any(s.name == "job_complete" for s in result.ledger), "handed over before it was approved"


def test_whoever_looks_is_told_to_approve_and_not_to_answer(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, SCRIPTS, overrides=asking("single_final"))
        assert result.asks_approval and result.as_dict()["asks_approval"]
        command = (
            f"echelon approve {result.job} (or reject {result.job}, or answer {result.job} TEXT to ask for changes)"
        )
        assert command in summary(result, "m", 1)
        assert command in job_text(job_details(jobs.store, result.job))
        done = jobs.run(jobs.resume(result.job, said=APPROVED))
    assert not done.asks_approval and "go on with" not in summary(done, "m", 1)


def row_of(jobs: Service, overrides: dict[str, Any]) -> JobRow:
    job = submit_plain(jobs, SCRIPTS, overrides={**asking("single_final"), **overrides})
    jobs.run(job)
    return jobs.store.job(job)


@pytest.mark.parametrize(("then", "state"), [("approve", "completed"), ("reject", "cancelled"), ("wait", None)])
def test_a_job_that_waited_too_long_does_what_its_timeout_says_when_it_is_looked_at(
    tmp_path: Path, then: str, state: str | None
) -> None:
    with service(tmp_path) as jobs:
        row = row_of(jobs, {"approval_timeout.hours": 0, "approval_timeout.then": then})
        if state is None:
            with pytest.raises(UserError, match="waits for a person"):
                jobs.resume(row.id)
            return
        assert jobs.run(jobs.resume(row.id)).state == state


def test_before_its_time_and_by_default_a_job_waits(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        row = row_of(jobs, {"approval_timeout.hours": 2, "approval_timeout.then": "approve"})
        began = row.updated
        assert overdue(row, began + 2 * 3600 - 1) is None
        assert overdue(row, began + 2 * 3600) == Said(event="approved")
        with pytest.raises(UserError, match="waits for a person"):
            jobs.resume(row.id)
        assert overdue(row_of(jobs, {}), began + 1e9) is None


def test_a_question_is_never_answered_by_a_timeout(tmp_path: Path) -> None:
    """Only an approval can be taken for granted: what a job asks beyond that nobody but a person knows."""

    def scope(seen: Seen) -> Reply:
        reply = willing(seen)
        return (
            call(
                "submit_scope",
                in_scope=["x"],
                success=["y"],
                confidence=0.9,
                questions=["Which edition?"],
                milestones=[{"outcome": "A reader finds the one thing", "checks": ["z"]}],
            )
            if "edition" not in seen.task
            else reply
        )

    with service(tmp_path) as jobs:
        job = submit_plain(
            jobs, {"scope": scope}, overrides={"approval_timeout.hours": 0, "approval_timeout.then": "approve"}
        )
        jobs.run(job)
        assert overdue(jobs.store.job(job), 1e12) is None


def test_every_policy_is_a_setting_and_every_approval_belongs_to_one() -> None:
    from typing import get_args

    from echelon.settings import JobConfig

    assert set(POLICIES) == set(get_args(JobConfig.model_fields["approvals"].annotation))
    assert {state for states in POLICIES.values() for state in states} == set(APPROVALS)
