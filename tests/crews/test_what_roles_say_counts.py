"""QA's finding, the Assessor's advice, a todo of a planner's own and a re-scope: each changes what is delivered, as it says.

All other phases are played by the rules of the playbook of creator and validator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from echelon.crews.playbooks.model import open_playbook
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.settings import Environment, ModelSettings
from echelon.store.records.events import FindingSettled, WorkDropped, WorkRestored
from tests.support.events import of_kind
from tests.support.scripted import Reply, Script, Seen, call, passing, register, service

POLICY = """# 1 Scope

1.1 The unit shall keep an inventory.

1.2 Users must not share keys.

# 2 Deletion

2.1 The unit shall delete drafts within 30 days.

2.2 The unit may keep copies.
"""
LOOKED = ("check_citations", "judge_doubts")
"""By which QA of the creator looks"""
Own = Callable[[Seen], Reply | None]


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "policy.md").write_text(POLICY, encoding="utf-8")
    with service(tmp_path) as found:
        yield found


def by_rules(type_: str, **own: Own) -> Script:
    """The playbook of a type of job; `own` says what a role does in a phase, None where it follows the playbook."""
    book = open_playbook(type_, ModelSettings(), Environment({}))  # type: ignore[call-arg]

    def script(seen: Seen) -> Reply:
        reply = own[seen.phase](seen) if seen.phase in own else None
        return book.answer(seen.request) if reply is None else reply

    return script


def created(jobs: Service, request: str | None = None, **own: Own) -> JobResult:
    register(by_rules("creator", **own), "own")
    source = jobs.environment.home.parent / "policy.md"
    return jobs.run(jobs.submit("creator", [source], request, "scripted/own"))


def ids(result: JobResult) -> list[str]:
    data: dict[str, Any] = json.loads((result.folder / "output" / "requirements.json").read_text(encoding="utf-8"))
    return [r["source_id"] for r in data["requirements"]]


def settling(seen: Seen) -> Reply | None:
    """QA that settles what it may once it has looked."""
    return passing(seen) if seen.values["open_findings"] else None


def finding_once() -> Own:
    """QA that finds a requirement that is none once it has looked for the first time, and settles after that."""
    said: list[str] = []

    def qa(seen: Seen) -> Reply | None:
        if seen.last_tool in LOOKED and not said:
            said.append("")
            return call(
                "submit_verdict", passed=False, findings=[{"says": "R-0002 is no duty: reject it", "about": "R-0002"}]
            )
        return settling(seen)

    return qa


def rejecting(requirement: str) -> Own:
    """An Implementor that rejects a requirement where its todo says so, and follows the rules otherwise."""

    def implement(seen: Seen) -> Reply | None:
        if seen.todo is None or "reject" not in seen.todo[1] or str(seen.todo[0]) in seen.values["calls"]:
            return None
        if seen.last_tool == "reject_requirement":
            return call("todo_complete")
        return call("reject_requirement", document="policy.md", part=1, id=requirement, reason="nobody wants it")

    return implement


def test_a_finding_of_qa_changes_what_a_creator_delivers(jobs: Service) -> None:
    def plan(seen: Seen) -> Reply | None:
        if "open" in seen.values and not seen.values["open"] and seen.values["open_findings"]:
            if seen.last_tool != "todo_write":
                return call("todo_write", todos=seen.values["open_findings"])
            return call(
                "submit_task",
                title="mend",
                rationale="QA found it.",
                deliverables=["requirements/policy.md/part-001.json"],
            )
        return None

    plain = ids(created(jobs))
    result = created(jobs, qa=finding_once(), plan=plan, implement=rejecting("R-0002"))
    assert result.state == "completed", result.reason
    assert [e.id for e in of_kind(jobs, result.job, FindingSettled)] == ["F1"]
    assert ids(result) == [i for i in plain if i != "1.2"] and len(plain) == 4


def test_a_finding_that_nobody_follows_is_not_completed(jobs: Service) -> None:
    result = created(jobs, qa=finding_once())
    assert result.state == "escalated" and "F1" in result.reason


def test_advice_of_the_assessor_becomes_work_of_a_creator(jobs: Service) -> None:
    said: list[str] = []

    def assess(seen: Seen) -> Reply | None:
        if not said:
            said.append("")
            return call("submit_assessment", trajectory="continue", reasons=["one is too many"], advice="reject R-0004")
        return None

    def plan(seen: Seen) -> Reply | None:
        if seen.values.get("advice") and not seen.values["open"]:
            if seen.last_tool != "todo_write":
                return call("todo_write", todos=["advice"])
            return call(
                "submit_task",
                title="advice",
                rationale="Asked for.",
                deliverables=["requirements/policy.md/part-001.json"],
            )
        return None

    result = created(jobs, assess=assess, plan=plan, implement=rejecting("R-0004"), qa=settling)
    assert result.state == "completed", result.reason
    assert ids(result) == ["1.1", "1.2", "2.1"]


def test_a_re_scope_changes_what_a_creator_delivers(jobs: Service) -> None:
    """Where the request leaves it open what is wanted: what it says plainly no role changes."""
    said: list[str] = []

    def assess(seen: Seen) -> Reply | None:
        if not said:
            said.append("")
            return call("submit_assessment", trajectory="misaligned", reasons=["only prohibitions are wanted"])
        return None

    def scope(seen: Seen) -> Reply | None:
        if seen.last_tool != "select_requirements":
            only = ["prohibition"] if said else []
            return call("select_requirements", says="that is what Anna has to know", modalities=only)
        return call(
            "submit_scope", success=["each is there"], confidence=0.9,
            in_scope=["the prohibitions of the policy" if said else "the policy"],
            milestones=[{"outcome": "A reader finds every prohibition with its page", "checks": ["each is there"]}],
        )  # fmt: skip

    result = created(jobs, "What has Anna in the key office to know?", assess=assess, scope=scope)
    assert result.state == "completed", result.reason
    assert ids(result) == ["1.2"]


def test_a_finding_and_a_todo_change_what_a_validator_delivers(jobs: Service) -> None:
    """QA misses a note on one requirement; the next task, in the planner's own words, writes it, and QA settles."""
    source = created(jobs).folder / "output" / "requirements.json"
    said: list[str] = []

    def qa(seen: Seen) -> Reply | None:
        if seen.last_tool == "check_graph" and not said:
            said.append("")
            return call(
                "submit_verdict",
                passed=False,
                findings=[{"says": "output/gaps.md is not there", "about": "output/gaps.md"}],
            )
        if seen.last_tool == "check_graph" and (left := seen.values["open_findings"]):
            return call("submit_verdict", passed=True, settled=left)
        return None

    def plan(seen: Seen) -> Reply | None:
        if not seen.values["open"] and seen.values["open_findings"]:
            if seen.last_tool != "todo_write":
                return call("todo_write", todos=["write output/gaps.md: what no norm covers"])
            return call("submit_task", title="gaps", rationale="QA found it.", deliverables=["output/gaps.md"])
        return None

    def implement(seen: Seen) -> Reply | None:
        if seen.todo is None or "gaps.md" not in seen.todo[1]:
            return None
        if seen.last_tool == "write_file":
            return call("todo_complete")
        return call("write_file", path="output/gaps.md", text="# Gaps\n\n- 2.2 names nobody who decides.\n")

    register(by_rules("validator", qa=qa, plan=plan, implement=implement), "own")
    result = jobs.run(jobs.submit("validator", [source], None, "scripted/own"))
    assert result.state == "completed", result.reason
    assert "gaps.md" in [p.name for p in result.outputs]
    assert [e.id for e in of_kind(jobs, result.job, FindingSettled)] == ["F1"]


def test_work_that_a_planner_leaves_out_is_offered_again_or_agreed_to(jobs: Service) -> None:
    """Code still sees it as open: a validator that leaves its work out does it in the end, for nobody agreed."""
    source = created(jobs).folder / "output" / "requirements.json"
    left_out: list[str] = []

    def plan(seen: Seen) -> Reply | None:
        if left_out or not seen.values["open"]:
            return None
        if seen.last_tool == "drop_work" and len(seen.results) == len(seen.values["open"]):
            left_out.extend(seen.values["open"])
            return call("submit_milestone_done", reason="Nothing of it is needed.")
        return call("drop_work", id=seen.values["open"][len(seen.results)], reason="the graph does without it")

    register(by_rules("validator", plan=plan), "own")
    result = jobs.run(jobs.submit("validator", [source], None, "scripted/own"))
    assert left_out and result.state == "completed", result.reason
    assert [e.id for e in of_kind(jobs, result.job, WorkDropped)] == left_out
    assert [e.id for e in of_kind(jobs, result.job, WorkRestored)] == left_out
    assert result.dropped == ()


def test_a_todo_of_the_planner_beside_the_open_work_changes_what_a_creator_delivers(jobs: Service) -> None:
    said: list[str] = []

    def plan(seen: Seen) -> Reply | None:
        if not seen.values.get("open") or said:
            return None
        said.append("")
        return call("todo_write", todos=["reject R-0001: the inventory is kept by law", *seen.values["open"]])

    result = created(jobs, plan=plan, implement=rejecting("R-0001"))
    assert said and result.state == "completed", result.reason
    assert ids(result) == ["1.2", "2.1", "2.2"]


def gaps_written(seen: Seen) -> Reply | None:
    """An Implementor of the validator that writes the list of gaps where its todo says so."""
    if seen.todo is None or seen.values["deliverables"] != ["output/gaps.md"]:
        return None
    if seen.last_tool == "write_file":
        return call("todo_complete")
    return call("write_file", path="output/gaps.md", text="# Gaps\n\n- 2.2 names nobody who decides.\n")


def planned(todo: str, wanted: Callable[[Seen], bool]) -> Own:
    """A planner of the validator that writes one todo of its own once code sees nothing open, where it is wanted."""

    def plan(seen: Seen) -> Reply | None:
        if seen.values["open"] or not wanted(seen):
            return None
        if seen.last_tool != "todo_write":
            return call("todo_write", todos=[todo])
        return call("submit_task", title="gaps", rationale="It was asked for.", deliverables=["output/gaps.md"])

    return plan


def validated(jobs: Service, **own: Own) -> JobResult:
    source = created(jobs).folder / "output" / "requirements.json"
    register(by_rules("validator", **own), "own")
    return jobs.run(jobs.submit("validator", [source], None, "scripted/own"))


def test_advice_of_the_assessor_changes_what_a_validator_delivers(jobs: Service) -> None:
    said: list[str] = []

    def assess(seen: Seen) -> Reply | None:
        if not said:
            said.append("")
            return call(
                "submit_assessment", trajectory="continue", reasons=["gaps"], advice="list them in output/gaps.md"
            )
        return None

    plan = planned("advice", lambda seen: bool(seen.values.get("advice")))
    result = validated(jobs, assess=assess, plan=plan, implement=gaps_written)
    assert said and result.state == "completed", result.reason
    assert "gaps.md" in [p.name for p in result.outputs]


def test_a_re_scope_changes_what_a_validator_delivers(jobs: Service) -> None:
    said: list[str] = []

    def assess(seen: Seen) -> Reply | None:
        if not said:
            said.append("")
            return call("submit_assessment", trajectory="misaligned", reasons=["the gaps are wanted in a file"])
        return None

    def scope(seen: Seen) -> Reply | None:
        if not said:
            return None
        check = {"says": "output/gaps.md is there", "kind": "file", "path": "output/gaps.md"}
        return call(
            "submit_scope", in_scope=["the gaps of the policy"], success=["each gap is named"], confidence=0.9,
            milestones=[{"outcome": "A reader finds every gap in output/gaps.md", "checks": [check]}],
        )  # fmt: skip

    plan = planned("write output/gaps.md", lambda seen: bool(said) and "gaps.md" in seen.task)
    result = validated(jobs, assess=assess, scope=scope, plan=plan, implement=gaps_written)
    assert said and result.state == "completed", result.reason
    assert "gaps.md" in [p.name for p in result.outputs]
