"""Blocks from plain lines: PDF pages and text files, where only the words and the line breaks tell the layout."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from echelon.domains.requirements import roles
from echelon.domains.requirements.blocks import Block, BlockKind
from echelon.domains.requirements.cells import ends_with_reference, goes_on_header, is_cells, is_table_header, text_end
from echelon.domains.requirements.flow import Flow
from echelon.domains.requirements.language import is_caseless
from echelon.domains.requirements.hyphens import HYPHENS, Hyphenation
from echelon.domains.requirements.judging import is_normative
from echelon.domains.requirements.lines import Line, content_lines
from echelon.domains.requirements.numbering import Mark, MarkKind, bare_number, opening_mark
from echelon.domains.requirements.outline import Outline, follows
from echelon.domains.requirements.printed import Print, Relation
from echelon.domains.requirements.scheme import shape_of
from echelon.domains.requirements.table_rows import Columns, row_label
from echelon.domains.requirements.tables_plain import Cell, Region, find_regions
from echelon.domains.requirements.types import Document, Page

_TERMINAL = re.compile(r"[.!?:;][\"'”’)\]]*\d{0,2}$|[—–]$")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\d{0,2}$")
_CAPTION = re.compile(r"(?:Figure|Fig\.|Table|Abbildung|Abb\.|Tabelle|Tab\.)\s+[A-Z]?[-.]?\d+(?:[-.]\d+)*\s*[.:—–-]")
_REFERENCE_BEFORE = re.compile(
    r"(?:sections?|clauses?|chapters?|tables?|figures?|appendix|annex|see|in|and|or|to|of|version|step|steps|with|by|from|than|the|least|"
    r"abschnitte?n?|kapitel|siehe|nach|gemäß|vgl\.|und|oder|bis|von|tabelle|abbildung|anhang|art\.|nr\.|no\.|§|,)$",
    re.IGNORECASE,
)
_TITLE_MAX = 110
LOOK_AHEAD = 15
_URL = re.compile(r"https?://\S+$")
_STRONG = {MarkKind.DECIMAL, MarkKind.CODE, MarkKind.SECTION}


_GLUED_NOTE = re.compile(r"(\d{1,3})(?=[A-ZÄÖÜ])")


def _glued(text: str) -> tuple[str, int, str]:
    match = _GLUED_NOTE.match(text)
    assert match is not None
    return match[1], match.end(), "integer:bare"


def _raised_numbers(page: Page) -> set[str]:
    """The numbers of the footnote marks on a page."""
    offsets = sorted(offset for line in page.layout for offset in line.raised)
    numbers: list[str] = []
    last = -2
    for offset in offsets:
        if offset == last + 1:
            numbers[-1] += page.text[offset]
        else:
            numbers.append(page.text[offset])
        last = offset
    return set(numbers)


def _is_header(row: tuple[Cell, ...], prints: Print) -> bool:
    """Whether the first row of a table names its columns: short titles, set apart or with the usual words."""
    texts = [cell.text for cell in row]
    if any(len(text.split()) > 5 or _SENTENCE_END.search(text) for text in texts):
        return False
    emphatic = all(prints.is_emphatic(cell.lines[0]) for cell in row)
    columns = Columns.of(texts)
    return emphatic or columns.text is not None or bool(columns.ids)


def _wordiest_edge(rows: Sequence[tuple[Cell, ...]]) -> float:
    """The left edge of the column with the most words."""
    words: Counter[float] = Counter()
    for row in rows:
        for cell in row:
            words[round(cell.left / 8) * 8] += len(cell.text.split())
    return max(words, key=lambda edge: (words[edge], -edge))


class PlainAssembler:
    """Puts the lines of a document together to blocks. Use once: `PlainAssembler(document).run()`."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._hyphens = Hyphenation(document.pages, document.language)
        self._outline = Outline()
        self._caseless = is_caseless(document)
        self._blocks: list[Block] = []
        self._lines: list[Line] = []
        self._print = Print([])
        self._relation = Relation.UNKNOWN
        self._index = 0
        self._block: Block | None = None
        self._footnote: Block | None = None
        self._last: Line | None = None
        self._widest = 0
        self._table = False
        self._row_shape: str | None = None
        self._header = False
        self._columns: Columns | None = None
        self._column_edges: list[float] = []
        self._notes_seen = 0
        self._titles_stand_out = False
        self._widths: dict[int, int] = {}

    def run(self) -> list[Block]:
        self._lines = list(content_lines(self._document.pages))
        self._measure(self._lines)
        self._print = Print(self._lines)
        self._titles_stand_out = sum(map(self._is_standing_title, self._lines)) >= 2
        regions = find_regions(self._lines)
        skip_to = 0
        for index, line in enumerate(self._lines):
            if index < skip_to:
                continue
            if index in regions:
                self._take_table(regions[index])
                skip_to = index + regions[index].count
                continue
            self._index = index
            self._take(line, self._lines[index + 1] if index + 1 < len(self._lines) else None)
        self._finish()
        self._outline.settle(self._blocks)
        return self._blocks

    def _is_standing_title(self, line: Line) -> bool:
        mark = opening_mark(line.text, self._caseless) or bare_number(line.text)
        numbered = mark is not None and mark.kind in _STRONG | {MarkKind.INTEGER}
        return numbered and self._print.is_emphatic(line) and not _SENTENCE_END.search(line.text)

    def _measure(self, lines: Iterable[Line]) -> None:
        """The usual full width of each page's lines, in characters."""
        lengths: dict[int, list[int]] = {}
        for line in lines:
            lengths.setdefault(line.page, []).append(len(line.text))
        for page, values in lengths.items():
            values.sort()
            self._widths[page] = max(40, values[int(len(values) * 0.85)])

    # tables

    def _take_table(self, region: Region) -> None:
        self._finish()
        self._relation = Relation.APART
        titles = [cell.text for cell in region.rows[0]]
        header = _is_header(region.rows[0], self._print)
        if header or self._columns is None:
            self._columns = Columns.of(titles if header else [])
            self._column_edges = [cell.left for cell in region.rows[0]]
        position = self._columns.text
        edge = self._column_edges[position] if position is not None else _wordiest_edge(region.rows[1:] or region.rows)
        for row in region.rows[1:] if header else region.rows:
            self._take_row(row, edge)
        self._last = region.rows[-1][-1].lines[-1]

    def _take_row(self, row: tuple[Cell, ...], edge: float) -> None:
        """A block for the cell that stands at `edge`, with the number that another cell of the row holds."""
        cell = min(row, key=lambda c: abs(c.left - edge))
        if len(cell.text.split()) < 3:
            return
        label = row_label([other.text for other in row if other is not cell and other.left < cell.left])
        mark = Mark(MarkKind.CODE, label, 0, "row") if label else None
        first = cell.lines[0]
        if mark is None:
            mark = opening_mark(cell.text)
            mark = mark if mark and mark.kind in _STRONG else None
        if mark is not None:
            self._outline.clause(mark)
        block = self._new(BlockKind.CLAUSE if mark else BlockKind.ROW, first, mark)
        block.in_table = True
        for line in cell.lines:
            self._extend(block, line, line.text, mark.end if mark and line is first else 0)

    # one line

    def _take(self, line: Line, following: Line | None) -> None:
        if self._footnote is not None and self._footnote.page != line.page:
            self._footnote = None
        self._relation = self._print.relation(self._last, line) if self._last else Relation.UNKNOWN
        if is_table_header(line.text):
            self._finish()
            self._table, self._row_shape, self._header = True, None, True
            return
        if self._header and goes_on_header(line.text):
            return
        self._header = False
        if is_cells(line.text, self._table):
            if self._block is not None:
                self._block.closed = True
            return
        mark = self._opening(line)
        if mark is None and self._opens_footnote(line):
            return
        if self._footnote is not None:
            self._extend(self._footnote, line, line.text)
            return
        if mark is not None:
            self._open_marked(line, mark, following)
        elif self._continues(line, following):
            self._continue(line)
        else:
            self._open_plain(line, following)
        self._last = line

    def _continue(self, line: Line) -> None:
        assert self._block is not None
        self._add_text(self._block, line, 0)

    def _add_text(self, block: Block, line: Line, start: int) -> None:
        end = (
            text_end(line.text, self._table or block.in_table)
            if block.kind is not BlockKind.HEADING
            else len(line.text)
        )
        if end < len(line.text) or (block.in_table and ends_with_reference(line.text)):
            block.closed = True
        self._extend(block, line, line.text[:end], start)
        self._widest = max(self._widest, len(line.text))

    def _extend(self, block: Block, line: Line, text: str, start: int = 0) -> None:
        raw = text[start:]
        skip = len(raw) - len(raw.lstrip())
        raw = raw.lstrip()
        if not raw:
            return
        before = block.flow.text
        if before and before[-1] in HYPHENS and len(before) > 1 and not before[-2].isspace():
            how = self._hyphens.joins(before[-60:], raw)
            if how == "drop":
                block.flow.drop_last()
            elif how == "space":
                block.flow.add_space()
        elif before:
            if self._relation is Relation.UNKNOWN and _SENTENCE_END.search(before[-12:]):
                block.breaks.append(len(before))
            block.flow.add_space()
        self._add_without_notes(block, line, start + skip, raw)

    @staticmethod
    def _add_without_notes(block: Block, line: Line, start: int, raw: str) -> None:
        """Append `raw` without the raised digits of footnotes."""
        at = 0
        for offset in line.layout.raised if line.layout is not None else ():
            cut = offset - line.start - start
            if at <= cut < len(raw):
                block.flow.add(line.page, line.start + start + at, raw[at:cut])
                at = cut + 1
        block.flow.add(line.page, line.start + start + at, raw[at:])

    def _is_small(self, text: str) -> bool:
        """Whether `text` begins with a small letter and that means that a sentence goes on."""
        return text[:1].islower() and not self._caseless

    # what a line is

    def _opening(self, line: Line) -> Mark | None:
        """The mark that opens a block here, or None when the line goes on with the text before."""
        mark = opening_mark(line.text, self._caseless)
        if mark is None:
            bare = bare_number(line.text)
            return bare if bare and self._is_bare_chapter(line, bare) else None
        if mark.kind in _STRONG:
            return mark if self._opens_clause(line, mark) else None
        if mark.kind is MarkKind.BULLET:
            return mark if self._opens_bullet(mark) else None
        if mark.kind is MarkKind.ROMAN and len(mark.label) == 1:
            mark = self._letter_or_roman(mark)
        last = self._outline.last_label(mark.style)
        if not follows(mark.label, last):
            if mark.kind is MarkKind.INTEGER and self._is_open_sentence():
                return None
            if mark.kind is not MarkKind.INTEGER and not self._ended():
                return None
            if mark.kind is not MarkKind.INTEGER and last is None and mark.label not in "abi":
                return None
        elif self._is_open_sentence() and last is None and not self._leads_in() and not self._has_successor(mark):
            return None
        return mark

    def _is_bare_chapter(self, line: Line, mark: Mark) -> bool:
        """Whether "4 Storage" is a chapter title: it stands out, or it is the next number above a short title."""
        if _SENTENCE_END.search(line.text) or len(line.text) > _TITLE_MAX or self._table:
            return False
        if self._print.known:
            return self._print.is_emphatic(line)
        rest = line.text[mark.end :].strip()
        return self._ended() and self._outline.next_chapter(mark.label) and len(rest.split()) <= 8

    def _has_successor(self, mark: Mark) -> bool:
        """Whether one of the next lines opens with the mark that comes after this one: then both are list marks."""
        for line in self._lines[self._index + 1 : self._index + LOOK_AHEAD]:
            other = opening_mark(line.text, self._caseless)
            if other and other.kind is mark.kind and other.label != mark.label and follows(other.label, mark.label):
                return True
        return False

    def _letter_or_roman(self, mark: Mark) -> Mark:
        style = mark.style.replace("roman", "letter") + "a"
        last = self._outline.last_label(style)
        if last and len(last) == 1 and ord(mark.label) == ord(last) + 1:
            return Mark(MarkKind.LETTER, mark.label, mark.end, style)
        return mark

    def _opens_clause(self, line: Line, mark: Mark) -> bool:
        if self._block is None or self._block.closed or self._block.kind is BlockKind.HEADING or self._last is None:
            return True
        rest = line.text[mark.end :].lstrip()
        if mark.kind is MarkKind.SECTION and mark.style.endswith(":") and rest[:1].isupper():
            return True
        if self._ended():
            return not self._is_small(rest) or (mark.kind is MarkKind.CODE and not mark.style.endswith(":"))
        if _REFERENCE_BEFORE.search(self._last.text) or self._is_small(rest) or rest[:1] in ",;)":
            return False
        return not self._is_full(self._last, line) or (bool(rest) and is_normative(rest, self._document.language))

    def _opens_bullet(self, mark: Mark) -> bool:
        if mark.label in "•●▪■◦○‣⁃∙·\uf0b7\uf0a7\uf02d➢➤►▶❖":
            return True
        if self._outline.last_label(mark.style) is not None and self._ended_or_item_end():
            return True
        return self._block is None or self._ended()

    def _ended_or_item_end(self) -> bool:
        if self._block is None or self._last is None:
            return True
        return (
            self._ended()
            or self._last.text.endswith((",", " and", " or", " und", " oder"))
            or len(self._last.text) < 0.7 * self._width()
        )

    def _ended(self) -> bool:
        """Whether the text before this line has come to an end."""
        if self._block is None or self._block.closed or self._block.kind is BlockKind.HEADING:
            return True
        tail = self._block.text[-12:]
        if self._relation is Relation.APART and not self._block.in_table:
            return True
        return (
            _TERMINAL.search(tail) is not None or self._short_end() or _URL.search(self._block.text[-200:]) is not None
        )

    def _short_end(self) -> bool:
        return self._last is not None and len(self._last.text) < 0.5 * self._width()

    def _is_open_sentence(self) -> bool:
        return self._block is not None and not self._ended()

    def _leads_in(self) -> bool:
        return self._block is not None and self._block.text.rstrip().endswith(
            (":", "—", "–", "shall", "must", "that", "to")
        )

    def _width(self) -> int:
        page = self._widths.get(self._last.page, 80) if self._last else 80
        return self._widest if self._block is not None and self._block.in_table and self._widest > 40 else page

    def _is_full(self, before: Line, line: Line) -> bool:
        """Whether the first word of `line` would not have fitted on the line `before`."""
        first = line.text.split(maxsplit=1)[0]
        return len(before.text) + 1 + len(first) > 0.88 * self._width()

    def _opens_footnote(self, line: Line) -> bool:
        mark = bare_number(line.text) or (_GLUED_NOTE.match(line.text) and Mark(MarkKind.INTEGER, *_glued(line.text)))
        if not mark or not self._is_noted(line, mark):
            return False
        self._notes_seen = int(mark.label)
        block = self._new(BlockKind.FOOTNOTE, line, None)
        block.informative = True
        self._footnote = block
        self._extend(block, line, line.text, mark.end)
        return True

    def _is_noted(self, line: Line, mark: Mark) -> bool:
        """Whether the number of a possible footnote is referred to above it on its page."""
        page = self._document.page(line.page)
        if self._print.known:
            small = self._print.is_small(line) or self._footnote is not None
            own_mark = line.layout is not None and line.start in line.layout.raised
            return small and (own_mark or mark.label in _raised_numbers(page))
        if int(mark.label) != self._notes_seen + 1:
            return False
        return re.search(rf"[^\W\d_][.,;:)\"”’\]]*{mark.label}(?=\s|$|[.,;])", page.text[: line.start]) is not None

    def _continues(self, line: Line, following: Line | None) -> bool:
        block, last = self._block, self._last
        if block is None or block.closed or last is None:
            return False
        if (_CAPTION.match(line.text) and self._ended()) or roles.opens_note(line.text):
            return False
        if roles.run_in_label(line.text) and self._ended():
            return False
        if roles.informs(line.text) and not self._is_small(line.text):
            return False
        if block.kind is BlockKind.HEADING:
            return self._heading_continues(line)
        ended = _TERMINAL.search(block.text[-12:]) is not None
        if self._relation is not Relation.UNKNOWN and not block.in_table:
            apart = self._relation is Relation.APART
            return not (apart and (ended or not self._is_small(line.text))) and not (ended and self._is_title(line))
        if self._is_small(line.text):
            return True
        if not ended:
            return not (self._looks_like_heading(line, following) and not self._is_full(last, line))
        return self._is_full(last, line) and not self._looks_like_heading(line, following)

    def _heading_continues(self, line: Line) -> bool:
        assert self._block is not None and self._last is not None
        if self._print.known and self._relation is not Relation.APART and not self._outline.in_list:
            emphatic = self._print.is_emphatic(self._last)
            if emphatic and self._print.is_emphatic(line) and len(self._block.text) < _TITLE_MAX:
                return self._is_full(self._last, line) or self._is_small(line.text)
        return self._is_small(line.text) and self._is_full(self._last, line) and len(self._block.text) < _TITLE_MAX

    def _looks_like_heading(self, line: Line, following: Line | None) -> bool:
        """A short line without end mark that begins with a capital and is followed by the start of something new."""
        text = line.text
        if roles.informs(text) or roles.binds(text):
            return True
        if self._print.known and not self._is_title(line):
            return False
        if (
            len(text) > min(80, 0.75 * self._widths.get(line.page, 80))
            or _TERMINAL.search(text)
            or (not text[0].isupper() and not self._caseless)
        ):
            return False
        if is_normative(text, self._document.language):
            return False
        return following is None or not self._is_small(following.text)

    def _is_title(self, line: Line) -> bool:
        """Whether the print lets a line stand out as a title: emphatic, or all capitals and set apart."""
        if self._print.is_emphatic(line):
            return True
        return line.text.isupper() and len(line.text) > 3 and self._relation is Relation.APART

    # new blocks

    def _new(self, kind: BlockKind, line: Line, mark: Mark | None) -> Block:
        block = Block(
            index=len(self._blocks),
            kind=kind,
            page=line.page,
            flow=Flow(),
            mark=mark,
            source_id=mark.label if mark and kind is BlockKind.CLAUSE else None,
            path=self._outline.path,
            informative=self._outline.informative,
            in_table=self._table,
        )
        self._blocks.append(block)
        return block

    def _open_marked(self, line: Line, mark: Mark, following: Line | None) -> None:
        self._finish()
        strong = mark.kind in _STRONG
        if strong and self._table:
            shape = shape_of(mark.label)
            self._row_shape = self._row_shape or shape
            self._table = shape == self._row_shape
        if strong:
            self._outline.clause(mark)
        kind = BlockKind.CLAUSE if strong else BlockKind.ITEM
        if self._is_numbered_heading(line, mark, following):
            kind = BlockKind.HEADING
        self._start(kind, line, mark)

    def _is_numbered_heading(self, line: Line, mark: Mark, following: Line | None) -> bool:
        """A number with a title: short, without end mark, not a command, not carried on by the next line."""
        if mark.kind is MarkKind.BULLET or (mark.kind in {MarkKind.LETTER, MarkKind.ROMAN}):
            return False
        if self._table and mark.kind in _STRONG:
            return False
        rest = line.text[mark.end :].strip()
        if mark.style == "integer:()" and rest.isupper() and len(rest.split()) > 1:
            return True
        if mark.kind is MarkKind.INTEGER:
            if not self._is_chapter_title(line, mark, rest):
                return False
            rest = rest.rstrip(".")
        if not rest:
            return following is not None and self._title_follows(following)
        if len(rest) > _TITLE_MAX or _SENTENCE_END.search(rest) or rest.endswith((":", ";", ",")):
            return False
        if self._titles_stand_out:
            emphatic = self._print.is_emphatic(line) or (rest.isupper() and len(rest) > 3)
            return emphatic or self._is_plain_title(line, rest, following)
        if is_normative(rest, self._document.language) or not (
            rest[0].isupper() or rest[0] in '"“„(' or rest[0].isdigit() or self._caseless
        ):
            return False
        if (
            following is not None
            and self._is_small(following.text)
            and len(line.text) > 0.6 * self._widths.get(line.page, 80)
        ):
            return self._title_case(rest)
        return True

    def _is_plain_title(self, line: Line, rest: str, following: Line | None) -> bool:
        """A short numbered line that is set apart from what follows, in a document whose other titles stand out."""
        if following is None or len(rest.split()) > 8 or not rest[0].isupper():
            return False
        apart = self._print.relation(line, following) is Relation.APART
        return apart and not is_normative(rest, self._document.language)

    def _is_chapter_title(self, line: Line, mark: Mark, rest: str) -> bool:
        words = rest.rstrip(".").split()
        titled = bool(words) and (len(words) <= 2 or sum(w[0].isupper() for w in words) >= 0.5 * len(words))
        standing_out = self._print.known and self._print.is_emphatic(line)
        if (self._outline.in_list and not standing_out) or len(words) > 12 or not (titled or standing_out):
            return False
        return "://" not in rest and self._may_be_chapter(line, mark)

    def _may_be_chapter(self, line: Line, mark: Mark) -> bool:
        if self._print.known:
            return self._is_title(line)
        return self._outline.next_chapter(mark.label)

    def _title_follows(self, following: Line) -> bool:
        return not _SENTENCE_END.search(following.text) and len(following.text) < 60

    @staticmethod
    def _title_case(text: str) -> bool:
        words = [word for word in text.split() if word[0].isalpha()]
        return sum(word[0].isupper() for word in words) > 0.6 * len(words)

    def _open_plain(self, line: Line, following: Line | None) -> None:
        closed_row = self._block is not None and self._block.closed
        self._finish()
        label = roles.run_in_label(line.text)
        if label is not None:
            self._outline.heading(label[0], None)
            self._start(BlockKind.PARAGRAPH, line, None, label[1])
            return
        if _CAPTION.match(line.text):
            self._start(BlockKind.CAPTION, line, None)
        elif roles.opens_note(line.text):
            self._start(BlockKind.NOTE, line, None)
        elif self._looks_like_heading(line, following):
            self._start(BlockKind.HEADING, line, None)
        else:
            if not closed_row or not self._table:
                self._outline.end_list()
            self._start(BlockKind.PARAGRAPH, line, None)

    def _start(self, kind: BlockKind, line: Line, mark: Mark | None, skip: int = 0) -> None:
        if kind in {BlockKind.HEADING, BlockKind.PARAGRAPH, BlockKind.NOTE, BlockKind.CAPTION}:
            self._table = False
        block = self._new(kind, line, mark)
        self._widest = 0
        if kind is BlockKind.ITEM and mark is not None:
            self._outline.item(block, mark)
        self._block = block
        self._add_text(block, line, skip if mark is None or kind is BlockKind.HEADING else mark.end)

    def _finish(self) -> None:
        """The open block is complete: tell the outline what it was."""
        block = self._block
        self._block = None
        if block is None:
            return
        if block.kind is BlockKind.HEADING:
            self._outline.heading(block.text, block.mark)
            block.path = self._outline.path
            block.informative = self._outline.informative
        elif block.kind is BlockKind.NOTE:
            block.informative = True
        else:
            self._outline.paragraph(block.text)
            if block.kind in {BlockKind.PARAGRAPH, BlockKind.CLAUSE}:
                self._outline.leads_in(block)
