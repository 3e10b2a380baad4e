"""`file:line` that an answer names: whether the line exists, and whether the words stand there."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.editing.paths import inside
from echelon.errors import ModelFault

REACH = 3
"""Lines around the named one in which the words may stand: models count lines badly, people find them all the same."""
_LINE = re.compile(r"^(?P<path>[^:\n]+):(?P<first>\d+)(?:-(?P<last>\d+))?$")


class LineCitation(BaseModel):
    """A place in the code that an answer rests on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    place: str = Field(description="'src/app.py:12' or 'src/app.py:12-18'")
    words: str = Field(default="", description="what stands there, verbatim; empty when only the place is named")


def citation_fault(root: Path, citation: LineCitation) -> str | None:
    """One sentence when the citation does not hold in the tree `root`; None when it does."""
    match = _LINE.match(citation.place.strip())
    if match is None:
        return f"'{citation.place}' is no place; write 'path/to/file.py:12'."
    try:
        target = inside(root, match["path"])
    except ModelFault as fault:
        return str(fault)
    if not target.is_file():
        return f"There is no file '{match['path']}'."
    lines = target.read_bytes().decode("utf-8", "replace").splitlines()
    first = int(match["first"])
    last = int(match["last"] or first)
    if not 1 <= first <= last <= len(lines):
        return f"'{match['path']}' has {len(lines)} lines; there is no line {last if last > len(lines) else first}."
    around = "\n".join(lines[max(0, first - 1 - REACH) : last + REACH])
    if citation.words.strip() and _folded(citation.words) not in _folded(around):
        return f"At {citation.place} stands {lines[first - 1].strip()[:100]!r}, not {citation.words.strip()[:100]!r}."
    return None


def _folded(text: str) -> str:
    return " ".join(text.split())
