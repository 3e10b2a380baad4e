"""A selection: which requirements are asked for, and in which form."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from echelon.domains.documents.types import Frozen
from echelon.domains.requirements.types import Modality

Column = Literal["id", "number", "text", "modality", "document", "page", "section", "subject", "deadline", "categories"]
Order = Literal["document", "page", "section", "modality", "number"]
Language = Literal["en", "de"]

COLUMNS: tuple[Column, ...] = ("number", "text", "modality", "document", "page")
"""Columns of a table where none were asked for."""


class PageRange(Frozen):
    """Pages of every selected document, both ends included."""

    first: int = Field(ge=1)
    last: int = Field(ge=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.first > self.last:
            raise ValueError("the first page must not come after the last")
        return self


class OutputForm(Frozen):
    """How the result for people is written. Quotes keep the words of the document, whatever the language."""

    table: bool = Field(default=False, description="one table instead of lists by section")
    columns: tuple[Column, ...] = Field(default=(), description="columns of the table; empty: the usual ones")
    order: Order | None = Field(default=None, description="what the rows are sorted by; empty: as in the documents")
    language: Language = Field(default="en", description="language of what is written around the quotes")


class Selection(Frozen):
    """Which requirements are asked for. An empty field leaves nothing out; several fields hold together."""

    documents: tuple[str, ...] = Field(default=(), description="names of documents; empty: all")
    pages: tuple[PageRange, ...] = Field(default=(), description="ranges of pages")
    sections: tuple[str, ...] = Field(default=(), description="numbers or titles of sections, what is below included")
    modalities: tuple[Modality, ...] = Field(default=(), description="obligation, prohibition, permission, ...")
    without: tuple[Modality, ...] = Field(default=(), description="modalities that are left out")
    categories: tuple[str, ...] = Field(default=(), description="sets of rules that it must be relevant for")
    parties: tuple[str, ...] = Field(default=(), description="who must do it: words of its subject")
    words: tuple[str, ...] = Field(default=(), description="words of which at least one stands in its text")
    with_deadline: bool = Field(default=False, description="only those that name a time")
    at_most: int | None = Field(default=None, ge=1, description="how many at most: the first ones in their order")
    form: OutputForm = OutputForm()

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self.model_copy(update={"form": OutputForm()}) == Selection()
