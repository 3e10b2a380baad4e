"""What reading a document gives: its pages, and how their lines are printed."""

from __future__ import annotations

from pydantic import Field

from echelon.domains.documents.elements import Element
from echelon.domains.documents.frozen import Frozen as Frozen


class LineLayout(Frozen):
    """How one line of a page is printed, where the format tells: it shows paragraphs, headings, columns, footnotes."""

    start: int = Field(ge=0, description="offset of the first printed character in the text of the page")
    x: float = Field(description="left edge, in points from the left of the page")
    y: float = Field(description="base line, in points from the bottom of the page")
    size: float = Field(description="font size of most of the line, in points")
    bold: bool = False
    upright: bool = Field(default=True, description="false for text that runs along the side of the page")
    raised: tuple[int, ...] = Field(default=(), description="offsets of small raised digits: marks of footnotes")


class Page(Frozen):
    """One page of a document. `text` is exactly what the reader extracted: offsets of citations count in it."""

    number: int = Field(ge=1, description="page number, from 1")
    text: str
    layout: tuple[LineLayout, ...] = Field(default=(), description="its printed lines in order; empty when not known")
    elements: tuple[Element, ...] = Field(default=(), description="what its format marks up, in order")


class Document(Frozen):
    """A document that was read. Formats without pages (Markdown, DOCX, HTML, text) have one page."""

    file: str = Field(description="file name without folders")
    sha256: str
    media_type: str
    pages: tuple[Page, ...]
    language: str = Field(description="ISO 639-1 code of most of the text, 'und' when it cannot be told")
    title: str | None = None
    warnings: tuple[str, ...] = ()

    @property
    def has_pages(self) -> bool:
        """Whether the format has pages of its own; the text of the others is kept as one."""
        return self.media_type == "application/pdf"

    @property
    def page_count(self) -> int | None:
        """How many pages it has; None in a format without pages."""
        return len(self.pages) if self.has_pages else None

    def page(self, number: int | None) -> Page:
        """The page with this number, from 1; None is the text of a format without pages. Raises IndexError."""
        if number is None:
            return self.pages[0]
        if number < 1:
            raise IndexError(f"pages count from 1, not {number}")
        return self.pages[number - 1]


class ReadError(Exception):
    """A document cannot be read; `reason` is one sentence for the user, `file` the name."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason
