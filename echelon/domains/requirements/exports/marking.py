"""The pages that are cited, cut into pieces so that each quote can be marked where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from echelon.domains.documents.types import Document
from echelon.domains.requirements.types import Citation, Requirement


@dataclass(frozen=True)
class Piece:
    """A stretch of a page. `requirements` are the ids of those that quote all of it; none, where it is not quoted."""

    text: str
    requirements: tuple[str, ...]


@dataclass(frozen=True)
class MarkedPage:
    """One page with its pieces in order; their texts make up the text of the page."""

    anchor: str
    document: str
    number: int
    numbered: bool
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Quote:
    """One citation. `anchor` is that of its page, or None when the quote does not stand on a page that was given."""

    where: str
    text: str
    anchor: str | None


class PageMarks:
    """Which quotes stand on which pages of the documents."""

    def __init__(self, requirements: Sequence[Requirement], documents: Sequence[Document]) -> None:
        self._texts = {(d.file, page.number): page.text for d in documents for page in d.pages}
        self._numbered = {d.file: d.has_pages for d in documents}
        self._order = {document.file: number for number, document in enumerate(documents, start=1)}
        self._spans: dict[tuple[str, int], list[tuple[int, int, str]]] = {}
        for requirement in requirements:
            for citation in requirement.citations:
                if self._stands(citation):
                    spans = self._spans.setdefault((citation.document, citation.page or 1), [])
                    spans.append((citation.start, citation.end, requirement.id))

    def quotes(self, requirement: Requirement) -> list[Quote]:
        """The citations of a requirement in their order."""
        return [
            Quote(c.where or "text", c.quote, self._anchor(c.document, c.page or 1) if self._stands(c) else None)
            for c in requirement.citations
        ]

    def pages(self) -> list[MarkedPage]:
        """The pages with quotes on them, in the order of the documents."""
        places = sorted(self._spans, key=lambda place: (self._order[place[0]], place[1]))
        return [
            MarkedPage(
                self._anchor(*place),
                place[0],
                place[1],
                self._numbered[place[0]],
                cut(self._texts[place], self._spans[place]),
            )
            for place in places
        ]

    def _stands(self, citation: Citation) -> bool:
        text = self._texts.get((citation.document, citation.page or 1))
        return bool(citation.quote) and text is not None and text[citation.start : citation.end] == citation.quote

    def _anchor(self, document: str, page: int) -> str:
        return f"d{self._order[document]}p{page}"


def cut(text: str, spans: Sequence[tuple[int, int, str]]) -> tuple[Piece, ...]:
    """The text cut at each start and end of a span (start, end, requirement id); spans may overlap.

    Takes time in proportion to the number of spans times the number that overlap at one place."""
    edges = sorted({0, len(text)} | {edge for start, end, _ in spans for edge in (start, end)})
    opening: dict[int, list[tuple[int, str]]] = {}
    for start, end, identifier in spans:
        opening.setdefault(start, []).append((end, identifier))
    pieces: list[Piece] = []
    active: list[tuple[int, str]] = []
    for left, right in pairwise(edges):
        active = [span for span in active if span[0] > left] + opening.get(left, [])
        pieces.append(Piece(text[left:right], tuple(dict.fromkeys(identifier for _, identifier in active))))
    return tuple(pieces)
