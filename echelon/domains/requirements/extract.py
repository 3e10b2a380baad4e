"""Find the requirements of a document, each with its number, its section and its verbatim citations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from echelon.domains.documents.types import Document, Frozen
from echelon.domains.requirements.atomic import split_compound
from echelon.domains.requirements.candidates import Candidate, find_candidates
from echelon.domains.requirements.categories import CategoryScheme, about, categorise, load_scheme
from echelon.domains.requirements.comparing.keys import stable_key
from echelon.domains.requirements.findings import find_weaknesses
from echelon.domains.requirements.judging.judge import modality_of
from echelon.domains.requirements.slots import find_slots
from echelon.domains.requirements.structure.build import DocumentKey
from echelon.domains.requirements.structure.parts import Part
from echelon.domains.requirements.structure.places import cite
from echelon.domains.requirements.structure.profile import Unit
from echelon.domains.requirements.types import Requirement, Status


class ExtractOptions(Frozen):
    """What to extract."""

    atomic: bool = Field(default=False, description="split compound requirements; each part keeps the original")
    categories_file: str | None = Field(default=None, description="YAML file with categories; None: the shipped ones")
    profile: Unit | None = Field(
        default=None, description="what the unit of a requirement is; None: told by the document"
    )
    min_confidence: float = Field(default=0.5, ge=0, le=1, description="leave out what is less sure than this")


def extract_requirements(document: Document, options: ExtractOptions | None = None) -> list[Requirement]:
    """All requirements of `document` in its order, with ids R-0001, R-0002, ...

    Each citation is verbatim: `document.page(c.page).text[c.start:c.end] == c.quote`; a requirement over a page break
    or around table marks has several. A document without requirements gives an empty list. Raises CategorySchemeError
    when `options.categories_file` cannot be used.
    """
    return [requirement for _, requirement in _numbered(document, options or ExtractOptions())]


def extract_part(document: Document, part: Part, options: ExtractOptions | None = None) -> list[Requirement]:
    """The requirements that begin in `part`, with the ids they have in the whole document.

    The lists of all parts of `split_parts(document)`, one after another, are `extract_requirements(document)`.
    """
    numbered = _numbered(document, options or ExtractOptions())
    return [requirement for block, requirement in numbered if part.first_block <= block <= part.last_block]


def _numbered(document: Document, options: ExtractOptions) -> tuple[tuple[int, Requirement], ...]:
    return extract_cached((DocumentKey(document), options))


@lru_cache(maxsize=4)
def extract_cached(asked: tuple[DocumentKey, ExtractOptions]) -> tuple[tuple[int, Requirement], ...]:
    """(block, requirement) of all requirements, computed once for a document and its options (the last four kept)."""
    key, options = asked
    document = key.document
    kept = [c for c in find_candidates(document, options.profile) if c.confidence >= options.min_confidence]
    scheme = load_scheme(Path(options.categories_file)) if options.categories_file else load_scheme()
    scheme = about([c.text for c in kept], scheme)
    pieces = [(c, text) for c in kept for text in (split_compound(c.text, c.language) if options.atomic else [c.text])]
    numbered = [
        (c.block, requirement_of(document, number, c, text, scheme)) for number, (c, text) in enumerate(pieces, 1)
    ]
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


def requirement_of(
    document: Document, number: int, candidate: Candidate, text: str, scheme: CategoryScheme
) -> Requirement:
    """The requirement that a candidate is, or a piece of it (`text`), with the id of this number."""
    slots = find_slots(text, candidate.language)
    part = text != candidate.text
    modality = (modality_of(text, candidate.language) if part else None) or candidate.modality
    found = Requirement(
        id=f"R-{number:04d}",
        source_id=candidate.source_id,
        text=text,
        modality=modality,
        language=candidate.language,
        confidence=candidate.confidence,
        categories=categorise(text, scheme),
        subject=slots.subject,
        action=slots.action,
        object=slots.object,
        condition=slots.condition,
        deadline=slots.deadline,
        split_from=candidate.text if part else None,
        findings=find_weaknesses(text, modality),
        section=" > ".join(candidate.path) or None,
        attributes=dict(candidate.attributes),
        citations=tuple(cite(document, span) for span in candidate.spans),
    )
    return found.model_copy(update={"key": stable_key(found)})
