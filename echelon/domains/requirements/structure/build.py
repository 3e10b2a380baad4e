"""The structure of a document: its blocks in order, put together from the lines of its pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from echelon.domains.documents.types import Document
from echelon.domains.requirements.structure.blocks import Block


@dataclass(frozen=True)
class Structure:
    """The blocks of one document in reading order; `blocks[i].index == i`."""

    blocks: tuple[Block, ...]


class DocumentKey:
    """A document that is equal to another one by its hash, for the cache."""

    __slots__ = ("document",)

    def __init__(self, document: Document) -> None:
        self.document = document

    def __hash__(self) -> int:
        return hash(self.document.sha256)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DocumentKey) and (self.document is other.document or self.document == other.document)


def build_structure(document: Document) -> Structure:
    """Blocks of `document`. Computed once per document (the last four are kept); the same document gives the same."""
    return build_structure_cached(DocumentKey(document))


@lru_cache(maxsize=4)
def build_structure_cached(key: DocumentKey) -> Structure:
    """`build_structure` behind its cache."""
    document = key.document
    if document.media_type in {"application/pdf", "text/plain"}:
        from echelon.domains.requirements.structure.plain.build import PlainAssembler

        return Structure(tuple(PlainAssembler(document).run()))
    if any(page.elements for page in document.pages):
        from echelon.domains.requirements.structure.elements import ElementAssembler

        return Structure(tuple(ElementAssembler(document).run()))
    # A document that was read before elements were kept.
    from echelon.domains.requirements.structure.markup import MarkupAssembler

    return Structure(tuple(MarkupAssembler(document).run()))
