"""INTAKE: make the workspace, bring the inputs in, write the instructions. Code only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crews.stage import Stage
from crews.states import Event
from echelon.domains.requirements.types import ReadError
from echelon.engine.files import write_atomically
from tools import library


def intake(stage: Stage, inputs: list[str]) -> Event:
    """Read every input; one that cannot be read ends the job, unless the configuration says to go on without it."""
    s = stage.state
    taken = stage.code("intake", lambda: _taken(stage, inputs))
    s.documents = taken["documents"]
    skipped: list[str] = taken["problems"]
    may_skip = stage.run.config.inputs.skip_unreadable and bool(s.documents)
    stage.run.emit("intake", documents=s.documents, problems=skipped)
    if skipped and not may_skip:
        s.reason = " ".join(skipped)
        return Event.BAD_INPUT
    s.warnings = tuple(skipped) + tuple(f"{d['file']}: {w}" for d in s.documents for w in d["warnings"])
    s.accepted_commit = stage.commit("Take the inputs in")
    return Event.READY


def _taken(stage: Stage, inputs: list[str]) -> dict[str, Any]:
    config, workspace = stage.run.config, stage.workspace
    workspace.create()
    documents, problems = [], []
    for source, name in zip(map(Path, inputs), unique_names(inputs), strict=True):
        try:
            d = library.bring_in(workspace, source, name, config.inputs.max_megabytes * 1_000_000)
        except ReadError as error:
            problems.append(f"{error}" if str(error).endswith(".") else f"{error}.")
            continue
        parts = len(library.parts(d, config.requirements.part_chars))
        documents.append({
            "file": d.file, "sha256": d.sha256, "pages": len(d.pages), "language": d.language, "parts": parts,
            "warnings": list(d.warnings),
        })  # fmt: skip
    write_atomically(workspace.root / "instructions.md", f"# Instructions\n\n{stage.state.request}\n")
    return {"documents": documents, "problems": problems}


def unique_names(inputs: list[str]) -> list[str]:
    """File names of the inputs; a name that comes twice gets a number."""
    seen: dict[str, int] = {}
    out = []
    for source in inputs:
        path = Path(source)
        seen[path.name] = seen.get(path.name, 0) + 1
        count = seen[path.name]
        out.append(path.name if count == 1 else f"{path.stem}-{count}{path.suffix}")
    return out
