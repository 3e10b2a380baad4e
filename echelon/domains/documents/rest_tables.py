"""Tables of reStructuredText: drawn with + and |, and those of a `list-table` directive, as rows of cells with their places.

A cell is a list of stretches `(start, end)` of the text, one for each of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Cell = list[tuple[int, int]]

BORDER = re.compile(r"\+(?:[-=]+\+){2,}|\+[-=]{3,}\+")
_INNER_BORDER = re.compile(r"[-=+]{3,}")
_ROW = re.compile(r"\*\s+-(?:\s+|$)")
_CELL = re.compile(r"-(?:\s+|$)")
_HEADER_ROWS = re.compile(r":header-rows:\s*(\d{1,2})")


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of the text without its outer white space: it stands at `start`, `indent` columns from the left."""

    start: int
    indent: int
    text: str


@dataclass(frozen=True, slots=True)
class RestRow:
    """One row; `titles` says that it names the columns."""

    cells: list[Cell]
    titles: bool = False


def grid_rows(lines: Sequence[TextLine]) -> list[RestRow]:
    """The rows of a table whose borders are drawn; `lines` are those of the table, its first border before all.

    The columns are those of the first border; a cell that goes over several of them stands in the first.
    """
    edges = [at for at, char in enumerate(lines[0].text) if char == "+"]
    rows: list[RestRow] = []
    cells: list[Cell] = [[] for _ in edges[1:]]
    for line in lines[1:]:
        if BORDER.fullmatch(line.text):
            if any(cells):
                rows.append(RestRow(cells, titles="=" in line.text))
            cells = [[] for _ in edges[1:]]
        else:
            _take(line, edges, cells)
    if any(cells):
        rows.append(RestRow(cells))
    return rows


def _take(line: TextLine, edges: Sequence[int], cells: Sequence[Cell]) -> None:
    """Add what a line of a drawn table says to the cells of its row."""
    begin = 0
    for column in range(1, len(edges)):
        inside = column < len(edges) - 1 and line.text[edges[column] : edges[column] + 1] not in {"|", "+"}
        if inside:
            continue
        raw = line.text[edges[begin] + 1 : edges[column]]
        words = raw.strip()
        if words and not _INNER_BORDER.fullmatch(words):
            start = line.start + edges[begin] + 1 + len(raw) - len(raw.lstrip())
            cells[begin].append((start, start + len(words)))
        begin = column


def list_rows(lines: Sequence[TextLine]) -> list[RestRow]:
    """The rows of a `list-table` directive from the lines below it: `* - first cell`, `- second cell`, ..."""
    rows: list[list[Cell]] = []
    header, depth = 0, 0
    for line in lines:
        row, cell = _ROW.match(line.text), _CELL.match(line.text)
        if option := _HEADER_ROWS.match(line.text):
            header = int(option[1])
        elif row is not None and (not rows or line.indent <= depth):
            depth = line.indent
            rows.append([_words(line, row.end())])
        elif rows and cell is not None and line.indent == depth + 2:
            rows[-1].append(_words(line, cell.end()))
        elif rows:
            rows[-1][-1] += _words(line, 0)
    return [RestRow(cells, titles=at < header) for at, cells in enumerate(rows)]


def _words(line: TextLine, skip: int) -> Cell:
    return [(line.start + skip, line.start + len(line.text))] if len(line.text) > skip else []
