"""What passes between a role and a model: requests, answers, tool calls and their results, all plain JSON data."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolCall(Data):
    """One tool call as the model wrote it. `arguments` is its raw text: it may not even be JSON."""

    id: str
    name: str
    arguments: str

    def parsed(self) -> dict[str, Any]:
        """The arguments as an object. Raises ValueError with a sentence for the model when they are not one."""
        try:
            value = json.loads(self.arguments or "{}")
        except json.JSONDecodeError as error:
            raise ValueError(f"the arguments are not valid JSON ({error.msg} at character {error.pos})") from error
        if not isinstance(value, dict):
            raise ValueError(f"the arguments must be a JSON object, not a {type(value).__name__}")
        return {_writable(k): _writable(v) for k, v in value.items()}


def _writable(value: Any) -> Any:
    """JSON data with half characters (lone surrogates), which no file can hold, as question marks."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_writable(v) for v in value]
    return {_writable(k): _writable(v) for k, v in value.items()} if isinstance(value, dict) else value


class Usage(Data):
    """Tokens and money of one model call."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float = Field(default=0.0, description="US dollars")


class Answer(Data):
    """What a model answered: text, tool calls, or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    cut: bool = False
    """Whether it ended because it was too long, not because it was done."""


class ToolSchema(Data):
    """A tool as a model sees it. `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolResult(Data):
    """The one shape of tool results. `explanations` are short sentences; the first one says what happened."""

    ok: bool
    confidence: float = Field(default=1.0, ge=0, le=1)
    explanations: tuple[str, ...] = ()
    data: Any = None

    def text(self) -> str:
        """What the model reads: compact JSON."""
        return json.dumps(self.model_dump(mode="json", exclude_none=True), ensure_ascii=False)

    @staticmethod
    def failure(sentence: str, data: Any = None) -> ToolResult:
        """A result that says what went wrong and what to do next."""
        return ToolResult(ok=False, confidence=1.0, explanations=(sentence,), data=data)


class Message(Data):
    """One message of a prompt."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    name: str | None = None


class ModelRequest(Data):
    """Everything a model gets to see for one answer. `number` counts the calls of a job; models may ignore it."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...] = ()
    max_output_tokens: int = 2_048
    temperature: float | None = None
    barred: tuple[str, ...] = ()
    """Tools that must not come next, where the server holds the answer to a schema: those that went in a circle, and
    all that do not end the phase once every todo is done."""
    number: int = 0
