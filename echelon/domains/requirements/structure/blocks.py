"""What a document is made of: headings, clauses, items, rows, paragraphs, notes; each with its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from echelon.domains.requirements.structure.flow import Flow
from echelon.domains.requirements.structure.numbering import Mark


class BlockKind(StrEnum):
    """What a block is in the layout of its document."""

    HEADING = "heading"
    CLAUSE = "clause"  # opened by the document's own number
    ITEM = "item"  # opened by a bullet, letter or integer
    ROW = "row"  # a table row
    PARAGRAPH = "paragraph"
    NOTE = "note"
    CAPTION = "caption"
    FOOTNOTE = "footnote"


@dataclass(frozen=True, slots=True)
class Table:
    """The table that a row stands in: its place in the document, from 1, and the titles of its columns."""

    number: int
    titles: tuple[str, ...]


@dataclass(slots=True)
class Block:
    """One block. `parent` is the index of the block that leads in to this item, `path` the headings above it.

    `required`: the column it stands in says that each row is a requirement.
    `cells` are the texts of all cells of a row, `table` says where they stand.
    `breaks` are the offsets in its text where a line and a sentence end together and the print does not tell whether
    another paragraph begins there. `bold` says that all of it is set in bold, `anchor` is the name that links use.
    """

    index: int
    kind: BlockKind
    page: int
    flow: Flow
    mark: Mark | None = None
    source_id: str | None = None
    path: tuple[str, ...] = ()
    level: int = 0
    parent: int | None = None
    informative: bool = False
    in_table: bool = False
    closed: bool = False
    required: bool = False
    cells: tuple[str, ...] = ()
    table: Table | None = None
    breaks: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    bold: bool = False
    anchor: str = ""

    @property
    def text(self) -> str:
        """The text without its opening mark and without table marks."""
        return self.flow.text

    @property
    def start(self) -> int:
        """Offset of its first character on its page; -1 when it has no text."""
        return self.flow.start

    def pages(self) -> tuple[int, ...]:
        """The pages this block stands on, ascending."""
        return self.flow.pages() or (self.page,)
