"""What sixty tools cost in every prompt: all schemas sent, or named and found with find_tools.

    python benchmarks/tool_tokens.py

The tools are the project's own, and where those are fewer than sixty, copies of them under other names. Prints one JSON
line a figure.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from echelon.crews.tool_sets import all_tools
from echelon.engine.context.cut import schema_tokens, text_tokens
from echelon.engine.toolbox import Tool
from echelon.tools.discovery import MOST, find_tools_over, listing

COUNT = 60


def sixty() -> list[Tool]:
    """Sixty tools of the size that tools here have; the submit tools, which are never deferred, are left out."""
    own = [t for t in all_tools().values() if not t.name.startswith("submit_") and t.name != "job_complete"]
    copies = (replace(t, name=f"{t.name}_{n}") for n in range(2, COUNT) for t in own)
    return [*own, *(c for c, _ in zip(copies, range(COUNT), strict=False))][:COUNT]


def tokens_sent(tools: list[Tool]) -> int:
    """Tokens of all schemas."""
    return sum(schema_tokens(t.schema) for t in tools)


def tokens_deferred(tools: list[Tool]) -> int:
    """Tokens of find_tools and of the lines that name the tools."""
    return schema_tokens(find_tools_over(tools).schema) + text_tokens(listing(tools))


def report(figure: str, value: float, **more: Any) -> None:
    """Print one figure."""
    print(json.dumps({"benchmark": "tool_tokens", "figure": figure, "value": round(value, 4), **more}))


def main() -> int:
    """Measure and print."""
    tools = sixty()
    sent, deferred = tokens_sent(tools), tokens_deferred(tools)
    found = sorted(schema_tokens(t.schema) for t in tools)[-MOST:]
    report(
        "find_tools, share of the tokens of sending all",
        deferred / sent,
        bar=0.10,
        tools=COUNT,
        all=sent,
        find_tools=deferred,
    )
    report("the same after a search that brings the five largest schemas", (deferred + sum(found)) / sent)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
