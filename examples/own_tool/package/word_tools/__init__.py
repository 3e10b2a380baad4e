"""A package that offers a tool to every job of whoever installs it."""

from __future__ import annotations

import re

from pydantic import Field

from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, Tool, ToolContext


class LongestWord(Arguments):
    text: str = Field(description="the text to look at")


def longest_word(context: ToolContext, arguments: LongestWord) -> ToolResult:
    """The first of the longest words, '' where there is none."""
    word = max(re.findall(r"\w+", arguments.text), key=len, default="")
    return ToolResult(ok=True, explanations=(f"The longest word is {word!r}.",), data={"word": word})


LONGEST_WORD = Tool("longest_word", "Say which word of a text is the longest.", LongestWord, longest_word, Effect.READ)
