"""Whether the text of a page can be read: characters that stand for nothing, and letters that make no words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from echelon.domains.documents.language import FOREIGN, STOP_WORDS

_WORD = re.compile(r"[^\W\d_]+")
_GLYPH_NAME = re.compile(r"\(cid:\d+\)|/(?:g|G|C|c|uni)\d{1,5}\b|/[A-Z]\d\d?\b")
_MOST_BAD = 0.05
_LEAST_WORDS = 40
_LEAST_COMMON = 0.04
_VOWELS = frozenset("aeiouyäöüàáâãåèéêëìíîïòóôõøùúûýœæ")
_USUAL_VOWELS = (0.30, 0.52)
_LEAST_ALIKE = 0.5
_COMMON = frozenset(word for words in (*STOP_WORDS.values(), *FOREIGN.values()) for word in words)


@dataclass(frozen=True)
class Legibility:
    """`bad` is the share of characters that stand for nothing; `common` that of function words of any language that is
    known, among `words` words; `vowels` that of vowels among letters."""

    bad: float
    common: float
    vowels: float
    words: int

    @classmethod
    def of(cls, text: str) -> Legibility:
        """Of one page."""
        text = text[:100_000]
        seen = Counter("".join(text.split()))
        named = sum(len(m.group()) for m in _GLYPH_NAME.finditer(text))
        words = [w.lower() for w in _WORD.findall(text)]
        letters = Counter("".join(words))
        # Scripts without our vowels are judged by their characters alone.
        latin = _count(letters, lambda c: c < "\u0250")
        return cls(
            (_count(seen, _is_bad) + named) / max(1, seen.total()),
            sum(w in _COMMON for w in words) / max(1, len(words)),
            _count(letters, _VOWELS.__contains__) / max(1, letters.total()),
            len(words) if latin > 0.5 * letters.total() else 0,
        )

    @property
    def problem(self) -> str | None:
        """What is wrong with the page in a few words; None when it can be read."""
        if self.bad > _MOST_BAD:
            return f"{self.bad:.0%} of its characters cannot be told"
        low, high = _USUAL_VOWELS
        if self.words >= _LEAST_WORDS and self.common < _LEAST_COMMON and not low <= self.vowels <= high:
            return "its letters make no words"
        return None


def _count(characters: Counter[str], wanted: Callable[[str], bool]) -> int:
    """How many of the characters are wanted; a page of thousands has some sixty different ones."""
    return sum(n for c, n in characters.items() if wanted(c))


def _is_bad(c: str) -> bool:
    return c == "\ufffd" or (unicodedata.category(c) in {"Cc", "Co", "Cn", "Cs"} and c not in "\uf0b7\uf0a7\uf02d")


def alike(first: str, second: str) -> float:
    """Share of words that two readings of a page have in common (Dice); 1.0 where there are too few to tell."""
    left, right = (Counter(w.lower() for w in _WORD.findall(text[:100_000])) for text in (first, second))
    total = left.total() + right.total()
    if total < 2 * _LEAST_WORDS:
        return 1.0
    return 2 * (left & right).total() / total


def disagree(first: str, second: str) -> bool:
    """Whether two readers read different things on a page, however they divide it into words."""
    if alike(first, second) >= _LEAST_ALIKE:
        return False
    left, right = (Counter(c for c in text[:100_000] if c.isalnum()) for text in (first, second))
    return 2 * (left & right).total() < 0.9 * (left.total() + right.total())
