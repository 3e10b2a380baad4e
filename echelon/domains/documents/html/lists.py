"""Numbers of HTML lists as a browser shows them, and marks of footnotes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_MARK = re.compile(r"\s*[\[(]?\s*(?:\d{1,3}|[*†‡§]{1,3}|[a-z])\s*[\])]?\s*")
_PERMALINK = frozenset("¶#§🔗⚓")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_STYLES = {"lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A",
           "lower-roman": "i", "upper-roman": "I", "decimal": "1"}  # fmt: skip


@dataclass
class ListCounter:
    """Counts the items of one list. `style` is `-` for bullets, else 1, a, A, i or I."""

    style: str
    at: int = 1
    step: int = 1

    @classmethod
    def of(cls, element: HtmlElement) -> ListCounter:
        """The counter of a `ul` or `ol` with its type and start."""
        if element.tag != "ol":
            return cls("-")
        style = element.get("type") or ""
        if style not in {"1", "a", "A", "i", "I"}:
            named = re.search(r"list-style(?:-type)?\s*:\s*([a-z-]+)", element.get("style", ""))
            style = _STYLES.get(named[1] if named else "decimal", "1")
        down = element.get("reversed") is not None
        begin = _number(element.get("start"), len(element) if down else 1)
        return cls(style, begin, -1 if down else 1)

    def next(self, item: HtmlElement) -> str:
        """The mark of the next item."""
        if self.style == "-":
            return "-"
        number = _number(item.get("value"), self.at)
        self.at = number + self.step
        return f"{shown(number, self.style)}."


def shown(number: int, style: str) -> str:
    """A number as 1, a, A, i or I; in figures where letters have none for it."""
    if style in "aA" and 0 < number <= 702:
        letters = ""
        while number:
            number, rest = divmod(number - 1, 26)
            letters = chr(97 + rest) + letters
        return letters.upper() if style == "A" else letters
    if style in "iI" and 0 < number < 4000:
        roman = ""
        for value, letters in _ROMAN:
            count, number = divmod(number, value)
            roman += letters * count
        return roman.upper() if style == "I" else roman
    return str(number)


def is_footnote_mark(element: HtmlElement) -> bool:
    """Whether an element is the mark of a footnote, or the mark that links to its own heading: no word of the text."""
    if element.tag == "a":
        words = _short(element).strip()
        if words and len(words) <= 2 and words[0] in _PERMALINK:
            return True
        role = f"{element.get('role', '')} {element.get('class', '')} {element.get('rel', '')}".lower()
        return ("noteref" in role or "footnote-" in role) and _MARK.fullmatch(words) is not None
    if element.tag != "sup":
        return False
    words = _short(element)
    if _MARK.fullmatch(words) is None:
        return False
    if next(element.iter("a"), None) is not None:
        return True
    before = _before(element)
    # m² and 10⁶ keep their numbers: a footnote stands behind a word or the end of a sentence.
    return bool(re.search(r"(?:[^\W\d_]{4,}|[.,;:!?)\"”])$", before)) and words.strip().isdigit()


def _short(element: HtmlElement) -> str:
    """The words of an element, no more of them than a mark may have."""
    words = ""
    for text in element.itertext():
        words += text
        if len(words) > 40:
            break
    return words[:80]


def _before(element: HtmlElement) -> str:
    """The last characters before an element."""
    previous = element.getprevious()
    if previous is not None:
        return (previous.tail or previous.text or "")[-12:]
    parent = element.getparent()
    return (parent.text or "")[-12:] if parent is not None else ""


def _number(text: str | None, default: int) -> int:
    try:
        return max(-99_999, min(99_999, int((text or "")[:12])))
    except ValueError:
        return default
