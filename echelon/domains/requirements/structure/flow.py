"""Running text put together from stretches of pages, where each character knows its place."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass

PAGE_SHIFT = 32
_OFFSET = (1 << PAGE_SHIFT) - 1
LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
# What does not stay as it stands: a single space between two words does.
_SPECIAL = re.compile("[\ufb00-\ufb06\u00ad\u200b\ufeff]|\\s{2,}|[^\\S ]")
# What may stand between two pieces of one quote: white space, hyphens at line ends, marks of light markup, the raised
# digits of a footnote.
_BRIDGE = re.compile(r"(?:[\s\-‐\u00ad*_`\\\[]|\]\([^)\s]*\)|<[^>\n]*>|#?\w{1,31};)*|\s?\d{1,3}\s?")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one page: `text_of_page[start:end]`, page from 1."""

    page: int
    start: int
    end: int


class Flow:
    """Text that is collected piece by piece. `text` is normalised: single spaces, no ligatures, no soft hyphens."""

    __slots__ = ("_parts", "_places", "_size")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._places = array("q")
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def text(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def tail(self, count: int) -> str:
        """The last `count` characters; unlike those of `text` they cost nothing in a long text."""
        found: list[str] = []
        for part in reversed(self._parts):
            found.append(part[-count:])
            count -= len(part)
            if count <= 0:
                break
        return "".join(reversed(found))

    def add_space(self) -> None:
        """Join with what follows by a space that stands nowhere on the page."""
        if self._takes_a_space:
            self._append(" ", (-1,))

    def add(self, page: int, start: int, raw: str) -> None:
        """Append `raw`, which stands at `start` of `page`."""
        base = (page << PAGE_SHIFT) | start
        done = 0
        for special in _SPECIAL.finditer(raw):
            self._add_as_it_is(raw, done, special.start(), base)
            mark = special.group()
            if mark in LIGATURES:
                self._append(LIGATURES[mark], (base + special.start(),) * len(LIGATURES[mark]))
            elif mark.isspace() and self._takes_a_space:
                self._append(" ", (base + special.start(),))
            done = special.end()
        self._add_as_it_is(raw, done, len(raw), base)

    def _add_as_it_is(self, raw: str, start: int, end: int, base: int) -> None:
        """Append `raw[start:end]`, where `base` is the place of `raw`: all but a space at its beginning after another."""
        if raw.startswith(" ", start, end) and not self._takes_a_space:
            start += 1
        if start < end:
            self._append(raw[start:end], range(base + start, base + end))

    @property
    def _takes_a_space(self) -> bool:
        return self._size > 0 and not self._parts[-1].endswith(" ")

    def add_instead(self, page: int, start: int, shown: str) -> None:
        """Append `shown`, which stands written otherwise from `start` of `page` on (`<` is `&lt;`)."""
        base = (page << PAGE_SHIFT) | start
        text = " ".join(shown.split()) if not shown.isspace() else " "
        if text:
            self._append(text, (base,) * len(text))

    def drop_first(self, count: int) -> None:
        """Take the first characters back (an opening number)."""
        if count > 0:
            self._parts = [self.text[count:]]
            del self._places[:count]
            self._size = len(self._parts[0])

    def drop_last(self) -> None:
        """Take the last character back (a hyphen at the end of a line)."""
        while self._parts and not self._parts[-1]:
            self._parts.pop()
        if self._parts:
            self._parts[-1] = self._parts[-1][:-1]
            self._places.pop()
            self._size -= 1

    @property
    def start(self) -> int:
        """Offset of the first character that stands on a page; -1 when there is none."""
        return next((place & _OFFSET for place in self._places if place >= 0), -1)

    def pages(self) -> tuple[int, ...]:
        """The pages the text comes from, ascending."""
        return tuple(sorted({place >> PAGE_SHIFT for place in self._places if place >= 0}))

    def _append(self, text: str, places: Iterable[int]) -> None:
        self._parts.append(text)
        self._places.extend(places)
        self._size += len(text)

    def spans(self, start: int, end: int, page_text: Callable[[int], str]) -> tuple[Span, ...]:
        """Where `text[start:end]` stands: one span for each stretch that is unbroken on its page.

        `page_text(n)` gives the text of page n; it tells whether only white space, hyphens or markup separate two
        pieces (one span) or something else such as a footer or table marks (two spans).
        """
        found: list[list[int]] = []
        for place in self._places[start:end]:
            if place < 0:
                continue
            page, offset = place >> PAGE_SHIFT, place & _OFFSET
            last = found[-1] if found else None
            if last and last[0] == page and offset <= last[2]:
                last[2] = max(last[2], offset + 1)
            elif last and last[0] == page and _BRIDGE.fullmatch(page_text(page)[last[2] : offset]):
                last[2] = offset + 1
            else:
                found.append([page, offset, offset + 1])
        trimmed = (_trim(page, a, b, page_text(page)) for page, a, b in found)
        return tuple(span for span in trimmed if span.end > span.start)


def _trim(page: int, start: int, end: int, text: str) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Span(page, start, end)
