"""Requirements: read documents, find what they demand, tell how sure it is and where it stands.

The names below are imported when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echelon.domains.requirements.checks import check_citation, check_requirements
    from echelon.domains.requirements.duplicates import find_duplicates
    from echelon.domains.requirements.extract import ExtractOptions, extract_part, extract_requirements
    from echelon.domains.requirements.parts import Part, split_parts
    from echelon.domains.requirements.reading import read_document

_MODULE_OF = {
    "read_document": "reading",
    "split_parts": "parts",
    "Part": "parts",
    "ExtractOptions": "extract",
    "extract_requirements": "extract",
    "extract_part": "extract",
    "check_citation": "checks",
    "check_requirements": "checks",
    "find_duplicates": "duplicates",
    # Sentence by sentence judgement and trace links have modules of their own.
    "classify_sentences": "classify",
    "trace_links": "links",
}

__all__ = [
    "ExtractOptions",
    "Part",
    "check_citation",
    "check_requirements",
    "extract_part",
    "extract_requirements",
    "find_duplicates",
    "read_document",
    "split_parts",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
