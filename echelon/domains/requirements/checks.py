"""Checks of requirements in code: citations verbatim, schema, no exact repetition."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

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


class Fault(StrEnum):
    """What can be wrong with a requirement."""

    ID_TWICE = "id used twice"
    NO_TEXT = "no text"
    NO_CITATION = "no citation"
    WRONG_CITATION = "wrong citation"
    REPEATED = "repeated word for word"


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with one requirement; as text a sentence that begins with its id."""

    fault: Fault
    requirement: str
    says: str

    def __str__(self) -> str:
        return f"{self.requirement}: {self.says}"


def check_requirements(document: Document, requirements: Iterable[Requirement]) -> list[Problem]:
    """What is wrong with `requirements`; empty when all is well.

    Checked are: each has a citation, each citation is verbatim, ids and texts are not repeated, texts are not empty.
    """
    problems: list[Problem] = []
    ids: set[str] = set()
    texts: dict[tuple[str, str | None], str] = {}
    for r in requirements:
        if r.id in ids:
            problems.append(Problem(Fault.ID_TWICE, r.id, "the id is used twice"))
        ids.add(r.id)
        if not r.text.strip():
            problems.append(Problem(Fault.NO_TEXT, r.id, "the text is empty"))
        if not r.citations:
            problems.append(Problem(Fault.NO_CITATION, r.id, "there is no citation"))
        first = texts.setdefault((" ".join(r.text.lower().split()), r.source_id), r.id)
        if first != r.id and r.duplicate_of is None:
            problems.append(Problem(Fault.REPEATED, r.id, f"repeats {first} word for word"))
        wrong = [p for c in r.citations if (p := check_citation(document, c))]
        problems += [Problem(Fault.WRONG_CITATION, r.id, w) for w in wrong]
    return problems
