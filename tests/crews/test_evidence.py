"""A milestone is met on verified evidence only: driven through the public door with a scripted model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from echelon.engine.messages import ToolCall
from echelon.engine.workspace import Workspace
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store.records.events import MilestoneReached, Unproven
from echelon.tasks.contracts import Evidence, EvidenceKind, EvidenceState
from echelon.tasks.evidence import KEPT, counted, joined, looked_at_again, of_files
from tests.support.events import of_kind
from tests.support.scripted import Reply, Seen, call, passing, run_plain, service, willing


def snapshot(jobs: Service, result: JobResult) -> dict[str, Any]:
    kept: dict[str, Any] = jobs.store.job(result.job).end.snapshot or {}
    return kept


def test_accepted_tasks_leave_verified_evidence_and_the_assessor_sees_it(tmp_path: Path) -> None:
    asked: list[str] = []

    def assess(seen: Seen) -> Reply:
        asked.append(seen.task)
        return willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"assess": assess})
        assert not of_kind(jobs, result.job, Unproven)
    assert result.state == "completed"
    assert "evidence: 0 claimed, 2 verified, 0 stale" in asked[-1]


def test_the_assessor_is_told_of_a_result_that_changed_after_it_was_accepted(tmp_path: Path) -> None:
    """Somebody else changes it, just as the planner says that all is done: before anybody is asked, code looks again."""
    asked: list[str] = []

    def plan(seen: Seen) -> Reply:
        reply = willing(seen)
        if isinstance(reply, ToolCall) and reply.name == "submit_milestone_done" and not asked:
            (path,) = jobs.environment.home.glob("jobs/*/output/result-1.md")
            path.write_text("Something else.\n", encoding="utf-8")
        return reply

    def assess(seen: Seen) -> Reply:
        asked.append(seen.task)
        return willing(seen)

    with service(tmp_path) as jobs:
        run_plain(jobs, {"plan": plan, "assess": assess})
    assert "1 verified, 1 stale; changed since it was checked: output/result-1.md" in asked[0]


def claims_at_once(seen: Seen) -> Reply:
    return call("submit_milestone_done", reason="It is all there already.")


def test_a_milestone_without_any_evidence_is_not_met(tmp_path: Path) -> None:
    """Planner and Assessor agree that all is done, and nothing was done: a person hears of it, nothing is COMPLETED."""
    agreed = {
        "plan": claims_at_once,
        "assess": lambda _: call("submit_assessment", trajectory="milestone_met", reasons=["so it is"]),
    }
    with service(tmp_path) as jobs:
        result = run_plain(jobs, agreed)
        unproven = of_kind(jobs, result.job, Unproven)
    assert result.state == "escalated" and len(unproven) == 3
    assert "No task was accepted" in unproven[0].why and "No task was accepted" in result.reason


def test_the_planner_is_told_what_is_missing_and_can_do_it(tmp_path: Path) -> None:
    told: list[str] = []

    def plan(seen: Seen) -> Reply:
        told.append(seen.task)
        return claims_at_once(seen) if len(told) == 1 else willing(seen)

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"plan": plan})
    assert result.state == "completed"
    assert "No task was accepted, so nothing can be reached; plan one." in told[1]


def test_an_input_is_no_evidence(tmp_path: Path) -> None:
    """What was there from the start shows nothing, whoever names it."""

    def assess(_: Seen) -> Reply:
        return call(
            "submit_assessment",
            trajectory="milestone_met",
            reasons=["the input has it"],
            evidence=["documents/input.md"],
        )

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"plan": claims_at_once, "assess": assess})
        assert of_kind(jobs, result.job, Unproven) and not of_kind(jobs, result.job, MilestoneReached)
    assert result.state == "escalated"


def test_a_file_that_the_assessor_makes_up_is_none(tmp_path: Path) -> None:
    def assess(_: Seen) -> Reply:
        return call(
            "submit_assessment",
            trajectory="milestone_met",
            reasons=["it is there"],
            evidence=["output/never.md", "call 9999"],
        )

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"plan": claims_at_once, "assess": assess})
        unproven = of_kind(jobs, result.job, Unproven)
    assert result.state == "escalated"
    assert unproven[0].claimed == 2 and unproven[0].verified == 0


def test_a_deliverable_that_was_spoiled_after_its_check_is_again_as_it_was_accepted(tmp_path: Path) -> None:
    """The second task spoils the file of the first and fails QA; planner and Assessor say that all is done."""

    def implement(seen: Seen) -> Reply:
        if "result 2" in seen.task and seen.turn == 0:
            return call("write_file", path="output/result-1.md", text="spoiled")
        return willing(seen)

    def plan(seen: Seen) -> Reply:
        return claims_at_once(seen) if "The last attempt failed" in seen.task else willing(seen)

    def qa(seen: Seen) -> Reply:
        if '"title": "result 2"' in seen.task or "Task: result 2" in seen.task:
            return call("submit_verdict", passed=False, findings=["wrong"])
        return passing(seen)

    asked: list[str] = []

    def assess(seen: Seen) -> Reply:
        asked.append(seen.task)
        unread = [p for p in seen.values["deliverables"] if not seen.has_read(p)]
        if unread:
            return call("read_file", path=unread[0])
        return call("submit_assessment", trajectory="milestone_met", reasons=["as the planner says"])

    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"implement": implement, "plan": plan, "qa": qa, "assess": assess})
        unproven = of_kind(jobs, result.job, Unproven)
    assert result.state != "completed"
    assert unproven[0].stale == 0 and "What QA found is not mended: wrong" in unproven[0].why
    assert (
        '"output/result-1.md"' in asked[0] and "spoiled" not in (result.folder / "output" / "result-1.md").read_text()
    )


def test_evidence_of_the_last_milestone_stays_and_is_bounded(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {})
        kept_to_the_end = {e["ref"] for e in snapshot(jobs, result)["evidence"]}
    assert kept_to_the_end == {"output/result-1.md", "output/result-2.md"}, "a delivery that fails leads back to it"
    many = [Evidence(kind=EvidenceKind.FILE, ref=f"output/{n}.md") for n in range(3 * KEPT)]
    kept = joined(many[:KEPT], many[KEPT:])
    assert len(kept) == KEPT and kept[-1].ref == f"output/{3 * KEPT - 1}.md"


def test_the_newest_word_on_a_file_counts_and_working_files_prove_nothing() -> None:
    old = Evidence(kind=EvidenceKind.FILE, ref="output/a.md", sha256="1", state=EvidenceState.STALE)
    new = old.model_copy(update={"sha256": "2", "state": EvidenceState.VERIFIED})
    note = Evidence(kind=EvidenceKind.FILE, ref="notes/notes.md", state=EvidenceState.VERIFIED)
    assert joined([old], [note, new]) == (new,)


def test_a_file_is_verified_then_stale_then_vouched_for(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.create()
    workspace.write("output/a.md", "one")
    seen = of_files(workspace, ["output/a.md", "output/none.md"])
    assert [e.state for e in seen] == [EvidenceState.VERIFIED, EvidenceState.CLAIMED]
    workspace.write("output/a.md", "two")
    stale = looked_at_again(workspace, seen, vouched=False)
    assert [e.state for e in stale] == [EvidenceState.STALE, EvidenceState.CLAIMED]
    workspace.write("output/a.md", "one")
    assert looked_at_again(workspace, seen, vouched=False) == tuple(seen), "the file is as it was when it was checked"
    workspace.write("output/a.md", "three")
    vouched = looked_at_again(workspace, stale, vouched=True)
    assert vouched[0].state is EvidenceState.VERIFIED and vouched[0].sha256 == workspace.sha256("output/a.md")
    assert counted(vouched) == {"claimed": 1, "verified": 1, "stale": 0}


def test_a_quote_is_looked_for_again(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.create()
    quote = Evidence(kind=EvidenceKind.QUOTE, ref="a.pdf", page=1, quote="shall", state=EvidenceState.VERIFIED)
    assert looked_at_again(workspace, [quote], vouched=False)[0].state is EvidenceState.CLAIMED
