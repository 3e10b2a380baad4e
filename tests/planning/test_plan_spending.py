"""The soft ceilings of a plan: a round or a day that costs too much asks the person, with what there is so far."""

from __future__ import annotations

from pathlib import Path

from echelon.engine.messages import Answer, ToolCall, Usage
from echelon.store.records.jobs import Said
from tests.planning.planner_roles import NODES, SET, playing
from tests.support.scripted import Reply, Seen, register, service


def costly(seen: Seen) -> Reply:
    """As the roles play, at five cents a call."""
    reply = playing({"generate_nodes": {"nodes": NODES}})(seen)
    assert isinstance(reply, ToolCall)
    return Answer(calls=(reply,), usage=Usage(prompt_tokens=10, completion_tokens=10, cost=0.05))


def test_a_round_and_a_day_that_cost_too_much_ask_the_person(tmp_path: Path) -> None:
    register(costly)
    given = {**SET, "planning.turn_cost": 0.2, "planning.day_cost": 0.5, "budget.cost": 5.0}
    with service(tmp_path) as jobs:
        job = jobs.submit("planner", [], "Give a dinner", "scripted/test", given)
        round_ = jobs.run(job)
        assert round_.state == "needs_input", round_.reason
        assert "has cost $" in round_.reason and "above planning.turn_cost 0.2" in round_.reason
        assert "So far: There is no schedule yet." in round_.reason
        assert round_.figures["planning_status"] == "needs_clarification"
        on = Said(event="answered by a person", text="go on")
        day = jobs.run(jobs.resume(job, {"planning.turn_cost": "unlimited"}, on))
        assert day.state == "needs_input", day.reason
        assert "The plans of today have cost $" in day.reason and "above planning.day_cost 0.5" in day.reason
        done = jobs.run(jobs.resume(job, said=on))
        assert done.state == "completed", done.reason
        assert done.cost > 0.5, "a soft ceiling asks once and then lets the job go on"
