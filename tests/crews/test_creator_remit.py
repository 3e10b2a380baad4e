"""The remit governs: what a request selects is what a creator delivers, and nothing of a request is ignored."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store.records.jobs import Said
from tests.support.scripted import Reply, Script, Seen, call, register, service

POLICY = """# 1 Scope

1.1 The unit shall keep an inventory.

1.2 Users must not share keys.

# 4 Deletion

4.1 The unit shall delete drafts within 30 days.

4.2 The unit must not delete evidence.

4.3 The unit may keep copies.
"""


@pytest.fixture
def jobs(tmp_path: Path) -> Any:
    (tmp_path / "policy.md").write_text(POLICY, encoding="utf-8")
    with service(tmp_path) as jobs:
        yield jobs


def ran(jobs: Service, request: str | None, model: str = "playbook", **settings: Any) -> JobResult:
    source = jobs.environment.home.parent / "policy.md"
    source = source if source.exists() else jobs.environment.home / "policy.md"
    return jobs.run(jobs.submit("creator", [source], request, model, settings))


def delivered(result: JobResult) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((result.folder / "output" / "requirements.json").read_text(encoding="utf-8"))
    return value


def numbers(result: JobResult) -> list[str]:
    return [r["source_id"] for r in delivered(result)["requirements"]]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (None, ["1.1", "1.2", "4.1", "4.2", "4.3"]),
        ("List only the prohibitions of section 4, in German, as a table", ["4.2"]),
        ("Nur Pflichten, bitte", ["1.1", "4.1"]),
        ("All requirements of section 4 except permissions", ["4.1", "4.2"]),
        ("Everything that mentions keys", ["1.2"]),
    ],
)
def test_what_is_asked_for_is_delivered(jobs: Service, request_: str | None, expected: list[str]) -> None:
    result = ran(jobs, request_)
    assert result.state == "completed", result.reason
    assert numbers(result) == expected
    every = delivered(result)
    assert len(every["requirements"]) + len(every.get("left_out", [])) == 5
    assert result.figures["requirements"] == len(expected)
    rows = (result.folder / "output" / "requirements.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(rows) == 1 + len(expected)


def test_the_form_and_the_language_are_those_asked_for(jobs: Service) -> None:
    result = ran(jobs, "List only the prohibitions of section 4, in German, as a table")
    text = (result.folder / "output" / "requirements.md").read_text(encoding="utf-8")
    assert "# Anforderungen" in text and "| Nummer | Wortlaut | Art |" in text
    assert "| 4.2 | The unit must not delete evidence. | Verbot |" in text
    plan = (result.folder / "plan.md").read_text(encoding="utf-8")
    assert "- enforced by code: Only prohibitions." in plan and "section 4" in plan
    summary = (result.folder / "output" / "summary.md").read_text(encoding="utf-8")
    assert "4 requirements that were found are not asked for." in summary


def test_without_a_model_words_that_are_not_understood_are_asked_about_and_the_answer_counts(jobs: Service) -> None:
    result = ran(jobs, "Compare the rules with the weather")
    assert (result.state, result.exit_code) == ("needs_input", 4)
    assert "'Compare'" in result.reason and "'weather'" in result.reason
    said = Said(event="answered by a person", text="only the permissions")
    again = jobs.run(jobs.resume(result.job, said=said))
    assert again.state == "completed", again.reason
    assert numbers(again) == ["4.3"]


def test_an_answer_that_is_not_understood_is_asked_about_again(jobs: Service) -> None:
    result = ran(jobs, "Compare the rules")
    said = Said(event="answered by a person", text="in the manner of Haydn")
    again = jobs.run(jobs.resume(result.job, said=said))
    assert again.state == "needs_input" and "'Haydn'" in again.reason


def test_changes_asked_at_an_approval_change_the_result(jobs: Service) -> None:
    result = ran(jobs, None, approvals="scope")
    assert result.asks_approval
    changed = jobs.run(jobs.resume(result.job, said=Said(event="answered by a person", text="only the prohibitions")))
    assert changed.asks_approval
    done = jobs.run(jobs.resume(result.job, said=Said(event="approved")))
    assert done.state == "completed" and numbers(done) == ["1.2", "4.2"]


def playbook_but(script: Script) -> Script:
    """The playbook of the creator, with some answers of one's own: what `script` returns, where it returns something."""
    from echelon.crews.creator.playbook import creator
    from echelon.crews.playbooks.view import View

    def play(seen: Seen) -> Reply:
        own = script(seen)
        if own is not None:
            return own
        tool, arguments = creator(View(seen.request))
        return call(tool, **arguments)

    return play


def test_a_scope_agent_that_ignores_what_is_not_understood_does_not_get_through(jobs: Service) -> None:
    def ignores(seen: Seen) -> Any:
        if seen.phase != "scope":
            return None
        outcome = {"outcome": "A reader finds the rules.", "checks": ["they are there"]}
        return call("submit_scope", in_scope=["rules"], success=["found"], milestones=[outcome], confidence=0.9)

    register(playbook_but(ignores), "ignores")
    result = ran(jobs, "Compare the rules with the weather", "scripted/ignores")
    assert result.state == "escalated", result.reason
    assert result.figures["requirements"] == 0


def test_a_scope_agent_says_what_is_asked_for_and_code_enforces_it(jobs: Service) -> None:
    def says(seen: Seen) -> Any:
        if seen.phase == "scope" and not seen.last_tool:
            return call("select_requirements", says="It asks for what the unit has to do.", modalities=["obligation"])
        if seen.phase == "scope":
            outcome = {"outcome": "A reader finds the rules.", "checks": ["they are there"]}
            return call("submit_scope", in_scope=["rules"], success=["found"], milestones=[outcome], confidence=0.9)
        return None

    register(playbook_but(says), "says")
    result = ran(jobs, "Compare the rules with the weather", "scripted/says")
    assert result.state == "completed", result.reason
    assert numbers(result) == ["1.1", "4.1"]


def test_the_first_plan_is_offered_what_is_open_after_the_work_of_code(jobs: Service) -> None:
    """What code sees as open before its own work is nothing yet; a planner that is shown that says that all is done."""
    source = jobs.environment.home / "policy.md"
    source.write_text("# 1 Scope\n\n1.1 Records are kept for two years.\n\n1.2 The unit shall keep a list.\n")
    result = jobs.run(jobs.submit("creator", [source], None, "playbook", {}))
    assert result.state == "completed", result.reason
    steps = [s.name for s in jobs.store.steps(result.job)]
    first = steps.index("chore")
    told = [n for n in steps[first:] if n in ("survey", "survey_again") or n.startswith("submit_")]
    assert told[0] == "survey_again" and told[1] == "submit_task", told
