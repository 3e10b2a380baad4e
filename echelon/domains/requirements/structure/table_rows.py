"""Rows of a table with separate cells: which cell is the number, which is the requirement."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from echelon.domains.requirements.structure.numbering import MarkKind, opening_mark

_RULE = re.compile(r"\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")
_TEXT_TITLES = re.compile(
    r"(?:[\w-]+\s+){0,3}(?:requirements?|descriptions?|statements?|controls?|text|(?:user\s+)?stor(?:y|ies)|shall\s+statement|\w*anforderung(?:en)?|\w*beschreibung|\w*forderung"
    r"|regelung|pflicht|maßnahme|obligation|rule|duty|what\s+is\s+(?:required|kept))(?:\s*(?:text|statement|specification|description|stext))?",
    re.I,
)
# Columns about requirements elsewhere.
_OTHER_TITLES = re.compile(
    r"(?:related|parent|source|derived|linked|traced?|mapped|see|satisfied|verwandte|zugehörige|übergeordnete)\b", re.I
)
_ID_TITLES = re.compile(
    r"#|(?:lfd\.?|laufende)\s*(?:nr\.?|nummer)|id|no\.?|nr\.?|number|nummer|index|key|ref\.?(?:\s*(?:#|no\.?))?|req\.?\s*(?:id|no\.?)?|\S*-(?:id|nr\.?|nummer)|kennung|identifier|requirement\s+(?:id|no\.?|number)|control\s+id",
    re.I,
)
_REQUIREMENT_TITLE = re.compile(
    r"\brequirements?\b|\bcontrols?\b|\bshall\b|\buser\s+stor(?:y|ies)\b|anforderung|forderung|pflicht|obligation", re.I
)
_MARKUP = re.compile(r"[*`]+|(?<!\w)_|_(?!\w)")
# An identifier alone in its cell: letters and digits without a space, or a number with points.
_CODE_CELL = re.compile(r"[\[/(]?(?=[^\s\d]*[A-Za-z])(?=\S*\d)[A-Za-z][\w.\-/()]{1,38}[\])]?|\d+(?:\.\d+)+")
_LEAST_IDS = 3
_LEAST_WORDS = 3.0


@dataclass(frozen=True, slots=True)
class Columns:
    """Titles of the columns; `text` and `ids` are the positions of the requirement text and of the numbers; `inner`: the
    texts themselves open with their numbers."""

    titles: tuple[str, ...]
    text: int | None
    ids: tuple[int, ...]
    inner: bool = False

    @property
    def holds_requirements(self) -> bool:
        """Whether the title of the text column says that each row is a requirement."""
        return self.text is not None and _REQUIREMENT_TITLE.search(self.titles[self.text]) is not None

    @classmethod
    def of(cls, titles: list[str], rows: Sequence[Sequence[str]] = ()) -> Columns:
        """The columns with these titles; `rows` are the texts of the cells below them, where they are known: then a
        column of identifiers is told by its values, and the requirement is not in a column of identifiers or names."""
        clean = tuple(_MARKUP.sub("", title).strip() for title in titles)
        ids = tuple(i for i, title in enumerate(clean) if _ID_TITLES.fullmatch(title))
        ids = ids or tuple(i for i in range(_width(rows)) if holds_ids([cell_at(row, i) for row in rows]))
        texts = [
            i for i, t in enumerate(clean) if i not in ids and _TEXT_TITLES.fullmatch(t) and not _OTHER_TITLES.match(t)
        ]
        worded = [i for i in texts if not rows or _words(rows, i) >= _LEAST_WORDS]
        numbered = [i for i in range(_width(rows)) if not ids and opens_with_ids([cell_at(row, i) for row in rows])]
        return cls(clean, next(iter(worded or numbered or texts), None), ids, bool(numbered))


def says_requirements(title: str) -> bool:
    """Whether a title says that requirements stand below it."""
    return _REQUIREMENT_TITLE.search(title) is not None and _OTHER_TITLES.match(title) is None


def cell_at(row: Sequence[str], position: int) -> str:
    """The text of a cell, empty where the row is shorter."""
    return row[position].strip() if position < len(row) else ""


def holds_ids(values: Sequence[str]) -> bool:
    """Whether the cells of a column are identifiers of one make, each another one (`O.Use_1`, `LET_02a`)."""
    worded = [_MARKUP.sub("", value).strip() for value in values if value.strip()]
    codes = [value for value in worded if _CODE_CELL.fullmatch(value)]
    makes = {re.sub(r"\d.*", "", value)[:2] for value in codes}
    few = len(makes) <= max(2, len(codes) // 2)
    return len(codes) >= _LEAST_IDS and len(codes) >= 0.6 * len(worded) and len(set(codes)) == len(codes) and few


def opens_with_ids(values: Sequence[str]) -> bool:
    """Whether the cells of a column open with identifiers of one make, each another one ("PW.1.1: Keep the ...")."""
    marks = [opening_mark(text) for value in values if (text := _MARKUP.sub("", value).strip())]
    codes = [mark.label for mark in marks if mark is not None and mark.kind is MarkKind.CODE]
    return len(codes) >= 0.6 * len(marks) and holds_ids(codes)


def _width(rows: Sequence[Sequence[str]]) -> int:
    return max((len(row) for row in rows), default=0)


def _words(rows: Sequence[Sequence[str]], position: int) -> float:
    """How many words the cells of a column have on the mean."""
    counts = [len(text.split()) for row in rows if (text := cell_at(row, position))]
    return sum(counts) / max(1, len(counts))


@dataclass(frozen=True, slots=True)
class TableRow:
    """The requirement cell of a row: `line[start:end]`, and the number of the row."""

    start: int
    end: int
    source_id: str | None

    @classmethod
    def of(cls, line: str, cells: list[tuple[int, int]], columns: Columns) -> TableRow | None:
        """The requirement in the row, or None when no cell has running text."""
        if not cells:
            return None
        position = columns.text
        if position is None or position >= len(cells) or cells[position][1] <= cells[position][0]:
            position = max(range(len(cells)), key=lambda i: (cells[i][1] - cells[i][0], -i))
        start, end = cells[position]
        if len(line[start:end].split()) < 3:
            return None
        return cls(start, end, _source_id(line, cells, columns, position))


def _source_id(line: str, cells: list[tuple[int, int]], columns: Columns, text: int) -> str | None:
    """The number of a row; with two of them the one with letters says more ("MSTG-ARCH-1" beside "1.1")."""
    labels: list[str] = []
    for position, (start, end) in enumerate(cells):
        words = _MARKUP.sub("", line[start:end]).strip()
        if position == text or not words or len(words) > 40:
            continue
        if position in columns.ids or (position < text and _is_number(words)):
            labels.append(words)
    return _most_telling(labels)


def row_label(texts: Iterable[str]) -> str | None:
    """The number of a row among the texts of its cells before the requirement, or None."""
    labels: list[str] = []
    for text in texts:
        words = _MARKUP.sub("", text).strip()
        # A narrow column breaks a code at its hyphens.
        joined = re.sub(r"(?<=[-_.])\s+", "", words)
        if joined.isdigit() or _is_number(joined):
            labels.append(joined.rstrip(".:"))
    return _most_telling(labels)


def _is_number(text: str) -> bool:
    """Whether a cell holds a number of the document and nothing else."""
    mark = opening_mark(text)
    return mark is not None and mark.end == len(text) and mark.kind in {MarkKind.DECIMAL, MarkKind.CODE}


def _most_telling(labels: list[str]) -> str | None:
    lettered = [label for label in labels if re.search(r"[A-Za-z]", label)]
    return next(iter(lettered or labels), None)


def is_rule(text: str) -> bool:
    """Whether a line is the rule below a table header."""
    return "-" in text and _RULE.fullmatch(text) is not None


def split_row(text: str) -> list[tuple[int, int]]:
    """Offsets of the cells of a `| a | b |` row, without white space around them; `\\|` stays inside its cell."""
    bounds = [i for i, c in enumerate(text) if c == "|" and (i == 0 or text[i - 1] != "\\")]
    if bounds and text[bounds[-1] :].strip("| \t"):
        bounds.append(len(text))
    cells: list[tuple[int, int]] = []
    for left, right in pairwise(bounds):
        raw = text[left + 1 : right]
        start = left + 1 + len(raw) - len(raw.lstrip())
        cells.append((start, max(start, left + 1 + len(raw.rstrip()))))
    return cells
