"""Failures go up the tiers: driven through the public door with a scripted model."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from echelon.engine.messages import ToolCall
from echelon.faces.cli.printing import job_text
from echelon.service.views import job_details
from echelon.store.records.events import Gated, Moved, TaskAccepted, TaskFailed
from echelon.store.records.jobs import Said
from echelon.tasks.contracts import Outcome, Report
from tests.support.events import of_kind
from tests.support.scripted import PHASES, Reply, Seen, call, passing, played, run_plain, service, willing, written_anew


def moves(jobs, job: str) -> list[tuple[str, str, str]]:
    return [(m.before, m.event, m.after) for m in of_kind(jobs, job, Moved)]


def fails(times: int):
    """A QA that fails the first `times` tasks that it sees."""
    seen_so_far = []

    def qa(seen: Seen) -> Reply:
        reply = passing(seen)
        if isinstance(reply, ToolCall) and reply.name == "read_file":
            return reply
        seen_so_far.append(seen.task)
        if len(seen_so_far) <= times:
            return call("submit_verdict", passed=False, findings=[f"part {len(seen_so_far)} is missing"])
        return reply

    return qa


def test_a_failed_task_goes_back_to_the_planner_with_the_finding(tmp_path: Path) -> None:
    plans: list[str] = []

    def plan(seen: Seen) -> Reply:
        plans.append(seen.task)
        return willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"qa": fails(1), "plan": plan})
        assert result.state == "completed"
        assert ("qa", "fail", "plan") in moves(jobs, result.job)
    assert any("part 1 is missing" in p for p in plans), "the planner did not get the finding"
    assert "part 1 is missing" not in plans[-1], "the finding outlived its task"
    assert [(e["raised_by"], e["to"]) for e in result.escalations] == [("QA", "tactical")]


def test_three_failures_of_a_task_reach_the_assessor(tmp_path: Path) -> None:
    asked: list[str] = []

    def assess(seen: Seen) -> Reply:
        asked.append(seen.task)
        return willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"qa": fails(3), "assess": assess, "implement": written_anew()})
        assert result.state == "completed"
        to_qa = [m for m in moves(jobs, result.job) if m[0] == "qa"]
    assert to_qa[:3] == [("qa", "fail", "plan"), ("qa", "fail", "plan"), ("qa", "fail", "assess")]
    assert "QA failed the task" in asked[0] and "part 3 is missing" in asked[0]


def misaligned(times: int):
    """An Assessor that finds misalignment the first `times` times."""
    count = []

    def assess(seen: Seen) -> Reply:
        count.append(1)
        if len(count) <= times:
            return call("submit_assessment", trajectory="misaligned", reasons=["these are letters, not requirements"])
        return willing(seen)

    return assess


def rescoped(scopes: list[str]):
    """A ScopeAgent whose every scope is another one; `scopes` gets what it was told."""

    def scope(seen: Seen) -> Reply:
        scopes.append(seen.task)
        return call(
            "submit_scope", in_scope=[f"what the request asks for, reading {len(scopes)}"], success=["it is there"],
            milestones=[{"outcome": "A reader finds every result in output/", "checks": ["open the files"]}],
            confidence=0.9,
        )  # fmt: skip

    return scope


def test_misalignment_sends_the_job_back_to_the_scope_agent(tmp_path: Path) -> None:
    scopes: list[str] = []
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"assess": misaligned(1), "scope": rescoped(scopes)})
        assert ("assess", "misaligned", "scope") in moves(jobs, result.job)
    assert result.state == "completed"
    assert len(scopes) == 2 and "letters, not requirements" in scopes[1]
    assert ("Assessor", "strategic") in [(e["raised_by"], e["to"]) for e in result.escalations]


def test_the_third_misalignment_reaches_a_person_with_the_dossier(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"assess": misaligned(3), "scope": rescoped([])})
        assert result.state == "escalated" and result.exit_code == 5
        last = result.escalations[-1]
        assert (
            last["cause"] == "these are letters, not requirements" and last["tried"] and len(last["fingerprint"]) == 16
        )
        assert "letters" in result.reason

        again = jobs.run(jobs.resume(result.job, said=Said(event="answered by a person", text="letters are fine")))
    assert again.state == "completed", "a person's answer did not bring the job on"


def test_the_same_scope_again_is_refused_until_a_person_wants_it(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"assess": misaligned(1)})
        gates = [g.problems for g in of_kind(jobs, result.job, Gated) if g.gate == "scope"]
        assert result.state == "escalated"
        assert gates[0] == () and all("This very scope failed before" in g[0] for g in gates[1:]) and len(gates) == 4
        again = jobs.run(jobs.resume(result.job, said=Said(event="answered by a person", text="it was right")))
    assert again.state == "completed"


def test_a_hopeless_trajectory_reaches_a_person(tmp_path: Path) -> None:
    hopeless = {"assess": lambda _: call("submit_assessment", trajectory="hopeless", reasons=["the input is a poem"])}
    with service(tmp_path) as jobs:
        result = run_plain(jobs, hopeless)
    assert (result.state, result.reason) == ("escalated", "the input is a poem")


def test_an_abort_of_the_planner_is_judged_by_the_assessor(tmp_path: Path) -> None:
    aborted: list[str] = []
    asked: list[str] = []

    def plan(seen: Seen) -> Reply:
        if not aborted:
            aborted.append("")
            return call("submit_abort", reason="the file that it needs does not exist")
        return willing(seen)

    def assess(seen: Seen) -> Reply:
        asked.append(seen.task)
        return willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"plan": plan, "assess": assess})
        assert ("plan", "abort", "assess") in moves(jobs, result.job)
    assert result.state == "completed"
    assert "gave up: the file that it needs does not exist" in asked[0]


def test_a_rewound_task_cannot_be_planned_again_unchanged(tmp_path: Path) -> None:
    def implement(seen: Seen) -> Reply:
        if "result 1" in seen.task:
            return call("todo_rewind", issue="the source of result 1 cannot be read")
        return willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"implement": implement})
        gates = [g.problems for g in of_kind(jobs, result.job, Gated) if g.gate == "plan"]
        path = moves(jobs, result.job)
    assert ("implement", "rewind", "plan") in path
    assert any("This very task failed before" in p for problems in gates for p in problems)
    assert ("gate_plan", "repairable", "assess") in path, "three refused plans must reach the Assessor"
    assert (result.folder / "archive" / "round-001-failed.md").read_text().count("cannot be read") == 1


def test_what_code_finds_wrong_no_qa_can_pass(tmp_path: Path) -> None:
    """The Implementor says that it is done and has written nothing; QA would pass anything."""
    lazy = {
        "implement": lambda seen: call("todo_complete") if seen.todo else call("submit_report", summary="All is done."),
        "qa": lambda _: call("submit_verdict", passed=True, confidence=1.0),
    }
    with service(tmp_path) as jobs:
        result = run_plain(jobs, lazy, overrides={"ceilings.rounds": 6})
        verdicts = of_kind(jobs, result.job, TaskFailed)
        accepted = of_kind(jobs, result.job, TaskAccepted)
    assert result.state in ("limit", "escalated") and not accepted
    assert all("was promised and is not there" in v.findings[0] for v in verdicts)


def test_each_accepted_task_is_a_commit(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {})
        done = jobs.store.job(result.job).end.done
    log = subprocess.run(
        ["git", "-C", str(result.folder), "log", "--format=%H %s"], capture_output=True, text=True, check=True
    ).stdout
    assert len(done) == 2
    assert all(f"{t['commit']} Round {t['round']}: {t['title']}" in log for t in done)


@pytest.mark.parametrize(
    ("phase", "ends"),
    [
        ("scope", "escalated"),
        ("plan", "escalated"),
        ("qa", "escalated"),
        ("assess", "escalated"),
        ("deliver", "escalated"),
    ],
)
def test_a_role_that_never_submits_ends_the_job_in_a_typed_state(tmp_path: Path, phase: str, ends: str) -> None:
    def talk(_: Seen) -> Reply:
        return "I would rather talk about it."

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {phase: talk}, overrides={"ceilings.rounds": 12})
    assert result.state in (ends, "limit")
    assert result.reason


@pytest.mark.parametrize(
    ("phase", "bad"),
    [
        ("scope", "Let us talk about it."),
        ("plan", call("submit_abort", reason="I do not like it.")),
        ("implement", call("todo_rewind", issue="I do not like it.")),
        ("qa", call("submit_verdict", passed=False, findings=["I do not like it."])),
        ("assess", call("submit_assessment", trajectory="continue", reasons=["I do not like it."])),
        ("deliver", call("job_complete", summary="It is done.", deliverables=[], confidence=1.0)),
    ],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
def test_one_answer_of_a_person_and_a_role_that_is_well_again_complete_a_job_that_was_handed_up(
    tmp_path: Path, phase: str, bad: Reply
) -> None:
    """What was used up is given back, what was ruled out may be tried again, and what was accepted still counts."""
    well = False

    def script(seen: Seen) -> Reply:
        return played(seen, tasks=1, todos=1) if well else bad

    with service(tmp_path) as jobs:
        scripts = dict.fromkeys(PHASES.values(), lambda seen: played(seen, tasks=1, todos=1)) | {phase: script}
        result = run_plain(jobs, scripts, overrides={"ceilings.rounds": 40, "todos.least": 1})
        assert result.state == "escalated", result.reason
        well = True
        result = jobs.run(jobs.resume(result.job, said=Said(event="answered by a person", text="go on")))
        assert result.state == "completed", result.reason


def test_questions_wait_for_an_answer_and_the_answer_reaches_the_scope_agent(tmp_path: Path) -> None:
    seen_scopes: list[str] = []

    def scope(seen: Seen) -> Reply:
        seen_scopes.append(seen.task)
        reply = willing(seen)
        if "What a person answered" in seen.task:
            return reply
        return call(
            "submit_scope",
            in_scope=["x"],
            success=["y"],
            milestones=[{"outcome": "A reader finds the one thing", "checks": ["z"]}],
            questions=["Which of the two editions?"],
            confidence=0.9,
        )

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"scope": scope})
        assert (result.state, result.exit_code, result.reason) == ("needs_input", 4, "Which of the two editions?")
        result = jobs.run(jobs.resume(result.job, said=Said(event="answered by a person", text="the second")))
    assert result.state == "completed" and "- the second" in seen_scopes[-1]


def test_a_limit_keeps_the_partial_result_and_more_budget_completes_the_job(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {}, overrides={"budget.model_calls": 20})
        assert (result.state, result.exit_code) == ("limit", 3)
        assert result.reason == "budget.model_calls is 20 and 20 are spent"
        assert result.spent["model_calls"] == 20
        again = jobs.run(jobs.resume(result.job, {"budget.model_calls": 500}))
    assert again.state == "completed" and again.job == result.job
    assert again.unfinished is None
    assert sorted(p.name for p in again.outputs) == ["result-1.md", "result-2.md"]
    assert len([s for s in again.ledger if s.kind == "model"]) == again.spent["model_calls"] < 60


def test_a_task_that_a_limit_interrupts_is_reported_as_partial(tmp_path: Path) -> None:
    """Two of its three todos are done, and one of its two files is there."""

    def plan(seen: Seen) -> Reply:
        if seen.last_tool == "todo_write":
            files = ["output/result-1.md", "output/result-2.md"]
            return call("submit_task", title="the results", rationale="all at once", deliverables=files)
        return call("todo_write", todos=["write result 1", "look at it", "write result 2"])

    def implement(seen: Seen) -> Reply:
        if seen.todo is not None and seen.todo[0] == 1 and seen.last_tool != "write_file":
            return call("write_file", path="output/result-1.md", text="all of it")
        if seen.todo is not None and seen.todo[0] == 2 and seen.last_tool != "read_file":
            return call("read_file", path="output/result-1.md")
        return call("todo_complete") if seen.todo and seen.todo[0] < 3 else call("list_files", folder=f"f{seen.turn}")

    with service(tmp_path) as jobs:
        limits = {"budget.model_calls": 8, "todos.least": 1}
        result = run_plain(jobs, {"plan": plan, "implement": implement}, overrides=limits)
        shown = job_text(job_details(jobs.store, result.job))
    assert result.state == "limit" and result.unfinished is not None
    report = Report.model_validate(result.unfinished)
    assert report.outcome is Outcome.PARTIAL
    assert report.summary == "2 of 3 todos of 'the results' are done."
    assert report.deliverables == ("output/result-1.md",)
    assert "model_calls is 8" in report.issue
    assert "2 of 3 todos of 'the results' are done." in shown and "written so far: output/result-1.md" in shown


def test_the_round_ceiling_is_a_limit(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {}, overrides={"ceilings.rounds": 1})
        assert (result.state, result.reason) == ("limit", "ceilings.rounds is 1")
        again = jobs.run(jobs.resume(result.job, {"ceilings.rounds": 50}))
    assert again.state == "completed"


def test_a_person_approves_the_scope(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {}, overrides={"approvals": "scope"})
        assert result.state == "needs_input" and "approve" in result.reason
        done = jobs.run(jobs.resume(result.job, said=Said(event="approved")))
        assert done.state == "completed"

        other = run_plain(jobs, {}, overrides={"approvals": "scope"})
        refused = jobs.run(jobs.resume(other.job, said=Said(event="refused by a person")))
    assert (refused.state, refused.exit_code) == ("cancelled", 6)


def test_another_model_for_one_role(tmp_path: Path) -> None:
    """Any role can be swapped by configuration."""
    from tests.support.scripted import register

    with service(tmp_path) as jobs:
        register({"qa": passing}, "other")
        result = run_plain(
            jobs, {"qa": lambda _: "this model must not be asked"}, overrides={"models.qa": "scripted/other"}
        )
    assert result.state == "completed"
