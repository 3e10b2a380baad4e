"""Requirements and documents for tests: those of the sample policy, single ones, and any ones for hypothesis."""

from __future__ import annotations

import hashlib
import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from pypdf import PdfReader

from echelon.domains.documents.types import Document, Page
from echelon.domains.requirements.types import Citation, Finding, Modality, Requirement, Status

KNOWLEDGE = Path(__file__).parents[2] / "knowledge"
SAMPLE = "records-retention-policy"


def document(*texts: str, file: str = "policy.pdf", **changes: Any) -> Document:
    """A document with these texts as its pages."""
    pages = tuple(Page(number=number, text=text) for number, text in enumerate(texts, start=1))
    digest = hashlib.sha256("".join(texts).encode("utf-8", "surrogatepass")).hexdigest()
    values: dict[str, Any] = {"file": file, "sha256": digest, "media_type": "application/pdf", "language": "en"}
    return Document(pages=pages, **(values | changes))


def cite(source: Document, page: int, quote: str) -> Citation:
    """The citation of a quote where it first stands on the page."""
    start = source.page(page).text.index(quote)
    return Citation(document=source.file, page=page, quote=quote, start=start, end=start + len(quote))


def requirement(number: int = 1, text: str = "The archive shall be open.", **changes: Any) -> Requirement:
    """An accepted English obligation without a citation."""
    values: dict[str, Any] = {"modality": Modality.OBLIGATION, "language": "en", "confidence": 0.9, "citations": ()}
    return Requirement(id=f"R-{number:04d}", text=text, **(values | changes))


@cache
def sample() -> tuple[tuple[Requirement, ...], Document]:
    """The requirements on the gold list of the sample policy, each with a citation, and the document."""
    data = (KNOWLEDGE / f"{SAMPLE}.pdf").read_bytes()
    texts = [page.extract_text() for page in PdfReader(io.BytesIO(data)).pages]
    policy = document(*texts, file=f"{SAMPLE}.pdf", title="Records Retention Policy")
    gold = json.loads((KNOWLEDGE / f"{SAMPLE}.gold.json").read_text(encoding="utf-8"))
    return tuple(_of_gold(number, entry, policy) for number, entry in enumerate(gold, start=1)), policy


def _of_gold(number: int, entry: dict[str, Any], policy: Document) -> Requirement:
    section = "6 Schedule" if entry["id"].startswith("RP-") else f"{entry['id'].split('.')[0]} Section"
    return requirement(
        number,
        entry["text"],
        source_id=entry["id"],
        modality=entry["modality"],
        language="de" if entry["id"].startswith("9.") else "en",
        section=f"{section} > part",
        citations=(_longest_quote(entry, policy),),
    )


def _longest_quote(entry: dict[str, Any], policy: Document) -> Citation:
    """As much of the text as stands in one piece on its page: an item without its lead-in, or what precedes a break."""
    words = entry["text"].rstrip(".").split()
    spans = [(first, last) for first in range(len(words)) for last in range(first + 1, len(words) + 1)]
    page = policy.page(entry["page"])
    for first, last in sorted(spans, key=lambda span: span[0] - span[1]):
        if match := re.search(r"\s+".join(map(re.escape, words[first:last])), page.text):
            return cite(policy, page.number, match[0])
    raise ValueError(f"not on page {page.number}: {entry['text']}")


NASTY = [
    "=HYPERLINK(\"http://127.0.0.1\")", "+1+1", "-2", "@SUM(A1)", "\t=1", "\r=1", "＝1", "#N/A", "#REF!", "007", "1e5",
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "</pre></mark>",
    "\" onmouseover=\"alert(1)", "' onfocus='alert(1)", "{{ 7 * 7 }}", "{% raw %}", "${7*7}", "]]>", "<!--", "&amp;",
    "**bold**", "[link](http://127.0.0.1)", "| a | b |", "`code`", "# heading", "1. item", "- item", "    indented",
    "line\nbreak", "line\r\nbreak", "page\x0cbreak", "nul\x00", "bell\x07", "\u2028", "\ufeff", "\ufffe", "\U0001f600",
    "_x000D_", "  blanks  ", "\u202eright to left", "a, b; \"c\"", "Prüfung – ﬁnden", "&#x41;", "TRUE",
]  # fmt: skip
texts = st.sampled_from(NASTY) | st.text(max_size=40) | st.lists(st.sampled_from(NASTY), max_size=3).map(" ".join)
some_texts = texts.filter(lambda text: bool(text.strip()))
maybe = st.none() | texts
pages = st.lists(texts, min_size=1, max_size=2)


@st.composite
def requirement_sets(draw: st.DrawFn) -> tuple[list[Requirement], list[Document]]:
    """Up to four requirements over up to two documents, with verbatim citations, any text in every field."""
    documents = [
        document(
            *draw(st.lists(texts, min_size=1, max_size=2)), file=f"{draw(texts)}{number}.pdf", warnings=(draw(texts),)
        )
        for number in range(draw(st.integers(0, 2)))
    ]
    count = draw(st.integers(0, 4))
    return [draw(_any_requirement(number, documents)) for number in range(1, count + 1)], documents


@st.composite
def _any_requirement(draw: st.DrawFn, number: int, documents: list[Document]) -> Requirement:
    citations = tuple(draw(_citation_in(documents)) for _ in range(draw(st.integers(0, 2)))) if documents else ()
    return requirement(
        number,
        draw(some_texts),
        source_id=draw(maybe),
        modality=draw(st.sampled_from(Modality)),
        status=draw(st.sampled_from(Status)),
        confidence=draw(st.floats(0, 1)),
        categories=tuple(draw(st.lists(texts, max_size=2))),
        citations=citations,
        section=draw(st.none() | st.lists(texts, min_size=1, max_size=3).map(" > ".join)),
        subject=draw(maybe),
        condition=draw(maybe),
        duplicate_of="R-0001" if number > 1 and draw(st.booleans()) else None,
        findings=(Finding(kind="ambiguous", words=draw(texts), advice=draw(texts)),),
    )


@st.composite
def _citation_in(draw: st.DrawFn, documents: list[Document]) -> Citation:
    source = draw(st.sampled_from(documents))
    page = draw(st.sampled_from(source.pages))
    start = draw(st.integers(0, len(page.text)))
    end = draw(st.integers(start, len(page.text)))
    return Citation(document=source.file, page=page.number, quote=page.text[start:end], start=start, end=end)
