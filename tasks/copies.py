"""Is a result only what was given? Copies of inputs, of the request, or of what was delivered before."""

from __future__ import annotations

import re
from collections.abc import Iterable

from echelon.tasks.placeholders import RULE, without_marks

LEAST_COPIED = 25
"""Words of a text below which a result may well be the same."""
COVERED = 0.9
"""Share of a text's words, in their order, that a copy holds."""
ADDED = 0.05
"""Share of a copy's words that are its own."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SAME_IS_ASKED_FOR = re.compile(
    r"\b(?:cop(?:y|ies)|verbatim|word for word|unchanged|as (?:it|they) (?:is|are|stands?)|wörtlich|wortgleich"
    r"|unverändert|kopier\w*|kopie)\b",
    re.IGNORECASE,
)
_CHANGE_IS_ASKED_FOR = re.compile(
    r"(?:^|[.!?;:,\n]\s*|\b(?:please|and|then|to|or)\s+)(?:correct|proof-?read|translate|sort|order|arrange|alphabeti[sz]e|format"
    r"|reformat|convert|transform|renumber|number|rename|replace|substitute|redact|anonymi[sz]e|pseudonymi[sz]e|mask|edit|fix|mend"
    r"|update|amend|clean|tidy|split|merge|combine|join|keep|annotate|mark|classify|label|tag|group|restructure|reorgani[sz]e|rewrite"
    r"|rephrase|shorten|simplify|capitali[sz]e|extract|quote|transcribe|digiti[sz]e|typeset|indent|deduplicate|remove|delete|insert"
    r"|add|say of each|put)\b"
    r"|\b(?:translation|corrected|translated|sorted|anonymi[sz]ed|redacted|korrigier\w*|übersetz\w*|sortier\w*|formatier\w*|wandle\w*"
    r"|ersetz\w*|schwärz\w*|bearbeit\w*|ergänz\w*|aktualisier\w*|zusammenführ\w*|kennzeichn\w*|markier\w*|gruppier\w*|nummerier\w*"
    r"|lösch\w*|streich\w*)\b",
    re.IGNORECASE,
)
"""Words of a request whose result is a text much like the input."""


def copied(text: str, given: Iterable[str], request: str = "") -> bool:
    """Whether a text is one of those that were given: the same lines in any order, or nearly the same words in order.

    A request that wants a text like the input (sorted, corrected, translated) gets one; only the very same text is no
    result then, unless the request wants just that.
    """
    if _SAME_IS_ASKED_FOR.search(request):
        return False
    may_be_near = _CHANGE_IS_ASKED_FOR.search(request) is not None
    return any(_is_same(text, other) if may_be_near else _is_like(text, other) for other in given)


def _is_same(text: str, other: str) -> bool:
    return len(other.split()) >= LEAST_COPIED and text.split() == other.split()


def _is_like(text: str, other: str) -> bool:
    """The words of `other` in their order with next to nothing added, or its lines in another order."""
    words, source = _words(text), _words(other)
    if len(source) < LEAST_COPIED or not words:
        return False
    mine, theirs = _lines(text), _lines(other)
    if mine <= theirs and len(mine) >= COVERED * len(theirs):
        return True
    once = _words("\n".join(dict.fromkeys(without_marks(text.splitlines()))))
    if not COVERED <= len(once) / len(source) <= 1 / COVERED:
        return False
    from rapidfuzz.distance import LCSseq

    common = LCSseq.similarity(once, source)
    return common >= COVERED * len(source) and len(once) - common <= ADDED * len(once)


def _words(text: str) -> list[str]:
    return [w.casefold() for w in _WORD.findall(text)]


def _lines(text: str) -> set[str]:
    lines = (" ".join(_words(line)) for line in text.splitlines() if not RULE.match(line))
    return {line for line in lines if line}
