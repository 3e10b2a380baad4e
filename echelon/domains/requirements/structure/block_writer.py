"""Makes blocks and fills them line by line: hyphenated words put together, footnote digits left out."""

from __future__ import annotations

import re

from echelon.domains.documents.types import Document
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.flow import Flow
from echelon.domains.requirements.structure.hyphens import HYPHENS, Hyphenation
from echelon.domains.requirements.structure.lines import Line
from echelon.domains.requirements.structure.numbering import Mark
from echelon.domains.requirements.structure.outline import Outline

LONGEST = 8_000
"""Characters after which a block ends, whatever it is: no paragraph is longer."""
SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*\d{0,2}$")


class BlockWriter:
    """The blocks of one document, in order, while they are written."""

    def __init__(self, document: Document, outline: Outline) -> None:
        self.blocks: list[Block] = []
        self._hyphens = Hyphenation(document.pages, document.language)
        self._outline = outline

    def new(self, kind: BlockKind, line: Line, mark: Mark | None, in_table: bool) -> Block:
        """An empty block that begins at `line`, under the present headings."""
        block = Block(
            index=len(self.blocks),
            kind=kind,
            page=line.page,
            flow=Flow(),
            mark=mark,
            source_id=mark.label if mark and kind is BlockKind.CLAUSE else None,
            path=self._outline.path,
            informative=self._outline.informative,
            in_table=in_table,
        )
        self.blocks.append(block)
        return block

    def extend(self, block: Block, line: Line, start: int, end: int, unsure: bool = False) -> None:
        """Append `line.text[start:end]` to `block`. `unsure`: another paragraph may begin with this line."""
        raw = line.text[start:end]
        start += len(raw) - len(raw.lstrip())
        raw = raw.lstrip()
        if not raw:
            return
        before = block.flow.tail(60)
        if before and before[-1] in HYPHENS and len(before) > 1 and not before[-2].isspace():
            how = self._hyphens.joins(before, raw)
            if how == "drop":
                block.flow.drop_last()
            elif how == "space":
                block.flow.add_space()
        elif before:
            if unsure and SENTENCE_END.search(before[-12:]):
                block.breaks.append(len(block.flow))
            block.flow.add_space()
        self._add_without_notes(block, line, start, raw)
        if len(block.flow) > LONGEST:
            block.closed = True

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
