"""Tables of marked-up documents: cells that cover several columns or rows, and which row names the columns."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_COLUMNS = 64
"""More columns than that no document has; what claims to cover more covers these."""
_MAX_ROWS = 10_000
LIST_MARK = re.compile(r"\(?(?:\d{1,3}|[a-z]{1,2}|[ivx]{1,5})[.)]|[•–—-]")
"""The mark of an item of a list, alone: a list may be laid out as a table."""
_SENTENCE_END = re.compile(r"[.!?;:]$")


class Grid:
    """Puts the cells of each row below the columns that they stand in, the covered ones empty."""

    def __init__(self) -> None:
        self._covered: dict[int, int] = {}

    def row(self, cells: Sequence[tuple[str, str | None, str | None]]) -> list[str]:
        """Texts by column of the next row, from (text, columns covered, rows covered)."""
        row: list[str] = []
        covering: dict[int, int] = {}
        for text, columns, rows in cells:
            self._skip(row)
            width, height = _count(columns, MAX_COLUMNS), _count(rows, _MAX_ROWS)
            width = max(1, min(width, MAX_COLUMNS - len(row)))
            covering.update(dict.fromkeys(range(len(row), len(row) + width), height - 1))
            row += [text, *[""] * (width - 1)]
        self._skip(row)
        self._covered = {c: n - 1 for c, n in self._covered.items() if n > 1} | {
            c: n for c, n in covering.items() if n > 0
        }
        return row

    def _skip(self, row: list[str]) -> None:
        while self._covered.get(len(row), 0) > 0:
            row.append("")


def _count(text: str | None, most: int) -> int:
    try:
        return max(1, min(most, int((text or "1")[:12])))
    except ValueError:
        return 1


def are_titles(cells: Sequence[str]) -> bool:
    """Whether a first row names the columns: no cell is a sentence or holds a number, and most have a few words; the mark
    of a list in the first cell opens an item."""
    worded = [cell.strip() for cell in cells if cell.strip()]
    if (
        len(worded) < 2
        or LIST_MARK.fullmatch(worded[0])
        or any(_is_sentence(cell) or len(cell.split()) > 16 for cell in worded)
    ):
        return False
    short = [cell for cell in worded if len(cell.split()) <= 6]
    return len(short) > len(worded) / 2 and not any(c.isdigit() for cell in short for c in cell)


def _is_sentence(cell: str) -> bool:
    """Whether a cell ends as a sentence does; "Nr." and "Req. no." are short for a word."""
    return len(cell.split()) > 2 and _SENTENCE_END.search(cell.rstrip(":")) is not None
