"""Blocks from printed tables: the requirement cell of each row, with the number that another cell holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from echelon.domains.requirements.structure.block_writer import SENTENCE_END, BlockWriter
from echelon.domains.requirements.structure.blocks import BlockKind, Table
from echelon.domains.requirements.structure.numbering import STRONG, Mark, MarkKind, opening_mark
from echelon.domains.requirements.structure.outline import Outline
from echelon.domains.requirements.structure.plain.grid import Cell, Region
from echelon.domains.requirements.structure.plain.printed import Print
from echelon.domains.requirements.structure.table_rows import Columns, row_label


class PlainTables:
    """Writes the rows of table regions; remembers the columns for tables that go on without a header."""

    def __init__(self, writer: BlockWriter, outline: Outline, prints: Print) -> None:
        self._writer = writer
        self._outline = outline
        self._print = prints
        self._columns = Columns.of([])
        self._edges: list[float] = []
        self._number = 0

    def take(self, region: Region) -> None:
        """Write one block for each row that has a requirement cell of three words or more."""
        head = region.rows[0]
        header = self._is_header(head)
        rows = region.rows[1:] if header else region.rows
        if header or not self._edges:
            self._columns = Columns.of([cell.text for cell in head] if header else [])
            self._edges = [cell.left for cell in head]
            self._number += 1
        position = self._columns.text
        edge = self._edges[position] if position is not None else _wordiest_edge(rows or region.rows)
        for row in rows:
            self._take_row(row, edge)

    def _cells(self, row: tuple[Cell, ...]) -> tuple[str, ...]:
        """The texts of the cells below each column, by their left edges."""
        below = [""] * len(self._columns.titles)
        for cell in row:
            edges = [abs(cell.left - edge) for edge in self._edges[: len(below)]]
            if edges:
                below[edges.index(min(edges))] = cell.text
        return tuple(below)

    def _is_header(self, row: tuple[Cell, ...]) -> bool:
        """Whether a row names the columns: short titles, set apart or with the usual words."""
        texts = [cell.text for cell in row]
        # "No." is short for a word.
        if any(len(text.split()) > 5 or (len(text) > 5 and SENTENCE_END.search(text)) for text in texts):
            return False
        columns = Columns.of(texts)
        emphatic = all(self._print.is_emphatic(cell.lines[0]) for cell in row)
        return emphatic or columns.text is not None or bool(columns.ids)

    def _take_row(self, row: tuple[Cell, ...], edge: float) -> None:
        cell = min(row, key=lambda c: abs(c.left - edge))
        if len(cell.text.split()) < 3:
            return
        first = cell.lines[0]
        label = row_label(other.text for other in row if other.left < cell.left)
        mark = Mark(MarkKind.CODE, label, 0, "row") if label else opening_mark(cell.text)
        if mark is not None and mark.kind not in STRONG:
            mark = None
        if mark is not None:
            self._outline.clause()
        block = self._writer.new(BlockKind.CLAUSE if mark else BlockKind.ROW, first, mark, in_table=True)
        block.required = self._columns.holds_requirements
        block.cells, block.table = self._cells(row), Table(self._number, self._columns.titles)
        for line in cell.lines:
            self._writer.extend(block, line, mark.end if mark and line is first else 0, len(line.text))


def _wordiest_edge(rows: Sequence[tuple[Cell, ...]]) -> float:
    """The left edge of the column with the most words."""
    words: Counter[float] = Counter()
    for row in rows:
        for cell in row:
            words[round(cell.left / 8) * 8] += len(cell.text.split())
    return max(words, key=lambda edge: (words[edge], -edge))
