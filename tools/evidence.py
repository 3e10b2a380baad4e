"""Evidence as a role writes it, and what code makes of it: claimed, or verified because code looked."""

from __future__ import annotations

import re
from typing import Any

from echelon.engine.errors import ModelFault
from tasks.contracts import Evidence, EvidenceKind, EvidenceState
from tools import library
from tools.registry import ToolContext

_CALL = re.compile(r"^(?:tool )?call[_ #]*(\d+)", re.IGNORECASE)
_QUOTE = re.compile(r'^(?P<document>.+?),? (?:page|p\.) ?(?P<page>\d+):? ["“„](?P<quote>.+)["”“]$', re.DOTALL)
MOST = 20


def evidence_of(context: ToolContext, texts: list[str]) -> list[dict[str, Any]]:
    """What `texts` name, as JSON of `Evidence`, each looked at once."""
    unique = list(dict.fromkeys(t.strip()[:400] for t in texts if t.strip()))[:MOST]
    return [_one(context, text).model_dump(mode="json") for text in unique]


def _one(context: ToolContext, text: str) -> Evidence:
    if match := _CALL.match(text):
        number = int(match[1])
        known = {s["number"] for s in context.run.store.steps(context.run.job) if s["kind"] == "tool" and s["ok"]}
        state = EvidenceState.VERIFIED if number in known else EvidenceState.CLAIMED
        return Evidence(kind=EvidenceKind.TOOL_CALL, ref=str(number), state=state)
    if match := _QUOTE.match(text):
        return _quote(context, match["document"].strip(), int(match["page"]), match["quote"])
    sha256 = context.workspace.sha256(text)
    return Evidence(
        kind=EvidenceKind.FILE,
        ref=text,
        sha256=sha256,
        state=EvidenceState.VERIFIED if sha256 else EvidenceState.CLAIMED,
    )


def _quote(context: ToolContext, document: str, page: int, quote: str) -> Evidence:
    try:
        found = library.locate(library.document(context.workspace, document), page, quote) is not None
    except ModelFault:
        found = False
    state = EvidenceState.VERIFIED if found else EvidenceState.CLAIMED
    return Evidence(kind=EvidenceKind.QUOTE, ref=document, page=max(page, 1), quote=quote, state=state)


def refreshed(evidence: Evidence, sha256: str | None) -> Evidence:
    """File evidence whose file changed since is stale."""
    if evidence.kind is EvidenceKind.FILE and evidence.sha256 is not None and evidence.sha256 != sha256:
        return evidence.model_copy(update={"state": EvidenceState.STALE})
    return evidence
