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
