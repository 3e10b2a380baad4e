"""A whole creator job over HTTP: the server answers like the playbook would, and fails now and then."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from echelon.crews.playbooks.model import open_playbook
from echelon.engine.messages import Message, ModelRequest, ToolCall, ToolSchema
from echelon.service.service import JobResult
from echelon.settings import Environment, ModelSettings
from tests.support.chat_server import Call, ChatServer, Reply, calls, empty, json_content, rate_limited, server_error
from tests.support.scripted import service

SAMPLE = Path(__file__).parents[2] / "knowledge" / "records-retention-policy-2pages.pdf"
ODD: tuple[Callable[[], Reply], ...] = (
    empty,
    lambda: calls(Call("fly", {"to": "the moon"})),
    lambda: calls(Call("read_file", '{"path": ')),
    lambda: calls(Call("read_file", "[1, 2]")),
)


def request_of(body: dict[str, Any]) -> ModelRequest:
    """What the server was asked, natively or as JSON actions, as the request that a playbook reads."""
    if "response_format" in body:
        return _from_actions(body)
    tools = tuple(ToolSchema(**t["function"]) for t in body["tools"])
    return ModelRequest(messages=tuple(_native(body["messages"])), tools=tools)


def _native(messages: list[dict[str, Any]]) -> list[Message]:
    names: dict[str, str] = {}
    out = []
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
    schema = body["response_format"]["json_schema"]["schema"]
    names = [a["properties"]["tool"]["const"] for a in schema.get("anyOf", [schema])]
    messages = [part for m in body["messages"] for part in _unfolded(m)]
    return ModelRequest(
        messages=tuple(messages), tools=tuple(ToolSchema(name=n, description="", parameters={}) for n in names)
    )


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
        if "response_format" in body:
            return json_content({"tool": wrote.name, "arguments": json.loads(wrote.arguments)})
        return calls(Call(wrote.name, wrote.arguments))


def run(home: Path, answers: Scripted, mode: str) -> JobResult:
    with (
        ChatServer(answers) as server,
        service(home, OPENAI_API_KEY="any", OPENAI_BASE_URL=server.base_url) as jobs,
    ):
        job = jobs.submit("creator", [SAMPLE], model="openai/local", overrides={"model_settings.tool_calls": mode})
        return jobs.run(job)


@pytest.mark.parametrize("mode", ["native", "json_schema"])
def test_a_job_over_http_completes(tmp_path: Path, mode: str) -> None:
    answers = Scripted(0, ())
    result = run(tmp_path, answers, mode)
    assert (result.state, result.reason) == ("completed", "")
    assert result.spent["model_calls"] == answers.count
    assert result.spent["refused_calls"] == 0


def test_a_job_over_http_survives_what_servers_and_models_do(tmp_path: Path) -> None:
    passing = (lambda: rate_limited(0), server_error)
    answers = Scripted(6, (*ODD, *passing))
    result = run(tmp_path, answers, "native")
    assert (result.state, result.reason) == ("completed", "")
    assert answers.wrong >= len(ODD) + len(passing)
    assert result.spent["refused_calls"] >= 3
