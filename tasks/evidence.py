"""Evidence as a role writes it, and what code makes of it: claimed, or verified because code looked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, assert_never

from echelon.domains.code.evidence.runs import TREE, Standing, runs_of
from echelon.domains.requirements import document_files
from echelon.engine.toolbox import ToolContext
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault
from echelon.tasks.contracts import Evidence, EvidenceKind, EvidenceState

_CALL = re.compile(r"^(?:tool )?call[_ #]*(\d+)", re.IGNORECASE)
_RUN = re.compile(r"^(?:run[_ -]?)(\d+)\b", re.IGNORECASE)
_QUOTE = re.compile(r'^(?P<document>.+?),? (?:page|p\.) ?(?P<page>\d+):? ["“„](?P<quote>.+)["”“]$', re.DOTALL)
MOST = 20
KEPT = 40
"""Pieces of evidence of one milestone that are carried along: the latest."""
WORKING_FILES = ("notes/", "trace/", "archive/", "todos.yaml", "plan.md", "workspace_summary.md")
"""What changes all the time and proves nothing about the work."""


def evidence_of(context: ToolContext, texts: list[str]) -> list[dict[str, Any]]:
    """What `texts` name, as JSON of `Evidence`, each looked at once."""
    unique = list(dict.fromkeys(t.strip()[:400] for t in texts if t.strip()))[:MOST]
    return [_one(context, text).model_dump(mode="json") for text in unique]


def _one(context: ToolContext, text: str) -> Evidence:
    if match := _CALL.match(text):
        number = int(match[1])
        known = {s.number for s in context.run.store.steps(context.run.job) if s.kind == "tool" and s.ok}
        state = EvidenceState.VERIFIED if number in known else EvidenceState.CLAIMED
        return Evidence(kind=EvidenceKind.TOOL_CALL, ref=str(number), state=state)
    if match := _RUN.match(text):
        return _run(context.workspace, f"run-{match[1]}")
    if match := _QUOTE.match(text):
        return _quote(context, match["document"].strip(), int(match["page"]), match["quote"])
    sha256 = context.workspace.sha256(text)
    return Evidence(
        kind=EvidenceKind.FILE,
        ref=text,
        sha256=sha256,
        state=EvidenceState.VERIFIED if sha256 else EvidenceState.CLAIMED,
    )


def _run(workspace: Workspace, ref: str) -> Evidence:
    """A run of a command: verified when it succeeded on the files as they are, stale when they changed since."""
    record = (log := runs_of(workspace.root)).find(ref)
    if record is None or not record.ok:
        return Evidence(kind=EvidenceKind.COMMAND, ref=ref)
    is_now = log.standing(ref, workspace.root / TREE) is Standing.VERIFIED
    state = EvidenceState.VERIFIED if is_now else EvidenceState.STALE
    return Evidence(kind=EvidenceKind.COMMAND, ref=ref, sha256=record.tree, state=state)


def _quote(context: ToolContext, document: str, page: int, quote: str) -> Evidence:
    found = _is_on_page(context.workspace, document, page, quote)
    state = EvidenceState.VERIFIED if found else EvidenceState.CLAIMED
    return Evidence(kind=EvidenceKind.QUOTE, ref=document, page=max(page, 1), quote=quote, state=state)


def _is_on_page(workspace: Workspace, document: str, page: int, quote: str) -> bool:
    try:
        return document_files.locate(document_files.document(workspace, document), page, quote) is not None
    except ModelFault:
        return False


def looked_at_again(workspace: Workspace, evidence: Iterable[Evidence], vouched: bool) -> tuple[Evidence, ...]:
    """The evidence as it stands now: a file that changed since it was looked at, or is gone, is stale.

    `vouched` says that the job type's own checks find nothing open: then what changed is verified as it is now.
    """
    return tuple(_again(workspace, e, vouched) for e in evidence)


def _again(workspace: Workspace, e: Evidence, vouched: bool) -> Evidence:
    match e.kind:
        case EvidenceKind.FILE:
            return _file(workspace, e, vouched)
        case EvidenceKind.QUOTE:  # documents are read-only, but code looks all the same
            found = _is_on_page(workspace, e.ref, e.page or 1, e.quote or "")
            return e.model_copy(update={"state": EvidenceState.VERIFIED if found else EvidenceState.CLAIMED})
        case EvidenceKind.COMMAND:
            return _run(workspace, e.ref)
        case EvidenceKind.TOOL_CALL:  # the ledger does not change
            return e
        case _:
            assert_never(e.kind)


def _file(workspace: Workspace, e: Evidence, vouched: bool) -> Evidence:
    now = workspace.sha256(e.ref)
    if now is not None and vouched:
        return e.model_copy(update={"state": EvidenceState.VERIFIED, "sha256": now})
    return refreshed(e, now)


def refreshed(evidence: Evidence, sha256: str | None) -> Evidence:
    """File evidence whose file changed since, or is gone, is stale."""
    if evidence.kind is EvidenceKind.FILE and evidence.sha256 is not None and evidence.sha256 != sha256:
        return evidence.model_copy(update={"state": EvidenceState.STALE})
    return evidence


def of_files(workspace: Workspace, paths: Iterable[str]) -> list[Evidence]:
    """File evidence, as code sees the files now."""
    return [_file(workspace, Evidence(kind=EvidenceKind.FILE, ref=path), vouched=True) for path in paths]


def joined(old: Iterable[Evidence], new: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Old and new evidence, the newest word on each thing, the latest `KEPT`, without files that change all the time."""
    latest: dict[tuple[str, ...], Evidence] = {}
    for e in (*old, *new):
        if e.kind is EvidenceKind.FILE and e.ref.startswith(WORKING_FILES):
            continue
        key = (e.kind.value, e.ref, str(e.page), e.quote or "")
        latest.pop(key, None)
        latest[key] = e
    return tuple(latest.values())[-KEPT:]


def counted(evidence: Iterable[Evidence]) -> dict[str, int]:
    """How many pieces of evidence are in each state."""
    states = [e.state for e in evidence]
    return {state.value: states.count(state) for state in EvidenceState}


_LINE = re.compile(r"^(?P<path>[^\s].*?):(?P<first>\d+)(?:[-–](?P<last>\d+))?$")
_PAGE = re.compile(r"^(?P<document>.+?),? (?:page|p\.|Seite|S\.) ?(?P<page>\d+)\b", re.IGNORECASE)


def looked_up(workspace: Workspace, places: Iterable[str]) -> tuple[list[str], list[str]]:
    """Places of an answer ("file:line", "document, page 3", a path), apart: those that are there, and those that are not."""
    there: list[str] = []
    gone: list[str] = []
    for place in places:
        (there if _is_place(workspace, place.strip()) else gone).append(place)
    return there, gone


def _is_place(workspace: Workspace, place: str) -> bool:
    try:
        if match := _LINE.match(place):
            lines = workspace.read(match["path"]).splitlines()
            return 1 <= int(match["first"]) <= int(match["last"] or match["first"]) <= len(lines)
        if match := _PAGE.match(place):
            return 1 <= int(match["page"]) <= len(document_files.document(workspace, match["document"].strip()).pages)
    except ModelFault:
        return False
    return workspace.sha256(place) is not None or place in document_files.names(workspace)
