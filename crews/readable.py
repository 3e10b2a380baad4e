"""A tool call and its result as a text that read_file can page through."""

from __future__ import annotations

import json
from typing import Any

from echelon.engine.messages import ToolResult
from echelon.json_text import is_list, is_object


def readable(name: str, given: dict[str, Any], result: ToolResult) -> str:
    """A call and its result as lines; texts keep their line breaks."""
    return f"{name}\n\n{_lines(given)}\n\nresult:\n" + "\n".join([*result.explanations, _lines(result.data)]) + "\n"


def _lines(value: Any) -> str:
    if is_object(value):
        return "\n".join(f"{k}: {_lines(v)}" for k, v in value.items())
    if is_list(value):
        return "\n".join(f"- {_lines(v)}" for v in value)
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
