"""Documents and requirements for the tests of the graph: small, made here, with true offsets."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from echelon.domains.documents.types import Document, Page
from echelon.domains.requirements.types import Citation, Modality, Requirement


def a_document(sentences: Sequence[str], *, file: str = "policy.md", per_page: int = 20) -> Document:
    """A document with these sentences, one a line."""
    starts = range(0, max(1, len(sentences)), per_page)
    pages = [Page(number=n + 1, text="\n".join(sentences[at : at + per_page])) for n, at in enumerate(starts)]
    digest = hashlib.sha256("\n".join(sentences).encode()).hexdigest()
    return Document(file=file, sha256=digest, media_type="text/markdown", pages=tuple(pages), language="en")


def cite(document: Document, quote: str) -> Citation:
    """The first place of `quote` in the document."""
    for page in document.pages:
        start = page.text.find(quote)
        if start >= 0:
            end = start + len(quote)
            return Citation(document=document.file, page=page.number, quote=quote, start=start, end=end)
    raise AssertionError(f"{quote!r} is not in {document.file}")


def modality_of(text: str) -> Modality:
    """Enough for the sentences of these tests."""
    if " not " in text:
        return Modality.PROHIBITION
    return Modality.PERMISSION if " may " in text else Modality.OBLIGATION


def a_requirement(document: Document, number: int, text: str, **more: Any) -> Requirement:
    """A requirement that quotes `text` from `document`."""
    values: dict[str, Any] = {
        "id": f"R-{number:04d}",
        "text": text,
        "modality": modality_of(text),
        "language": "en",
        "confidence": 0.9,
        "citations": (cite(document, text),),
    }
    return Requirement(**{**values, **more})


def a_job(sentences: Sequence[str], *, file: str = "policy.md", **more: Any) -> tuple[list[Requirement], Document]:
    """A document and a requirement for each of its sentences."""
    document = a_document(sentences, file=file)
    return [a_requirement(document, number, text, **more) for number, text in enumerate(sentences, start=1)], document
