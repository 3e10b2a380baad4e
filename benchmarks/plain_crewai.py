"""A plain crewai agent on the same script and the same tools: what the other benchmarks compare with.

`Agent.kickoff` as crewai's documentation shows it, with a custom model that follows the script, counts what it is sent,
and takes no time. Nothing of Echelon is between the agent and its tools.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from echelon.engine.context.cut import prompt_tokens
from echelon.engine.messages import Message, ModelRequest, ToolCall, ToolSchema
from echelon.engine.toolbox import Tool
from tests.support.scripted import Seen


@dataclass
class Plain:
    """What the plain agent used."""

    prompt_tokens: list[int] = field(default_factory=list)
    seconds: float = 0.0


def plain_kickoff(script: Callable[[Seen], Any], tools: Sequence[Tool], task: str, turns: int) -> Plain:
    """Let a plain agent follow `script` for `turns` calls and a last answer."""
    from crewai import Agent
    from crewai.llms.base_llm import BaseLLM, llm_call_context
    from crewai_core.printer import set_suppress_console_output

    from echelon.crews.driving import quieten_crewai

    set_suppress_console_output(True)
    quieten_crewai()
    plain = Plain()

    class Scripted(BaseLLM):
        def supports_function_calling(self) -> bool:
            return True

        def get_context_window_size(self) -> int:
            return 10_000_000  # nothing is compacted: what is measured is what is sent

        def get_input_tokens_count(self, messages: Any, tools: Any = None, response_model: Any = None) -> int:
            return 0

        def call(self, messages: Any, tools: Any = None, *_: Any, **__: Any) -> Any:
            with llm_call_context():
                number = len(plain.prompt_tokens) + 1
                request = _request(messages, tools or [], number)
                plain.prompt_tokens.append(prompt_tokens(request))
                if number > turns:
                    return "All is done."
                c = script(Seen(request))
                return [
                    {"id": f"c{number}", "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
                ]

    agent = Agent(
        role="Implementor", goal="Do the work.", backstory="You do the work with the tools.", verbose=False,
        llm=Scripted(model="plain"), tools=[_crewai_tool(t) for t in tools], max_iter=turns + 20, cache=False,
    )  # fmt: skip
    began = time.perf_counter()
    agent.kickoff(task)
    plain.seconds = time.perf_counter() - began
    return plain


def _crewai_tool(tool: Tool) -> Any:
    from crewai.tools import BaseTool
    from pydantic import BaseModel

    class PlainTool(BaseTool):
        name: str = tool.name
        description: str = tool.description
        args_schema: type[BaseModel] = tool.arguments

        def _run(self, **values: Any) -> str:
            return tool.work(None, tool.arguments.model_validate(values)).text()  # type: ignore[arg-type]

    return PlainTool()


def _request(messages: Any, tools: Any, number: int) -> ModelRequest:
    schemas = [t.get("function", t) for t in tools]
    return ModelRequest(
        messages=tuple(_message(m) for m in messages),
        tools=tuple(
            ToolSchema(name=s["name"], description=s.get("description", ""), parameters=s.get("parameters", {}))
            for s in schemas
        ),
        number=number,
    )


def _message(message: dict[str, Any]) -> Message:
    calls = [
        ToolCall(id=c["id"], name=c["function"]["name"], arguments=_text(c["function"]["arguments"]))
        for c in message.get("tool_calls") or []
    ]
    return Message(role=message["role"], content=_text(message.get("content")), calls=tuple(calls))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
