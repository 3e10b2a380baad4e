"""The types of the requirement work: what is read, what is found in it, and where it stands."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field


class Modality(StrEnum):
    """What a requirement does to its subject (deontic modality)."""

    OBLIGATION = "obligation"
    PROHIBITION = "prohibition"
    PERMISSION = "permission"
    RECOMMENDATION = "recommendation"


class Status(StrEnum):
    """Where a requirement is in its life."""

    CANDIDATE = "candidate"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"


class Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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


class Document(Frozen):
    """A document that was read. Formats without pages (Markdown, DOCX, HTML, text) have one page."""

    file: str = Field(description="file name without folders")
    sha256: str
    media_type: str
    pages: tuple[Page, ...]
    language: str = Field(description="ISO 639-1 code of most of the text, 'und' when it cannot be told")
    title: str | None = None
    warnings: tuple[str, ...] = ()

    def page(self, number: int) -> Page:
        """The page with this number, from 1. Raises IndexError when there is none."""
        if number < 1:
            raise IndexError(f"pages count from 1, not {number}")
        return self.pages[number - 1]


class Citation(Frozen):
    """A verbatim quote. `document.page(page).text[start:end] == quote` always holds."""

    document: str
    page: int = Field(ge=1)
    quote: str
    start: int = Field(ge=0, description="offset of the first character in the text of the page")
    end: int = Field(ge=0, description="offset after the last character")


class Finding(Frozen):
    """A weakness of a requirement's wording, after ISO/IEC/IEEE 29148."""

    kind: str = Field(description="ambiguous | unverifiable | compound | missing_actor")
    words: str = Field(description="the words it is about, verbatim")
    advice: str = ""


class Requirement(Frozen):
    """One requirement with where it stands. A quote over a page break has one citation a page."""

    id: str = Field(pattern=r"^R-\d{4,}$")
    source_id: str | None = Field(default=None, description="the document's own number")
    text: str = Field(description="without its number and without table marks")
    modality: Modality
    language: str
    categories: tuple[str, ...] = ()
    confidence: float = Field(ge=0, le=1)
    status: Status = Status.ACCEPTED
    citations: tuple[Citation, ...]
    section: str | None = Field(default=None, description="heading path, ' > ' between levels")
    subject: str | None = None
    action: str | None = None
    object: str | None = None
    condition: str | None = None
    deadline: str | None = None
    split_from: str | None = Field(default=None, description="the compound text that this is one part of")
    duplicate_of: str | None = Field(default=None, description="id of the requirement that this repeats")
    findings: tuple[Finding, ...] = ()


class SentenceLabel(Frozen):
    """The judgement on one sentence that stands alone or in the order of its document."""

    is_requirement: bool
    modality: Modality | None = None
    confidence: float = Field(ge=0, le=1)


class ReadError(Exception):
    """A document cannot be read; `reason` is one sentence for the user, `file` the name."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason
