"""The tool of the glossary job."""

from __future__ import annotations

import re

from echelon.domains.requirements import document_files
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Arguments, Effect, Tool, ToolContext

DEFINED = re.compile(r"[\"“„'‘](?P<term>[^\"”“'’]{2,60})[\"”“'’]\s+(?:means|is|bedeutet|ist)\s+(?P<words>[^.\n]+)")


class Nothing(Arguments):
    pass


def collect_terms(context: ToolContext, _: Nothing) -> ToolResult:
    """Write `output/glossary.md`: every phrase of the form '"term" means words', document by document."""
    lines = ["# Glossary", ""]
    for name in document_files.names(context.workspace):
        for page in document_files.document(context.workspace, name).pages:
            text = " ".join(page.text.split())
            lines += [f"- **{m['term']}**: {m['words']} ({name})" for m in DEFINED.finditer(text)]
    context.workspace.write("output/glossary.md", "\n".join(lines) + "\n")
    return ToolResult(ok=True, explanations=(f"{len(lines) - 2} terms are in output/glossary.md.",))


TOOLS = (
    Tool("collect_terms", "Collect the terms that the documents define.", Nothing, collect_terms, Effect.IDEMPOTENT),
)
