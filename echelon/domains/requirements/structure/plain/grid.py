"""Tables of printed pages whose cells are separate lines: rows and columns told by where the lines stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echelon.domains.requirements.structure.cells import is_cells
from echelon.domains.requirements.structure.lines import Line
from echelon.domains.requirements.structure.numbering import MarkKind, opening_mark

_STEP = 12.0  # points to the right that make another column
_LONGEST_ROW = 300  # lines of one row: a page has fewer
_EDGE = 4.0  # how far left edges of one column differ


@dataclass(frozen=True, slots=True)
class Cell:
    """The lines of one cell, from above."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)

    @property
    def left(self) -> float:
        return self.lines[0].layout.x if self.lines[0].layout else 0.0


@dataclass(frozen=True, slots=True)
class Region:
    """A table on one page: `rows` of cells; its lines are `lines[first : first + count]` of the sequence searched."""

    first: int
    count: int
    rows: tuple[tuple[Cell, ...], ...]


def find_regions(lines: Sequence[Line]) -> dict[int, Region]:
    """Tables among the lines of a document, by the index of their first line.

    A table is two or more rows that follow each other, each with two or more columns at the same left edges, where
    something else than column marks stands in at least two columns, or a number and a text.
    """
    regions: dict[int, Region] = {}
    at = 0
    while at < len(lines):
        rows, end = _rows(lines, at)
        if len(rows) >= 2:
            regions[at] = Region(at, end - at, tuple(rows))
            at = end
        else:
            at += 1
    return regions


def _rows(lines: Sequence[Line], start: int) -> tuple[list[tuple[Cell, ...]], int]:
    rows: list[tuple[Cell, ...]] = []
    at = start
    while at < len(lines):
        cells, end = _row(lines, at)
        if not _tells_columns(cells) or (rows and not _same_columns(rows[0], cells)):
            break
        if rows and not _below(rows[-1], cells):
            break
        rows.append(cells)
        at = end
    return rows, at


def _row(lines: Sequence[Line], start: int) -> tuple[tuple[Cell, ...], int]:
    """The cells that begin at `start`, and the index after them."""
    first = lines[start]
    if first.layout is None:
        return (), start + 1
    cells: list[list[Line]] = [[first]]
    at = start + 1
    while at < min(len(lines), start + _LONGEST_ROW):
        line, last = lines[at], cells[-1][-1]
        if line.layout is None or last.layout is None or line.page != first.page:
            break
        left = min(x.layout.x for x in cells[-1] if x.layout)
        if line.layout.x > left + _STEP and line.layout.y > last.layout.y - 2:
            cells.append([line])
        elif (
            line.layout.x >= left - _EDGE
            and 0 < last.layout.y - line.layout.y < 1.7 * line.layout.size
            and not _opens_row(line, first)
        ):
            cells[-1].append(line)
        else:
            break
        at += 1
    return tuple(Cell(tuple(cell)) for cell in cells), at


def _opens_row(line: Line, first: Line) -> bool:
    """Whether a line below the first cell is the first cell of the next row."""
    if line.layout is None or first.layout is None or abs(line.layout.x - first.layout.x) > _EDGE:
        return False
    mark = opening_mark(line.text)
    return mark is not None and mark.kind in {MarkKind.DECIMAL, MarkKind.CODE}


def _tells_columns(cells: tuple[Cell, ...]) -> bool:
    if len(cells) < 2:
        return False
    worded = [cell for cell in cells if not is_cells(cell.text, True)]
    if len(worded) >= 2:
        return True
    mark = opening_mark(cells[0].text)
    numbered = mark is not None and mark.end >= len(cells[0].text.rstrip())
    return numbered and len(worded) == 1


def _same_columns(head: tuple[Cell, ...], cells: tuple[Cell, ...]) -> bool:
    """Whether most cells of a row stand under a column of the first row."""
    if abs(head[0].left - cells[0].left) > _EDGE:
        return False
    edges = [cell.left for cell in head]
    under = sum(any(abs(cell.left - edge) <= _EDGE for edge in edges) for cell in cells)
    return under >= 2 and under >= 0.5 * len(cells)


def _below(above: tuple[Cell, ...], cells: tuple[Cell, ...]) -> bool:
    top = cells[0].lines[0].layout
    bottom = above[0].lines[0].layout
    return top is not None and bottom is not None and top.y < bottom.y
