"""What a small model may write into a plan, and look at while it judges one."""

from __future__ import annotations

import jsonschema
import pytest

from echelon.crews.planner.led import FEWEST
from echelon.crews.planner.solving import compared
from echelon.crews.planner.tools import MAKES, TOOLS
from echelon.domains.planning.contracts.plan import TriedOption
from echelon.engine.todos import TodoItem, TodoList
from echelon.engine.toolbox import PhaseState, Toolbox
from tests.planning.projects import at as day


def at(work: str, content: str = "") -> PhaseState:
    """The state of a phase whose current todo is a step of the plan."""
    todo = TodoItem(id=1, content=content or work, work=work)
    return PhaseState(todos=TodoList(title="plan", items=(todo,)), needs_work=True)


def offered(state: PhaseState) -> set[str]:
    box = Toolbox(TOOLS, state=state)
    return {name for name in MAKES if box.can_succeed(name)}


def test_who_only_looks_sees_each_thing_once() -> None:
    state = PhaseState()
    assert offered(state) == set(MAKES)
    state.saw("check_plan", {})
    assert offered(state) == set(MAKES) - {"check_plan"}


@pytest.mark.parametrize(
    "title", ["call generate_nodes", "1. Sand the fence", "- Sand", 'The "fence"', "What do people do?", "", "x" * 200]
)
def test_a_title_names_no_tool_no_number_and_no_question(title: str) -> None:
    held = next(s for s in Toolbox(TOOLS, state=at("generate_nodes")).held() if s.name == "generate_nodes")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"nodes": [{"title": title, "takes": "1d"}] * FEWEST}, held.parameters)
    jsonschema.validate({"nodes": [{"title": "Übe 2 Lieder, leise", "takes": "1d"}] * FEWEST}, held.parameters)


def test_a_pattern_is_one_that_an_outline_without_habits_can_have() -> None:
    held = next(s for s in Toolbox(TOOLS, state=at("select_pattern")).held() if s.name == "select_pattern")
    jsonschema.validate({"pattern_type": "milestone_project"}, held.parameters)
    for wrong in ({}, {"pattern_type": "recurring_cycle"}, {"pattern_type": "other"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, held.parameters)


def test_a_finding_asks_for_the_step_whose_file_it_names_and_once() -> None:
    """A small model called select_pattern a dozen times to settle a finding about the roadmap."""
    state = at("F1", "settle finding F1: the reason is none (plan/roadmap.json)")
    assert offered(state) == {"build_roadmap"}
    state.saw("build_roadmap", {})
    assert offered(state) == set()
    assert offered(at("F2", "settle finding F2: it is too short")) == set(MAKES)


def test_a_choice_without_a_reason_is_explained_by_what_was_found() -> None:
    held = next(s for s in Toolbox(TOOLS, state=at("build_roadmap")).held() if s.name == "build_roadmap")
    assert set(held.parameters["properties"]) == {"choose"}
    found = [
        TriedOption(name=n, end=day(d, 17), cost=1.5, peak=2, chosen=d == 3, why="") for n, d in (("a", 3), ("b", 4))
    ]
    why = compared(found[0], found)
    assert "a ends on 2026-01-03, costs 1.5, peak 2; b ends on 2026-01-04" in why
