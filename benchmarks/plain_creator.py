"""The creator's work by one plain crewai agent: what benchmarks/chaos.py compares with.

`Agent.kickoff` as crewai's documentation shows it, with the same tools and the same model behind it. The adapter hands the
model's calls to crewai as they are; `job_complete` is how the agent says that it is done, and becomes its final answer.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from echelon.crews.creator import results, reviewing, working
from echelon.crews.creator.playbook import as_ruled
from echelon.crews.tool_sets import take
from echelon.domains.requirements import document_files
from echelon.domains.requirements.review import ledger
from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, ToolResult, ToolSchema
from echelon.engine.models.model import Model
from echelon.engine.run import Run
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.engine.workspace import Workspace
from echelon.service.service import Service
from echelon.tools.completion import TOOLS as SUBMITS

NAMES = ("list_documents", "read_part", "decide_doubts", "check_citations")


class Nothing(Arguments):
    pass


class OfDocument(Arguments):
    document: str = Field(description="name of the document")


class OfKind(Arguments):
    kind: Literal["json", "markdown", "summary"] = Field(description="what is written")


def _extract(context: ToolContext, a: OfDocument) -> ToolResult:
    working.extract(context.workspace, a.document, context.run.config.requirements)
    return ToolResult(ok=True, explanations=("The requirements are found and kept.",))


def _queue(context: ToolContext, _: Nothing) -> ToolResult:
    settings = context.run.config.requirements
    ledger.save(context.workspace, working.doubtful(context.workspace, settings))
    asked = reviewing.asked_about(context.workspace, settings.review)
    return ToolResult(ok=True, data={"doubts": [{"id": i.id, "taken": i.taken, "text": i.text} for i in asked]})


def _write(context: ToolContext, a: OfKind) -> ToolResult:
    working.mark_repetitions(context.workspace)
    return ToolResult(ok=True, explanations=(results.write(context.workspace, context.run.job, a.kind)[0],))


OWN = (
    Tool("extract_requirements", "Find and keep the requirements.", OfDocument, _extract, Effect.IDEMPOTENT),
    Tool("list_doubts", "List the doubtful places, once all is extracted.", Nothing, _queue, Effect.IDEMPOTENT),
    Tool("write_requirements", "Write the results.", OfKind, _write, Effect.IDEMPOTENT),
)
"""What code does by itself in a job, as tools: a plain agent has nobody who does it."""
DONE = next(tool for tool in SUBMITS if tool.name == "job_complete")


class PlainPlaybook:
    """A model that does the whole creator job in one conversation. What did not succeed, it does again."""

    name = "plain playbook"

    def answer(self, request: ModelRequest) -> Answer:
        done = _done(request.messages)
        move = next((m for m in _moves(done) if _key(*m) not in done), ("job_complete", {}))
        return Answer(calls=(ToolCall(id=f"c{request.number}", name=move[0], arguments=json.dumps(move[1])),))


def _moves(done: dict[str, dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """All that is to be done, in order; parts are known once the documents are listed."""
    listed = done.get(_key("list_documents", {}))
    documents = listed["data"]["documents"] if listed else []
    names = [d["document"] for d in documents]
    doubts = done.get(_key("list_doubts", {}), {}).get("data", {}).get("doubts", [])
    return [
        ("list_documents", {}),
        *(("extract_requirements", {"document": name}) for name in names),
        ("list_doubts", {}),
        *([("decide_doubts", {"decisions": [as_ruled(d) for d in doubts]})] if doubts else []),
        ("check_citations", {}),
        *(("write_requirements", {"kind": kind}) for kind in ("json", "markdown", "summary")),
        ("job_complete", {"summary": "All is done.", "deliverables": ["output/requirements.json"], "confidence": 0.9}),
    ]


def _key(name: str, arguments: dict[str, Any]) -> str:
    return json.dumps([name, arguments], sort_keys=True)


def _done(messages: Sequence[Message]) -> dict[str, dict[str, Any]]:
    """The calls of a conversation that succeeded, with their results."""
    calls = {c.id: c for m in messages for c in m.calls}
    done = {}
    for message in messages:
        call = calls.get(message.call_id or "")
        if message.role != "tool" or call is None:
            continue
        try:
            result = json.loads(message.content)
            if result["ok"]:
                done[_key(call.name, json.loads(call.arguments))] = result
        except (ValueError, TypeError, KeyError):  # refused by crewai, in its own words
            continue
    return done


@dataclass(frozen=True)
class PlainJob:
    """How it ended. `said_done` is False when crewai raised; `error` says what."""

    said_done: bool
    folder: Path
    calls: int
    error: str = ""


def plain_job(jobs: Service, source: Path, model: Model, name: str) -> PlainJob:
    """Let a plain agent do the creator job on one document in a folder of its own."""
    from crewai import Agent
    from crewai_core.printer import set_suppress_console_output

    from echelon.crews.driving import forget_events, quieten_crewai

    set_suppress_console_output(True)
    quieten_crewai()
    context = _context(jobs, source, name)
    tools = (*take(NAMES), *OWN)
    llm = _adapter(model, [*(t.schema for t in tools), DONE.schema])
    agent = Agent(
        role="Requirements engineer",
        goal="Find every requirement in the documents.",
        backstory="You use the tools.",
        llm=llm,
        tools=[_crewai_tool(t, context) for t in tools],
        verbose=False,
        cache=False,
    )
    try:
        agent.kickoff(
            "Find every requirement in the documents, with the page and the exact words, and write them down."
        )
    except Exception as error:  # whatever crewai lets through: the job is lost
        return PlainJob(False, context.workspace.root, llm.asked, f"{type(error).__name__}: {error}"[:200])
    finally:
        forget_events()
    return PlainJob(True, context.workspace.root, llm.asked)


def _context(jobs: Service, source: Path, name: str) -> ToolContext:
    folder = jobs.environment.home / "plain" / name
    folder.mkdir(parents=True)
    run = Run(
        job=name,
        folder=folder,
        config=jobs.configuration("creator", "playbook", None),
        store=jobs.store,
        environment=jobs.environment,
    )
    workspace = Workspace(folder)
    workspace.create()
    document_files.bring_in(workspace, source, source.name, 10_000_000)
    return ToolContext(run=run, workspace=workspace, state=PhaseState(), role="plain")


def _adapter(model: Model, schemas: Sequence[ToolSchema]) -> Any:
    from crewai.llms.base_llm import BaseLLM, llm_call_context

    class Adapter(BaseLLM):
        asked: int = 0

        def supports_function_calling(self) -> bool:
            return True

        def get_context_window_size(self) -> int:
            return 1_000_000

        def get_input_tokens_count(self, messages: Any, tools: Any = None, response_model: Any = None) -> int:
            return 0

        def call(self, messages: Any, *_: Any, **__: Any) -> Any:
            with llm_call_context():
                self.asked += 1
                said = tuple(_message(m) for m in messages)
                answer = model.answer(ModelRequest(messages=said, tools=tuple(schemas), number=self.asked))
                if any(c.name == DONE.name for c in answer.calls):
                    return "All requirements are found and written."
                if not answer.calls:
                    return answer.text
                return [
                    {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                    for c in answer.calls
                ]

    return Adapter(model="plain")


def _message(message: dict[str, Any]) -> Message:
    calls = [
        ToolCall(id=c["id"], name=c["function"]["name"], arguments=_text(c["function"]["arguments"]))
        for c in message.get("tool_calls") or []
    ]
    return Message(
        role=message["role"],
        content=_text(message.get("content")),
        calls=tuple(calls),
        call_id=message.get("tool_call_id"),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _crewai_tool(tool: Tool, context: ToolContext) -> Any:
    from crewai.tools import BaseTool
    from pydantic import BaseModel

    class PlainTool(BaseTool):
        name: str = tool.name
        description: str = tool.description
        args_schema: type[BaseModel] = tool.arguments

        def _run(self, **values: Any) -> str:
            return tool.work(context, tool.arguments.model_validate(values)).text()

    return PlainTool()
