"""One job against one behaviour: how it ends, and whether it goes on once the server is well again."""

from __future__ import annotations

import json
import re
import resource
import time
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.hostile.wire import Behaviour, Completion, HostileServer
from echelon.crews.hierarchy.states import Event
from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolSchema
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.settings import Environment
from echelon.store.records.jobs import Said
from tests.support.scripted import Reply, Seen, played

TIMEOUT, ATTEMPTS, CALLS = 1.0, 2, 60
LONGEST = 120.0
"""Seconds that a run may take: some tens of calls that each use up their time."""
OVERRIDES: dict[str, Any] = {
    "model_settings.timeout": TIMEOUT, "model_settings.attempts": ATTEMPTS, "budget.model_calls": CALLS,
    "model_settings.input_price": 1.0, "model_settings.output_price": 1.0, "ceilings.rounds": 6, "todos.least": 1,
}  # fmt: skip
MORE: dict[str, Any] = {
    "budget.model_calls": 1_000, "budget.tokens": 50_000_000, "budget.cost": 10_000, "ceilings.rounds": 60,
}  # fmt: skip
"""What a person allows to a job that came to a limit."""
SAID = "Please go on in another way."
ENDS = {"completed", "failed", "limit", "needs_input", "escalated", "rejected"}
VAGUE = ("the roles could not agree", "unexpected", "unknown error")
RAW = re.compile(r"^\w*(Error|Exception|Fault|Interrupt)\b|Traceback")


@dataclass(frozen=True)
class Ended:
    """How a run ended. `afterwards` is the state after it went on with a healthy server, '' where nothing was left."""

    name: str
    state: str
    reason: str
    seconds: float
    requests: int
    calls: int
    megabytes: int
    afterwards: str = ""
    faults: tuple[str, ...] = ()

    def line(self) -> str:
        """As one JSON line."""
        return json.dumps(asdict(self), ensure_ascii=True)


def tried(jobs: Service, source: str, name: str, behaviour: Behaviour, every: int = 1) -> Ended:
    """Run a small plain job against the behaviour, then go on with it against a good server."""
    server = HostileServer(brain, behaviour, every)
    with server.running() as address:
        service = Service(Environment({**jobs.environment.values, "OPENAI_BASE_URL": address, "OPENAI_API_KEY": "any"}))
        service.__dict__["store"] = jobs.store  # one database for all runs
        job = service.submit("plain", [source], "Write the result.", "openai/hostile", OVERRIDES)
        began = time.monotonic()
        result = service.run(job)
        seconds = time.monotonic() - began
        requests = server.requests
        server.healthy()
        afterwards = "" if result.state in ("completed", "rejected") else went_on(service, result)
    calls = int(result.spent.get("model_calls", 0))
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Ended(
        name, result.state, result.reason, round(seconds, 1), requests, calls, megabytes, afterwards,
        tuple(faults(result, seconds, requests, afterwards)),
    )  # fmt: skip


def went_on(service: Service, result: JobResult) -> str:
    """The state after the job went on with a healthy server, and up to three answers of a person."""
    state = result.state
    for _ in range(3):
        more = MORE if state == "limit" else {}
        said = Said(event=Event.ANSWERED.value, text=SAID) if state in ("needs_input", "escalated") else None
        service.resume(result.job, more, said)
        state = service.run(result.job).state
        if state == "completed":
            break
    return state


def faults(result: JobResult, seconds: float, requests: int, afterwards: str) -> list[str]:
    """What was wrong with an end."""
    found = []
    if result.state not in ENDS:
        found.append("no typed end")
    if result.state != "completed" and (not result.reason.strip() or "\n" in result.reason):
        found.append("no cause in one sentence")
    if any(word in result.reason for word in VAGUE):
        found.append("a vague cause")
    if RAW.search(result.reason):
        found.append("a raw exception")
    if seconds > LONGEST:
        found.append("too long")
    if requests > CALLS * ATTEMPTS:
        found.append("too many requests")
    if result.state == "completed" and not all_there(result):
        found.append("false COMPLETED")
    if afterwards and afterwards != "completed":
        found.append("does not go on")
    return found


def all_there(result: JobResult) -> bool:
    """Whether the only deliverable of the job holds what its todo asked for."""
    path = result.folder / "output" / "result-1.md"
    return path.is_file() and "write part 1" in path.read_text(encoding="utf-8", errors="replace")


# a good server


def brain(body: dict[str, Any]) -> Completion:
    """What a good model says to this request: it does a plain job of one task with one todo."""
    seen = Seen(_request(body))
    answer = played(seen, tasks=1, todos=1)
    if SAID in seen.text and isinstance(answer, ToolCall) and answer.name == "submit_task":
        task = {**answer.parsed(), "title": "result 1, in another way"}  # what failed is not planned again unchanged
        answer = answer.model_copy(update={"arguments": json.dumps(task)})
    is_read = "the milestone is reached" in seen.task  # then it has opened the result, and no finding of it holds
    if is_read and isinstance(answer, ToolCall) and answer.name == "submit_assessment":
        settled = {**answer.parsed(), "settled": re.findall(r"\bF\d+\b", seen.task)}
        answer = answer.model_copy(update={"arguments": json.dumps(settled)})
    return _completion(answer, body)


def _request(body: dict[str, Any]) -> ModelRequest:
    tools = tuple(ToolSchema.model_validate(t["function"]) for t in body.get("tools", []))
    names: dict[str, str] = {}
    messages = []
    for m in body["messages"]:
        wrote = tuple(
            ToolCall(id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"])
            for c in m.get("tool_calls") or []
        )
        names.update({c.id: c.name for c in wrote})
        found = {"call_id": m["tool_call_id"], "name": names.get(m["tool_call_id"], "")} if m["role"] == "tool" else {}
        messages.append(Message(role=m["role"], content=m.get("content") or "", calls=wrote, **found))
    return ModelRequest(messages=tuple(messages), tools=tools)


def _completion(reply: Reply, body: dict[str, Any]) -> Completion:
    calls = [] if isinstance(reply, (str, Answer, BaseException)) else [reply] if isinstance(reply, ToolCall) else reply
    wrote = [
        {"id": f"c{n}", "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
        for n, c in enumerate(calls)
    ]
    message = {"role": "assistant", "content": reply if isinstance(reply, str) else None, "tool_calls": wrote}
    sent = len(json.dumps(body["messages"])) // 4
    return {
        "id": "x", "object": "chat.completion", "created": 0, "model": "hostile",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if wrote else "stop"}],
        "usage": {"prompt_tokens": sent, "completion_tokens": 20, "total_tokens": sent + 20},
    }  # fmt: skip
