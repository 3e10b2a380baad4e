"""Tools of the planner: refused until what they need is there, and what the solver answered is kept under a stable key."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from echelon.crews.planner import files, results
from echelon.crews.planner.drafts.nodes import Node
from echelon.crews.planner.drafts.rules import without_goal
from echelon.crews.planner.tools import MADE_BY, STEPS, TOOLS
from echelon.domains.planning.contracts.plan import PlanContext
from echelon.domains.planning.contracts.project import Deadline
from echelon.engine.messages import ToolResult
from echelon.engine.run import Run
from echelon.engine.toolbox import PhaseState, ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from tests.planning.planner_roles import SET
from tests.planning.projects import at, project, task
from tests.support.scripted import service


@pytest.fixture
def context(tmp_path: Path) -> Iterator[ToolContext]:
    """A planner job with a project and nothing made of it."""
    with service(tmp_path) as jobs:
        job = jobs.submit("planner", [], "Dig and lay", overrides=SET)
        config = jobs.configuration("planner", None, SET)
        run = Run(job, tmp_path / "job", config, jobs.store, jobs.environment)
        workspace = Workspace(run.folder)
        workspace.create()
        made = project(
            task("dig", 2, who="anna", origin="tasks.csv"), task("lay", 1, "dig", who="anna", origin="tasks.csv")
        )
        files.put_project(workspace, made)
        (workspace.root / files.CONTEXT).write_text(PlanContext(goal="Dig and lay").model_dump_json())
        yield ToolContext(run, workspace, PhaseState(), "Implementor")


def use(context: ToolContext, name: str, **given: Any) -> ToolResult:
    tool = next(t for t in TOOLS if t.name == name)
    context.run.number += 1
    return tool.work(context, tool.arguments.model_validate(given))


GIVEN: dict[str, dict[str, Any]] = {"resolve_dependencies": {"links": [{"task": "lay", "after": "dig"}]}}


@pytest.mark.parametrize("name", [s.name for s in STEPS if s.prerequisites])
def test_a_tool_is_refused_until_what_it_needs_is_there_and_says_what_to_call(context: ToolContext, name: str) -> None:
    step = next(s for s in STEPS if s.name == name)
    with pytest.raises(ModelFault, match=f"call {MADE_BY[step.prerequisites[0]]} first"):
        use(context, name, **GIVEN.get(name, {}))


def test_what_the_solver_answered_is_kept_until_policy_or_project_change(context: ToolContext) -> None:
    for name in ("select_pattern", "generate_nodes"):
        assert use(context, name).ok
    first = use(context, "build_roadmap")
    kept = (context.workspace.root / files.KEPT).read_bytes()
    assert use(context, "build_roadmap") == first
    assert (context.workspace.root / files.KEPT).read_bytes() == kept and len(json.loads(kept)) == 1
    assert len(first.data["options"]) == 3
    planning = context.run.config.planning.model_copy(update={"policy": {"conversation_style": "concise"}})
    context.run.config = context.run.config.model_copy(update={"planning": planning})
    assert len(use(context, "build_roadmap").data["options"]) == 2, "another policy is another question"
    assert use(context, "generate_schedule").ok
    late = files.project(context.workspace).model_copy(update={"deadline": Deadline(at=at(30, 17))})
    files.put_project(context.workspace, late)
    with pytest.raises(ModelFault, match="out of date; call generate_nodes first"):
        use(context, "generate_schedule")


def test_a_schedule_that_somebody_bent_is_no_schedule(context: ToolContext) -> None:
    for name in ("select_pattern", "generate_nodes", "build_roadmap", "generate_schedule"):
        assert use(context, name).ok, name
    found = files.schedule(context.workspace)
    assert found is not None
    lay = found.task("lay").model_copy(update={"start": at(5, 9), "end": at(5, 17)})
    bent = found.model_copy(update={"tasks": (found.task("dig"), lay)})
    files.put(context.workspace, files.SCHEDULE, bent)
    with pytest.raises(ModelFault, match=r"needs 'plan/schedule.json' to keep the rules; call generate_schedule first"):
        use(context, "write_plan")
    assert use(context, "check_plan").data["problems"]


def test_what_is_not_there_yet_is_no_fault_of_what_is(context: ToolContext) -> None:
    """QA checks the outline in the first milestone: it read that there is no schedule, and failed a good task for that."""
    for name in ("select_pattern", "generate_nodes"):
        assert use(context, name).ok, name
    checked = use(context, "check_plan")
    assert checked.data["problems"] == [] and checked.explanations[0].endswith("so far keeps every rule.")
    for name in ("build_roadmap", "generate_schedule"):
        assert use(context, name).ok, name
    assert use(context, "check_plan").data["problems"] == []
    assert use(context, "write_plan").ok
    assert use(context, "check_plan").explanations == ("The plan keeps every rule.",)
    (context.workspace.root / results.TEXT).unlink()
    assert use(context, "check_plan").data["problems"] == [f"'{results.TEXT}' is not there"]


def test_what_a_role_was_asked_to_do_is_no_task_of_the_goal(context: ToolContext) -> None:
    """A small model wrote the sentence of its todo down as the first task of the plan."""
    guess = task("guess", 1, origin="template")
    files.put_project(context.workspace, files.project(context.workspace).model_copy(update={"tasks": (guess,)}))
    assert use(context, "select_pattern").ok
    said = "Write the outline with generate_nodes"
    refused = use(context, "generate_nodes", nodes=[{"title": said, "takes": "1d"}, {"title": "Lay", "takes": "1d"}])
    assert not refused.ok and refused.explanations[0] == f"'{said}' is about the planning, not about the goal."
    assert files.outline(context.workspace) is None


def test_the_goal_is_no_task_beside_its_parts(context: ToolContext) -> None:
    goal = "Give a dinner for twelve people on a Saturday"
    guess = task("guess", 1, origin="template")
    files.put_project(context.workspace, files.project(context.workspace).model_copy(update={"tasks": (guess,)}))
    (context.workspace.root / files.CONTEXT).write_text(PlanContext(goal=goal).model_dump_json())
    assert use(context, "select_pattern").ok
    refused = use(context, "generate_nodes", nodes=[{"title": goal, "takes": "1d"}, {"title": "Cook", "takes": "1d"}])
    assert not refused.ok and refused.explanations[0] == f"'{goal}' says the goal again."
    phase = {"title": goal, "level": "phase", "id": "all"}
    assert use(context, "generate_nodes", nodes=[phase, {"title": "Cook", "takes": "1d", "parent": "all"}]).ok


def test_a_task_that_is_the_goal_is_left_out_beside_others_and_who_waited_for_it_waits_for_what_it_waited_for() -> None:
    """A small model begins its list with the goal, and repeats it in the words in which it was refused."""
    goal = "Give a dinner for twelve people on a Saturday"
    asked = f"what do people do for '{goal}', and with whom"
    menu, cook = Node(id="m", title="Choose the menu", takes="1h"), Node(id="c", title="Cook", takes="4h", after=["g"])
    for title in (goal, f"{goal}.", asked):
        root = Node(id="g", title=title, takes="3d", after=["m"])
        kept, says = without_goal([menu, root, cook], goal)
        assert [(n.id, n.after) for n in kept] == [("m", []), ("c", ["m"])], title
        assert says == [f"'{title[:60]}' says the goal, so it is no task of its own."]
    assert without_goal([Node(id="g", title=goal, takes="3d"), cook], goal)[1] == [], "one task beside it is no plan"
    assert without_goal([menu, cook], goal) == ([menu, cook], [])
    holds = [Node(id="g", title=goal, takes="3d"), *(n.model_copy(update={"parent": "g"}) for n in (menu, cook))]
    assert without_goal(holds, goal) == (holds, []), "what holds others is looked at by the rules"
    circle = [Node(id="g", title=goal, takes="1d", after=["h"]), Node(id="h", title=asked, takes="1d", after=["g"])]
    assert [n.after for n in without_goal([*circle, menu, cook], goal)[0]] == [[], []]
