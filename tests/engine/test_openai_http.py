"""The OpenAI-compatible model over real HTTP: native tool calls, with everything that servers get wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolSchema
from echelon.engine.models.model import Model
from echelon.engine.models.opening import open_model
from echelon.settings import Environment, ModelSettings
from tests.support.chat_server import Call, ChatServer, Reply, calls, empty, over_long, text

READ = ToolSchema(
    name="read_file",
    description="Read a file.",
    parameters={"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
SYSTEM = Message(role="system", content="You read files.")
TASK = Message(role="user", content='Read "a.md".')


def ask(server: ChatServer, *messages: Message, tools: tuple[ToolSchema, ...] = (READ,), **settings: Any) -> Answer:
    return opened(server, **settings).answer(request_of(messages, tools, settings))


def opened(server: ChatServer, key: str = "sk-secret-123456", **settings: Any) -> Model:
    environment = Environment({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": server.base_url})
    return open_model("openai/scripted", ModelSettings(attempts=1, **settings), environment)


def request_of(messages: tuple[Message, ...], tools: tuple[ToolSchema, ...], settings: dict[str, Any]) -> ModelRequest:
    """A request as a phase makes it: the room for the answer is that of the settings."""
    room = ModelSettings(**settings).max_output_tokens
    return ModelRequest(messages=(SYSTEM, TASK, *messages), tools=tools, max_output_tokens=room)


def answer_to(reply: Reply, **settings: Any) -> Answer:
    with ChatServer([reply]) as server:
        return ask(server, **settings)


def sent(*messages: Message) -> list[dict[str, Any]]:
    """The messages as they arrive at a server."""
    with ChatServer([text("ok")]) as server:
        ask(server, *messages)
        body: list[dict[str, Any]] = server.requests[0].body["messages"]
        return body


def test_the_request_names_model_tools_key_and_limits() -> None:
    with ChatServer([text("hello")]) as server:
        ask(server, temperature=0.5, max_output_tokens=77)
        request = server.requests[0]
    assert request.headers["authorization"] == "Bearer sk-secret-123456"
    assert request.body["model"] == "scripted"
    assert request.body["tools"] == [{"type": "function", "function": READ.model_dump()}]
    assert request.body["temperature"] == 0.5
    assert request.body["max_completion_tokens"] == 77
    assert request.body["messages"] == [
        {"role": "system", "content": "You read files."},
        {"role": "user", "content": 'Read "a.md".'},
    ]


def test_a_request_without_tools_sends_none() -> None:
    with ChatServer([text("hello")]) as server:
        ask(server, tools=())
        assert "tools" not in server.requests[0].body


def test_text() -> None:
    answer = answer_to(text("The file is empty."))
    assert (answer.text, answer.calls) == ("The file is empty.", ())


def test_one_call() -> None:
    answer = answer_to(calls(Call("read_file", {"path": "ä.md"}, id="c1")))
    assert answer.calls == (ToolCall(id="c1", name="read_file", arguments='{"path": "ä.md"}'),)


def test_two_calls_at_once_keep_their_order() -> None:
    answer = answer_to(calls(Call("read_file", {"path": "a"}), Call("read_file", {"path": "b"})))
    assert [c.parsed()["path"] for c in answer.calls] == ["a", "b"]


def test_text_beside_calls_is_kept() -> None:
    answer = answer_to(calls(Call("read_file", {"path": "a"}), content="I look first."))
    assert answer.text == "I look first."
    assert len(answer.calls) == 1


@pytest.mark.parametrize(
    "raw", ['{"path": "a"', "not json", '["a"]', '"a"', "null", "42", '{"path": "a"} {"path": "b"}', ""]
)
def test_arguments_arrive_as_the_model_wrote_them(raw: str) -> None:
    answer = answer_to(calls(Call("read_file", raw)))
    assert [(c.name, c.arguments) for c in answer.calls] == [("read_file", raw)]


def test_a_good_call_beside_a_malformed_one_keeps_its_place() -> None:
    answer = answer_to(calls(Call("read_file", "{"), Call("read_file", {"path": "b"}), Call("read_file", "[1]")))
    assert [c.arguments for c in answer.calls] == ["{", '{"path": "b"}', "[1]"]


def test_an_unknown_tool_reaches_the_door() -> None:
    assert answer_to(calls(Call("fly", {}))).calls[0].name == "fly"


@pytest.mark.parametrize("reply", [empty(), Reply(content=None)])
def test_an_empty_message_is_an_empty_answer(reply: Reply) -> None:
    answer = answer_to(reply)
    assert (answer.text, answer.calls) == ("", ())


def test_repeated_ids_are_two_calls() -> None:
    same = (Call("read_file", {"path": "a"}, id="x"), Call("read_file", {"path": "b"}, id="x"))
    assert [c.parsed()["path"] for c in answer_to(calls(*same)).calls] == ["a", "b"]


def test_an_answer_that_was_cut_off_is_text() -> None:
    answer = answer_to(over_long(500))
    assert answer.text.startswith("long long")
    assert (answer.calls, answer.cut) == ((), True)


def test_a_call_that_was_cut_off_keeps_what_is_there() -> None:
    answer = answer_to(calls(Call("read_file", '{"path": "a'), finish_reason="length"))
    assert (answer.calls[0].arguments, answer.cut) == ('{"path": "a', True)
    assert not answer_to(calls(Call("read_file", {"path": "a"}))).cut


def test_models_of_one_process_keep_their_own_length_address_and_key() -> None:
    lengths = (16, 32)
    with ChatServer([text("x" * 1_000)] * 2) as first, ChatServer([text("y" * 1_000)] * 2) as second:
        models = [
            opened(server, key=f"sk-of-{length}", max_output_tokens=length)
            for length, server in zip(lengths, (first, second), strict=True)
        ]
        for _ in range(2):
            answers = [
                model.answer(request_of((), (), {"max_output_tokens": n}))
                for model, n in zip(models, lengths, strict=True)
            ]
            assert [(a.text, a.cut) for a in answers] == [("x" * 256, True), ("y" * 512, True)]
        for length, server in zip(lengths, (first, second), strict=True):
            assert {r.headers["authorization"] for r in server.requests} == {f"Bearer sk-of-{length}"}
            assert {r.body["max_completion_tokens"] for r in server.requests} == {length}


def test_usage_with_cached_tokens_and_prices_of_the_settings() -> None:
    reply = text("x", prompt_tokens=1_000_000, completion_tokens=500_000, cached_tokens=900_000)
    usage = answer_to(reply, input_price=2.0, output_price=4.0).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (1_000_000, 500_000, 900_000)
    assert usage.cost == pytest.approx(4.0)


def test_cost_of_a_model_that_nobody_knows_is_zero() -> None:
    assert answer_to(text("x", prompt_tokens=1000, completion_tokens=1000)).usage.cost == 0.0


def test_cost_of_a_known_model_is_on_the_price_list_and_cached_tokens_are_cheaper() -> None:
    def cost(cached: int) -> float:
        with ChatServer([text("x", prompt_tokens=10_000, completion_tokens=100, cached_tokens=cached)]) as server:
            environment = Environment({"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": server.base_url})
            model = open_model("openai/gpt-4o-mini", ModelSettings(), environment)
            return model.answer(ModelRequest(messages=(TASK,))).usage.cost

    assert 0 < cost(9_000) < cost(0) < 0.1


# what servers send that is outside the protocol


def odd_answer(message: dict[str, Any]) -> Answer:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    body = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
    return answer_to(Reply(error=body))


def test_arguments_as_an_object_are_read() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "read_file", "arguments": {"path": "a"}}}
    assert odd_answer({"content": None, "tool_calls": [call]}).calls[0].parsed() == {"path": "a"}


@pytest.mark.parametrize("identity", [{}, {"id": None}, {"id": ""}])
def test_a_missing_id_is_empty(identity: dict[str, Any]) -> None:
    call = {**identity, "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    assert odd_answer({"content": None, "tool_calls": [call]}).calls == (
        ToolCall(id="", name="read_file", arguments="{}"),
    )


@pytest.mark.parametrize("function", [{}, {"name": None, "arguments": None}, None])
def test_a_call_without_a_name_is_a_call_without_a_name(function: Any) -> None:
    answer = odd_answer({"content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]})
    assert answer.calls == (ToolCall(id="1", name="", arguments=""),)


def test_an_answer_without_usage_counts_nothing() -> None:
    answer = odd_answer({"content": "hello"})
    assert (answer.text, answer.usage.prompt_tokens, answer.usage.cost) == ("hello", 0, 0.0)


# history on its way to the server


def exchange(arguments: str, result: str = "done", identity: str = "call_1_0") -> tuple[Message, Message]:
    call = ToolCall(id=identity, name="read_file", arguments=arguments)
    return (
        Message(role="assistant", calls=(call,)),
        Message(role="tool", content=result, call_id=identity, name="read_file"),
    )


def test_a_call_and_its_result_carry_the_same_id() -> None:
    _, _, assistant, tool = sent(*exchange('{"path": "a"}', "text of a"))
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"] == "call_1_0"
    assert json.loads(assistant["tool_calls"][0]["function"]["arguments"]) == {"path": "a"}
    assert (tool["role"], tool["content"]) == ("tool", "text of a")


@pytest.mark.parametrize("raw", ['{"path": "a"', "[1, 2]", "no json at all", '"text"'])
def test_earlier_malformed_arguments_go_back_as_an_object(raw: str) -> None:
    _, _, assistant, tool = sent(*exchange(raw, "refused"))
    arguments = json.loads(assistant["tool_calls"][0]["function"]["arguments"])
    assert arguments == {"unreadable": raw}
    assert assistant["tool_calls"][0]["id"] == tool["tool_call_id"]


def test_good_and_malformed_calls_of_one_answer_stay_in_order() -> None:
    wrote = [ToolCall(id=f"c{i}", name="read_file", arguments=a) for i, a in enumerate(["{", '{"path": "b"}', "["])]
    results = [Message(role="tool", content=str(i), call_id=f"c{i}", name="read_file") for i in range(3)]
    body = sent(Message(role="assistant", content="so", calls=tuple(wrote)), *results)
    assert [c["id"] for c in body[2]["tool_calls"]] == ["c0", "c1", "c2"]
    assert [m["tool_call_id"] for m in body[3:]] == ["c0", "c1", "c2"]
    assert body[2]["content"] == "so"


def test_a_call_without_a_name_gets_one_in_the_history() -> None:
    call = ToolCall(id="c", name="", arguments="")
    body = sent(Message(role="assistant", calls=(call,)), Message(role="tool", content="refused", call_id="c", name=""))
    assert body[2]["tool_calls"][0]["function"]["name"] == "unnamed"


def test_an_empty_answer_in_the_history_is_not_empty_for_the_server() -> None:
    body = sent(Message(role="assistant"), Message(role="user", content="Answer with one tool call."))
    assert body[2] == {"role": "assistant", "content": "(no answer)"}


def test_neighbouring_messages_of_the_user_become_one() -> None:
    body = sent(Message(role="user", content="TODO"))
    assert [m["role"] for m in body] == ["system", "user"]
    assert body[1]["content"] == 'Read "a.md".\n\nTODO'


def test_a_whole_history_goes_out_and_an_answer_comes_back() -> None:
    history = [*exchange("{bad", "not JSON", "c1"), *exchange('{"path": "a"}', "text", "c2"), Message(role="assistant")]
    with ChatServer([calls(Call("read_file", {"path": "z"}))]) as server:
        answer = ask(server, *history, Message(role="user", content="Go on."))
        roles = [m["role"] for m in server.requests[0].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant", "user"]
    assert answer.calls[0].parsed() == {"path": "z"}


def test_an_answer_longer_than_was_asked_for_is_cut_and_says_so() -> None:
    answer = answer_to(
        calls(Call("read_file", {"path": "a" * 100_000}), Call("b\x1b[2J\n", "{}")), max_output_tokens=100
    )
    assert (len(answer.calls[0].arguments), answer.cut) == (1_600, True)
    assert answer.calls[1].name == r"b\x1b[2J "
