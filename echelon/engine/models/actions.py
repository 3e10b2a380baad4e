"""Tool calls for models that cannot make them: one JSON action an answer, held to a schema by the server.

The action is `{"tool": name, "arguments": {...}}`. The tools are described in words at the end of the system message,
in their own order, so that the prompt keeps its prefix; the schema that the server enforces has shapes only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from echelon.engine.messages import Answer, ToolCall, ToolSchema
from echelon.json_text import read_json

SHAPE = ("type", "enum", "const", "required", "minItems")
"""What is kept of a schema as it is. Long lengths, bounds and defaults go: llama.cpp refuses a string of 3,000
characters and OpenAI's strict mode refuses defaults. What is lost here the tool's own validation finds."""

_PLAIN_PATTERN = re.compile(r"\^(?!.*(?:\(\?|\\[A-Za-z])).*\$")
"""A pattern of a string that any server's grammar can hold: anchored, of characters, sets and counts."""

LONGER = 400
"""Characters from which the length of a string is not kept."""

LONGEST_LIST, MOST_ITEMS = 20, 40
"""Items of a list that names no bound of its own, and the most of one that does: without a bound a small model that began to
count goes on until its answer is cut off."""

TRIES = 200
"""Opening braces of an answer at which an action is looked for: each try may read all that follows."""

_WORDS = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false", "null": "null"}


def action_format(tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """`response_format` for one call of one of `tools`. No `$ref`, every object closed, an object at the root."""
    actions = [
        {
            "type": "object",
            "properties": {"tool": {"type": "string", "const": t.name}, "arguments": shape(t.parameters)},
            "required": ["tool", "arguments"],
            "additionalProperties": False,
        }
        for t in tools
    ]
    schema = actions[0] if len(actions) == 1 else {"type": "object", "anyOf": actions}
    return {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}


def shape(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON Schema reduced to shapes: types, fields, items, alternatives and named values."""
    out: dict[str, Any] = {k: schema[k] for k in SHAPE if k in schema}
    if "anyOf" in schema:
        out["anyOf"] = [shape(s) for s in schema["anyOf"]]
    if "items" in schema:
        out["items"] = shape(schema["items"])
    if _PLAIN_PATTERN.fullmatch(schema.get("pattern", "")):
        out["pattern"] = schema["pattern"]
    if schema.get("maxLength", LONGER) < LONGER:
        out["maxLength"] = schema["maxLength"]
    if "prefixItems" in schema:
        out["prefixItems"] = [shape(s) for s in schema["prefixItems"]]
    if schema.get("type") == "array":
        out["maxItems"] = min(schema.get("maxItems", LONGEST_LIST), MOST_ITEMS)
    if schema.get("type") == "object":
        out["properties"] = {name: shape(s) for name, s in schema.get("properties", {}).items()}
        out["required"] = list(schema.get("required", []))
        out["additionalProperties"] = False
    return out


def described(tools: Sequence[ToolSchema]) -> str:
    """The tools in words, one line a tool, and how to call one."""
    lines = [f"- {t.name}: {t.description} Arguments: {_fields(t.parameters)}" for t in tools]
    form = 'Answer with one JSON object and nothing else: {"tool": "<name>", "arguments": {...}}'
    return "\n".join([form, "Tools (? marks an argument that may be left out):", *lines])


def _fields(schema: dict[str, Any]) -> str:
    needed = schema.get("required", [])
    fields = [
        f'"{name}"{"" if name in needed else "?"}: {_type(s)}'
        + (f" ({s['description']})" if "description" in s else "")
        for name, s in schema.get("properties", {}).items()
    ]
    return "{" + ", ".join(fields) + "}"


def _type(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(json.dumps(v, ensure_ascii=False) for v in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "anyOf" in schema:
        return " or ".join(_type(s) for s in schema["anyOf"])
    if schema.get("type") == "array":
        return f"[{_type(schema.get('items', {}))}, ...]"
    if schema.get("type") == "object":
        return _fields(schema)
    return _WORDS.get(str(schema.get("type")), "value")


def action_text(call: ToolCall) -> str:
    """A call as the model would have written it: how earlier calls stand in the history."""
    try:
        arguments = call.parsed()
    except ValueError:
        return call.arguments
    return json.dumps({"tool": call.name, "arguments": arguments}, ensure_ascii=False)


def read_action(answer: Answer) -> Answer:
    """The action in an answer's text, also inside a code fence or between words, as a tool call.

    Text without one stays text, and the door asks again.
    """
    action = _first_action(answer.text)
    if action is None:
        return answer
    arguments = json.dumps(action.get("arguments", {}), ensure_ascii=False)
    return answer.model_copy(
        update={"text": "", "calls": (ToolCall(id="action", name=action["tool"], arguments=arguments),)}
    )


def _first_action(text: str) -> dict[str, Any] | None:
    decoder, place = json.JSONDecoder(), text.find("{")
    for _ in range(TRIES):
        if place < 0:
            break
        try:
            _, end = decoder.raw_decode(text, place)
            value = read_json(text[place:end])
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value.get("tool"), str):
                return dict(value)
        place = text.find("{", end)
    return None
