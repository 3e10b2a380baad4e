"""The inputs of a planner as its roles can read them: each file beside its text, or the goal where there is no file."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from echelon.crews.jobtype import BEGINS, InputDocument
from echelon.domains.planning.importing.tables import read_xlsx
from echelon.engine.workspace import Workspace
from echelon.files import unique_names, write_atomically
from echelon.shown import visible

GOAL = "goal.md"


def bring_in(workspace: Workspace, inputs: Sequence[str], request: str) -> list[InputDocument]:
    """Copy the files into `documents/`, each with its text as `NAME.txt`; without any, the request is the one document."""
    folder = workspace.root / "documents"
    if not inputs:
        write_atomically(folder / GOAL, f"{request}\n")
        return [_described(workspace, GOAL, f"{request}\n")]
    out: list[InputDocument] = []
    for source, name in zip(map(Path, inputs), unique_names(list(inputs)), strict=True):
        shutil.copyfile(source, folder / name)
        out.append(_described(workspace, name, _text(folder / name)))
    return out


def _text(path: Path) -> str:
    if path.suffix.lower() == ".xlsx":
        return "\n".join(" | ".join("" if c is None else str(c) for c in row) for row in read_xlsx(path)) + "\n"
    return path.read_text(encoding="utf-8-sig", errors="replace")


def _described(workspace: Workspace, name: str, text: str) -> InputDocument:
    write_atomically(workspace.root / "documents" / f"{name}.txt", text)
    return InputDocument(
        file=name, sha256=workspace.sha256(f"documents/{name}") or "", pages=None, language="en", parts=1,
        characters=len(text), begins=visible(" ".join(text[:400].split()))[:BEGINS],
    )  # fmt: skip
