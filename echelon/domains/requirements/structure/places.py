"""Where a quote stands: on a page, or in a document without pages below which heading and in which paragraph."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from echelon.domains.documents.types import Document
from echelon.domains.requirements.structure.blocks import BlockKind
from echelon.domains.requirements.structure.build import DocumentKey, build_structure
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.types import Citation, Place


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of all blocks, in the order of their first characters."""

    starts: tuple[int, ...]
    places: tuple[Place, ...]

    def at(self, start: int) -> Place | None:
        """The place of the character at `start`: of the last block that begins at or before it."""
        found = bisect_right(self.starts, start) - 1
        return self.places[max(found, 0)] if self.places else None


def cite(document: Document, span: Span) -> Citation:
    """The citation of a stretch of `document`."""
    return Citation(
        document=document.file,
        page=span.page if document.has_pages else None,
        place=None if document.has_pages else _places(DocumentKey(document)).at(span.start),
        quote=document.page(span.page).text[span.start : span.end],
        start=span.start,
        end=span.end,
    )


@lru_cache(maxsize=4)
def _places(key: DocumentKey) -> _Places:
    """Sections and paragraphs of a document; what stands below a heading is counted from 1."""
    found: list[tuple[int, Place]] = []
    section, count = "", 0
    for block in build_structure(key.document).blocks:
        if block.kind is BlockKind.HEADING:
            section, count = " > ".join(block.path), 0
        else:
            count += 1
        if block.start >= 0:
            found.append((block.start, Place(section=section, paragraph=max(count, 1))))
    found.sort(key=lambda item: item[0])
    return _Places(tuple(start for start, _ in found), tuple(place for _, place in found))
