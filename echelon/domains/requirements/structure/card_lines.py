"""Which elements of a marked-up document are lines of cards, and the pieces of each field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from echelon.domains.documents.elements import Element, ElementKind, Piece, text_of
from echelon.domains.requirements.structure.fields import LEAST, FieldCard, find_cards

_WRITTEN = frozenset({ElementKind.PARAGRAPH, ElementKind.ITEM})
_LINE_END = re.compile(r"\n")
# A page without three of these has no cards, and its lines are not looked at.
_ID_FIELD = re.compile(r"(?:\bu?id|\bnr\.?|\bno\.?|number|nummer|kennung|identifier|\bkey)[*_]*(?:</\w+>)*\s*:", re.I)


class CardLines:
    """The cards among the elements of one page."""

    def __init__(self, text: str, elements: Sequence[Element]) -> None:
        self._lines: list[tuple[int, list[Piece]]] = []
        shown: list[str | None] = []
        for at, element in enumerate(elements if len(_ID_FIELD.findall(text)) >= LEAST else ()):
            lines: list[list[Piece]] = by_lines(text, element.pieces) if element.kind in _WRITTEN else [[]]
            for line in lines:
                self._lines.append((at, line))
                shown.append(text_of(text, line) if element.kind in _WRITTEN else None)
        first = {at: index for index, (at, _) in reversed(list(enumerate(self._lines)))}
        self._first = first
        self._cards = find_cards(shown, lambda index: first[self._lines[index][0]] == index)
        self._covered = {self._lines[at][0] for card in self._cards for at in range(card.first, card.last + 1)}

    def covers(self, element: int) -> bool:
        """Whether a card stands in this element, whole or in part."""
        return element in self._covered

    def before(self, element: int) -> tuple[Piece, ...]:
        """What stands in this element before the first card that begins in it; nothing where a card goes on there."""
        begun = self.begun_in(element)
        if not begun:
            return ()
        lines = self._lines[self._first[element] : begun[0].first]
        inside = any(card.first <= self._first[element] <= card.last for card in self._cards)
        return () if inside else tuple(piece for _, line in lines for piece in line)

    def begun_in(self, element: int) -> list[FieldCard]:
        """The cards whose first line stands in this element."""
        return [card for card in self._cards if self._lines[card.first][0] == element]

    def fields(self, card: FieldCard) -> Iterator[tuple[str, int, tuple[Piece, ...]]]:
        """Name, offset of the value, and pieces of each field."""
        for field in card.fields:
            lines = self._lines[field.first : field.last + 1]
            yield field.name, field.start, tuple(piece for _, line in lines for piece in line)


def by_lines(page: str, pieces: Sequence[Piece]) -> list[list[Piece]]:
    """The pieces of each line; a line end goes with the line that it ends."""
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        if piece.shown is not None:
            lines[-1].append(piece)
            if "\n" in piece.shown:
                lines.append([])
            continue
        at = piece.start
        for end in _LINE_END.finditer(page, piece.start, piece.end):
            lines[-1].append(Piece(start=at, end=end.end()))
            lines.append([])
            at = end.end()
        if at < piece.end:
            lines[-1].append(Piece(start=at, end=piece.end))
    return [line for line in lines if line]
