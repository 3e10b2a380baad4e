"""The playbook of the creator behind an OpenAI-compatible server: answers like a model that does what its prompts say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from echelon.crews.playbooks.model import open_playbook
from echelon.engine.messages import Message, ModelRequest, ToolCall, ToolSchema
from echelon.settings import Environment, ModelSettings
from tests.support.chat_server import Call, Reply, calls, json_content


def request_of(body: dict[str, Any]) -> ModelRequest:
    """What the server was asked, natively or as JSON actions, as the request that a playbook reads."""
    if "response_format" in body:
        return _from_actions(body)
    tools = tuple(ToolSchema(**t["function"]) for t in body["tools"])
    return ModelRequest(messages=tuple(_native(body["messages"])), tools=tools)


def _native(messages: list[dict[str, Any]]) -> list[Message]:
    names: dict[str, str] = {}
    out: list[Message] = []
    for m in messages:
        wrote = [
            ToolCall(id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"])
            for c in m.get("tool_calls", [])
        ]
        names.update({c.id: c.name for c in wrote})
        result = {"call_id": m["tool_call_id"], "name": names[m["tool_call_id"]]} if m["role"] == "tool" else {}
        out.append(Message(role=m["role"], content=m["content"] or "", calls=tuple(wrote), **result))
    return out


def _from_actions(body: dict[str, Any]) -> ModelRequest:
    names = re.findall(r"^- (\w+): .* Arguments: ", body["messages"][0]["content"], re.MULTILINE)
    messages = [part for m in body["messages"] for part in _unfolded(m)]
    return ModelRequest(
        messages=tuple(messages), tools=tuple(ToolSchema(name=n, description="", parameters={}) for n in names)
    )


def offered(body: dict[str, Any]) -> set[str]:
    """Names of the tools that the next answer may call."""
    if "response_format" not in body:
        return {t["function"]["name"] for t in body["tools"]}
    schema = body["response_format"]["json_schema"]["schema"]
    return {a["properties"]["tool"]["const"] for a in schema.get("anyOf", [schema])}


def _unfolded(message: dict[str, Any]) -> list[Message]:
    if message["role"] == "assistant":
        try:
            action = json.loads(message["content"])
        except json.JSONDecodeError:
            return [Message(role="assistant", content=message["content"])]
        wrote = ToolCall(id="a", name=action["tool"], arguments=json.dumps(action["arguments"]))
        return [Message(role="assistant", calls=(wrote,))]
    if message["role"] == "user" and message["content"].startswith("Result of "):
        head, _, rest = message["content"].partition(":\n")
        result, _, todo = rest.partition("\n\n")
        name = head.removeprefix("Result of ")
        told = [Message(role="user", content=todo)] if todo else []
        return [Message(role="tool", content=result, call_id="a", name=name), *told]
    return [Message(role=message["role"], content=message["content"])]


class Scripted:
    """Answers like the playbook; each `every`-th request goes wrong in the next of the ways."""

    def __init__(self, every: int, ways: tuple[Callable[[], Reply], ...]) -> None:
        self.every, self.ways, self.count, self.wrong = every, ways, 0, 0
        self.model = open_playbook("creator", ModelSettings(), Environment({}))

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.count += 1
        if self.every and self.count % self.every == 0:
            self.wrong += 1
            return self.ways[self.wrong % len(self.ways)]()
        wrote = self.model.answer(request_of(body)).calls[0]
        assert wrote.name in offered(body), (
            f"who does what the prompts say is not let call {wrote.name}, only {offered(body)}"
        )
        if "response_format" in body:
            return json_content({"tool": wrote.name, "arguments": json.loads(wrote.arguments)})
        return calls(Call(wrote.name, wrote.arguments))
