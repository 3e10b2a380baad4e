"""Words that were broken at the end of a line: put together, with or without their hyphen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from echelon.domains.documents.types import Page

HYPHENS = "-‐"
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")
_LAST = re.compile(r"([^\W\d_]+(?:[-‐][^\W\d_]+)*)[-‐]$")
_FIRST = re.compile(r"[^\W\d_]+")
_BREAK = re.compile(r"[-‐]\s*\n\s*")
_BEFORE = re.compile(r"[^\W\d_]+$")
_LONGEST_WORD = 60
_CONJUNCTION = re.compile(r"(?:und|oder|bzw\.|sowie|and|or|to|bis)\b")


def _broken(text: str) -> Iterator[tuple[str, str]]:
    """Both halves of the words that are broken at the ends of lines."""
    for match in _BREAK.finditer(text):
        head = _BEFORE.search(text[max(0, match.start() - _LONGEST_WORD) : match.start()])
        tail = _FIRST.match(text[match.end() : match.end() + _LONGEST_WORD])
        if head and tail:
            yield head.group(), tail.group()


class Hyphenation:
    """Decides from the words of the document itself how a word broken at a line end is written."""

    def __init__(self, pages: tuple[Page, ...], language: str) -> None:
        self._language = language
        self._words: Counter[str] = Counter()
        for page in pages:
            self._words.update(word.lower() for word in _WORD.findall(page.text))
        self._usual = self._learn(pages)

    def _learn(self, pages: tuple[Page, ...]) -> str | None:
        """What line ends with a hyphen usually mean here, told by the broken words that also stand unbroken."""
        votes: Counter[str] = Counter()
        for page in pages:
            for head, tail in _broken(page.text):
                if known := self._known(head.lower(), tail.lower()):
                    votes[known] += 1
        if votes["keep"] == votes["drop"]:
            return None
        return "keep" if votes["keep"] > votes["drop"] else "drop"

    def _known(self, head: str, tail: str) -> str | None:
        plain, hyphened = self._words[head + tail], self._words[f"{head}-{tail}"]
        if plain == hyphened == 0:
            return None
        return "drop" if plain >= hyphened else "keep"

    def joins(self, before: str, after: str) -> str:
        """How `before` (ending in a hyphen) and `after` go together: `drop` the hyphen, `keep` it, or `space`."""
        last, first = _LAST.search(before), _FIRST.match(after)
        if last is None:
            return "keep" if first or after[:1].isdigit() else "space"
        if first is None:
            return "keep"
        if _CONJUNCTION.match(after):
            return "space"
        head, tail = last.group(1).lower(), first.group(0).lower()
        known = self._known(head, tail)
        if known:
            return known
        if first.group(0)[0].isupper() or "-" in last.group(1):
            return "keep"
        if self._usual:
            return self._usual
        if self._language == "de":
            return "drop"
        return "keep" if self._words[head] > 1 and self._words[tail] > 1 else "drop"
