"""JSON of strangers: read as it is, or refused with a ValueError; never anything else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.messages import Answer, ToolCall, Usage
from echelon.engine.stuck import action_of
from echelon.json_text import DEEPEST, read_json

BRICKS = {
    "brackets": "[" * 100_000,
    "closed brackets": '{"a": ' + "[" * 500 + "]" * 500 + "}",
    "objects": '{"a":' * 5_000 + "1" + "}" * 5_000,
    "a long number": '{"from_line": ' + "9" * 5_000 + "}",
    "a large number": '{"from_line": 1e999}',
    "no number": '{"from_line": NaN}',
    "infinite": '{"from_line": -Infinity}',
    "half a text": '{"path": "' + "a" * 100_000,
}


@pytest.mark.parametrize("text", BRICKS.values(), ids=BRICKS)
def test_what_cannot_be_kept_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"^the arguments are ") as raised:
        ToolCall(id="1", name="read_file", arguments=text).parsed()
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize("text", [*BRICKS.values(), '{"a": "\\ud800"}', "\ud800"])
def test_every_call_has_a_name_for_the_watch(text: str) -> None:
    call = ToolCall(id="1", name="read_file", arguments=text)
    assert action_of(call.name, call.arguments) == action_of(call.name, call.arguments)


@given(st.text() | st.text(st.sampled_from('[]{}",:0123456789eEu\\-. \n')))
def test_reading_raises_nothing_but_value_errors(text: str) -> None:
    try:
        value = read_json(text)
    except ValueError:
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def test_brackets_in_a_string_are_no_depth() -> None:
    assert read_json(json.dumps({"text": "[" * 1_000 + '\\"' + "{" * 1_000}))["text"].startswith("[[[")


def test_the_deepest_level_is_read() -> None:
    assert read_json("[" * DEEPEST + "]" * DEEPEST)
    with pytest.raises(ValueError, match="nested deeper"):
        read_json("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


def test_arguments_that_were_encoded_twice_are_the_object() -> None:
    assert ToolCall(id="", name="x", arguments=json.dumps(json.dumps({"path": "a"}))).parsed() == {"path": "a"}
    with pytest.raises(ValueError, match="not a str"):
        ToolCall(id="", name="x", arguments=json.dumps(json.dumps(json.dumps({"path": "a"})))).parsed()


@pytest.mark.parametrize("number", [10**30, -5, float("nan"), float("inf"), "many", None, True, [1], {"a": 1}])
def test_a_usage_that_cannot_be_true_says_nothing(number: object) -> None:
    usage = Usage.model_validate({"prompt_tokens": number, "completion_tokens": number, "cost": number})
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cost) == (0, 0, 0.0)


def test_an_answer_of_an_older_version_with_half_characters_can_be_written() -> None:
    old = {"text": "a\ud800", "calls": [{"id": "\udfff", "name": "\ud800", "arguments": '{"a": "\ud800"}'}]}
    answer = Answer.model_validate({**old, "usage": {"prompt_tokens": 10**30}})
    assert answer.text == "a?"
    json.dumps(answer.model_dump(mode="json"), ensure_ascii=False).encode()
