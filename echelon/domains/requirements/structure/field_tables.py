"""Tables whose rows are fields of cards, several in a row or a name above its text, and the fields of each row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from echelon.domains.documents.elements import Element, ElementKind, text_of
from echelon.domains.requirements.structure.entry_cards import holds_label
from echelon.domains.requirements.structure.fields import LEAST

_INLINE = re.compile(r"(?P<name>[A-ZÄÖÜ][\w .\-/()#&]{0,38}?)\s*:\s*")
_NAME = re.compile(r"[A-ZÄÖÜ][\w .\-/()#&]{0,38}:?")
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class CellField:
    """A field of a card: its name, and where its value stands: in a cell of the row `at`, from `start` on."""

    name: str
    at: int
    cell: int
    start: int


class FieldTables:
    """The rows of one page that are fields: "ID | UC-01 | Priority | high", "Description: The tram ..." in one cell, or
    "Description" in a row of its own above the text.

    Only where three rows or more give an identifier in such a field, and only by names that three rows or more have, so
    that a table of data is none.
    """

    def __init__(self, text: str, elements: Sequence[Element]) -> None:
        self._rows = [
            [text_of(text, cell) for cell in element.cells] if _is_row(element) else [] for element in elements
        ]
        read = {at: found for at in range(len(elements)) if (found := self._read(at))}
        names = Counter(field.name for found in read.values() for field in found)
        usual = {name for name, count in names.items() if count >= LEAST}
        held = {at: found for at, found in read.items() if all(field.name in usual for field in found)}
        labels = sum(any(holds_label(field.name, self._value(field)) for field in found) for found in held.values())
        self._fields = held if labels >= LEAST else {}

    def covers(self, at: int) -> bool:
        """Whether this element is a row of fields, or the value of the row above."""
        return at in self._fields or (at - 1 in self._fields and any(f.at == at for f in self._fields[at - 1]))

    def fields(self, at: int) -> Iterator[tuple[CellField, bool]]:
        """The fields of a row, and whether each gives the identifier of a card."""
        for field in self._fields.get(at, ()):
            yield field, holds_label(field.name, self._value(field))

    def _value(self, field: CellField) -> str:
        return self._rows[field.at][field.cell][field.start :].strip()

    def _read(self, at: int) -> list[CellField]:
        row = self._rows[at]
        filled = [i for i, text in enumerate(row) if text]
        if len(row) < 2 or not filled:
            return []
        inline = [_INLINE.match(row[i]) for i in filled]
        if all(inline) and all(match.end() < len(row[i]) for match, i in zip(inline, filled, strict=True) if match):
            return [CellField(_plain(m["name"]), at, i, m.end()) for m, i in zip(inline, filled, strict=True) if m]
        if len(row) < 3:
            return []
        if filled == [0, 1] and _is_name(row[0]):
            return [CellField(_plain(row[0]), at, 1, 0)]
        if len(row) % 2 == 0 and all(_is_name(row[i]) for i in range(0, len(row), 2)):
            return [CellField(_plain(row[i]), at, i + 1, 0) for i in range(0, len(row), 2)]
        below = self._rows[at + 1] if at + 1 < len(self._rows) else []
        if filled == [0] and _is_name(row[0]) and len(below) == len(row) and not any(below[1:]) and below[0]:
            return [CellField(_plain(row[0]), at + 1, 0, 0)]
        return []


def _is_row(element: Element) -> bool:
    return element.kind in {ElementKind.ROW, ElementKind.TITLES}


def _is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and len(text.split()) <= _MOST_WORDS


def _plain(name: str) -> str:
    return name.strip(" :").lower()
