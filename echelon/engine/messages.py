"""What passes between a role and a model: requests, answers, tool calls and their results, all plain JSON data."""

from __future__ import annotations

import functools
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from echelon.json_text import is_object, read_json, writable

MOST_TOKENS = 100_000_000
"""Tokens of one call above which a number says nothing: no model reads or writes so many."""


def _amount(value: Any) -> int:
    """A number of tokens; 0 for what is no number, negative, or larger than any model's: then nothing is known."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= MOST_TOKENS else 0


def _price(value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= MOST_TOKENS else 0.0


Text = Annotated[str, BeforeValidator(writable)]
"""Text that a model wrote: half characters are question marks."""
TokenCount = Annotated[int, BeforeValidator(_amount)]
Dollars = Annotated[float, BeforeValidator(_price)]


class Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ToolCall(Data):
    """One tool call as the model wrote it. `arguments` is its raw text: it may not even be JSON."""

    id: Text
    name: Text
    arguments: Text

    def parsed(self) -> dict[str, Any]:
        """The arguments as an object. Raises ValueError with a sentence for the model when they are not one.

        An object that was written as a JSON text inside a JSON text is taken as the object.
        """
        try:
            value = read_json(self.arguments or "{}")
            value = read_json(value) if isinstance(value, str) and value.lstrip().startswith("{") else value
        except ValueError as error:
            raise ValueError(f"the arguments are {error}") from error
        if not is_object(value):
            raise ValueError(f"the arguments must be a JSON object, not a {type(value).__name__}")
        return value


class Usage(Data):
    """Tokens and money of one model call. What cannot be true (below 0, no number, too large) reads as 0."""

    prompt_tokens: TokenCount = 0
    completion_tokens: TokenCount = 0
    cached_tokens: TokenCount = 0
    thinking_tokens: TokenCount = Field(default=0, description="of the completion, where the server reports them")
    cost: Dollars = Field(default=0.0, description="US dollars")
    calls: int = Field(default=1, ge=0, description="requests that it took: those whose answer was lost count as well")


class Answer(Data):
    """What a model answered: text, tool calls, or both."""

    text: Text = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    model: str = ""
    """Which model of a chain gave it; '' where only one was asked."""
    cut: bool = False
    """Whether it ended because it was too long, not because it was done."""
    fault: Text = ""
    """What was wrong with it that its words do not say, as a sentence: it was refused, or filtered."""


class ToolSchema(Data):
    """A tool as a model sees it. `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: dict[str, Any]

    @functools.cached_property
    def as_text(self) -> str:
        """The schema as JSON, made once: it is counted in every prompt."""
        return json.dumps(self.model_dump(), ensure_ascii=False)


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
    held: tuple[ToolSchema, ...] = Field(default=(), exclude_if=lambda held: not held)
    """What such a server holds an answer to in place of a tool's own schema: the very ids that are asked about."""
    number: int = 0
