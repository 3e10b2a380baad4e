"""A chat completion as a server sent it, read without trusting any of it.

Whatever stands in it becomes text, tool calls, and a sentence about what was wrong: no field is taken to be there, or
to be of the type that the protocol names. Only what is no chat completion at all is a failure of the server.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

from echelon.engine.messages import ToolCall, Usage
from echelon.engine.models.retry import TransientFailure
from echelon.json_text import is_list, is_object
from echelon.shown import visible

MOST_CALLS = 32
"""Tool calls of one answer that are looked at."""
CHARACTERS_OF_A_TOKEN = 16
"""More than a token of an answer has on average in any vocabulary: what is longer is longer than was asked for."""
LONGEST_NAME = 200
UNREADABLE = "the server's answer cannot be read; is it an OpenAI-compatible server?"


class Completion(BaseModel):
    """What an answer holds. `usage` is what the server reports, as far as it can be true."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    cut: bool = False
    fault: str = ""


def read_completion(body: bytes, longest: int) -> Completion:
    """The first choice of an answer to which `longest` tokens were allowed. Raises TransientFailure where there is none.

    A text or arguments beyond that are cut: the next prompt would carry them.
    """
    most = longest * CHARACTERS_OF_A_TOKEN
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise TransientFailure(UNREADABLE) from error
    choice = _first(value.get("choices")) if is_object(value) else None
    message = choice.get("message") if choice is not None else None
    if not is_object(message) or choice is None:
        raise TransientFailure(UNREADABLE)
    text, calls = _text(message.get("content")), _calls(message)
    reason = choice.get("finish_reason")
    cut = reason == "length" or len(text) > most or any(len(c.arguments) > most for c in calls)
    return Completion(
        text=text[:most], calls=tuple(_short(c, most) for c in calls), usage=_usage(value.get("usage")), cut=cut,
        fault=_fault(message, reason),
    )  # fmt: skip


def _first(values: Any) -> dict[str, Any] | None:
    return values[0] if is_list(values) and values and is_object(values[0]) else None


def _text(content: Any) -> str:
    """The words of a message; some servers send them in parts."""
    if is_list(content):
        return "".join(_text(part.get("text")) for part in content if is_object(part))
    return content if isinstance(content, str) else ""


def _calls(message: dict[str, Any]) -> list[ToolCall]:
    """The tool calls of a message, also the single one of the older form."""
    raw = message.get("tool_calls")
    listed = raw if is_list(raw) else []
    old = message.get("function_call")
    items = [*listed, *([{"function": old}] if is_object(old) and not listed else [])]
    return [_call(item) for item in items[:MOST_CALLS] if is_object(item)]


def _call(item: dict[str, Any]) -> ToolCall:
    function = item.get("function")
    function = function if is_object(function) else {}
    name = function.get("name")
    return ToolCall(
        id=str(item.get("id") or "")[:LONGEST_NAME],
        name=visible(name[:LONGEST_NAME]) if isinstance(name, str) else "",
        arguments=arguments_text(function.get("arguments")),
    )


def arguments_text(arguments: Any) -> str:
    """Arguments as text; some servers send the object itself."""
    if arguments is None:
        return ""
    try:
        return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    except (ValueError, RecursionError, TypeError):
        return "unreadable"


def _short(call: ToolCall, most: int) -> ToolCall:
    if len(call.arguments) <= most:
        return call
    return call.model_copy(update={"arguments": call.arguments[:most]})


def _usage(value: Any) -> Usage:
    used = value if is_object(value) else {}
    details = used.get("prompt_tokens_details")
    more = used.get("completion_tokens_details")
    cached = details.get("cached_tokens") if is_object(details) else 0
    usage = Usage.model_validate(
        {
            "prompt_tokens": used.get("prompt_tokens"),
            "completion_tokens": used.get("completion_tokens"),
            "cached_tokens": cached,
            "thinking_tokens": more.get("reasoning_tokens") if is_object(more) else 0,
        }
    )
    return usage.model_copy(
        update={
            "cached_tokens": min(usage.cached_tokens, usage.prompt_tokens),
            "thinking_tokens": min(usage.thinking_tokens, usage.completion_tokens),
        }
    )


def _fault(message: dict[str, Any], reason: Any) -> str:
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return f"The model refused: {visible(' '.join(refusal.split()))[:200]}"
    if reason == "content_filter":
        return "The server's content filter stopped the answer."
    return ""
