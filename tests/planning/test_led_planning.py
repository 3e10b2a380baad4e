"""Who plans and is led is offered the step of its todo, once, and tasks that have a length."""

from __future__ import annotations

import jsonschema
import pytest

from echelon.crews.planner.led import FEWEST, LENGTHS, MOST
from echelon.crews.planner.tools import NAMES, TOOLS
from echelon.engine.todos import PlannedCall, TodoItem, TodoList
from echelon.engine.toolbox import PhaseState, Toolbox


def at(work: str, call: PlannedCall | None = None) -> PhaseState:
    """The state of a phase whose current todo is a step of the plan."""
    todo = TodoItem(id=1, content=work, work=work, call=call)
    return PhaseState(todos=TodoList(title="plan", items=(todo,)), needs_work=True)


def offered(state: PhaseState) -> set[str]:
    box = Toolbox(TOOLS, state=state)
    return {name for name in NAMES if box.can_succeed(name)}


def test_only_the_step_of_the_todo_is_offered_and_it_once() -> None:
    state = at("build_roadmap")
    assert offered(state) == {"build_roadmap"}
    state.saw("build_roadmap", {})
    assert offered(state) == set(), "done is done: what is left is to say so"


def test_a_todo_that_is_no_step_leaves_all_steps() -> None:
    assert offered(at("answer1")) == set(NAMES)


def test_who_only_looks_sees_each_thing_once() -> None:
    state = PhaseState()
    assert offered(state) == set(NAMES)
    state.saw("check_plan", {})
    assert offered(state) == set(NAMES) - {"check_plan"}


def test_an_outline_has_a_few_tasks_and_each_has_a_length() -> None:
    nodes = next(s for s in Toolbox(TOOLS, state=at("generate_nodes")).held() if s.name == "generate_nodes")
    task = {"title": "Sand the fence", "takes": "1d"}
    jsonschema.validate({"nodes": [task] * FEWEST}, nodes.parameters)
    for wrong in ([task] * (FEWEST - 1), [task] * (MOST + 1), [{"title": "Sand"}] * FEWEST, []):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"nodes": wrong}, nodes.parameters)
    assert nodes.parameters["properties"]["nodes"]["items"]["properties"]["takes"]["enum"] == list(LENGTHS)


def test_where_the_tasks_are_given_nobody_writes_any() -> None:
    state = at("generate_nodes", PlannedCall(tool="generate_nodes"))
    nodes = next(s for s in Toolbox(TOOLS, state=state).held() if s.name == "generate_nodes")
    assert nodes.parameters["properties"] == {}
