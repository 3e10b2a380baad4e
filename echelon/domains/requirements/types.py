"""The types of the requirement work: what is found in documents, and where it stands."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from echelon.domains.documents.types import Frozen


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


class Place(Frozen):
    """Where something stands in a document without pages (DOCX, HTML, Markdown, text)."""

    section: str = Field(default="", description="heading path, ' > ' between levels; empty before the first heading")
    paragraph: int = Field(ge=1, description="paragraph, list item or table row below that heading, from 1")

    def __str__(self) -> str:
        section = self.section.rpartition(" > ")[2]
        return f"section {section}, paragraph {self.paragraph}" if section else f"paragraph {self.paragraph}"


class Citation(Frozen):
    """A verbatim quote. `document.page(page).text[start:end] == quote` always holds.

    It names a page, or in a document without pages section and paragraph."""

    document: str
    page: int | None = Field(default=None, ge=1, description="None in a document without pages")
    place: Place | None = Field(default=None, description="section and paragraph in a document without pages")
    quote: str
    start: int = Field(ge=0, description="offset of the first character in the text of the page")
    end: int = Field(ge=0, description="offset after the last character")

    @property
    def where(self) -> str:
        """'page 6', or 'section 2.4 Backups, paragraph 3'; empty when neither is known."""
        return f"page {self.page}" if self.page is not None else str(self.place or "")


class Finding(Frozen):
    """A weakness of a requirement's wording, after ISO/IEC/IEEE 29148."""

    kind: str = Field(description="ambiguous | unverifiable | compound | missing_actor")
    words: str = Field(description="the words it is about, verbatim")
    advice: str = ""


class Reviewed(Frozen):
    """What roles decided about a doubtful place, where it changed or confirmed what the rules say."""

    item: str = Field(description="id in the review queue")
    ruling: str = Field(description="accept | reject | split | duplicate | conflict")
    reason: str
    for_person: bool = Field(default=False, description="they could not agree: a person has to look")


class Requirement(Frozen):
    """One requirement with where it stands. A quote over a page break has one citation a page."""

    id: str = Field(pattern=r"^R-\d{4,}$")
    key: str = Field(default="", description="a name that stays while document, number and words are the same")
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
    attributes: dict[str, str] = Field(
        default_factory=dict, description="what the document says beside it: other columns of its table, fields"
    )
    split_from: str | None = Field(default=None, description="the compound text that this is one part of")
    duplicate_of: str | None = Field(default=None, description="id of the requirement that this repeats")
    conflicts_with: tuple[str, ...] = Field(
        default=(), description="ids of those that say another number or the opposite"
    )
    findings: tuple[Finding, ...] = ()
    review: Reviewed | None = Field(default=None, description="where roles looked at it: what they decided")


class SentenceLabel(Frozen):
    """The judgement on one sentence that stands alone or in the order of its document."""

    is_requirement: bool
    modality: Modality | None = None
    confidence: float = Field(ge=0, le=1)
