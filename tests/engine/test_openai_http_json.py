"""Tool calls as JSON actions over real HTTP, and the schema, the words and the reading behind them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.agents.roster import roster
from echelon.crews.tool_sets import all_tools, take
from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolSchema
from echelon.engine.models.actions import (
    LONGER,
    LONGEST_LIST,
    MOST_ITEMS,
    action_format,
    action_text,
    described,
    read_action,
    shape,
)
from echelon.engine.models.opening import open_model
from echelon.settings import Environment, ModelSettings
from tests.support.chat_server import ChatServer, Reply, json_content, over_long, text

READ = ToolSchema(
    name="read_file",
    description="Read a file.",
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "path in the workspace", "maxLength": 3000},
            "from_line": {"type": "integer", "minimum": 1, "default": 1},
        },
        "required": ["path"],
    },
)
DONE = ToolSchema(name="submit", description="End.", parameters={"type": "object", "properties": {}})
SYSTEM, TASK = Message(role="system", content="You read files.\n"), Message(role="user", content="Read it.")
ACTION = {"tool": "read_file", "arguments": {"path": "a.md"}}


def ask(
    server: ChatServer,
    *messages: Message,
    tools: tuple[ToolSchema, ...] = (READ, DONE),
    barred: tuple[str, ...] = (),
    held: tuple[ToolSchema, ...] = (),
) -> Answer:
    environment = Environment({"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": server.base_url})
    model = open_model("openai/scripted", ModelSettings(attempts=1, tool_calls="json_schema"), environment)
    return model.answer(ModelRequest(messages=messages or (SYSTEM, TASK), tools=tools, barred=barred, held=held))


def answer_to(reply: Reply) -> Answer:
    with ChatServer([reply]) as server:
        return ask(server)


def sent(*messages: Message, tools: tuple[ToolSchema, ...] = (READ, DONE)) -> dict[str, Any]:
    """The request as it arrives at a server."""
    with ChatServer([text("ok")]) as server:
        ask(server, *messages, tools=tools)
        return server.requests[0].body


def test_tools_go_out_as_a_schema_and_as_words_and_not_as_tools() -> None:
    body = sent()
    assert "tools" not in body
    assert body["response_format"] == action_format((READ, DONE))
    system = body["messages"][0]["content"]
    assert system.startswith("You read files.\n\nAnswer with one JSON object")
    assert (
        '- read_file: Read a file. Arguments: {"path": text (path in the workspace), "from_line"?: whole number}'
        in system
    )
    assert "- submit: End. Arguments: {}" in system


def test_a_barred_tool_stays_described_and_is_left_out_of_the_schema() -> None:
    def arriving(*barred: str) -> dict[str, Any]:
        with ChatServer([text("ok")]) as server:
            ask(server, barred=barred)
            return server.requests[0].body

    free, held = arriving(), arriving("read_file", "not there")
    assert held["messages"] == free["messages"]
    assert held["response_format"] == action_format((DONE,))
    assert arriving("read_file", "submit")["response_format"] == free["response_format"], "one tool must be left"


def test_the_system_message_is_the_same_whatever_the_conversation() -> None:
    first = sent()["messages"][0]
    call = ToolCall(id="c", name="read_file", arguments="{}")
    later = sent(SYSTEM, TASK, Message(role="assistant", calls=(call,)), Message(role="tool", content="x", name="r"))
    assert later["messages"][0] == first


def test_without_a_system_message_the_tools_make_one() -> None:
    body = sent(TASK)
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    assert "- read_file" in body["messages"][0]["content"]


def test_without_tools_nothing_is_added() -> None:
    body = sent(tools=())
    assert "response_format" not in body
    assert body["messages"][0]["content"] == SYSTEM.content


def test_an_action_becomes_a_call() -> None:
    answer = answer_to(json_content(ACTION))
    assert [(c.name, c.parsed()) for c in answer.calls] == [("read_file", {"path": "a.md"})]
    assert answer.text == ""


@pytest.mark.parametrize(
    "content",
    [
        f"```json\n{json.dumps(ACTION)}\n```",
        f"```\n{json.dumps(ACTION, indent=2)}\n```",
        f"I read it first. {json.dumps(ACTION)} Then I go on.",
        f"{json.dumps(ACTION)}\n{json.dumps({'tool': 'submit', 'arguments': {}})}",
        f'{{"thought": 1}} {json.dumps(ACTION)}',
        f"{{ {json.dumps(ACTION)}",
    ],
)
def test_an_action_between_other_things_is_found(content: str) -> None:
    assert [c.parsed() for c in answer_to(text(content)).calls] == [{"path": "a.md"}]


@pytest.mark.parametrize(
    "content",
    [
        "I would read the file.", '{"name": "read_file", "arguments": {}}', '{"tool": 3}', '["tool"]',
        '{"tool": "read_f', "{}", "", "null", "{" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_action_stays_text(content: str) -> None:
    answer = answer_to(text(content))
    assert (answer.text, answer.calls) == (content, ())


def test_an_action_that_was_cut_off_stays_text() -> None:
    assert answer_to(over_long(400)).calls == ()
    cut = answer_to(text('{"tool": "read_file", "arguments": {"path": "a', finish_reason="length"))
    assert (cut.calls, cut.text[:8], cut.cut) == ((), '{"tool":', True)


@pytest.mark.parametrize("arguments", [["a.md"], "a.md", 3, None])
def test_arguments_that_are_no_object_reach_the_door_as_they_are(arguments: Any) -> None:
    (call,) = answer_to(json_content({"tool": "read_file", "arguments": arguments})).calls
    assert json.loads(call.arguments) == arguments
    with pytest.raises(ValueError, match="must be a JSON object"):
        call.parsed()


def test_an_action_without_arguments_has_none() -> None:
    assert answer_to(json_content({"tool": "submit"})).calls[0].parsed() == {}


def test_the_history_is_what_the_model_wrote_and_what_came_of_it() -> None:
    good = ToolCall(id="c1", name="read_file", arguments='{"path": "ä"}')
    bad = ToolCall(id="c2", name="read_file", arguments='{"path": ')
    body = sent(
        SYSTEM, TASK,
        Message(role="assistant", calls=(good,)), Message(role="tool", content="text of ä", name="read_file"),
        Message(role="assistant", calls=(bad,)), Message(role="tool", content="not JSON", name="read_file"),
        Message(role="user", content="TODO"),
    )  # fmt: skip
    assert body["messages"][2:] == [
        {"role": "assistant", "content": '{"tool": "read_file", "arguments": {"path": "ä"}}'},
        {"role": "user", "content": "Result of read_file:\ntext of ä"},
        {"role": "assistant", "content": '{"path": '},
        {"role": "user", "content": "Result of read_file:\nnot JSON\n\nTODO"},
    ]
    assert not [m for m in body["messages"] if m["role"] == "tool" or "tool_calls" in m]


# the schema


def nodes(schema: Any) -> list[dict[str, Any]]:
    """All schemas in a schema."""
    inside = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inside += [*([schema["items"]] if "items" in schema else []), *schema.get("prefixItems", [])]
    return [schema, *(n for s in inside for n in nodes(s))]


PHASES = [(role.name, phase) for role in roster().values() for phase in role.tools]


@pytest.mark.parametrize(("role", "phase"), PHASES)
def test_the_schema_of_every_phase_is_one_that_small_and_strict_servers_take(role: str, phase: str) -> None:
    schemas = tuple(tool.schema for tool in take(roster()[role].tools_in(phase)))
    wanted = action_format(schemas)["json_schema"]["schema"]
    assert wanted["type"] == "object"
    assert [a["properties"]["tool"]["const"] for a in wanted["anyOf"]] == [t.name for t in schemas]
    allowed = {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf"}
    for node in nodes(wanted):
        assert node.pop("maxItems", 0) <= MOST_ITEMS if node.get("type") == "array" else "maxItems" not in node
        node.pop("minItems", None)
        assert node.pop("maxLength", 0) < LONGER
        assert set(node) <= allowed
        if node.get("type") == "object" and "anyOf" not in node:
            assert node["additionalProperties"] is False
            assert set(node["required"]) <= set(node["properties"])


def test_one_tool_needs_no_choice() -> None:
    assert action_format((DONE,))["json_schema"]["schema"]["properties"]["tool"]["const"] == "submit"


def test_shape_keeps_what_a_value_may_look_like() -> None:
    schema = {
        "type": "array", "description": "d", "minItems": 1, "maxItems": 7, "uniqueItems": True,
        "items": {"anyOf": [{"type": "string", "enum": ["a", "b"], "default": "a"}, {"type": "null"}]},
    }  # fmt: skip
    assert shape(schema) == {
        "type": "array", "minItems": 1, "maxItems": 7,
        "items": {"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]},
    }  # fmt: skip
    assert shape({"type": "string", "maxLength": 300}) == {"type": "string", "maxLength": 300}
    assert shape({"type": "string", "maxLength": 3000}) == {"type": "string"}
    held = {"type": "string", "pattern": '^[^/"]{2,80}$'}
    assert shape(held) == held, "a title is held to what a title is"
    for other in (r"^[\w.-]+$", "^(?!no).*$", "a|b"):
        assert shape({"type": "string", "pattern": other}) == {"type": "string"}, "not every server's grammar knows it"
    first = {"type": "array", "prefixItems": [{"type": "string", "const": "a", "minLength": 9}], "maxItems": 1}
    assert shape(first) == {"type": "array", "prefixItems": [{"type": "string", "const": "a"}], "maxItems": 1}


def test_no_list_of_an_answer_is_without_a_bound() -> None:
    """Where nothing bounds a list, a small model that begins to count goes on until its answer is cut off."""
    assert shape({"type": "array", "items": {"type": "string"}})["maxItems"] == LONGEST_LIST
    assert shape({"type": "array", "items": {"type": "string"}, "maxItems": 500})["maxItems"] == MOST_ITEMS


def test_what_is_held_stands_in_the_schema_and_not_in_the_words() -> None:
    only = READ.model_copy(update={"parameters": {"type": "object", "properties": {"path": {"enum": ["a.md"]}}}})
    with ChatServer([text("ok")]) as server:
        ask(server, held=(only,))
        arrived = server.requests[0].body
    assert arrived["response_format"] == action_format((only, DONE))
    assert arrived["messages"] == sent()["messages"]


# the words


def test_words_name_every_tool_argument_and_choice() -> None:
    words = described([t.schema for t in all_tools().values()])
    for tool in all_tools().values():
        (line,) = [x for x in words.splitlines() if x.startswith(f"- {tool.name}: ")]
        assert all(f'"{field}"' in line for field in tool.schema.parameters.get("properties", {}))
    assert '"outcome"?: "done" | "partial"' in words
    assert '"milestones": [{"outcome": text' in words
    assert '"source_id"?: text or null' in words


@pytest.mark.parametrize(("role", "phase"), PHASES)
def test_words_are_shorter_than_native_schemas(role: str, phase: str) -> None:
    schemas = tuple(tool.schema for tool in take(roster()[role].tools_in(phase)))
    native = json.dumps([t.model_dump() for t in schemas])
    assert len(described(schemas)) < 0.7 * len(native)


def test_words_of_odd_schemas() -> None:
    odd = ToolSchema(name="x", description="D.", parameters={"properties": {"a": {}, "b": {"const": 1}}})
    assert '{"a"?: value, "b"?: 1}' in described((odd,))


# reading

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
WORDS = st.text(alphabet=st.characters(exclude_characters="{"))


@settings(deadline=None)
@given(tool=st.text(), arguments=st.dictionaries(st.text(), JSON, max_size=4), before=WORDS, after=st.text())
def test_any_action_is_read_whatever_stands_around_it(
    tool: str, arguments: dict[str, Any], before: str, after: str
) -> None:
    wrote = json.dumps({"tool": tool, "arguments": arguments})
    (call,) = read_action(Answer(text=f"{before}{wrote}{after}")).calls
    assert (call.name, call.parsed()) == (tool, arguments)


@settings(deadline=None)
@given(st.text() | st.text(alphabet='{}[]":tool,1 '))
def test_reading_never_fails_and_loses_nothing(wrote: str) -> None:
    answer = read_action(Answer(text=wrote))
    assert answer.calls or answer.text == wrote


@settings(deadline=None)
@given(name=st.text(), arguments=st.dictionaries(st.text(), JSON, max_size=4))
def test_a_call_in_the_history_reads_back_as_itself(name: str, arguments: dict[str, Any]) -> None:
    call = ToolCall(id="action", name=name, arguments=json.dumps(arguments))
    (again,) = read_action(Answer(text=action_text(call))).calls
    assert (again.name, again.parsed()) == (name, arguments)
