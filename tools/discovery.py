"""find_tools: tools beyond a role's core are one line each in the prompt, and their schemas arrive on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import Field

from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, PhaseState, Tool, ToolContext
from echelon.errors import ModelFault

NAME = "find_tools"
MOST = 5
"""Tools that one search brings."""
WORDS = 6
"""Words of a description that stand in the prompt."""
MANY = 20
"""Deferred tools from which on their names stand alone: a good name says as much as six words beside it."""

Rank = Callable[[str, Sequence[str]], list[tuple[int, float]]]


class FindTools(Arguments):
    need: str = Field(description="what you want to do, or names of tools", min_length=2, max_length=300)


def find_tools_over(deferred: Sequence[Tool], rank: Rank | None = None) -> Tool:
    """The tool that finds the `deferred` ones. `rank` orders texts by nearness to a query."""
    by_name = {tool.name: tool for tool in deferred}

    def find(_: ToolContext, a: FindTools) -> ToolResult:
        names = [tool.name for tool in found(a.need, deferred, rank)]
        if not names:
            raise ModelFault("There are no more tools in this phase; use those that you have.")
        data = {"tools": [{"name": n, "description": by_name[n].description} for n in names]}
        return ToolResult(ok=True, explanations=("These tools are ready. Go on with the task.",), data=data)

    def keep(state: PhaseState, _: FindTools, result: ToolResult) -> None:
        names = [t["name"] for t in result.data["tools"]]
        state.found = tuple(dict.fromkeys((*state.found, *names)))

    return Tool(
        NAME,
        "Get one of the further tools, only when none of your tools can do what the task says.",
        FindTools,
        find,
        Effect.READ,
        keep,
    )


def found(need: str, tools: Sequence[Tool], rank: Rank | None = None) -> list[Tool]:
    """The `MOST` tools nearest to `need`; those that it names come first."""
    if rank is None:
        from echelon.domains.search.bm25 import rank
    assert rank is not None
    words = set(need.replace(",", " ").split())
    named = [tool for tool in tools if tool.name in words]
    others = [tool for tool in tools if tool.name not in words]
    order = rank(need, [f"{tool.name}: {tool.description}" for tool in others]) if len(named) < MOST else []
    return [*named, *(others[index] for index, _ in order)][:MOST]


def listing(deferred: Sequence[Tool]) -> str:
    """The lines of the prompt that name the deferred tools, '' when there are none."""
    if not deferred:
        return ""
    if len(deferred) >= MANY:
        lines = [tool.name for tool in deferred]
    else:
        lines = [f"- {tool.name}: {_first_words(tool.description)}" for tool in deferred]
    return "\n".join([f"Further tools, seldom needed; {NAME} makes them ready:", *lines]) + "\n"


def _first_words(text: str) -> str:
    words = text.split(". ")[0].rstrip(".").split()
    return " ".join(words[:WORDS])
