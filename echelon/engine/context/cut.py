"""Making old parts of a conversation short: pointers, cut results, shortened arguments, one line for a turn."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from echelon.engine.messages import ModelRequest, ToolCall, ToolSchema
from echelon.json_text import is_list, is_object, read_json
from echelon.tokens import count_tokens, cut_to_tokens

LONG_ARGUMENT = 200
"""Characters from which a text in old arguments is shortened; its first 80 stay."""
HEAD = 80
LINE = 72
"""Characters of what a line says about arguments, and about the outcome."""
LEFT_OUT = re.compile(r"\[… [\d,]+ more characters\]")
"""The mark in shortened arguments. A call that contains it was copied from a shortened one."""

text_tokens = functools.lru_cache(maxsize=2_048)(count_tokens)
"""`count_tokens`, remembered: most messages of a prompt were in the last one too."""


@functools.lru_cache(maxsize=512)
def shown_result(text: str, most: int) -> str:
    """A result within `most` tokens: its head and its tail."""
    return cut_to_tokens(text, most)


def broken_off(text: str) -> str:
    """An answer that was cut off and that nothing came of: how it began. A model that sees the whole writes it again."""
    short: str = _short(text)
    return short


def is_circling(text: str) -> bool:
    """Whether a text that was cut off only said the same again and again."""
    return len(text) > 4 * LINE and text.count(text[-LINE:]) > 2


def pointer(name: str, text: str, path: str) -> str:
    """What stands in the place of an old result; a short result is shorter than any pointer to it."""
    if not path:
        return text
    note = f"[result of {name}, {text_tokens(text):,} tokens: in {path}]"
    return text if len(text) <= len(note) else note


def shortened(call: ToolCall) -> ToolCall:
    """A call whose long texts are cut; the whole is in the trace. Arguments that are no JSON are cut as text."""
    if len(call.arguments) <= LONG_ARGUMENT:
        return call
    try:
        value = _short(read_json(call.arguments))
    except ValueError:
        return call.model_copy(update={"arguments": _short(call.arguments)})
    return call.model_copy(update={"arguments": json.dumps(value, ensure_ascii=False)})


def _short(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONG_ARGUMENT:
        return f"{value[:HEAD]}[… {len(value) - HEAD:,} more characters]"
    if is_list(value):
        return [_short(v) for v in value]
    if is_object(value):
        return {k: _short(v) for k, v in value.items()}
    return value


def line_of(number: int, call: ToolCall, ok: bool, said: str) -> str:
    """A turn in one line: what was called, and what came of it."""
    outcome = "" if ok else "failed: "
    return f"{number}. {call.name}({_brief(call.arguments)}) → {outcome}{one_line(said, LINE)}"


def one_line(text: str, most: int) -> str:
    """`text` without line breaks, at most `most` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


@functools.lru_cache(maxsize=512)
def _brief(arguments: str) -> str:
    try:
        values = ToolCall(id="", name="", arguments=arguments).parsed()
    except ValueError:
        return "…"
    parts = [f"{k}={one_line(json.dumps(v, ensure_ascii=False), HEAD // 2)}" for k, v in values.items()]
    return one_line(", ".join(parts), LINE)


def prompt_tokens(request: ModelRequest) -> int:
    """Tokens of a prompt: texts, tool calls and tool schemas, with the four tokens that frame a message."""
    messages = sum(
        text_tokens(m.content) + sum(text_tokens(c.name) + text_tokens(c.arguments) for c in m.calls) + 4
        for m in request.messages
    )
    return messages + sum(schema_tokens(t) for t in request.tools)


def schema_tokens(schema: ToolSchema) -> int:
    """Tokens of one tool as it is sent."""
    return text_tokens(schema.as_text)
