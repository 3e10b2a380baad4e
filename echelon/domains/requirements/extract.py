"""Find the requirements of a document, each with its number, its section and its verbatim citations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pydantic import Field

from echelon.domains.requirements.candidates import Candidate, find_candidates
from echelon.domains.requirements.parts import Part
from echelon.domains.requirements.structure import DocumentKey
from echelon.domains.requirements.types import Citation, Document, Frozen, Requirement, Status


class ExtractOptions(Frozen):
    """What to extract."""

    min_confidence: float = Field(default=0.5, ge=0, le=1, description="leave out what is less sure than this")


def extract_requirements(document: Document, options: ExtractOptions | None = None) -> list[Requirement]:
    """All requirements of `document` in its order, with ids R-0001, R-0002, ...

    Each citation is verbatim: `document.page(c.page).text[c.start:c.end] == c.quote`; a requirement over a page break
    or around table marks has several. Raises nothing; a document without requirements gives an empty list.
    """
    return [requirement for _, requirement in _numbered(document, options or ExtractOptions())]


def extract_part(document: Document, part: Part, options: ExtractOptions | None = None) -> list[Requirement]:
    """The requirements that begin in `part`, with the ids they have in the whole document.

    The lists of all parts of `split_parts(document)`, one after another, are `extract_requirements(document)`.
    """
    numbered = _numbered(document, options or ExtractOptions())
    return [requirement for block, requirement in numbered if part.first_block <= block <= part.last_block]


def _numbered(document: Document, options: ExtractOptions) -> tuple[tuple[int, Requirement], ...]:
    return _extract(DocumentKey(document), options)


@lru_cache(maxsize=4)
def _extract(key: DocumentKey, options: ExtractOptions) -> tuple[tuple[int, Requirement], ...]:
    document = key.document
    kept = [c for c in find_candidates(document) if c.confidence >= options.min_confidence]
    numbered = [(c.block, _requirement(document, number, c)) for number, c in enumerate(kept, 1)]
    return tuple(_marked_repeats(numbered))


def _marked_repeats(numbered: list[tuple[int, Requirement]]) -> Iterator[tuple[int, Requirement]]:
    """A text that came before word for word, with the same number or none, is marked as its duplicate."""
    first: dict[tuple[str, str | None], str] = {}
    for block, requirement in numbered:
        key = (" ".join(requirement.text.lower().split()), requirement.source_id)
        original = first.setdefault(key, requirement.id)
        if original != requirement.id:
            requirement = requirement.model_copy(update={"status": Status.DUPLICATE, "duplicate_of": original})
        yield block, requirement


def _requirement(document: Document, number: int, candidate: Candidate) -> Requirement:
    return Requirement(
        id=f"R-{number:04d}",
        source_id=candidate.source_id,
        text=candidate.text,
        modality=candidate.modality,
        language=candidate.language,
        confidence=candidate.confidence,
        section=" > ".join(candidate.path) or None,
        citations=tuple(
            Citation(
                document=document.file,
                page=span.page,
                quote=document.page(span.page).text[span.start : span.end],
                start=span.start,
                end=span.end,
            )
            for span in candidate.spans
        ),
    )
