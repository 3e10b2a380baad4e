"""Tool calls as models write them: read into an object, or refused with a sentence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.messages import ToolCall, ToolResult

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
    max_leaves=8,
)


def call(arguments: str) -> ToolCall:
    return ToolCall(id="1", name="write_file", arguments=arguments)


@given(st.dictionaries(st.text(), VALUES))
def test_an_object_is_read_as_it_is(value: dict) -> None:
    assert call(json.dumps(value)).parsed() == value


def test_no_arguments_are_an_empty_object() -> None:
    assert call("").parsed() == {}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [('{"path": ', "not valid JSON"), ("[1, 2]", "not a list"), ('"text"', "not a str"), ("null", "not a NoneType")],
)
def test_anything_else_is_refused_with_a_sentence(arguments: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call(arguments).parsed()


@pytest.mark.parametrize("half", [r"\ud800", r"\udfff"])
def test_half_characters_become_question_marks(half: str) -> None:
    parsed = call(f'{{"path": "a{half}", "more": [{{"{half}": "b"}}]}}').parsed()
    assert parsed == {"path": "a?", "more": [{"?": "b"}]}
    json.dumps(parsed, ensure_ascii=False).encode()


def test_a_whole_pair_stays_a_character() -> None:
    assert call(r'{"text": "\ud83d\ude00"}').parsed() == {"text": "😀"}


def test_a_failure_says_what_to_do_and_has_one_shape() -> None:
    text = json.loads(ToolResult.failure("Call it again.").text())
    assert text == {"ok": False, "confidence": 1.0, "explanations": ["Call it again."]}
