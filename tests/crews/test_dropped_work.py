"""Work that the planner leaves out: said everywhere, and no milestone is met without it unless the Assessor agrees."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.service.views import job_details
from echelon.store.records.events import Unproven, WorkDropped, WorkRestored
from tests.support.events import of_kind
from tests.support.scripted import Reply, Script, Seen, call, run_plain, service, willing

REASON = "the appendix is no part of the rules"


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("jobs")) as found:
        yield found


def advising(then: Script) -> Script:
    """Wants something once; `then` decides afterwards."""
    said: list[str] = []

    def script(seen: Seen) -> Reply:
        if not said and "the milestone is reached" in seen.task:
            said.append("")
            return call("submit_assessment", trajectory="continue", reasons=["more"], advice="say what is missing")
        return then(seen)

    return script


def dropping(seen: Seen) -> Reply:
    """Drops the Assessor's advice, and claims the milestone again."""
    if "Advice of the Assessor" not in seen.task:
        return willing(seen)
    if seen.last_tool != "drop_work":
        return call("drop_work", id="advice", reason=REASON)
    return call("submit_milestone_done", reason="All that is needed is there.")


def letting_go(ids: list[str]) -> Script:
    def script(seen: Seen) -> Reply:
        unread = [p for p in seen.values.get("deliverables", []) if not seen.has_read(p)]
        if unread:
            return call("read_file", path=unread[0])
        met = "the milestone is reached" in seen.task
        agreed = [i for i in ids if i in seen.values.get("dropped", [])]
        trajectory = "milestone_met" if met else "continue"
        return call("submit_assessment", trajectory=trajectory, reasons=["the rules are all there"], let_go=agreed)

    return script


def run(jobs: Service, agreed: list[str]) -> JobResult:
    asked: list[str] = []

    def watched(seen: Seen) -> Reply:
        asked.append(seen.task)
        return letting_go(agreed)(seen)

    scripts: dict[str, Script] = {"plan": dropping, "assess": advising(watched)}
    result = run_plain(jobs, scripts, overrides={"ceilings.rounds": 4}, name=f"drops-{len(agreed)}")
    assert any(f"advice: follow the Assessor's advice: say what is missing (its reason: {REASON})" in t for t in asked)
    return result


def test_what_is_dropped_and_agreed_to_is_said_in_show_plan_and_summary(jobs: Service) -> None:
    result = run(jobs, ["advice"])
    assert result.state == "completed", result.reason
    (dropped,) = job_details(jobs.store, result.job)["dropped"]
    assert (dropped["id"], dropped["reason"], dropped["agreed"]) == ("advice", REASON, "the rules are all there")
    assert result.dropped == (dropped,)
    assert f"left out: follow the Assessor's advice: say what is missing (advice) - {REASON}" in (
        (result.folder / "plan.md").read_text(encoding="utf-8")
    )
    assert [e.id for e in of_kind(jobs, result.job, WorkDropped)] == ["advice"]


def test_no_milestone_is_met_over_dropped_work_that_nobody_agreed_to(jobs: Service) -> None:
    result = run(jobs, [])
    first = of_kind(jobs, result.job, Unproven)[0]
    assert REASON in first.why and "did not agree" in first.why
    assert {e.id for e in of_kind(jobs, result.job, WorkRestored)} == {"advice"}


def test_a_finding_cannot_be_dropped(jobs: Service) -> None:
    said: list[str] = []

    def plan(seen: Seen) -> Reply:
        if "Open findings" in seen.task and seen.last_tool != "drop_work" and not said:
            return call("drop_work", id="F1", reason="it does not matter here")
        if seen.last_tool == "drop_work":
            said.append(seen.results[-1])
        return willing(seen)

    failed: list[str] = []

    def qa(seen: Seen) -> Reply:
        if not failed:
            failed.append("")
            return call(
                "submit_verdict", passed=False, findings=[{"says": "1 is wrong", "about": "output/result-1.md"}]
            )
        return call("submit_verdict", passed=False, findings=["it is still wrong"])

    run_plain(jobs, {"plan": plan, "qa": qa}, overrides={"ceilings.rounds": 2}, name="finding")
    assert "only a verdict of QA settles" in said[0]
