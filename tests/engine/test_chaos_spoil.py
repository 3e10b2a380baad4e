"""The harm that no check of the form sees: a worker that throws away what it found."""

from __future__ import annotations

import json

from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolSchema
from echelon.engine.models.chaos import FAULTS, HARMS, chaos, parsed_rates

DONE = ToolCall(id="1", name="todo_complete", arguments="{}")
EXTRACTED = (
    Message(
        role="assistant",
        calls=(ToolCall(id="0", name="extract_requirements", arguments='{"document": "a.md", "part": 2}'),),
    ),
    Message(
        role="tool",
        name="extract_requirements",
        content=json.dumps({"ok": True, "data": {"requirements": [{"id": "R-0003"}]}}),
    ),
)


class Finisher:
    name = "finisher"

    def answer(self, request: ModelRequest) -> Answer:
        return Answer(calls=(DONE,))


def asked(*tools: str, messages: tuple[Message, ...] = EXTRACTED) -> ToolCall:
    offered = tuple(ToolSchema(name=t, description="", parameters={"type": "object"}) for t in tools)
    model = chaos(Finisher(), {"spoil": 1.0}, seed=1)
    return model.answer(ModelRequest(messages=messages, tools=offered)).calls[0]


def test_it_rejects_the_first_requirement_that_was_found() -> None:
    found = asked("todo_complete", "reject_requirement")
    assert found.name == "reject_requirement"
    assert found.parsed() | {"reason": ""} == {"document": "a.md", "part": 2, "id": "R-0003", "reason": ""}


def test_it_looks_for_the_tool_first_where_that_is_not_offered() -> None:
    assert asked("todo_complete", "find_tools").name == "find_tools"


def test_it_leaves_alone_where_there_is_nothing_to_spoil() -> None:
    assert asked("todo_complete", "reject_requirement", messages=()) == DONE
    assert asked("todo_complete") == DONE


def test_it_is_no_part_of_all_faults() -> None:
    assert set(parsed_rates("all=0.1")[0]) == set(FAULTS) and not set(HARMS) & set(FAULTS)
