"""What the print of a page says about its lines: paragraphs, emphasis, footnotes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from itertools import pairwise

from echelon.domains.requirements.structure.lines import Line


class Relation(Enum):
    """How a line stands to the one before it."""

    APART = "apart"  # a larger gap or another type size: something new begins
    CLOSE = "close"  # the spacing of one paragraph
    UNKNOWN = "unknown"


_WIDER = 1.22
_LEAST_BLANKS, _MOST_BLANKS = 0.1, 0.8
_FEW_SMALL = 0.05
_SMALL_WORD = re.compile(r"[a-zäöüß]{2,}(?![.)\w])")
_LEAST_GAPS = 0.03


class Print:
    """Type size and line spacing of a document, learnt from its lines."""

    def __init__(self, lines: Sequence[Line]) -> None:
        sizes: Counter[float] = Counter()
        for line in lines:
            if line.layout is not None:
                sizes[line.layout.size] += len(line.text)
        self.body = max(sizes, key=lambda size: (sizes[size], size)) if sizes else 0.0
        self._spacing = _spacings(lines)
        pairs = [(a, b) for a, b in pairwise(lines) if self._gap(a, b) is not None]
        apart = sum(self._is_wide(a, b) for a, b in pairs)
        # Some documents set paragraphs without a gap: then a normal gap says nothing.
        self._gaps_tell = bool(pairs) and apart >= _LEAST_GAPS * len(pairs)
        typed = [line for before, line in pairwise(lines) if _are_typed(before, line)]
        blank = sum(line.apart for line in typed) / max(1, len(typed))
        small = sum(_SMALL_WORD.match(line.text) is not None for line in typed) / max(1, len(typed))
        # Empty lines between paragraphs; not an empty line after each line, which goes on with small letters.
        self.blanks_tell = blank >= _LEAST_BLANKS and (blank <= _MOST_BLANKS or small < _FEW_SMALL)

    @property
    def known(self) -> bool:
        """Whether the document tells anything about its print."""
        return self.body > 0

    def is_emphatic(self, line: Line) -> bool:
        """Whether a whole line is bold or larger than the body text."""
        return line.layout is not None and (line.layout.bold or line.layout.size > 1.08 * self.body)

    def is_small(self, line: Line) -> bool:
        """Whether a line is set smaller than the body text."""
        return line.layout is not None and line.layout.size < 0.95 * self.body

    def relation(self, before: Line, line: Line) -> Relation:
        """How `line` stands to the content line `before` it."""
        if self.blanks_tell and _are_typed(before, line):
            return Relation.APART if line.apart else Relation.CLOSE
        if before.layout is None or line.layout is None or before.page != line.page:
            return Relation.UNKNOWN
        if abs(before.layout.size - line.layout.size) > 0.6:
            return Relation.APART
        if self._gap(before, line) is None:
            return Relation.UNKNOWN
        if self._is_wide(before, line):
            return Relation.APART
        if before.layout.bold != line.layout.bold and line.text[:1].isupper():
            return Relation.UNKNOWN
        return Relation.CLOSE if self._gaps_tell else Relation.UNKNOWN

    @staticmethod
    def _gap(before: Line, line: Line) -> float | None:
        """Distance of the base lines when `line` stands below `before` in the same column, else None."""
        if before.layout is None or line.layout is None or before.page != line.page:
            return None
        gap = before.layout.y - line.layout.y
        return gap if gap > 2 else None

    def _is_wide(self, before: Line, line: Line) -> bool:
        gap = self._gap(before, line)
        if gap is None or line.layout is None:
            return False
        return gap > _WIDER * self._spacing.get(line.layout.size, 1.25 * line.layout.size)


def _are_typed(before: Line, line: Line) -> bool:
    """Whether two lines stand on one sheet of a text that was typed, without print."""
    return before.layout is None and line.layout is None and (before.page, before.sheet) == (line.page, line.sheet)


def _spacings(lines: Sequence[Line]) -> dict[float, float]:
    """The usual distance of base lines for each type size."""
    gaps: dict[float, Counter[float]] = {}
    for before, line in pairwise(lines):
        if before.layout is None or line.layout is None or before.page != line.page:
            continue
        gap = before.layout.y - line.layout.y
        if before.layout.size == line.layout.size and 0.8 * line.layout.size < gap < 2.2 * line.layout.size:
            gaps.setdefault(line.layout.size, Counter())[round(gap, 1)] += 1
    return {size: _line_gap(size, counts) for size, counts in gaps.items()}


def _line_gap(size: float, counts: Counter[float]) -> float:
    """The distance of lines within a paragraph: paragraph gaps can be as frequent in lists and short clauses."""
    single = {gap: count for gap, count in counts.items() if gap <= 1.45 * size and count >= 2}
    if single:
        return max(single, key=lambda gap: (single[gap], -gap))
    often = 0.3 * max(counts.values())
    return min(gap for gap, count in counts.items() if count >= often)
