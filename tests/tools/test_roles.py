"""Which role has which tools: the table of the design, for every type of job that is shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from echelon.agents.roster import roster
from echelon.crews.tool_sets import all_tools
from echelon.engine.toolbox import Effect
from echelon.settings import config_names, load_config
from echelon.tools import completion, subagents, todo, workspace

CONFIGS = Path(__file__).parents[2] / "configs"
ROLES = ("scope_agent", "task_planner", "implementor", "qa", "assessor")
READ = {"read_file", "list_files", "search_files", "file_exists"}
WRITE = {"write_file", "append_file", "edit_file", "delete_file"}
ASK = {"explain_code", "ask"}
NOTES = {"add_note", "add_accomplishment", "generate_workspace_summary"}
WORK_TODOS = {"todo_complete", "todo_rewind", "list_todos"}
GENERAL = {t.name for group in (workspace, todo, subagents, completion) for t in group.TOOLS} | {"find_tools"}
SUBMITS = {
    "scope_agent": {"submit_scope"},
    "task_planner": {"submit_task", "submit_milestone_done", "submit_abort"},
    "implementor": {"submit_report"},
    "qa": {"submit_verdict"},
    "assessor": {"submit_assessment"},
    "explainer": {"submit_answer"},
}


def tools_of(role: str, job: str) -> set[str]:
    """All tools that a role has in any phase of a type of job."""
    own = {name for names in roster()[role].tools.values() for name in names}
    grant = load_config(CONFIGS, job).tools.get(role)
    return own | (set(grant.core) | set(grant.deferred) if grant else set())


def domain(names: set[str]) -> set[str]:
    return names - GENERAL


SAYS = {
    ("scope_agent", "creator"): {"select_requirements"},
    ("qa", "creator"): {"judge_doubts"},
    ("scope_agent", "planner"): {"check_feasibility"},
    ("task_planner", "planner"): {"check_feasibility"},
}
"""Domain tools with an effect that other roles have, by type of job: they record what is wanted or judged. No others."""
BOTH = pytest.mark.parametrize("job", config_names(CONFIGS))
EACH = pytest.mark.parametrize("role", [*ROLES, "explainer"])


@EACH
@BOTH
def test_every_tool_of_a_role_is_on_the_shelf(role: str, job: str) -> None:
    assert tools_of(role, job) - {"find_tools"} <= set(all_tools())


@EACH
@BOTH
def test_everybody_reads_the_workspace(role: str, job: str) -> None:
    assert tools_of(role, job) >= READ


@EACH
@BOTH
def test_only_the_implementor_writes_the_workspace_others_at_most_notes(role: str, job: str) -> None:
    has = tools_of(role, job) & WRITE
    if role == "implementor":
        assert has == WRITE and roster()[role].writes == ()
    elif role in ("scope_agent", "task_planner"):
        assert has <= {"write_file", "append_file"} and roster()[role].writes == ("notes",)
    else:
        assert not has


@EACH
@BOTH
def test_only_the_implementor_has_domain_tools_that_change_something(role: str, job: str) -> None:
    changing = {name for name in domain(tools_of(role, job)) if all_tools()[name].effect is not Effect.READ}
    assert role == "implementor" or changing == SAYS.get((role, job), set()), "who plans only says what is wanted"


@EACH
@BOTH
def test_only_scope_and_planner_ask_subagents(role: str, job: str) -> None:
    assert tools_of(role, job) & ASK == (ASK if role in ("scope_agent", "task_planner") else set())


@EACH
@BOTH
def test_only_the_planner_writes_todos_and_only_the_implementor_works_through_them(role: str, job: str) -> None:
    names = tools_of(role, job)
    assert ("todo_write" in names) == (role == "task_planner")
    assert names & WORK_TODOS == (WORK_TODOS if role == "implementor" else set())


@EACH
@BOTH
def test_notes_are_kept_by_everybody_but_qa_and_subagents(role: str, job: str) -> None:
    assert tools_of(role, job) & NOTES == (set() if role in ("qa", "explainer") else NOTES)


@EACH
@BOTH
def test_a_role_submits_its_own_contract_and_no_other(role: str, job: str) -> None:
    assert {name for name in tools_of(role, job) if name.startswith("submit_")} == SUBMITS[role]


@EACH
@BOTH
def test_only_the_scope_agent_ends_the_job_and_only_when_it_is_delivered(role: str, job: str) -> None:
    assert ("job_complete" in tools_of(role, job)) == (role == "scope_agent")
    ending = [phase for phase, names in roster()[role].tools.items() if "job_complete" in names]
    assert ending == (["deliver"] if role == "scope_agent" else [])


@EACH
def test_every_phase_of_a_role_can_be_ended_by_it(role: str) -> None:
    for phase in roster()[role].tools:
        names = roster()[role].tools_in(phase)
        assert any(name.startswith("submit_") or name == "job_complete" for name in names), (role, phase)


def test_the_roles_stand_on_their_tiers() -> None:
    assert {name: role.tier for name, role in roster().items()} == {
        "scope_agent": "strategic", "task_planner": "tactical", "implementor": "tactical", "qa": "tactical",
        "assessor": "assessment", "explainer": "subagent", "agent": "single",
    }  # fmt: skip


def test_no_tool_is_on_the_shelf_that_nobody_can_have() -> None:
    everybody = {name for job in config_names(CONFIGS) for role in roster() for name in tools_of(role, job)}
    assert set(all_tools()) - everybody - {"find_tools"} == set()
