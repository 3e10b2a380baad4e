"""Jobs without some of their roles, for experiments; and that a job does not complete over what QA found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.service.service import Service
from tests.support.scripted import Reply, Seen, call, run_plain, service, willing, written_anew


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as found:
        yield found


def refusing(_: Seen) -> Reply:
    return call("submit_verdict", passed=False, findings=["Part 1 says nothing."])


def delighted(seen: Seen) -> Reply:
    """An Assessor who is happy with everything that it opens."""
    unread = [p for p in seen.values["deliverables"] if not seen.has_read(p)]
    if unread:
        return call("read_file", path=unread[0])
    return call("submit_assessment", trajectory="milestone_met", reasons=["It looks fine."])


def test_a_milestone_is_not_met_while_what_qa_found_is_not_mended(jobs: Service) -> None:
    result = run_plain(jobs, {"qa": refusing, "assess": delighted, "implement": written_anew()})
    assert result.state == "escalated"
    assert "Part 1 says nothing." in result.reason


def roles_of(jobs: Service, job: str) -> set[str]:
    return {s.role for s in jobs.store.steps(job) if s.kind == "model"}


def test_without_qa_what_code_passes_is_accepted(jobs: Service) -> None:
    result = run_plain(jobs, {"qa": refusing}, overrides={"without": ["qa"]})
    assert result.state == "completed" and "QA" not in roles_of(jobs, result.job)


def test_without_qa_the_checks_in_code_still_hold(jobs: Service) -> None:
    def lazy(seen: Seen) -> Reply:
        if seen.phase == "implement" and seen.todo is not None:
            return call("todo_complete")
        return willing(seen)

    result = run_plain(jobs, lazy, overrides={"without": ["qa"], "ceilings.rounds": 6})
    assert result.state != "completed"


def test_without_an_assessor_a_claimed_milestone_is_met_when_its_evidence_holds(jobs: Service) -> None:
    result = run_plain(jobs, willing, overrides={"without": ["assessor"]})
    assert result.state == "completed" and "Assessor" not in roles_of(jobs, result.job)


def test_tools_that_are_taken_out_are_not_offered(jobs: Service) -> None:
    seen: list[tuple[str, ...]] = []

    def watching(view: Seen) -> Reply:
        seen.append(view.tools)
        return willing(view)

    run_plain(jobs, watching, overrides={"without": ["ask", "explain_code"]})
    assert seen and not any({"ask", "explain_code"} & set(tools) for tools in seen)
