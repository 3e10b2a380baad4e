"""The harm that no check of the form sees: a worker that throws away what was found."""

from __future__ import annotations

import json

import pytest

from echelon.domains.requirements.review.holding import says_nothing
from echelon.engine.messages import Answer, ModelRequest, ToolCall
from echelon.engine.models.chaos import FAULTS, HARMS, THROWS_AWAY, chaos, parsed_rates


class Decider:
    """Always makes the same call."""

    name = "decider"

    def __init__(self, name: str, arguments: object) -> None:
        self._call = ToolCall(id="1", name=name, arguments=json.dumps(arguments))

    def answer(self, request: ModelRequest) -> Answer:
        return Answer(calls=(self._call,))


def spoilt(name: str, arguments: object) -> ToolCall:
    model = chaos(Decider(name, arguments), {"spoil": 1.0}, seed=1)
    return model.answer(ModelRequest(messages=(), tools=())).calls[0]


def test_the_first_place_that_is_taken_is_thrown_away() -> None:
    rulings = ("reject", "accept", "accept")
    given = {"decisions": [{"id": f"D-000{n}", "ruling": r, "reason": "so"} for n, r in enumerate(rulings)]}
    found = spoilt("decide_doubts", given).parsed()["decisions"]
    assert [d["ruling"] for d in found] == ["reject", "reject", "accept"]
    assert found[1]["id"] == "D-0001" and found[1]["reason"] != "so"


def test_code_carries_out_what_it_throws_away_where_no_plain_word_binds() -> None:
    assert says_nothing(THROWS_AWAY, "Visitors may read open files in the reading room.") == ""


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("decide_doubts", {"decisions": [{"id": "D-0001", "ruling": "reject", "reason": "so"}]}),
        ("decide_doubts", {"decisions": "none"}),
        ("decide_doubts", {}),
        ("judge_doubts", {"decisions": [{"id": "D-0001", "ruling": "accept", "reason": "so"}]}),
        ("todo_complete", {}),
    ],
)
def test_it_leaves_alone_where_there_is_nothing_to_spoil(name: str, arguments: object) -> None:
    assert spoilt(name, arguments).parsed() == arguments


def test_it_is_no_part_of_all_faults() -> None:
    assert set(parsed_rates("all=0.1")[0]) == set(FAULTS) and not set(HARMS) & set(FAULTS)
