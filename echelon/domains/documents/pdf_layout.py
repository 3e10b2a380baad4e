"""How the lines of a PDF page are printed, gathered while pypdf extracts its text."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

from echelon.domains.documents.types import LineLayout

_BOLD = re.compile(r"bold|black|heavy|demi|CMBX|-Bd|,B", re.I)
_RAISED = 0.85
_NUMBER = re.compile(r"\s*(\d{1,3})")


class _Run(NamedTuple):
    start: int
    text: str
    x: float
    y: float
    size: float
    bold: bool
    upright: bool
    along: tuple[int, int]
    """Where the line runs to: (1, 0) to the right, (0, 1) upwards."""


_ALONG = (1, 0)


class LayoutCollector:
    """Visitor for `extract_text(visitor_text=...)`; it changes nothing in the text that pypdf returns."""

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._length = 0
        self._bold: dict[int, bool] = {}

    def visit(self, text: str, cm: list[float], tm: list[float], font: Any, size: float) -> None:
        """Take one stretch of text with its transformation, text matrix, font and size."""
        if text and not text.isspace():
            x = tm[4] * cm[0] + tm[5] * cm[2] + cm[4]
            y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
            rise_x = tm[2] * cm[0] + tm[3] * cm[2]
            rise_y = tm[2] * cm[1] + tm[3] * cm[3]
            height = (size or 1.0) * (rise_x * rise_x + rise_y * rise_y) ** 0.5
            upright = abs(rise_x) < abs(rise_y)
            along = (1 if rise_y > 0 else -1, 0) if upright else (0, 1 if rise_x < 0 else -1)
            self._runs.append(_Run(self._length, text, x, y, height, self._is_bold(font), upright, along))
        self._length += len(text)

    def _turn_back(self) -> None:
        """Turn all runs when most of the page runs up or down the side, or stands on its head."""
        letters: Counter[tuple[int, int]] = Counter()
        for run in self._runs:
            letters[run.along] += len(run.text)
        along = max(letters, key=lambda way: letters[way], default=_ALONG)
        if along == _ALONG or 2 * letters[along] <= letters.total():
            return
        right, up = along
        self._runs = [
            run._replace(x=run.x * right + run.y * up, y=run.y * right - run.x * up, upright=run.along == along)
            for run in self._runs
        ]

    def _is_bold(self, font: Any) -> bool:
        if font is None:
            return False
        known = self._bold.get(id(font))
        if known is None:
            known = self._bold[id(font)] = _BOLD.search(str(font.get("/BaseFont", ""))) is not None
        return known

    def lines(self, text: str) -> tuple[LineLayout, ...]:
        """The printed lines of the page whose extracted text is `text`; empty when they do not fit together.

        On a page that is turned as a whole, places are told as they are on the page when it is turned back."""
        if self._length != len(text):
            return ()
        self._turn_back()
        groups: dict[int, list[_Run]] = {}
        for run in self._runs:
            offset = 0
            for piece in run.text.split("\n"):
                if piece and not piece.isspace():
                    begin = run.start + offset
                    line_start = text.rfind("\n", 0, begin) + 1
                    groups.setdefault(line_start, []).append(run._replace(start=begin, text=piece))
                offset += len(piece) + 1
        lines = [_line(runs) for _, runs in sorted(groups.items())]
        # Small digits are marks of footnotes only when a line of the page begins with their number (CO2 keeps its 2).
        opening = {match[1] for line in lines if (match := _NUMBER.match(text, line.start))}
        return tuple(line if not line.raised else _with_known_marks(line, text, opening) for line in lines)


def _with_known_marks(line: LineLayout, text: str, numbers: set[str]) -> LineLayout:
    """The line with those small digits that make one of `numbers`."""
    groups: list[list[int]] = []
    for offset in line.raised:
        if groups and groups[-1][-1] == offset - 1:
            groups[-1].append(offset)
        else:
            groups.append([offset])
    kept = [group for group in groups if "".join(text[offset] for offset in group) in numbers]
    return line.model_copy(update={"raised": tuple(offset for group in kept for offset in group)})


def _line(runs: list[_Run]) -> LineLayout:
    sizes: Counter[float] = Counter()
    bold = total = 0
    for run in runs:
        letters = len(run.text.strip())
        sizes[round(run.size, 1)] += letters
        total += letters
        bold += letters if run.bold else 0
    size = max(sizes, key=lambda s: (sizes[s], s))
    first = runs[0]
    skip = len(first.text) - len(first.text.lstrip())
    base = next(run.y for run in runs if round(run.size, 1) == size)
    return LineLayout(
        start=first.start + skip,
        x=round(first.x, 1),
        y=round(base, 1),
        size=size,
        bold=bold > 0.8 * total,
        upright=sum(len(run.text) for run in runs if run.upright) * 2 >= sum(len(run.text) for run in runs),
        raised=tuple(
            run.start + index
            for run in runs
            if run.size <= _RAISED * size and run.text.strip().isdigit() and run.y >= base
            for index, c in enumerate(run.text)
            if c.isdigit()
        ),
    )
