"""Checks of requirements in code: citations verbatim, schema, no exact repetition."""

from __future__ import annotations

from collections.abc import Iterable

from echelon.domains.documents.types import Document
from echelon.domains.requirements.types import Citation, Requirement


def check_citation(document: Document, citation: Citation) -> str | None:
    """One sentence saying what is wrong with the citation, or None when its quote stands verbatim where it says."""
    if citation.document != document.file:
        return f"the citation is from {citation.document}, not from {document.file}"
    if not 1 <= (citation.page or 1) <= len(document.pages):
        return f"{document.file} has {len(document.pages)} pages, there is no page {citation.page}"
    if not citation.quote.strip():
        return "the quote is empty"
    text = document.page(citation.page).text
    if text[citation.start : citation.end] == citation.quote:
        return None
    if citation.quote in text:
        found = text.index(citation.quote)
        return f"the quote stands at {found} of {citation.where or 'the text'}, not at {citation.start}"
    elsewhere = [str(page.number) for page in document.pages if citation.quote in page.text]
    if elsewhere:
        return f"the quote stands on page {', '.join(elsewhere[:3])}, not on page {citation.page}"
    return f"the quote does not stand in {document.file}: {citation.quote[:60]!r}"


def check_requirements(document: Document, requirements: Iterable[Requirement]) -> list[str]:
    """What is wrong with `requirements`, one sentence per problem, beginning with the id; empty when all is well.

    Checked are: each has a citation, each citation is verbatim, ids and texts are not repeated, texts are not empty.
    """
    problems: list[str] = []
    ids: set[str] = set()
    texts: dict[tuple[str, str | None], str] = {}
    for requirement in requirements:
        name = requirement.id
        if name in ids:
            problems.append(f"{name}: the id is used twice")
        ids.add(name)
        if not requirement.text.strip():
            problems.append(f"{name}: the text is empty")
        if not requirement.citations:
            problems.append(f"{name}: there is no citation")
        first = texts.setdefault((" ".join(requirement.text.lower().split()), requirement.source_id), name)
        if first != name and requirement.duplicate_of is None:
            problems.append(f"{name}: repeats {first} word for word")
        problems.extend(f"{name}: {p}" for c in requirement.citations if (p := check_citation(document, c)))
    return problems
