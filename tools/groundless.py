"""Findings that code can tell to be none: a file is missed that is there, or fault is found with the request.

Small judges hand them in, and a task that holds is done again for each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from echelon.engine.toolbox import ToolContext
from echelon.tasks.deliverables import named_in

NO_FAULT = "What the request leaves open is no fault of the work."
_NOT_THERE = re.compile(
    r"\b(?:deliverables?|files?|\S+\.\w{2,4})\W+(?:\w+\W+){0,3}?(?:not|never)\W+(?:been\W+)?"
    r"(?:provided|included|given|found|there|present|attached|delivered|available|exist)\b"
    r"|\bdeliverables?\W+(?:do|does)\W+not\W+(?:mention|include|contain|list|name)\b"
    r"|\b(?:no|missing)\W+(?:deliverables?|files?)\b",
    re.IGNORECASE,
)
_OF_THE_REQUEST = re.compile(
    r"^\W*(?:the|this)?\s*(?:user's\s+)?(?:request|goal|task|question|todo|instruction)s?\s+(?:itself\s+)?"
    r"(?:does\s+not|do\s+not|doesn't|don't|did\s+not|never)\s+(?:\w+ly\s+)?"
    r"(?:specif|stat|say|mention|defin|describ|provid|list|explain|clarif|tell|indicat|give)",
    re.IGNORECASE,
)


def why_groundless(context: ToolContext, says: str, about: str) -> str:
    """Why a finding is none, as a sentence; '' where code cannot tell."""
    if is_of_the_request(says):
        return NO_FAULT
    there = _missed(context, says, f"{about} {says}")
    return f"'{there}' is there." if there else ""


def is_of_the_request(says: str) -> bool:
    """Whether a sentence finds fault with what was asked for, in place of what was made."""
    return _OF_THE_REQUEST.match(says) is not None


def _missed(context: ToolContext, says: str, whole: str) -> str:
    """A file that is said not to be there, and that is; '' where nothing of the kind is said, or it is right."""
    if not _NOT_THERE.search(says):
        return ""
    named = [*named_in([whole]), *(path for path in context.state.objects if path in whole)]
    return named[0] if named and _are_there(context, named) else ""


def _are_there(context: ToolContext, paths: Iterable[str]) -> bool:
    return all(context.workspace.sha256(path) is not None for path in paths)
