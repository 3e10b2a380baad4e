"""Requirements as a Markdown file for people."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports.grouping import DocumentGroup, by_document, page_reference
from echelon.domains.requirements.types import Modality, Requirement
from echelon.files import write_atomically

_SPECIAL = re.compile(r"([\\`*_\[\]<>&|~#$])")
_SPACE = re.compile(r"\s+")


def write_markdown(requirements: Sequence[Requirement], documents: Sequence[Document], path: Path) -> None:
    """Grouped by document and section, each requirement with its number, modality and pages. Raises OSError."""
    lines = ["# Requirements", "", *_overview(requirements)]
    for group in by_document(requirements, documents):
        lines += _document(group)
    write_atomically(path, "\n".join(lines) + "\n")


def escape(text: str) -> str:
    """Text on one line that Markdown shows as it is: no markup, no HTML, no link in it takes effect."""
    return _SPECIAL.sub(r"\\\1", _SPACE.sub(" ", text)).strip()


def _overview(requirements: Sequence[Requirement]) -> Iterator[str]:
    if not requirements:
        yield "No requirements were found."
        return
    counts = Counter(requirement.modality for requirement in requirements)
    yield "| modality | requirements |"
    yield "|---|--:|"
    for modality in Modality:
        if counts[modality]:
            yield f"| {modality.value} | {counts[modality]} |"
    yield f"| all | {len(requirements)} |"


def _document(group: DocumentGroup) -> Iterator[str]:
    yield from ("", f"## {escape(group.name)}")
    if group.document is not None:
        pages = len(group.document.pages)
        counted = f"{pages} page{'s' if pages != 1 else ''}, " if group.document.has_pages else ""
        yield from ("", f"{counted}language: {escape(group.document.language)}")
        for warning in group.document.warnings:
            yield from ("", f"Warning: {escape(warning)}")
    for section, requirements in group.by_section():
        if section:
            yield from ("", f"### {' › '.join(map(escape, section.split(' > ')))}")
        yield ""
        yield from map(_item, requirements)


def _item(requirement: Requirement) -> str:
    # Something always stands before the text: "1. …" or "- …" there would begin a list of its own.
    label = escape(requirement.source_id or "") or requirement.id
    return f"- **{label}** {escape(requirement.text)} *({escape(', '.join(_remarks(requirement)))})*"


def _remarks(requirement: Requirement) -> Iterator[str]:
    yield requirement.id
    yield requirement.modality.value
    if reference := page_reference(requirement):
        yield reference
    yield from requirement.categories
    yield from (f"{name}: {value}" for name, value in requirement.attributes.items())
    if requirement.review is not None and requirement.review.for_person:
        yield "for a person"
    if requirement.duplicate_of:
        yield f"repeats {requirement.duplicate_of}"
    yield from (f"conflicts with {other}" for other in requirement.conflicts_with)
