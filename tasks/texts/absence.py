"""A result that says that there is nothing: it needs more of a look than others, and must not be against the inputs."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

from echelon.json_text import is_list, is_object
from echelon.tasks.texts.marks import ROW, RULE, bare, cells_of, is_heading

_NONE = re.compile(
    r"^\W*(?:none|nothing|nil|null|nought|zero|0|unknown|n/?a|not applicable|keine?[sr]?|nichts|entfällt|leer|empty"
    r"|(?:no|keine?[snr]?)\b.{0,80}"
    r"|(?:there (?:is|are|was|were)|es gibt)(?: also)? (?:no(?:ne|thing)?|not any|keine?[snr]?)\b.{0,120}"
    r"|.{0,80}\b(?:contains?|names?|has|have|holds?|lists?|states?|sets?|imposes?|includes?|enthält|nennt|hat)(?: also)?"
    r" (?:no(?:ne|thing)?|not any|keine?[snr]?)\b.{0,120}"
    r"|.{0,80}\b(?:could|can|did) ?(?:not|n't) (?:be )?(?:found?|identif\w+|see)\b.{0,120}"
    r"|(?:none|nothing|not any|keine?[snr]?|nichts)\b.{0,80}"
    r"|.{0,80}\b(?:were|was|are|is|wurden?) (?:not found|none|nicht gefunden)\b.{0,80})\W*$",
    re.IGNORECASE,
)
_DUTIES = re.compile(
    r"\b(?:dut(?:y|ies)|obligations?|requirements?|prohibitions?|mandates?|what (?:binds|must|shall)"
    r"|pflicht(?:en)?|verpflichtung(?:en)?|anforderung(?:en)?|verbote?|vorgaben?)\b",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"permission|exception|exemption|right|recommendation|fine|penalt|definition|erlaubnis|ausnahme|recht|empfehlung|begriff"
    r"|strafe|bußgeld", re.IGNORECASE,
)  # fmt: skip
_EXCEPT = re.compile(r"\b(?:of|for|from|that|which|about|on|by|von|für|über|der|des|zu)\b", re.IGNORECASE)
_OF_ALL = re.compile(
    r"^\W*(?:of|in|from|that|which|aus|der|des|in der|im)\W+(?:(?:the|this|that|each|every|all|dieser?|die|der|des|dem"
    r"|den)\W+)?(?:polic(?:y|ies)|documents?|texts?|files?|inputs?|regulations?|specifications?|laws?|richtlinien?|dokument\w*"
    r"|texte?s?|dateien?)\b",
    re.IGNORECASE,
)
"""What they are asked of is the input as a whole."""
_BINDS = re.compile(
    r"\b(?:shall|must|is (?:required|obliged|forbidden)|are (?:required|obliged|forbidden)|may not|muss|müssen|darf nicht"
    r"|dürfen nicht|hat zu|haben zu|ist verpflichtet|sind verpflichtet)\b",
    re.IGNORECASE,
)


def claims_none(path: str, text: str) -> bool:
    """Whether a result says that there is nothing of what was asked for, in any form."""
    suffix = PurePosixPath(path.lower()).suffix
    if suffix == ".json":
        try:
            return _is_none(json.loads(text))
        except (ValueError, RecursionError):
            return False
    if suffix in (".csv", ".tsv"):
        return _are_none(list(csv.reader(io.StringIO(text), delimiter="\t" if suffix == ".tsv" else ",")))
    lines = [bare(line) for line in text.splitlines() if bare(line) and not is_heading(line) and not RULE.match(line)]
    if ROW.match(lines[0]) if lines else False:
        return _are_none([cells_of(line) for line in lines])
    return bool(lines) and all(_NONE.match(line) for line in lines)


def _are_none(rows: list[list[str]]) -> bool:
    """Whether the rows below a header say that there is nothing, in all cells or in all but the first ones."""
    body = [[c for c in row if c.strip()] for row in rows[1:] if any(c.strip() for c in row)]
    firsts = len(body) > 1 and all(len(row) > 1 for row in body)
    return bool(body) and all(all(map(_NONE.match, row[1 if firsts else 0 :])) for row in body)


def _is_none(value: Any) -> bool:
    """Lists without items alone, or words that say so."""
    if is_list(value):
        return all(map(_is_none, value)) or (len(value) > 1 and all(map(_has_but_a_name, value)))
    if is_object(value):
        return bool(value) and all(_is_none(v) for v in value.values())
    if isinstance(value, int | float):
        return value == 0 and value is not False
    return value is None or (isinstance(value, str) and (not value or _NONE.match(value) is not None))


def _has_but_a_name(value: Any) -> bool:
    """An object of which all but the first value say that there is nothing."""
    return is_object(value) and len(value) > 1 and all(_is_none(v) for v in list(value.values())[1:])


def against(request: str, path: str, inputs: Iterable[str]) -> str:
    """A sentence of the inputs that a claim of "none" overlooks, where the request wants what binds; '' where there is none.

    Code knows what binds by its modal words alone, and only where all that binds is asked for: whose, and of what, it
    leaves to a role. A file that is named for something else says nothing of that.
    """
    if _OTHERS.search(PurePosixPath(path).stem):
        return ""
    asked = _DUTIES.search(request)
    if asked is None or (_EXCEPT.match(request[asked.end() :].strip()) and not _OF_ALL.match(request[asked.end() :])):
        return ""
    lines = (line.strip() for text in inputs for line in text.splitlines())
    return next((line for line in lines if _BINDS.search(line)), "")
