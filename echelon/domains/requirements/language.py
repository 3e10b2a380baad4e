"""Which language a text is in, told by its function words (German and English)."""

from __future__ import annotations

import re

from echelon.domains.requirements.types import Document

# The most frequent function words of each language that the other one does not have.
_ENGLISH = """the of and to is are for that with this be by as it from or on which shall must should not at have has an
    if when their its these all any other may can will each such than you we our"""
_GERMAN = """der die das und ist sind für mit von zu den dem des ein eine einer eines einem einen nicht auf werden wird
    durch oder bei sich auch als nach aus zur zum im am müssen muss sollte sollten kann können sowie wenn dass
    über vom diese dieser dieses haben hat sein soll dürfen darf"""
STOP_WORDS: dict[str, frozenset[str]] = {"en": frozenset(_ENGLISH.split()), "de": frozenset(_GERMAN.split())}
_WORD = re.compile(r"[^\W\d_]+")
UNKNOWN = "und"


def is_caseless(document: Document) -> bool:
    """Whether a document has practically no capital letters, so that small ones tell nothing."""
    small = capital = 0
    for page in document.pages[:50]:
        small += sum(map(str.islower, page.text))
        capital += sum(map(str.isupper, page.text))
    return capital < 0.004 * small


def detect_language(text: str, default: str = UNKNOWN) -> str:
    """ISO 639-1 code of the language of `text`: `en`, `de`, or `default` when neither has enough function words.

    A text counts as one of the languages when at least 4 % of its words are function words of it and it has more of
    them than of the other language. The first 20,000 words are looked at.
    """
    words = [w.lower() for w in _WORD.findall(text[:200_000])[:20_000]]
    if not words:
        return default
    counts = {code: sum(w in stops for w in words) for code, stops in STOP_WORDS.items()}
    best = max(sorted(counts), key=lambda code: counts[code])
    second = max(count for code, count in counts.items() if code != best)
    if counts[best] == second or counts[best] < 0.04 * len(words):
        return default
    return best
