"""A crew is a table and those who act in it: the hierarchy, and one agent alone with the same checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.agents.roster import roster
from echelon.crews.crew import Crew
from echelon.crews.hierarchy import crew as hierarchy
from echelon.crews.hierarchy.loop import CREWS
from echelon.crews.hierarchy.states import ENDS
from echelon.crews.single import crew as single
from echelon.service.cost import cost_of, tier_of
from echelon.service.views import job_details
from tests.support.scripted import Reply, Seen, call, run_plain, service, willing

SAMPLE = Path(__file__).parents[2] / "knowledge" / "records-retention-policy-2pages.pdf"


@pytest.mark.parametrize("crew", CREWS.values(), ids=lambda crew: crew.name)
def test_in_every_state_that_a_table_leads_to_somebody_acts(crew: Crew) -> None:
    reached = {row.to for row in crew.table} | {row.beyond for row in crew.table if row.beyond}
    assert reached - ENDS <= set(crew.performers)
    assert {row.state for row in crew.table} - ENDS <= set(crew.performers)
    assert all(p.role in roster() for p in crew.performers.values() if p.role)


@pytest.mark.parametrize("crew", CREWS.values(), ids=lambda crew: crew.name)
def test_who_acts_is_said_by_the_crew(crew: Crew) -> None:
    assert all(p.who for p in crew.performers.values())


def test_tiers_come_from_the_files_of_the_roles() -> None:
    assert {tier_of(role.role) for role in roster().values()} == {role.tier for role in roster().values()}
    assert tier_of("Explainer") == "subagent" and tier_of("code") == "code"
    assert tier_of("a role of last year") == "unknown"


def test_one_agent_does_the_creator_job_as_the_hierarchy_does(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        alone = jobs.run(jobs.submit("creator", [SAMPLE], overrides={"crew": "single"}))
        together = jobs.run(jobs.submit("creator", [SAMPLE]))
        by_tier = cost_of(jobs.store, alone.job)["by"]["tier"]
    assert (alone.state, together.state) == ("completed", "completed")
    assert alone.figures == together.figures
    assert [p.name for p in alone.outputs] == [p.name for p in together.outputs]
    assert alone.spent["model_calls"] < together.spent["model_calls"]
    assert set(by_tier) == {"code", "single"} and by_tier["single"]["calls"] == alone.spent["model_calls"]


def test_one_agent_that_delivers_nothing_is_sent_back_and_ends_with_a_person(tmp_path: Path) -> None:
    told: list[str] = []

    def idle(seen: Seen) -> Reply:
        told.append(seen.task)
        return call("submit_report", summary="It is all done.")

    with service(tmp_path) as jobs:
        result = run_plain(jobs, idle, overrides={"crew": "single"})
    assert result.state == "escalated" and "nothing in output" in result.reason
    assert "There is nothing in output/" in told[-1] and len(told) > 1


def test_what_was_said_at_the_end_is_shown_and_the_plan_is_ticked_off(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, willing)
        details = job_details(jobs.store, result.job)
    assert result.complete is not None and result.complete["summary"] == "It is done."
    assert details["complete"] == result.complete
    plan = (result.folder / "plan.md").read_text(encoding="utf-8")
    assert "- [x]" in plan and "- [ ]" not in plan and "CURRENT" not in plan


def test_results_of_a_job_without_input_documents_are_not_lost(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        from tests.support.scripted import register

        register(willing)
        overrides = {"inputs.least": 0}
        done = jobs.run(jobs.submit("plain", [], "Write two results.", "scripted/test", overrides))
        cut = jobs.run(
            jobs.submit("plain", [], "Write two results.", "scripted/test", {**overrides, "budget.model_calls": 30})
        )
    assert done.state == "completed" and [p.name for p in done.outputs] == ["result-1.md", "result-2.md"]
    assert cut.state == "limit" and cut.outputs and cut.figures == {"files": len(cut.outputs)}


def test_a_model_that_calls_no_tool_is_named_when_the_job_is_handed_up(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, {"scope": lambda _: "I would rather talk."})
    assert result.state == "escalated"
    assert "ScopeAgent" in result.reason and "called no tool" in result.reason
    assert result.escalations[-1]["to"] == "person"


def test_both_crews_have_names_of_their_own() -> None:
    assert hierarchy.CREW.name != single.CREW.name
