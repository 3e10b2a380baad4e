"""Blocks from Markdown (and from DOCX and HTML, which are read as plain Markdown): the marks tell the layout."""

from __future__ import annotations

import re

from echelon.domains.documents.types import Document
from echelon.domains.requirements.judging.judge import is_normative
from echelon.domains.requirements.structure import roles
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.flow import Flow
from echelon.domains.requirements.structure.lines import Line
from echelon.domains.requirements.structure.numbering import STRONG, Mark, MarkKind, opening_mark
from echelon.domains.requirements.structure.outline import Outline
from echelon.domains.requirements.structure.table_rows import Columns, TableRow, is_rule, split_row

_HEADING = re.compile(r"(#{1,6})\s+(?P<title>.*?)\s*#*$")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_BULLET = re.compile(r"(?P<indent>\s*)(?P<mark>[-*+•]|\d{1,3}[.)]|\(?[a-z]{1,2}[.)])\s+(?=\S)")
_FRONT = re.compile(r"---\s*$")
_DROPPED = re.compile(
    r"<!--.*?-->|!\[[^\]]*\]\([^)]*\)|\]\([^)\s]*(?:\s\"[^\"]*\")?\)|<[^>\n]{1,200}>|[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}|`+|\[(?=[^\]]*\]\()"
)


class MarkupAssembler:
    """Puts the lines of a Markdown text together to blocks. Use once: `MarkupAssembler(document).run()`."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._outline = Outline()
        self._blocks: list[Block] = []
        self._block: Block | None = None
        self._columns: Columns | None = None
        self._fenced = False

    def run(self) -> list[Block]:
        for page in self._document.pages:
            lines = list(_raw_lines(page.number, page.text))
            for index, line in enumerate(lines):
                self._take(line, lines[index + 1].text if index + 1 < len(lines) else "")
        self._finish()
        self._outline.settle(self._blocks)
        return self._blocks

    def _take(self, line: Line, following: str) -> None:
        text = line.text
        if _FENCE.match(text):
            self._finish()
            self._fenced = not self._fenced
            return
        if self._fenced:
            return
        if not text.strip():
            self._finish()
            self._columns = None
        elif heading := _HEADING.match(text):
            self._heading(line, heading.start("title"), heading.end("title"), len(heading.group(1)))
        elif (
            re.fullmatch(r"\s*(?:=+|-{3,})\s*", text)
            and self._block is not None
            and self._block.kind is BlockKind.PARAGRAPH
        ):
            self._underlined(1 if "=" in text else 2)
        elif text.lstrip().startswith("|"):
            self._row(line, following)
        else:
            self._words(line)

    # headings

    def _heading(self, line: Line, start: int, end: int, level: int) -> None:
        self._finish()
        mark = opening_mark(line.text[start:end])
        block = self._new(BlockKind.HEADING, line, mark if mark and mark.kind in STRONG else None)
        self._add(block, line, start, end)
        self._outline.heading(block.text, block.mark, level)
        block.path, block.informative = self._outline.path, self._outline.informative

    def _underlined(self, level: int) -> None:
        block = self._block
        self._block = None
        assert block is not None
        block.kind = BlockKind.HEADING
        self._outline.heading(block.text, None, level)
        block.path, block.informative = self._outline.path, self._outline.informative

    # tables

    def _row(self, line: Line, following: str) -> None:
        self._finish()
        if is_rule(line.text):
            return
        cells = split_row(line.text)
        if self._columns is None:
            self._columns = Columns.of([line.text[a:b] for a, b in cells])
            if is_rule(following):
                return
        row = TableRow.of(line.text, cells, self._columns)
        if row is None:
            return
        kind = BlockKind.CLAUSE if row.source_id else BlockKind.ROW
        mark = Mark(MarkKind.CODE, row.source_id, 0, "row") if row.source_id else None
        block = self._new(kind, line, mark)
        block.in_table = True
        block.required = self._columns.holds_requirements
        self._add(block, line, row.start, row.end)

    # running text

    def _words(self, line: Line) -> None:
        self._columns = None
        bullet = _BULLET.match(line.text)
        if bullet:
            self._item(line, bullet)
            return
        body = len(line.text) - len(line.text.lstrip(" >\t"))
        mark = opening_mark(_plain(line.text[body:]))
        if (
            mark is not None
            and mark.kind in STRONG
            and (self._block is None or not _plain(line.text[body:])[mark.end :].strip()[:1].islower())
        ):
            self._finish()
            self._clause(line, body, mark)
        elif self._block is not None:
            self._add(self._block, line, body, len(line.text))
        else:
            self._paragraph(line, body)

    def _item(self, line: Line, bullet: re.Match[str]) -> None:
        self._finish()
        inner = opening_mark(_plain(line.text[bullet.end() :]))
        if inner is not None and inner.kind in STRONG:
            self._clause(line, bullet.end(), inner)
            return
        label = bullet["mark"].strip("().")
        kind = MarkKind.BULLET if label in "-*+•" else MarkKind.INTEGER if label.isdigit() else MarkKind.LETTER
        mark = Mark(kind, label, bullet.end(), f"{kind}:{len(bullet['indent'].expandtabs(4)) // 2}")
        block = self._new(BlockKind.ITEM, line, mark)
        self._outline.item(block, mark)
        self._block = block
        self._add(block, line, bullet.end(), len(line.text))

    def _clause(self, line: Line, body: int, mark: Mark) -> None:
        self._outline.clause()
        block = self._new(BlockKind.CLAUSE, line, mark)
        self._block = block
        self._add(block, line, body + _after_mark(line.text[body:], mark), len(line.text))

    def _paragraph(self, line: Line, body: int) -> None:
        note = roles.opens_note(_plain(line.text[body:]))
        block = self._new(BlockKind.NOTE if note else BlockKind.PARAGRAPH, line, None)
        if not note and not self._outline.in_list:
            self._outline.end_list()
        self._block = block
        self._add(block, line, body, len(line.text))

    def _new(self, kind: BlockKind, line: Line, mark: Mark | None) -> Block:
        block = Block(
            index=len(self._blocks),
            kind=kind,
            page=line.page,
            flow=Flow(),
            mark=mark,
            source_id=mark.label if mark and kind is BlockKind.CLAUSE else None,
            path=self._outline.path,
            informative=self._outline.informative or kind is BlockKind.NOTE,
        )
        self._blocks.append(block)
        return block

    def _add(self, block: Block, line: Line, start: int, end: int) -> None:
        """Append the words of a line without the marks of emphasis, code and links."""
        block.flow.add_space()
        text = line.text[:end]
        at = start
        for dropped in _DROPPED.finditer(text, start):
            block.flow.add(line.page, line.start + at, text[at : dropped.start()])
            at = dropped.end()
        block.flow.add(line.page, line.start + at, text[at:])

    def _finish(self) -> None:
        block = self._block
        self._block = None
        if block is None:
            return
        self._outline.paragraph(block.text)
        if block.kind in {BlockKind.PARAGRAPH, BlockKind.CLAUSE}:
            if not block.text.rstrip().endswith((":", "—", "–")) and not is_normative(
                block.text, self._document.language
            ):
                self._outline.end_list()
            self._outline.end_list()
            self._outline.leads_in(block)


def _raw_lines(page: int, text: str) -> list[Line]:
    lines: list[Line] = []
    at = 0
    body = 0
    front = re.match(r"---\n.*?\n---\n", text, re.S)
    if front:
        body = front.end()
    for raw in text.split("\n"):
        if at >= body:
            lines.append(Line(page, at, at + len(raw), raw))
        at += len(raw) + 1
    return lines


def _plain(text: str) -> str:
    return _DROPPED.sub("", text)


def _after_mark(text: str, mark: Mark) -> int:
    """Where the text after the mark begins in the raw line, which may have emphasis around the mark."""
    plain = raw = 0
    while plain < mark.end and raw < len(text):
        dropped = _DROPPED.match(text, raw)
        if dropped and dropped.end() > raw:
            raw = dropped.end()
        else:
            raw += 1
            plain += 1
    return raw
