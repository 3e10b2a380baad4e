"""The catalogue: what the creator job delivers, built from what was found in the parts."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from echelon.domains.requirements.types import Requirement, Status
from echelon.engine.workspace import Workspace
from tools import library

SAME = 0.97
"""Similarity from which a requirement repeats an earlier one."""

FILES = {"json": "output/requirements.json", "markdown": "output/requirements.md", "summary": "output/summary.md"}


def entries(workspace: Workspace) -> list[Requirement]:
    """Accepted requirements and duplicates, renumbered R-0001.. in the order of documents and parts."""
    found = [(n, p, r) for n, p, r in library.all_found(workspace) if r.status in (Status.ACCEPTED, Status.DUPLICATE)]
    renamed = {(n, r.id): f"R-{i:04d}" for i, (n, _, r) in enumerate(found, 1)}
    by_old = {r.id: renamed[(n, r.id)] for n, _, r in reversed(found)}
    out = []
    for name, _, r in found:
        first = renamed.get((name, r.duplicate_of or ""), by_old.get(r.duplicate_of or ""))
        out.append(r.model_copy(update={"id": renamed[(name, r.id)], "duplicate_of": first}))
    return out


def unique(requirements: list[Requirement]) -> list[Requirement]:
    """Requirements without those that repeat an earlier one."""
    return [r for r in requirements if r.status is not Status.DUPLICATE]


def documents(workspace: Workspace) -> list[dict[str, Any]]:
    """What is said about each document in the results."""
    out = []
    for name in library.names(workspace):
        d = library.document(workspace, name)
        out.append(
            {
                "file": d.file,
                "sha256": d.sha256,
                "pages": len(d.pages),
                "language": d.language,
                "warnings": list(d.warnings),
            }
        )
    return out


def write(workspace: Workspace, job: str, kind: str) -> tuple[str, int]:
    """Write one deliverable; returns its path and how many requirements are in it."""
    requirements = entries(workspace)
    return workspace.write(FILES[kind], _WRITERS[kind](workspace, job, requirements)), len(requirements)


def is_current(workspace: Workspace, job: str) -> bool:
    """Whether the JSON deliverable says what was found, and the others are there."""
    path = workspace.root / FILES["json"]
    there = all((workspace.root / name).exists() for name in FILES.values())
    return there and path.read_text(encoding="utf-8") == _json(workspace, job, entries(workspace))


def _json(workspace: Workspace, job: str, requirements: list[Requirement]) -> str:
    value = {
        "schema_version": 1, "job": job, "documents": documents(workspace),
        "requirements": [r.model_dump(mode="json", exclude_defaults=False) for r in requirements],
    }  # fmt: skip
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def _markdown(workspace: Workspace, _job: str, requirements: list[Requirement]) -> str:
    lines = ["# Requirements", ""]
    last: tuple[str, str | None] = ("", None)
    for r in requirements:
        first = r.citations[0]
        if first.document != last[0]:
            lines += [f"## {first.document}", ""]
        if (first.document, r.section) != last and r.section:
            lines += [f"### {r.section}", ""]
        last = (first.document, r.section)
        number = f"{r.source_id} · " if r.source_id else ""
        pages = ", ".join(str(p) for p in sorted({c.page for c in r.citations}))
        repeats = f", repeats {r.duplicate_of}" if r.duplicate_of else ""
        lines += [
            f"- **{r.id}** {number}{' '.join(r.text.split())}  ",
            f"  *{r.modality.value}, page {pages}{repeats}*",
        ]
    return "\n".join(lines) + "\n"


def _summary(workspace: Workspace, job: str, requirements: list[Requirement]) -> str:
    kinds = Counter(r.modality.value for r in unique(requirements))
    repeats = len(requirements) - len(unique(requirements))
    lines = [f"# Summary of {job}", "", f"{len(unique(requirements))} requirements, {repeats} repetitions.", ""]
    lines += [f"- {kind}: {count}" for kind, count in sorted(kinds.items())]
    lines += ["", "## Documents", ""]
    for d in documents(workspace):
        own = sum(r.citations[0].document == d["file"] for r in requirements)
        lines.append(f"- {d['file']}: {d['pages']} pages, language {d['language']}, {own} requirements")
        lines += [f"  - warning: {w}" for w in d["warnings"]]
    rejected = sum(r.status is Status.REJECTED for _, _, r in library.all_found(workspace))
    unsure = sum(r.status is Status.CANDIDATE for _, _, r in library.all_found(workspace))
    lines += ["", f"Left out: {rejected} rejected, {unsure} candidates that are too unsure."]
    return "\n".join(lines) + "\n"


_WRITERS = {"json": _json, "markdown": _markdown, "summary": _summary}
