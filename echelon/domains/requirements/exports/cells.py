"""What stands in the columns of the CSV and XLSX files, and which characters may stand there."""

from __future__ import annotations

import re
from collections.abc import Callable

from echelon.domains.requirements.exports.grouping import pages_of, places_of
from echelon.domains.requirements.types import Requirement

# A spreadsheet takes a cell that starts like this for a formula (the OWASP list, and the full-width forms of its signs,
# which some versions read alike). Such text in a document is an attack or an accident; it must not be computed.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")

# XML 1.0 has no code for these, not even an escaped one.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

COLUMNS: dict[str, Callable[[Requirement], str]] = {
    "id": lambda r: r.id,
    "source_id": lambda r: r.source_id or "",
    "text": lambda r: r.text,
    "modality": lambda r: r.modality.value,
    "status": lambda r: r.status.value,
    "confidence": lambda r: f"{r.confidence:.2f}",
    "language": lambda r: r.language,
    "categories": lambda r: ", ".join(r.categories),
    "document": lambda r: r.citations[0].document if r.citations else "",
    "pages": lambda r: ", ".join(map(str, pages_of(r))),
    "place": lambda r: "; ".join(places_of(r)),
    "section": lambda r: r.section or "",
    "quote": lambda r: "\n".join(citation.quote for citation in r.citations),
    "subject": lambda r: r.subject or "",
    "action": lambda r: r.action or "",
    "object": lambda r: r.object or "",
    "condition": lambda r: r.condition or "",
    "deadline": lambda r: r.deadline or "",
    "attributes": lambda r: "; ".join(f"{name}: {value}" for name, value in r.attributes.items()),
    "key": lambda r: r.key,
    "split_from": lambda r: r.split_from or "",
    "duplicate_of": lambda r: r.duplicate_of or "",
    "conflicts_with": lambda r: ", ".join(r.conflicts_with),
    "findings": lambda r: "; ".join(f"{finding.kind}: {finding.words}" for finding in r.findings),
    "review": lambda r: reviewed(r),
}


def reviewed(requirement: Requirement) -> str:
    """What roles decided about it, 'for a person' first where they could not agree; empty where nobody looked."""
    review = requirement.review
    if review is None:
        return ""
    return f"for a person: {review.reason}" if review.for_person else f"{review.ruling}: {review.reason}"


def row_of(requirement: Requirement) -> dict[str, str]:
    """The cells of one requirement by column name, as they are."""
    return {name: cell(requirement) for name, cell in COLUMNS.items()}


def looks_like_formula(text: str) -> bool:
    """Whether a spreadsheet may compute the text."""
    return _FORMULA.match(text) is not None


def xml_safe(text: str) -> str:
    """The text with U+FFFD for each character that XML cannot hold (control characters, mostly)."""
    return _NOT_XML.sub("\ufffd", text)
