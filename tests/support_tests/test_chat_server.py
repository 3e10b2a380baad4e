"""The chat server of the tests, driven over real HTTP by the client that the model door uses."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, SecretStr

from tests.support.chat_server import (
    Call,
    ChatServer,
    Reply,
    calls,
    empty,
    failure,
    hang,
    json_content,
    over_long,
    rate_limited,
    reset,
    server_error,
    text,
    unauthorized,
)

READ_FILE = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Reads a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}


@contextmanager
def client(server: ChatServer, **options: Any) -> Iterator[ChatOpenAI]:
    """A client whose connections are closed at the end: an open socket would be a warning, and so an error."""
    with httpx.Client() as http:
        settings: dict[str, Any] = {
            "model": "scripted",
            "api_key": SecretStr("sk-test"),
            "max_retries": 0,
            "http_client": http,
        }
        yield ChatOpenAI(base_url=server.base_url, **(settings | options))


def ask(*script: Any, **options: Any) -> AIMessage:
    with ChatServer(script) as server, client(server, **options) as model:
        answer = model.invoke("Go on.")
        assert isinstance(answer, AIMessage)
        return answer


def test_text_and_usage() -> None:
    answer = ask(text("Grüße", prompt_tokens=120, completion_tokens=3, cached_tokens=100))
    assert answer.content == "Grüße"
    assert answer.usage_metadata is not None
    assert (answer.usage_metadata["input_tokens"], answer.usage_metadata["output_tokens"]) == (120, 3)
    assert answer.usage_metadata["input_token_details"]["cache_read"] == 100


def test_usage_grows_with_the_prompt() -> None:
    with ChatServer([text("a"), text("a")]) as server, client(server) as model:
        short, long = (model.invoke(prompt).usage_metadata for prompt in ("x", "x" * 400))
    assert short and long
    assert long["input_tokens"] - short["input_tokens"] == pytest.approx(100, abs=1)


def test_native_tool_call() -> None:
    with ChatServer([calls(Call("read_file", {"path": "a.md"}, id="call_a"))]) as server, client(server) as model:
        answer = model.bind_tools([READ_FILE]).invoke("Read a.md")
        assert answer.tool_calls == [
            {"name": "read_file", "args": {"path": "a.md"}, "id": "call_a", "type": "tool_call"},
        ]
        assert answer.response_metadata["finish_reason"] == "tool_calls"
        assert server.requests[0].body["tools"][0]["function"]["name"] == "read_file"


def test_two_tool_calls_at_once_have_ids_of_their_own() -> None:
    answer = ask(calls(Call("read_file", {"path": "a"}), Call("read_file", {"path": "b"})))
    assert [call["args"]["path"] for call in answer.tool_calls] == ["a", "b"]
    assert len({call["id"] for call in answer.tool_calls}) == 2


def test_text_beside_a_tool_call() -> None:
    answer = ask(calls(Call("read_file"), content="I look first."))
    assert answer.content == "I look first."
    assert len(answer.tool_calls) == 1


def test_malformed_arguments_arrive_as_they_are() -> None:
    answer = ask(calls(Call("read_file", '{"path": "a.md"')))
    assert answer.tool_calls == []
    assert answer.invalid_tool_calls[0]["args"] == '{"path": "a.md"'


def test_arguments_that_are_a_list_go_out_as_they_are() -> None:
    """By the plain client: langchain's refuses such an answer with a ValidationError, which a model door must catch."""
    with (
        ChatServer([calls(Call("read_file", '["a.md"]'))]) as server,
        openai.OpenAI(base_url=server.base_url, api_key="any") as plain,
    ):
        answer = plain.chat.completions.create(model="scripted", messages=[{"role": "user", "content": "x"}])
    (call,) = answer.choices[0].message.tool_calls or []
    assert call.type == "function"
    assert call.function.arguments == '["a.md"]'


def test_unknown_tool() -> None:
    assert ask(calls(Call("format_disk"))).tool_calls[0]["name"] == "format_disk"


def test_empty_message() -> None:
    answer = ask(empty())
    assert (answer.content, answer.tool_calls) == ("", [])


def test_over_long_answer() -> None:
    answer = ask(over_long(200_000))
    assert len(answer.content) == 200_000
    assert answer.response_metadata["finish_reason"] == "length"


class Verdict(BaseModel):
    passed: bool
    why: str


def test_json_schema_answer() -> None:
    with ChatServer([json_content({"passed": True, "why": "ok"})]) as server, client(server) as model:
        verdict = model.with_structured_output(Verdict, method="json_schema").invoke("Judge.")
        assert verdict == Verdict(passed=True, why="ok")
        assert server.requests[0].body["response_format"]["type"] == "json_schema"


def test_rate_limit_carries_retry_after() -> None:
    with pytest.raises(openai.RateLimitError) as caught:
        ask(rate_limited(retry_after=1.5))
    assert caught.value.response.headers["retry-after"] == "1.5"
    with pytest.raises(openai.RateLimitError) as caught:
        ask(rate_limited())
    assert "retry-after" not in caught.value.response.headers


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (server_error(), openai.InternalServerError),
        (unauthorized(), openai.AuthenticationError),
        (failure(400, "too many tokens", "context_length_exceeded"), openai.BadRequestError),
        (reset(), openai.APIConnectionError),
    ],
)
def test_failures(reply: Reply, error: type[Exception]) -> None:
    with pytest.raises(error):
        ask(reply)


def test_the_client_goes_on_after_a_failure() -> None:
    answer = ask(rate_limited(), reset(), text("here"), max_retries=2)
    assert answer.content == "here"


def test_hang_ends_with_the_time_limit_of_the_client() -> None:
    start = time.monotonic()
    with pytest.raises(openai.APITimeoutError):
        ask(hang(), timeout=0.2)
    assert time.monotonic() - start < 3


def test_delay_is_waited_for() -> None:
    start = time.monotonic()
    assert ask(text("late", delay=0.2)).content == "late"
    assert time.monotonic() - start >= 0.2


def test_a_server_that_stops_lets_go_of_what_hangs() -> None:
    failures: list[Exception] = []

    def wait_for_answer(model: ChatOpenAI) -> None:
        try:
            model.invoke("Go on.")
        except openai.APIConnectionError as error:
            failures.append(error)

    with ChatServer([hang()]) as server:
        with client(server) as model:
            waiting = threading.Thread(target=wait_for_answer, args=(model,))
            waiting.start()
            deadline = time.monotonic() + 5
            while not server.requests and time.monotonic() < deadline:
                time.sleep(0.01)
            server.stopping.set()
            waiting.join(timeout=5)
        assert not waiting.is_alive()
    assert len(failures) == 1


def test_a_function_answers_from_the_request() -> None:
    def echo(request: dict[str, Any]) -> Reply:
        return text(request["messages"][-1]["content"].upper())

    with ChatServer(echo) as server, client(server) as model:
        assert [model.invoke(word).content for word in ("one", "two")] == ["ONE", "TWO"]
        assert server.remaining == 0


def test_functions_and_replies_in_one_script() -> None:
    with ChatServer([text("first"), lambda request: text(request["model"])]) as server, client(server) as model:
        assert server.remaining == 2
        assert [model.invoke("x").content for _ in range(2)] == ["first", "scripted"]
        assert server.remaining == 0


def test_a_request_beyond_the_script_is_an_error_that_is_not_retried() -> None:
    with ChatServer([]) as server, client(server, max_retries=5) as model:
        with pytest.raises(openai.BadRequestError, match="request 1 is beyond the script"):
            model.invoke("x")
        assert len(server.requests) == 1


def test_requests_are_recorded_with_headers() -> None:
    with ChatServer([text("x")]) as server, client(server, temperature=0.25) as model:
        model.invoke("hello")
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer sk-test"
    assert request.body["temperature"] == 0.25
    assert request.body["messages"] == [{"role": "user", "content": "hello"}]


def test_streamed_text_and_usage() -> None:
    with ChatServer([text("in one piece", prompt_tokens=7)]) as server, client(server, stream_usage=True) as model:
        parts = list(model.stream("x"))
    assert "".join(str(part.content) for part in parts) == "in one piece"
    assert [part.usage_metadata["input_tokens"] for part in parts if part.usage_metadata] == [7]


def test_streamed_tool_calls() -> None:
    script = [calls(Call("read_file", {"path": "a"}), Call("read_file", {"path": "b"}))]
    with ChatServer(script) as server, client(server) as model:
        parts = list(model.stream("x"))
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    assert isinstance(whole, AIMessage)
    assert [call["args"] for call in whole.tool_calls] == [{"path": "a"}, {"path": "b"}]


def test_models_are_listed_and_other_paths_are_not_found() -> None:
    with ChatServer([], models=["small", "large"]) as server:
        with urllib.request.urlopen(f"{server.base_url}/models") as response:
            assert [model["id"] for model in json.load(response)["data"]] == ["small", "large"]
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            urllib.request.urlopen(f"{server.base_url}/nothing")
        caught.value.close()
        with pytest.raises(urllib.error.HTTPError, match="404") as caught:
            urllib.request.urlopen(f"{server.base_url}/embeddings", data=b"{}")
        caught.value.close()


def test_many_clients_at_once_get_one_reply_each() -> None:
    numbers = range(24)
    answers: list[str] = []

    with ChatServer([text(str(number)) for number in numbers]) as server:

        def one() -> None:
            with client(server) as model:
                answers.append(str(model.invoke("x").content))

        threads = [threading.Thread(target=one) for _ in numbers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(answers, key=int) == [str(number) for number in numbers]
    assert server.remaining == 0
