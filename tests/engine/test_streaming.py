"""Words of a model as they arrive: shown to who hears them, and the answer is the same as without."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.engine.messages import Answer, Message, ModelRequest, ToolSchema
from echelon.engine.models.completion import read_completion
from echelon.engine.models.langchain import openai_model
from echelon.engine.models.retry import TransientFailure
from echelon.engine.models.streaming import assembled
from echelon.engine.words import hear, hearer, speaking, stop_hearing
from echelon.errors import ModelUnavailable
from echelon.settings import Environment, ModelSettings
from tests.support.chat_server import Call, ChatServer, Reply, calls, over_long, server_error, text

NAMES = st.sampled_from(["content", "tool_calls", "index", "function", "name"])
DELTAS = st.recursive(
    st.none() | st.integers(0, 9) | st.text("ab{", max_size=3),
    lambda value: st.lists(value, max_size=2) | st.dictionaries(NAMES, value, max_size=3),
    max_leaves=6,
)
TOOL = ToolSchema(name="read_file", description="Read a file.", parameters={"type": "object", "properties": {}})
REQUEST = ModelRequest(messages=(Message(role="user", content="Say it."),), tools=(TOOL,))


def asked(reply: Reply, heard: list[str] | None = None) -> tuple[Answer, bool]:
    """The answer to a request, streamed where somebody hears it, and whether the server was asked to stream."""
    with ChatServer([reply]) as server:
        environment = Environment({"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": server.base_url})
        model = openai_model("m", ModelSettings(attempts=1), environment, lambda _: None)  # type: ignore[call-arg]
        if heard is not None:
            hear("job", heard.append)
        try:
            with speaking("job"):
                return model.answer(REQUEST), bool(server.requests[0].body.get("stream"))
        finally:
            stop_hearing("job")


@pytest.mark.parametrize(
    "reply",
    [
        text("It stands in the first line.", prompt_tokens=20, completion_tokens=7),
        text("Grüße, 東京  und\nmehr"),
        calls(Call("read_file", {"path": "ä b.md"}, id="c1"), Call("read_file", {"path": "c"}, id="c2")),
        calls(Call("read_file", {"path": "a"}, id="c1"), content="I look first."),
        over_long(400),
        text(""),
    ],
)
def test_an_answer_is_the_same_streamed_and_whole(reply: Reply) -> None:
    heard: list[str] = []
    streamed, is_streamed = asked(reply, heard)
    whole, is_whole = asked(reply)
    assert streamed == whole and is_streamed and not is_whole
    assert "".join(heard) == (reply.content or "") and (len(heard) > 1 or not reply.content)


def test_nobody_hears_what_is_said_outside() -> None:
    hear("job", lambda _: None)
    assert hearer() is None
    with speaking("another"):
        assert hearer() is None
    stop_hearing("job")


def test_an_error_of_the_server_is_the_same_one_when_streamed() -> None:
    with pytest.raises(ModelUnavailable, match="status 500"):
        asked(server_error(), [])


def chunk(**choice: object) -> str:
    return "data: " + json.dumps({"choices": [choice]})


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "cannot be read"),
        (["data: {"], "cannot be read"),
        ([chunk(delta={"content": "half of"})], "broke off"),
        (['data: {"error": {"message": "out of memory"}}'], "in the middle"),
        ([": ping", "event: x", ""], "cannot be read"),
    ],
)
def test_a_stream_that_breaks_off_is_no_answer(lines: list[str], says: str) -> None:
    with pytest.raises(TransientFailure, match=says):
        assembled(lines, lambda _: None)


@given(st.lists(DELTAS, max_size=3))
@settings(max_examples=60)
def test_whatever_stands_in_a_stream_becomes_an_answer_or_a_failure_that_may_pass(deltas: list[object]) -> None:
    lines = [chunk(delta=delta, finish_reason="stop") for delta in deltas]
    try:
        read_completion(assembled([*lines, "data: [DONE]"], lambda _: None), 100)
    except TransientFailure:
        assert not lines


def test_the_panel_shows_the_end_of_what_is_written_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.console import Console

    from echelon.faces.cli.display import LiveDisplay, Progress
    from echelon.store.records.events import ModelAsked

    monkeypatch.setenv("SOME_API_KEY", "hunter2-hunter2-hunter2")
    progress = Progress("plain-1", "openai/m")
    shown = LiveDisplay(progress)
    for words in ("I read ", "the policy with hunter2-hunter2-hunter2 ", "\x1b[2J first."):
        shown.heard(words)
    out = io.StringIO()
    Console(file=out, width=160).print(shown._panel())
    assert "the policy with" in out.getvalue() and "hunter2" not in out.getvalue() and "\x1b[2J" not in out.getvalue()
    so_far = {"calls_so_far": 1, "tokens_so_far": 1, "cost_so_far": 0.0}
    progress.take(ModelAsked(role="QA", phase="qa", call=1, **so_far))  # type: ignore[arg-type]
    assert progress.words == ""
