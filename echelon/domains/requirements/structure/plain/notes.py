"""Footnotes at the foot of a page: a number that the text above refers to."""

from __future__ import annotations

import re

from echelon.domains.documents.types import Page
from echelon.domains.requirements.structure.lines import Line
from echelon.domains.requirements.structure.numbering import Mark, MarkKind, bare_number
from echelon.domains.requirements.structure.plain.state import PlainState

_GLUED = re.compile(r"(\d{1,3})(?=[A-ZÄÖÜ])")


class PlainNotes:
    """Finds the lines that open a footnote, on the state of one pass."""

    def __init__(self, state: PlainState) -> None:
        self._state = state
        self._last = 0

    def opening(self, line: Line, in_notes: bool) -> Mark | None:
        """The number that opens a footnote at `line`, or None. `in_notes`: a footnote stands above on the same page."""
        mark = bare_number(line.text) or _glued_number(line.text)
        if mark is None or not self._is_referred_to(line, mark, in_notes):
            return None
        self._last = int(mark.label)
        return mark

    def _is_referred_to(self, line: Line, mark: Mark, in_notes: bool) -> bool:
        page = self._state.document.page(line.page)
        if self._state.prints.known:
            small = self._state.prints.is_small(line) or in_notes
            own_mark = line.layout is not None and line.start in line.layout.raised
            return small and (own_mark or mark.label in _raised_numbers(page))
        if int(mark.label) != self._last + 1:
            return False
        reference = rf"[^\W\d_][.,;:)\"”’\]]*{mark.label}(?=\s|$|[.,;])"
        return re.search(reference, page.text[: line.start]) is not None


def _glued_number(text: str) -> Mark | None:
    match = _GLUED.match(text)
    return Mark(MarkKind.INTEGER, match[1], match.end(), "integer:bare") if match else None


def _raised_numbers(page: Page) -> set[str]:
    """The numbers of the footnote marks on a page."""
    numbers: list[str] = []
    last = -2
    for offset in sorted(offset for line in page.layout for offset in line.raised):
        if offset == last + 1:
            numbers[-1] += page.text[offset]
        else:
            numbers.append(page.text[offset])
        last = offset
    return set(numbers)
