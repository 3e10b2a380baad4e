"""The parts that a goal lists: what stands after a colon or in the lines of a list, and whether in that order."""

from __future__ import annotations

import re

from echelon.domains.planning.wanted.words import words_of

FEWEST = 3
"""Parts from which a list is one."""
LONGEST = 5
"""Words of a part; what is longer says something about the goal."""
_COLON = re.compile(r"^\W*(?P<before>[^:\n]{3,160}):[ \t]+(?P<list>[^\n]+)$", re.MULTILINE)
_LABEL = re.compile(
    r"^\W*(?:.*\b(?:invite|invited|guests?|people|team|members?|helpers?|who|where|when|place|deadline|start|budget|notes?|participants"
    r"|gäste|leute|personen|ort|wer|wann|wo|example|inputs?|tools?))\W*$", re.IGNORECASE,
)  # fmt: skip
_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+(?P<item>[^\n]+?)[ \t]*$", re.MULTILINE)
_NO_PART = re.compile(
    r"\d|\b(?:is|are|was|were|may|must|can|should|will|has|have|no|not|never|nobody|only|ist|sind|darf|muss|kein\w*|nicht)\b|[:?]",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\bin (?:this|that|the following) order\b|\bin dieser reihenfolge\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:and|then|finally|first|also|afterwards|und|dann|zuletzt|the|a|an|die|der|das)\s+", re.IGNORECASE
)


def things_of(text: str) -> tuple[str, ...]:
    """The parts that a goal lists, in its order; () where it lists none."""
    out: list[str] = []
    for match in _COLON.finditer(text):
        if not _LABEL.match(match["before"]):
            first = re.split(r"(?<=[^\d\s]{3})\.(?:\s|$)", match["list"])[0]
            out += _parts(re.split(r"[,;]|\s+(?:and|then|und|dann|sowie|&)\s+", _ORDER.sub("", first)))
    out += _parts([m["item"] for m in _ITEM.finditer(text)])
    return tuple(dict.fromkeys(out))


def _parts(items: list[str]) -> list[str]:
    parts = [_bare(item) for item in items]
    parts = [p for p in parts if words_of(p) and len(p.split()) <= LONGEST and not _NO_PART.search(p)]
    return parts if len(parts) >= FEWEST else []


def _bare(item: str) -> str:
    item = item.strip(" .!*_`")
    while (match := _LEAD.match(item)) is not None:
        item = item[match.end() :]
    return item


def is_in_order(text: str) -> bool:
    """Whether a goal says that its parts come in the order in which it lists them."""
    return _ORDER.search(text) is not None
