"""Requirements as one HTML file that needs nothing else: no network, no other file.

Each requirement opens its page with the quote marked. Everything from a document goes through the escaping of the
template, and a content security policy names the one script and the one style sheet by hash: markup that slipped
through would still not run.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.domains.documents.types import Document
from echelon.domains.requirements.exports.grouping import by_document
from echelon.domains.requirements.exports.marking import PageMarks
from echelon.domains.requirements.types import Modality, Requirement
from echelon.files import write_atomically

if TYPE_CHECKING:
    from jinja2 import Template

HERE = Path(__file__).parent


def write_html(
    requirements: Sequence[Requirement],
    documents: Sequence[Document],
    path: Path,
    looked: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """A list with filters by modality, category and text beside the cited pages. Raises OSError.

    `looked` says of a document, by its name, how it was read and what the result covers; it stands on the first screen.
    A quote that does not stand at its place in the documents given is shown without a page to open."""
    script, style = _asset("report.js"), _asset("report.css")
    counts = Counter(requirement.modality for requirement in requirements)
    marks = PageMarks(requirements, documents)
    page = _template().render(
        script=script,
        style=style,
        script_hash=_hash(script),
        style_hash=_hash(style),
        total=len(requirements),
        looked=sorted((looked or {}).items()),
        for_person=sum(r.review is not None and r.review.for_person for r in requirements),
        modalities=[(modality.value, counts[modality]) for modality in Modality if counts[modality]],
        categories=sorted({category for requirement in requirements for category in requirement.categories}),
        groups=by_document(requirements, documents),
        quotes=marks.quotes,
        pages=marks.pages(),
    )
    write_atomically(path, page)


def script_hash() -> str:
    """The hash of the one script of a report, as a content security policy names it."""
    return _hash(_asset("report.js"))


@cache
def _template() -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.get_template("report.html.j2")


@cache
def _asset(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
