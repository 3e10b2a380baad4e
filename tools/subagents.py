"""explain_code and ask: a question for a subagent that has its own conversation and read-only tools."""

from __future__ import annotations

from pydantic import Field

from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, Tool, ToolContext


class ExplainCode(Arguments):
    question: str = Field(
        description="what to explain, and about which files or documents", min_length=5, max_length=1000
    )


class Ask(Arguments):
    question: str = Field(description="one question with a short answer", min_length=5, max_length=1000)


def explain_code(context: ToolContext, a: ExplainCode) -> ToolResult:
    return _asked(context, "explain_code", a.question)


def ask(context: ToolContext, a: Ask) -> ToolResult:
    return _asked(context, "ask", a.question)


def _asked(context: ToolContext, kind: str, question: str) -> ToolResult:
    if context.ask is None:
        return ToolResult.failure("A subagent cannot ask another one; read the files instead.")
    return context.ask(kind, question)


TOOLS = (
    Tool(
        "explain_code", "Have a helper read files or documents and explain how something works there.",
        ExplainCode, explain_code, Effect.READ, in_step=False,
    ),
    Tool("ask", "Ask a helper one question about the files.", Ask, ask, Effect.READ, in_step=False),
)  # fmt: skip
