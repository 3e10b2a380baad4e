"""Requirements by document and section, in the order in which a reader meets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from echelon.domains.documents.types import Document
from echelon.domains.requirements.types import Requirement

NO_DOCUMENT = "Without a document"


@dataclass(frozen=True)
class DocumentGroup:
    """The requirements of one document. `document` is None when the name was cited but no such document was given."""

    name: str
    document: Document | None
    requirements: list[Requirement] = field(default_factory=list)

    def by_section(self) -> list[tuple[str, list[Requirement]]]:
        """(heading path, requirements) in the order in which each section first appears; '' is no section."""
        sections: dict[str, list[Requirement]] = {}
        for requirement in self.requirements:
            sections.setdefault(requirement.section or "", []).append(requirement)
        return list(sections.items())


def by_document(requirements: Sequence[Requirement], documents: Sequence[Document]) -> list[DocumentGroup]:
    """One group for each document that a requirement's first citation names.

    First the documents in the order given, then names that were cited alone, last what cites nothing."""
    groups = {document.file: DocumentGroup(document.file, document) for document in documents}
    loose = DocumentGroup(NO_DOCUMENT, None)
    for requirement in requirements:
        if not requirement.citations:
            loose.requirements.append(requirement)
            continue
        name = requirement.citations[0].document
        groups.setdefault(name, DocumentGroup(name, None)).requirements.append(requirement)
    return [group for group in [*groups.values(), loose] if group.requirements]


def pages_of(requirement: Requirement) -> list[int]:
    """The pages that are cited, in ascending order, each once."""
    return sorted({citation.page for citation in requirement.citations if citation.page is not None})


def places_of(requirement: Requirement) -> list[str]:
    """The places that are cited in documents without pages, each once: 'section 2.4 Backups, paragraph 3'."""
    return list(dict.fromkeys(str(citation.place) for citation in requirement.citations if citation.place is not None))


def page_reference(requirement: Requirement) -> str:
    """'page 6', 'pages 6, 7', 'section 2.4 Backups, paragraph 3', or '' when nothing is cited."""
    pages = pages_of(requirement)
    shown = [f"page{'s' if len(pages) > 1 else ''} {', '.join(map(str, pages))}"] if pages else []
    return "; ".join([*shown, *places_of(requirement)])
