"""Where the reading of plain lines stands: the open block, the line before, and what both say about the next line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from echelon.domains.documents.language import is_caseless
from echelon.domains.documents.types import Document
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.lines import Line
from echelon.domains.requirements.structure.outline import Outline
from echelon.domains.requirements.structure.plain.printed import Print, Relation

TERMINAL = re.compile(r"[.!?:;][\"'”’)\]]*\d{0,2}$|[—–]$")
_URL = re.compile(r"https?://\S+$")
_LEADS_IN = (":", "—", "–", "shall", "must", "that", "to")


class PlainState:
    """State of one pass over the lines of a document; the assembler changes it, the rules read it."""

    def __init__(self, document: Document, lines: Sequence[Line], outline: Outline) -> None:
        self.document = document
        self.lines = lines
        self.outline = outline
        self.prints = Print(lines)
        self.caseless = is_caseless(document)
        self.index = 0
        self.block: Block | None = None
        self.last: Line | None = None
        self.relation = Relation.UNKNOWN
        self.in_table = False
        self.widest = 0
        self._widths = _usual_widths(lines)

    @property
    def language(self) -> str:
        return self.document.language

    def page_width(self, page: int) -> int:
        """The usual length of a full line on a page, in characters."""
        return self._widths.get(page, 80)

    def width(self) -> int:
        """The length of a full line where the reading stands: of the table cell, or of the page."""
        if self.block is not None and self.block.in_table and self.widest > 40:
            return self.widest
        return self.page_width(self.last.page) if self.last else 80

    def is_small(self, text: str) -> bool:
        """Whether `text` begins with a small letter and that means that a sentence goes on."""
        return text[:1].islower() and not self.caseless

    def is_full(self, before: Line, line: Line) -> bool:
        """Whether the first word of `line` would not have fitted on the line `before`."""
        first = line.text.split(maxsplit=1)[0]
        return len(before.text) + 1 + len(first) > 0.88 * self.width()

    def ended(self) -> bool:
        """Whether the text before this line has come to an end."""
        if self.block is None or self.block.closed or self.block.kind is BlockKind.HEADING:
            return True
        if self.relation is Relation.APART and not self.block.in_table:
            return True
        text = self.block.flow.tail(200)
        if in_brackets(text):
            return False
        return (
            TERMINAL.search(text[-12:]) is not None
            or (self.last is not None and len(self.last.text) < 0.5 * self.width())
            or _URL.search(text[-200:]) is not None
        )

    def item_ended(self) -> bool:
        """Whether the text before this line can be a whole list item."""
        if self.block is None or self.last is None or self.ended():
            return True
        conjunction = self.last.text.endswith((",", " and", " or", " und", " oder"))
        return conjunction or len(self.last.text) < 0.7 * self.width()

    def leads_in(self) -> bool:
        """Whether the text before this line opens a list."""
        return self.block is not None and self.block.flow.tail(200).rstrip().endswith(_LEADS_IN)


def in_brackets(text: str) -> bool:
    """Whether `text` stops within square brackets that it opened ("... for [Assignment:"): nothing ends there."""
    opened = text.rfind("[")
    return opened >= 0 and text.count("[", 0) > text.count("]") and "]" not in text[opened:]


def _usual_widths(lines: Sequence[Line]) -> dict[int, int]:
    lengths: dict[int, list[int]] = {}
    for line in lines:
        lengths.setdefault(line.page, []).append(len(line.text))
    return {page: max(40, sorted(values)[int(len(values) * 0.85)]) for page, values in lengths.items()}
