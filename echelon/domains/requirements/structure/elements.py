"""Blocks from the elements of a marked-up document: its format tells headings, lists and tables, nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echelon.domains.documents.elements import Element, ElementKind, Piece, text_of
from echelon.domains.documents.types import Document
from echelon.domains.requirements.judging.judge import is_normative
from echelon.domains.requirements.structure import roles
from echelon.domains.requirements.structure.blocks import Block, BlockKind, Table
from echelon.domains.requirements.structure.card_lines import CardLines
from echelon.domains.requirements.structure.element_parts import (
    as_line,
    flow_of,
    in_parts,
    inner_number,
    is_lone_label,
    is_plain_title,
    opening,
    split_at_marks,
)
from echelon.domains.requirements.structure.field_tables import FieldTables
from echelon.domains.requirements.structure.numbering import STRONG, Mark, MarkKind, opening_mark
from echelon.domains.requirements.structure.outline import Outline
from echelon.domains.requirements.structure.table_kind import is_chapter, rows_bind
from echelon.domains.requirements.structure.table_rows import Columns, TableRow

_LEADS_IN = (":", "—", "–")
_LEAST_WORDS = 3
_LABEL_WORDS = 2
_MOST_ROWS = 400  # looked at to tell what the columns of a table hold


class ElementAssembler:
    """Puts the elements of a document together to blocks. Use once: `ElementAssembler(document).run()`."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._outline = Outline()
        self._blocks: list[Block] = []
        self._columns: Columns | None = None
        self._table = Table(0, ())
        self._required = self._noted = False
        self._page, self._text = 1, ""
        self._elements: Sequence[Element] = ()
        self._at = 0

    def run(self) -> list[Block]:
        """All blocks in their order."""
        for page in self._document.pages:
            self._page, self._text = page.number, page.text
            self._elements = page.elements
            cards, tables = CardLines(page.text, page.elements), FieldTables(page.text, page.elements)
            for self._at, element in enumerate(page.elements):
                if tables.covers(self._at):
                    self._fields_of_row(element, tables)
                    continue
                if cards.covers(self._at):
                    self._card_lines(element, cards)
                    continue
                for part in in_parts(element):
                    self._take(part)
        self._outline.settle(self._blocks)
        return self._blocks

    def _take(self, element: Element) -> None:
        kind = element.kind
        if kind in {ElementKind.ROW, ElementKind.TITLES} and len(element.cells) == 1:
            # A table of one column is no table: its title and its rows are paragraphs.
            kind = ElementKind.PARAGRAPH
        if kind not in {ElementKind.ROW, ElementKind.TITLES}:
            self._columns = None
        if kind is ElementKind.HEADING:
            self._heading(element)
        elif kind is ElementKind.TITLES:
            self._open_table([text_of(self._text, cell) for cell in element.cells])
        elif kind is ElementKind.ROW:
            self._row(element)
        elif kind is ElementKind.ITEM:
            self._item(element)
        elif kind is ElementKind.NOTE:
            self._end(self._new(BlockKind.NOTE, element, element.pieces, None))
        elif kind is ElementKind.FOOTNOTE:
            self._new(BlockKind.PARAGRAPH, element, element.pieces, None)
        elif kind is ElementKind.PARAGRAPH:
            for pieces in split_at_marks(self._text, element.pieces):
                self._paragraph(element, pieces)

    def _heading(self, element: Element) -> None:
        mark = opening_mark(text_of(self._text, element.pieces))
        block = self._new(
            BlockKind.HEADING, element, element.pieces, mark if mark and mark.kind in STRONG else None, skip=False
        )
        self._outline.heading(block.text, block.mark, max(element.level, 1))
        block.path, block.informative = self._outline.path, self._outline.informative

    # tables

    def _open_table(self, titles: list[str]) -> None:
        rows = [[text_of(self._text, cell) for cell in row.cells] for row in self._rows_below()]
        self._columns = Columns.of(titles, rows)
        self._required = self._columns.holds_requirements or rows_bind(
            self._columns, rows, self._document.language, self._outline.path
        )
        self._table = Table(self._table.number + 1, self._columns.titles)

    def _rows_below(self) -> Iterator[Element]:
        """The rows of the table that begins with the present element."""
        for element in self._elements[self._at : self._at + _MOST_ROWS]:
            if element.kind is ElementKind.ROW:
                yield element
            elif element.kind is not ElementKind.TITLES:
                return

    def _row(self, element: Element) -> None:
        texts = [text_of(self._text, cell) for cell in element.cells]
        if self._columns is None:
            self._open_table([])
        columns = self._columns or Columns.of([])
        line, bounds = as_line(texts)
        row = TableRow.of(line, bounds, columns)
        if self._takes_marked(element, texts, columns) or (self._required and is_chapter(texts, columns)):
            return
        if row is None:
            if len(texts) == 2 and not any(columns.titles):
                # A field of a card, such as its identifier.
                block = self._new(BlockKind.ROW, element, element.cells[1], None)
                block.in_table = block.informative = True
                block.cells, block.table = tuple(texts), self._table
            return
        position = next(i for i, (start, _) in enumerate(bounds) if start == row.start and texts[i])
        inner = columns.inner and position == columns.text
        mark = (
            Mark(MarkKind.CODE, row.source_id, 0, "row")
            if row.source_id and not inner
            else inner_number(texts[position])
        )
        block = self._new(BlockKind.CLAUSE if mark else BlockKind.ROW, element, element.cells[position], mark)
        block.in_table = True
        block.required = self._required
        block.cells, block.table = tuple(texts), self._table

    def _takes_marked(self, element: Element, texts: Sequence[str], columns: Columns) -> bool:
        """Whether a row of two cells is an item of a list: its mark and its text ("(a)", "the colour")."""
        if len(texts) != 2 or any(columns.titles):
            return False
        mark = opening_mark(texts[0].strip())
        if mark is None or mark.kind in STRONG or mark.end != len(texts[0].strip()):
            return False
        self._outline.resume(mark)
        block = self._new(BlockKind.ITEM, element, element.cells[1], Mark(mark.kind, mark.label, 0, mark.style))
        self._outline.item(block, mark)
        return True

    # cards that are written as lines

    def _card_lines(self, element: Element, cards: CardLines) -> None:
        """What stands in an element before the cards in it, and the fields of those that begin there, as rows."""
        before = cards.before(self._at)
        if before:
            self._take(element.model_copy(update={"cells": (before,)}))
        for card in cards.begun_in(self._at):
            self._columns = None
            self._table = Table(self._table.number + 1, ())
            for name, start, pieces in cards.fields(card):
                self._field(element, name, pieces, start)

    def _fields_of_row(self, element: Element, tables: FieldTables) -> None:
        """The fields that stand in a row of a table, as rows of a card of their own."""
        self._columns = None
        for field, opens in tables.fields(self._at):
            if opens:
                self._table = Table(self._table.number + 1, ())
            self._field(element, field.name, self._elements[field.at].cells[field.cell], field.start)

    def _field(self, element: Element, name: str, pieces: Sequence[Piece], start: int) -> None:
        block = self._new(BlockKind.ROW, element, pieces, None)
        block.flow.drop_first(start)
        block.in_table, block.table, block.cells = True, self._table, (name, block.text)
        block.informative = block.informative or len(block.text.split()) < _LEAST_WORDS

    # running text

    def _item(self, element: Element) -> None:
        inner = opening_mark(text_of(self._text, element.pieces))
        if inner is not None and inner.kind in STRONG:
            self._clause(element, element.pieces, inner)
            return
        label = element.label.strip("().").strip()
        bullet = not label or not label[0].isalnum()
        kind = MarkKind.BULLET if bullet else MarkKind.INTEGER if label.isdigit() else MarkKind.LETTER
        mark = Mark(kind, label or "-", 0, f"{kind}:{element.level}")
        block = self._new(BlockKind.ITEM, element, element.pieces, mark)
        self._outline.item(block, mark)
        self._outline.paragraph(block.text)

    def _clause(self, element: Element, pieces: Sequence[Piece], mark: Mark) -> None:
        self._outline.clause()
        self._end(self._new(BlockKind.CLAUSE, element, pieces, mark))

    def _paragraph(self, element: Element, pieces: Sequence[Piece]) -> None:
        text = text_of(self._text, pieces)
        if self._takes_title(element, pieces, text) or self._takes_label(element, pieces, text):
            return
        mark = opening_mark(text)
        if mark is not None and mark.kind in STRONG and not text[mark.end :].strip()[:1].islower():
            self._clause(element, pieces, mark)
            return
        if (
            mark is not None
            and (mark.kind in {MarkKind.BULLET, MarkKind.LETTER, MarkKind.ROMAN} or self._counts_on(mark))
            and (element.level == 0 or self._nests(mark))
            and text[mark.end :]
        ):
            # A list typed by hand.
            self._outline.resume(mark)
            block = self._new(BlockKind.ITEM, element, pieces, mark)
            self._outline.item(block, mark)
            return
        note = roles.opens_note(text) or self._noted
        # "Rationale:" in a line of its own stands above what it says.
        self._noted = roles.opens_note(f"{text} x") and text.endswith(":") and len(text.split()) <= _LABEL_WORDS
        block = self._new(BlockKind.NOTE if note or self._noted else BlockKind.PARAGRAPH, element, pieces, None)
        if element.level and self._outline.in_list:
            # It stands within an item and does not end its list.
            self._outline.paragraph(block.text)
            return
        self._end(block)

    def _nests(self, mark: Mark) -> bool:
        """Whether a letter typed within an item of a law opens a list below it, or counts on in that list."""
        lettered = mark.kind in {MarkKind.LETTER, MarkKind.ROMAN}
        return lettered and self._outline.in_law and self._outline.in_list and self._outline.awaits(mark)

    def _counts_on(self, mark: Mark) -> bool:
        """Whether a number in brackets, or one in a law, opens a list or counts on in it."""
        if mark.kind is not MarkKind.INTEGER or not (mark.style == "integer:()" or self._outline.in_law):
            return False
        return (mark.style == "integer:()" and self._outline.in_law) or self._outline.awaits(mark)

    def _takes_title(self, element: Element, pieces: Sequence[Piece], text: str) -> bool:
        """Titles of laws that are set as paragraphs: "Article 2", and the title of the article below it."""
        mark = opening_mark(text)
        section = mark is not None and mark.kind is MarkKind.SECTION and mark.end == len(text.rstrip())
        if not section and not (self._outline.untitled and is_plain_title(text)):
            self._outline.untitled = False
            return False
        block = self._new(BlockKind.HEADING, element, pieces, mark if section else None, skip=False)
        if section:
            self._outline.heading(block.text, block.mark)
        else:
            self._outline.subtitle(block.text)
        self._outline.untitled = section
        block.path, block.informative = self._outline.path, self._outline.informative
        return True

    def _takes_label(self, element: Element, pieces: Sequence[Piece], text: str) -> bool:
        """A label that runs into its text ("Guidance: ..."), or is a bold line of its own, covers what follows."""
        if not element.level and (is_lone_label(text) or (element.bold and roles.is_label(text))):
            self._outline.label(text.rstrip())
            block = self._new(BlockKind.HEADING, element, pieces, None)
            block.informative = self._outline.informative
            return True
        label = roles.run_in_label(text)
        if label is None or element.level:
            return False
        self._outline.label(label[0])
        block = self._new(BlockKind.PARAGRAPH, element, pieces, None)
        block.flow.drop_first(label[1])
        self._end(block)
        return True

    def _new(
        self, kind: BlockKind, element: Element, pieces: Sequence[Piece], mark: Mark | None, skip: bool = True
    ) -> Block:
        flow = flow_of(self._page, self._text, pieces)
        if mark is not None and skip:
            flow.drop_first(opening(flow.text, mark))
        block = Block(
            index=len(self._blocks),
            kind=kind,
            page=self._page,
            flow=flow,
            mark=mark,
            source_id=mark.label if mark and kind is BlockKind.CLAUSE else None,
            path=self._outline.path,
            informative=self._outline.informative or kind is BlockKind.NOTE,
            bold=element.bold,
            anchor=element.anchor,
        )
        self._blocks.append(block)
        return block

    def _end(self, block: Block) -> None:
        """A paragraph outside of lists is complete: the list before it has ended, and it may lead in to another."""
        self._outline.paragraph(block.text)
        if block.kind in {BlockKind.PARAGRAPH, BlockKind.CLAUSE}:
            self._outline.end_list()
            self._outline.leads_in(block)
        elif not block.text.rstrip().endswith(_LEADS_IN) and is_normative(block.text, self._document.language):
            self._outline.end_list()
