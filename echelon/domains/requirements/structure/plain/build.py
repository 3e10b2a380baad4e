"""Blocks from plain lines: PDF pages and text files, where words, line breaks and print tell the layout."""

from __future__ import annotations

import re
from collections.abc import Sequence

from echelon.domains.documents.types import Document
from echelon.domains.requirements.structure import roles
from echelon.domains.requirements.structure.block_writer import BlockWriter
from echelon.domains.requirements.structure.blocks import Block, BlockKind, Table
from echelon.domains.requirements.structure.cells import (
    ends_with_reference,
    goes_on_header,
    is_cells,
    is_table_header,
    text_end,
)
from echelon.domains.requirements.structure.fields import FieldCard, find_cards
from echelon.domains.requirements.structure.lines import Line, content_lines
from echelon.domains.requirements.structure.numbering import STRONG, Mark
from echelon.domains.requirements.structure.outline import Outline
from echelon.domains.requirements.structure.plain.drawings import find_drawings
from echelon.domains.requirements.structure.plain.grid import Region, find_regions
from echelon.domains.requirements.structure.plain.marks import PlainMarks
from echelon.domains.requirements.structure.plain.notes import PlainNotes
from echelon.domains.requirements.structure.plain.printed import Relation
from echelon.domains.requirements.structure.plain.state import TERMINAL, PlainState, in_brackets
from echelon.domains.requirements.structure.plain.tables import PlainTables
from echelon.domains.requirements.structure.plain.titles import PlainTitles
from echelon.domains.requirements.structure.sections import shape_of

# What parts the records of a file ("[REQUIREMENT]", "---").
_TAG = re.compile(r"\[/?[A-Z_ ]+\]|[-=*_]{3,}")
_LEAST_WORDS = 3
_TERM_WORDS = 6
_CAPTION = re.compile(r"(?:Figure|Fig\.|Table|Abbildung|Abb\.|Tabelle|Tab\.)\s+[A-Z]?[-.]?\d+(?:[-.]\d+)*\s*[.:—–-]")


class PlainAssembler:
    """Puts the lines of a document together to blocks. Use once: `PlainAssembler(document).run()`."""

    def __init__(self, document: Document) -> None:
        lines = list(content_lines(document.pages))
        self._outline = Outline()
        self._state = PlainState(document, lines, self._outline)
        self._writer = BlockWriter(document, self._outline)
        self._marks = PlainMarks(self._state)
        self._titles = PlainTitles(self._state)
        self._notes = PlainNotes(self._state)
        self._tables = PlainTables(self._writer, self._outline, self._state.prints)
        self._footnote: Block | None = None
        self._row_shape: str | None = None
        self._in_header = False
        self._list_indent = 0
        self._card_tables = 0  # cards count down, tables of the print up

    def run(self) -> list[Block]:
        """All blocks in reading order."""
        lines = self._state.lines
        regions = find_regions(lines)
        cards = self._cards(lines)
        drawings = find_drawings(lines) if self._state.prints.blanks_tell else frozenset[int]()
        at = 0
        while at < len(lines):
            if at in cards:
                self._take_card(cards[at])
                at = cards[at].last + 1
                continue
            if cards and _TAG.fullmatch(lines[at].text):
                self._finish()
                at += 1
                continue
            if at in drawings:
                self._finish()
                at += 1
                continue
            if at in regions:
                self._take_region(regions[at])
                at += regions[at].count
                continue
            self._state.index = at
            self._take(lines[at], lines[at + 1] if at + 1 < len(lines) else None)
            at += 1
        self._finish()
        self._outline.settle(self._writer.blocks)
        return self._writer.blocks

    def _cards(self, lines: Sequence[Line]) -> dict[int, FieldCard]:
        """Cards of fields, by their first line."""

        def apart(at: int) -> bool:
            before, line = lines[at - 1], lines[at]
            if line.layout is not None:
                return self._state.prints.relation(before, line) is Relation.APART
            return before.page == line.page and line.start - before.end > 1 + line.indent

        texts = [None if _TAG.fullmatch(line.text) else line.text for line in lines]
        return {card.first: card for card in find_cards(texts, apart)}

    def _take_card(self, card: FieldCard) -> None:
        self._finish()
        lines = self._state.lines
        self._card_tables -= 1
        for field in card.fields:
            block = self._writer.new(BlockKind.ROW, lines[field.first], None, in_table=True)
            self._writer.extend(block, lines[field.first], field.start, len(lines[field.first].text))
            for line in lines[field.first + 1 : field.last + 1]:
                self._writer.extend(block, line, 0, len(line.text))
            block.cells, block.table = (field.name, block.text), Table(self._card_tables, ())
            block.informative = block.informative or len(block.text.split()) < _LEAST_WORDS
        self._state.last = lines[card.last]

    def _take_region(self, region: Region) -> None:
        self._finish()
        self._tables.take(region)
        self._state.last = region.rows[-1][-1].lines[-1]

    def _take(self, line: Line, following: Line | None) -> None:
        state = self._state
        if self._footnote is not None and self._footnote.page != line.page:
            self._footnote = None
        state.relation = state.prints.relation(state.last, line) if state.last else Relation.UNKNOWN
        if self._takes_columns(line) or self._takes_note(line):
            return
        self._leave_list(line)
        mark = self._marks.opening(line)
        if mark is None and self._opens_note(line):
            return
        if mark is not None:
            self._open_marked(line, mark, following)
        elif self._continues(line, following):
            assert state.block is not None
            self._add(state.block, line, 0)
        else:
            self._open_plain(line, following)
        state.last = line

    def _leave_list(self, line: Line) -> None:
        """In text that is indented by hand a line further left than the marks of the list has left it."""
        if line.layout is None and self._outline.in_list and line.indent < self._list_indent:
            self._finish()
            self._outline.end_list()

    def _takes_columns(self, line: Line) -> bool:
        """Header lines and column marks of a table that is printed line by line are no text."""
        state = self._state
        if is_table_header(line.text):
            self._finish()
            state.in_table, self._row_shape, self._in_header = True, None, True
            return True
        if self._in_header and goes_on_header(line.text):
            return True
        self._in_header = False
        if not is_cells(line.text, state.in_table):
            return False
        if state.block is not None:
            state.block.closed = True
        return True

    def _takes_note(self, line: Line) -> bool:
        """Below a footnote the rest of the page is footnotes; the text goes on with the next page."""
        if self._footnote is None:
            return False
        if self._marks.opening(line) is not None and not self._state.prints.is_small(line):
            self._footnote = None
            return False
        if not self._opens_note(line):
            self._writer.extend(self._footnote, line, 0, len(line.text))
        return True

    def _opens_note(self, line: Line) -> bool:
        mark = self._notes.opening(line, self._footnote is not None)
        if mark is None:
            return False
        self._footnote = self._writer.new(BlockKind.FOOTNOTE, line, None, in_table=False)
        self._footnote.informative = True
        self._writer.extend(self._footnote, line, mark.end, len(line.text))
        return True

    def _add(self, block: Block, line: Line, start: int) -> None:
        state = self._state
        end = len(line.text)
        if block.kind is not BlockKind.HEADING:
            end = text_end(line.text, state.in_table or block.in_table)
        if end < len(line.text) or (block.in_table and ends_with_reference(line.text)):
            block.closed = True
        self._writer.extend(block, line, start, end, unsure=state.relation is Relation.UNKNOWN)
        state.widest = max(state.widest, len(line.text))

    def _continues(self, line: Line, following: Line | None) -> bool:
        """Whether a line without opening mark goes on with the open block."""
        state = self._state
        block, last = state.block, state.last
        if block is None or block.closed or last is None or self._opens_labelled(line):
            return False
        if block.kind is BlockKind.HEADING:
            return self._titles.goes_on(line)
        if not len(block.flow):
            # A number on a line of its own: its text stands below.
            return True
        if self._opens_definition(last, line):
            return False
        ended = TERMINAL.search(block.flow.tail(12)) is not None and not in_brackets(block.flow.tail(200))
        small = state.is_small(line.text)
        if state.relation is not Relation.UNKNOWN and not block.in_table:
            apart = state.relation is Relation.APART
            return not (apart and (ended or not small)) and not (ended and self._titles.stands_out(line))
        if small:
            return True
        titled = self._titles.plain(line, following)
        full = state.is_full(last, line)
        return full and not titled if ended else full or not titled

    def _opens_definition(self, last: Line, line: Line) -> bool:
        """Whether the line before is a term, in a typed text whose definitions stand below it and further right."""
        state = self._state
        if state.relation is not Relation.CLOSE or line.layout is not None or not last.apart:
            return False
        short = len(last.text.split()) <= _TERM_WORDS and TERMINAL.search(last.text) is None
        return short and line.indent >= last.indent + 2 and not state.is_small(line.text)

    def _opens_labelled(self, line: Line) -> bool:
        """Whether a caption, a note or a label opens here."""
        state = self._state
        if roles.opens_note(line.text) or (roles.informs(line.text) and not state.is_small(line.text)):
            return True
        labelled = _CAPTION.match(line.text) is not None or roles.run_in_label(line.text) is not None
        return labelled and state.ended()

    # new blocks

    def _open_marked(self, line: Line, mark: Mark, following: Line | None) -> None:
        state = self._state
        self._finish()
        strong = mark.kind in STRONG
        if strong and state.in_table:
            shape = shape_of(mark.label)
            self._row_shape = self._row_shape or shape
            state.in_table = shape == self._row_shape
        if strong:
            self._outline.clause()
        else:
            self._outline.resume(mark)
        kind = BlockKind.CLAUSE if strong else BlockKind.ITEM
        if self._titles.numbered(line, mark, following):
            kind = BlockKind.HEADING
        self._start(kind, line, mark, 0 if kind is BlockKind.HEADING else mark.end)

    def _open_plain(self, line: Line, following: Line | None) -> None:
        self._finish()
        label = roles.run_in_label(line.text)
        if label is not None:
            self._outline.label(label[0])
            self._start(BlockKind.PARAGRAPH, line, None, label[1])
        elif _CAPTION.match(line.text):
            self._start(BlockKind.CAPTION, line, None, 0)
        elif roles.opens_note(line.text):
            self._start(BlockKind.NOTE, line, None, 0)
        elif self._titles.plain(line, following):
            self._start(BlockKind.HEADING, line, None, 0)
        else:
            self._outline.end_list()
            self._start(BlockKind.PARAGRAPH, line, None, 0)

    def _start(self, kind: BlockKind, line: Line, mark: Mark | None, skip: int) -> None:
        state = self._state
        if kind not in {BlockKind.CLAUSE, BlockKind.ITEM}:
            state.in_table = False
        block = self._writer.new(kind, line, mark, state.in_table)
        state.widest = 0
        if kind is BlockKind.ITEM and mark is not None:
            self._list_indent = min(line.indent, self._list_indent) if self._outline.in_list else line.indent
            self._outline.item(block, mark)
        state.block = block
        self._add(block, line, skip)

    def _finish(self) -> None:
        """The open block is complete: tell the outline what it was."""
        block = self._state.block
        self._state.block = None
        if block is None:
            return
        if block.kind is BlockKind.HEADING:
            self._outline.heading(block.text, block.mark)
            block.path, block.informative = self._outline.path, self._outline.informative
        elif block.kind is BlockKind.NOTE:
            block.informative = True
        else:
            self._outline.paragraph(block.text)
            if block.kind in {BlockKind.PARAGRAPH, BlockKind.CLAUSE}:
                self._outline.leads_in(block)
