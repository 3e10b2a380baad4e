"""Requirements as CSV (RFC 4180)."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports.cells import COLUMNS, looks_like_formula, row_of
from echelon.domains.requirements.types import Requirement
from echelon.files import write_atomically
from echelon.shown import visible


def write_csv(requirements: Sequence[Requirement], documents: Sequence[Document], path: Path) -> None:
    """One line a requirement, in the order given; `documents` add nothing to it. Raises OSError.

    UTF-8 with a byte order mark, without which spreadsheets take it for another encoding. A cell that a spreadsheet
    would compute gets an apostrophe in front."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, fieldnames=list(COLUMNS))
    writer.writeheader()
    for requirement in requirements:
        writer.writerow({name: _neutral(cell) for name, cell in row_of(requirement).items()})
    write_atomically(path, file.getvalue().encode("utf-8-sig"))


def _neutral(cell: str) -> str:
    """The cell as text that neither a spreadsheet computes nor a terminal obeys."""
    seen = "\n".join(visible(line) for line in cell.split("\n"))
    return f"'{seen}" if looks_like_formula(cell) else seen
