"""What a marked-up document is made of, as its format tells it: headings, items, rows, paragraphs, with their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from pydantic import Field

from echelon.domains.documents.frozen import Frozen


class ElementKind(StrEnum):
    """What an element is in its document."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TITLES = "titles"  # the header row of a table
    ROW = "row"
    NOTE = "note"
    FOOTNOTE = "footnote"
    CODE = "code"


class Piece(Frozen):
    """A stretch of the text of a page, `text[start:end]`; `shown` where it reads otherwise (`&lt;` is `<`)."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    shown: str | None = None


class Element(Frozen):
    """One element. Its text is that of its pieces; what stands between them on the page is markup.

    A row has one tuple of pieces for each cell, everything else has exactly one.
    """

    kind: ElementKind
    cells: tuple[tuple[Piece, ...], ...]
    level: int = Field(default=0, ge=0, description="of a heading from 1; how deep in lists anything else stands")
    label: str = Field(default="", description="number or mark of a list item, as shown")
    bold: bool = Field(default=False, description="whether all of it is set in bold")
    anchor: str = Field(default="", description="name that links to it use")

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of the only cell."""
        return self.cells[0] if self.cells else ()


def text_of(page: str, pieces: Sequence[Piece]) -> str:
    """The words of `pieces` with single spaces."""
    return " ".join("".join(raw_of(page, pieces)).split())


def raw_of(page: str, pieces: Sequence[Piece]) -> Iterator[str]:
    """What each piece says, white space as it stands."""
    for piece in pieces:
        yield page[piece.start : piece.end] if piece.shown is None else piece.shown
