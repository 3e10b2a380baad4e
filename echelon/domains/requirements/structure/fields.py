"""Cards that are written as lines of fields ("ID: F-01", "Description: ...", "Rationale: ..."), one below the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

LEAST = 3
"""Cards, and fields of a card."""
_LONGEST = 60  # lines of one card
_FIELD = re.compile(r"[*_]*(?P<name>[A-ZÄÖÜ][\w.\-/() ]{0,38}?)[*_]*\s*:[*_]*(?:\s+|$)")
_ID_NAME = re.compile(
    r"(?:u?id|nr\.?|no\.?|number|nummer|kennung|identifier|key|(?:[\w-]+[\s-])?(?:id|nr\.?|no\.?|number|nummer|kennung|identifier))",
    re.I,
)
_VALUE = re.compile(r"[\[/]?(?=\S*\d)[A-Za-z0-9][\w.\-/()]{0,38}\]?")


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its name, and where its value stands: from `start` of line `first` to the end of line `last`."""

    name: str
    first: int
    start: int
    last: int


@dataclass(frozen=True, slots=True)
class FieldCard:
    """A card: the lines `first` to `last` (inclusive) are its fields, in order."""

    first: int
    last: int
    fields: tuple[Field, ...]


def find_cards(lines: Sequence[str | None], apart: Callable[[int], bool]) -> list[FieldCard]:
    """The cards among `lines`; None is a line that no card goes over (a title, a table, the end of a text), `apart` says
    whether a line is set apart from the one before it.

    A card begins at a field that names an identifier and goes on while fields follow that other cards have as well; a
    line between them belongs to the field above. Three cards make cards; a single block of fields is a letterhead.
    """
    starts = [at for at, line in enumerate(lines) if _opens(line)]
    if len(starts) < LEAST:
        return []
    ends = [*starts[1:], len(lines)]
    names: Counter[str] = Counter()
    for start, end in zip(starts, ends, strict=True):
        names.update({name for _, name, _ in _fields(lines, start, end)})
    usual = {name for name, count in names.items() if count >= LEAST and count >= 0.3 * len(starts)}
    cards = [_card(lines, start, end, usual, apart) for start, end in zip(starts, ends, strict=True)]
    whole = [card for card in cards if len(card.fields) >= LEAST]
    return whole if len(whole) >= LEAST else []


def _opens(line: str | None) -> bool:
    match = _FIELD.match(line) if line else None
    if line is None or match is None or _ID_NAME.fullmatch(match["name"].strip()) is None:
        return False
    return _VALUE.fullmatch(line[match.end() :].strip(" *_`")) is not None


def _fields(lines: Sequence[str | None], start: int, end: int) -> Iterator[tuple[int, str, int]]:
    """Line, name and offset of the value of each field from `start` on."""
    for at in range(start, min(end, start + _LONGEST)):
        line = lines[at]
        if line is None:
            return
        match = _FIELD.match(line)
        if match is not None:
            yield at, match["name"].strip().lower(), match.end()


def _card(
    lines: Sequence[str | None], start: int, end: int, usual: set[str], apart: Callable[[int], bool]
) -> FieldCard:
    found: list[tuple[int, str, int]] = []
    for at, name, offset in _fields(lines, start, end):
        # A field that only this card has belongs to it while nothing sets it apart.
        if name in usual or not any(apart(other) for other in range(found[-1][0] + 1 if found else at, at + 1)):
            found.append((at, name, offset))
    fields = [
        Field(name, at, offset, after[0] - 1 if after is not None else _last_line(lines, at, end, apart))
        for (at, name, offset), after in zip(found, [*found[1:], None], strict=True)
    ]
    return FieldCard(start, fields[-1].last if fields else start, tuple(fields))


def _last_line(lines: Sequence[str | None], at: int, end: int, apart: Callable[[int], bool]) -> int:
    """The last line of the field that ends a card: up to what is set apart, or a field that no other card has."""
    while at + 1 < end:
        line = lines[at + 1]
        if line is None or apart(at + 1) or _FIELD.match(line):
            break
        at += 1
    return at
