"""Is a text filled rather than written? One thing said again and again, and names of parts without anything below."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from echelon.tasks.texts.marks import ROW, bare

LEAST = 4
"""Times from which one line, sentence or item is said again and again."""
LEAST_UNITS = 8
"""Sentences or lines, and words of a line, from which a text is filled when few of them differ."""
SHARE = 4
"""One in so many differs in a text that is filled."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_BOLD = re.compile(r"^(?:\*\*[^*\d]{1,60}\*\*|__[^_\d]{1,60}__)\s*:?$")
_LABEL = re.compile(r"^[^\d:|]{2,60}:$")
_NUMBERED = re.compile(
    r"^(?:(?:item|point|entry|bullet|element|thing|text|description|placeholder|punkt|eintrag)\s+(?=\d)|(?=\d+[.)]$))"
    r"(?P<number>\d{1,3})[.):]*$",
    re.IGNORECASE,
)
LABEL_WORDS = 4


def repetition(lines: Sequence[str]) -> str:
    """What lines of prose say again and again, in words that follow the name of the file; '' for a text that goes on."""
    prose = [" ".join(line.casefold().split()) for line in lines if not ROW.match(line) and _has_letters(line)]
    for units in (prose, [s for line in prose for s in _SENTENCE.split(line)]):
        said = Counter(units)
        unit, times = max(said.items(), key=lambda item: item[1], default=("", 0))
        is_filled = len(units) >= LEAST_UNITS and len(said) * SHARE <= len(units)
        if times >= LEAST and (times > len(units) / 2 or is_filled):
            return f"says '{unit[:60]}' {times} times"
    stammered = [line for line in prose if _stammers(line)]
    return f"repeats its words: '{stammered[0][:60]}'" if stammered and len(stammered) * 2 > len(prose) else ""


def _stammers(line: str) -> bool:
    words = [w.strip(".,;:!?") for w in line.split()]
    return len(words) >= LEAST_UNITS and len(set(words)) * SHARE <= len(words)


def names_alone(lines: Sequence[str]) -> bool:
    """Whether all lines are names of parts, in bold or as labels, with nothing below any of them."""
    return len(lines) > 1 and all(
        (_BOLD.match(line) or _LABEL.match(line)) and len(line.split()) <= LABEL_WORDS for line in lines
    )


def numbers_alone(lines: Sequence[str]) -> bool:
    """Whether all lines are numbers of a list, or names that say no more than a number: "1.", "2."; "Item 1", "Item 2"."""
    found = [m for line in lines if line and (m := _NUMBERED.match(line))]
    numbers = [int(m["number"]) for m in found]
    return len(found) == sum(bool(line) for line in lines) > 1 and numbers == list(range(1, len(numbers) + 1))


def repeated_items(items: Sequence[str]) -> str:
    """Items of a list, or rows, that are one and the same; `items` as text."""
    said = Counter(items)
    item, times = max(said.items(), key=lambda pair: pair[1], default=("", 0))
    return f"has one item {times} times: {item[:60]}" if times >= LEAST and times > len(items) / 2 else ""


def same_words(text: str) -> str:
    """A text in one form for all that differ in marks, case, white space and the signs at the ends of words alone."""
    words = (w.strip(".,;:!?\"'()[]*_`„“”‚‘’-–—") for w in bare(text).casefold().split())
    return " ".join(w for w in words if w)


def pieces(text: str) -> list[str]:
    """Each line of a text that says something, and each sentence of a line that has several."""
    parts: list[str] = []
    for line in text.splitlines():
        sentences = _SENTENCE.split(line)
        parts += [line, *sentences] if len(sentences) > 1 else sentences
    return [part for part in parts if same_words(part)]


def _has_letters(line: str) -> bool:
    return any(c.isalpha() for c in line)
