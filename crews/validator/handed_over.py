"""What a validator was given: documents with their requirements in batches, and a report on each batch."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from echelon.domains.documents.types import Document
from echelon.domains.graph.integrate import Refusal
from echelon.domains.requirements import document_files
from echelon.domains.requirements.review.wording import left_away, plain_modality
from echelon.domains.requirements.types import Modality, Requirement
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.errors import ModelFault, UserError
from echelon.files import write_atomically

TOLD_APART = (Modality.OBLIGATION, Modality.PROHIBITION, Modality.PERMISSION)
"""Kinds that words plainly tell apart."""
_REQUIREMENTS = TypeAdapter(list[Requirement])


def put(workspace: Workspace, content: str, requirements: str) -> str:
    """Keep a document and its requirements; returns the document's name."""
    document = Document.model_validate_json(content)
    write_atomically(workspace.root / "documents" / (document.file + document_files.READ), content)
    write_atomically(workspace.root / "requirements" / f"{document.file}.json", requirements)
    return document.file


def keep(workspace: Workspace, name: str, found: Sequence[Requirement]) -> None:
    """Keep other requirements than those that were given for a document."""
    write_atomically(workspace.root / "requirements" / f"{name}.json", _REQUIREMENTS.dump_json(list(found)).decode())


def from_file(path: Path) -> list[tuple[str, str]]:
    """(document, requirements) as JSON from the `requirements.json` that a creator delivered.

    The documents that it cites are looked for where the creator kept them. Raises UserError.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        found = _REQUIREMENTS.validate_python(value["requirements"])
        names = [d["file"] for d in value["documents"]]
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise UserError(f"{path.name} is no requirements.json of a creator job.") from error
    out: list[tuple[Any, str]] = []
    for name in names:
        read = path.parent.parent / "documents" / (name + document_files.READ)
        if not read.is_file():
            raise UserError(
                f"{path.name} cites {name}, which is not beside it; name the file in the creator's own folder."
            )
        own = [r for r in found if r.citations and r.citations[0].document == name]
        out.append((read.read_text(encoding="utf-8"), _REQUIREMENTS.dump_json(own).decode()))
    return out


def batches(run: Run, workspace: Workspace) -> list[tuple[str, int]]:
    """(document, batch from 1) of everything that was given, in order."""
    out: list[tuple[str, int]] = []
    for name in document_files.names(workspace):
        count = -(-len(requirements(workspace, name)) // run.config.graph.batch)
        out += [(name, n) for n in range(1, count + 1)]
    return out


def requirements(workspace: Workspace, name: str) -> list[Requirement]:
    """All requirements that were given for a document."""
    return _REQUIREMENTS.validate_json((workspace.root / "requirements" / f"{name}.json").read_bytes())


def batch(run: Run, workspace: Workspace, name: str, number: int) -> list[Requirement]:
    """One batch. Raises ModelFault when there is none."""
    document = document_files.document(workspace, name)
    size = run.config.graph.batch
    found = requirements(workspace, document.file)[(number - 1) * size : number * size]
    if not found:
        raise ModelFault(f"'{document.file}' has no batch {number}.")
    return found


def apart(found: Sequence[Requirement]) -> tuple[list[Requirement], list[Refusal]]:
    """Those that say what they cite, and those that do not, each with the reason why the graph may not have it."""
    reasons = [(r, misquoted(r)) for r in found]
    refused = [Refusal(requirement_id=r.id, reason=why) for r, why in reasons if why]
    return [r for r, why in reasons if not why], refused


def misquoted(r: Requirement) -> str:
    """Why a requirement does not say what it cites: its words, or its kind; '' where it does.

    Words before the quote are those of a lead-in, which may be cited elsewhere.
    """
    quoted = " ".join(c.quote for c in r.citations)
    if not quoted:
        return ""
    if lost := left_away(quoted, [r.text]):
        return f"its text leaves out '{lost[:60]}' of what it cites"
    kind = plain_modality(quoted)
    if (
        kind is not None
        and plain_modality(r.text) in (kind, None)
        and kind is not r.modality
        and r.modality in TOLD_APART
    ):
        return f"its words make it a {kind.value}, not a {r.modality.value}"
    return ""


def report_path(name: str, number: int) -> str:
    """Where the report of a batch is kept."""
    return f"requirements/{name}/batch-{number:03d}.json"


def reports(run: Run, workspace: Workspace) -> list[dict[str, Any]]:
    """The reports of the batches that are done, in order."""
    paths = [workspace.root / report_path(name, n) for name, n in batches(run, workspace)]
    return [json.loads(p.read_text(encoding="utf-8")) for p in paths if p.exists()]
