"""A second reader of PDF pages (pdfium), asked where the words of the first one look wrong."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Protocol

_LINE_END_HYPHEN = re.compile("[\ufffe\x02]\\s*")
_LONGEST_PAGE = 200_000


class SecondReader:
    """The pages of one PDF as pdfium reads them. A context manager; it raises nothing, whatever the file."""

    def __init__(self, data: bytes) -> None:
        import pypdfium2

        try:
            self._document: pypdfium2.PdfDocument | None = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError:
            self._document = None

    def __enter__(self) -> SecondReader:
        return self

    def __exit__(self, *_: object) -> None:
        if self._document is not None:
            self._document.close()

    def text(self, number: int) -> str | None:
        """The text of page `number`, from 1; None when it cannot be read."""
        import pypdfium2

        if self._document is None or number > len(self._document):
            return None
        try:
            page = self._document[number - 1]
            words = page.get_textpage()
            text = _text_of(words)
            words.close()
            page.close()
        except (pypdfium2.PdfiumError, UnicodeError, ValueError):
            return None
        return _LINE_END_HYPHEN.sub("-\n", text).replace("\r\n", "\n").replace("\r", "\n")


class _Words(Protocol):
    """The part of a text page that is used; pypdfium2 leaves types out."""

    def count_chars(self) -> int: ...

    def get_text_bounded(self) -> str: ...


def _text_of(words: _Words) -> str:
    return words.get_text_bounded() if words.count_chars() < _LONGEST_PAGE else ""


_WORDS = re.compile(r"\S+")
_LEAST_GLUED = 8
"""Letters from which a word is looked up: shorter ones are hardly two."""
_LEAST_PLACES = 3
_LEAST_SHARE = 0.02


def missing_spaces(text: str, second: str) -> list[int]:
    """Offsets in `text` before which the second reader sees white space and `text` has none, ascending.

    Empty when only a few words differ: what one reader sees in a title that is set wide is no gap between words.
    """
    if len(text) > _LONGEST_PAGE or len(second) > _LONGEST_PAGE:
        return []
    known = {match.group() for match in _WORDS.finditer(second)}
    squeezed, ends = _squeezed(second)
    places: list[int] = []
    words = glued = at = 0
    for match in _WORDS.finditer(text):
        words += 1
        word = match.group()
        if len(word) < _LEAST_GLUED or word in known:
            continue
        found = squeezed.find(word, at)
        found = found if found >= 0 else squeezed.find(word)
        if found < 0:
            continue
        at = found
        inside = [place - found for place in _between(ends, found, found + len(word))]
        if inside and _are_words(word, inside):
            glued += 1
            places += [match.start() + place for place in inside]
    return places if glued >= _LEAST_PLACES and glued > _LEAST_SHARE * words else []


def _squeezed(text: str) -> tuple[str, list[int]]:
    """The text without white space, and the offsets in it at which there was some."""
    parts = text.split()
    ends: list[int] = []
    at = 0
    for part in parts:
        at += len(part)
        ends.append(at)
    return "".join(parts), ends


def _between(ends: list[int], start: int, end: int) -> Iterator[int]:
    for index in range(bisect_right(ends, start), len(ends)):
        if ends[index] >= end:
            return
        yield ends[index]


def _are_words(word: str, places: list[int]) -> bool:
    """Whether the pieces of a word read like words: no letters set apart one by one."""
    bounds = [0, *places, len(word)]
    sizes = [b - a for a, b in pairwise(bounds)]
    return sum(sizes) / len(sizes) >= 2.5
