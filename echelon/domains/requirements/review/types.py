"""What is asked about a doubtful place, and what is answered."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from echelon.domains.documents.types import Frozen
from echelon.domains.requirements.types import Citation, Modality


class Sign(StrEnum):
    """Why rules are likely to be wrong about a place."""

    CLOSE_CALL = "close_call"
    LEFT_OUT = "left_out"
    CUT = "cut"
    LEAD_IN = "lead_in"
    BOUNDARY = "boundary"
    HEADERLESS = "headerless"
    CONFLICT = "conflict"
    REPETITION = "repetition"
    MODALITY = "modality"


class ReviewItem(Frozen):
    """One doubtful place: what stands there, what the rules say of it, and why that may be wrong."""

    id: str = Field(pattern=r"^D-\d{4,}$")
    sign: Sign
    why: str
    document: str
    page: int = Field(ge=1, description="1 in a document without pages")
    section: str | None = None
    block: int = Field(ge=0, description="index of the block of the document that it begins in")
    text: str = Field(description="as the rules have it; for what was left out the words of the document")
    citations: tuple[Citation, ...] = Field(min_length=1)
    context: str = Field(description="the words around it, its own included")
    taken: bool = Field(description="whether the rules take it for a requirement")
    modality: Modality | None = Field(default=None, description="by the rules; None where they see none")
    source_id: str | None = None
    other: str = Field(default="", description="the requirement that it may repeat or contradict, in its own words")
    other_citations: tuple[Citation, ...] = ()


class Queue(Frozen):
    """The doubtful places of a document, the most doubtful first. `sentences` is how many it has in all."""

    schema_version: int = 1
    sentences: int = Field(ge=0)
    items: tuple[ReviewItem, ...] = ()


class Ruling(StrEnum):
    """What is decided about a place."""

    ACCEPT = "accept"
    REJECT = "reject"
    SPLIT = "split"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"


class Decision(Frozen):
    """The decision on one doubtful place, with its reason."""

    id: str = Field(pattern=r"^D-\d{4,}$")
    ruling: Ruling
    modality: Modality | None = Field(default=None, description="accept, split: another kind than the rules say")
    texts: tuple[str, ...] = Field(default=(), description="accept, split: the exact words, where they differ")
    reason: str
    held: str = Field(default="", description="why code does not carry it out: the place stays as the rules have it")

    @property
    def essence(self) -> str:
        """Ruling and kind, not the words of the reason: the label of which agreement beyond chance is counted."""
        return f"{self.ruling.value} {self.modality.value}" if self.modality else self.ruling.value

    def agrees_with(self, other: Decision) -> bool:
        """Whether two decisions come to the same result: ruling, kind, and where each requirement begins and ends."""
        return self.essence == other.essence and self._pieces() == other._pieces()

    def _pieces(self) -> list[str]:
        return [_letters(text) for text in self.texts]

    def says_more_than(self, text: str) -> bool:
        """Whether the words that it gives are others than those that the place has anyway."""
        return self.texts != () and self._pieces() != [_letters(text)]


def _letters(text: str) -> str:
    """Letters and digits alone: marks and line breaks make no other requirement."""
    return "".join(c for c in text.lower() if c.isalnum())
