"""Requirements: find what documents demand, tell how sure it is and where it stands.

The names below are imported when they are first used, so that importing this package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from echelon.domains.requirements.checks import Fault, Problem, check_citation, check_requirements
    from echelon.domains.requirements.coverage import Doubt, Examination, examine
    from echelon.domains.requirements.extract import ExtractOptions, extract_part, extract_requirements

_MODULE_OF = {
    "ExtractOptions": "extract",
    "extract_requirements": "extract",
    "extract_part": "extract",
    "Doubt": "coverage",
    "Examination": "coverage",
    "examine": "coverage",
    "Fault": "checks",
    "Problem": "checks",
    "check_citation": "checks",
    "check_requirements": "checks",
    # Sentence by sentence judgement and trace links have modules of their own.
    "classify_sentences": "judging.classify",
    "trace_links": "links",
}

__all__ = [
    "Doubt",
    "Examination",
    "ExtractOptions",
    "Fault",
    "Problem",
    "check_citation",
    "check_requirements",
    "examine",
    "extract_part",
    "extract_requirements",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{module}"), name)
