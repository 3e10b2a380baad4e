"""A tool of a user's own: how many words a file has."""

from __future__ import annotations

from pydantic import Field

from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, Tool, ToolContext


class CountWords(Arguments):
    path: str = Field(description="path of a text file of the workspace")


def count_words(context: ToolContext, arguments: CountWords) -> ToolResult:
    """Count what blanks separate. Raises ModelFault, which tells the model, for a path that leads nowhere."""
    words = len(context.workspace.read(arguments.path).split())
    return ToolResult(ok=True, explanations=(f"{arguments.path} has {words} words.",), data={"words": words})


TOOL = Tool("count_words", "Say how many words a text file has.", CountWords, count_words, Effect.READ)
