"""Which lines of a typed text are no prose: grammars, code, figures and tables that are drawn with spaces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from echelon.domains.requirements.judging.judge import is_normative
from echelon.domains.requirements.structure.lines import Line
from echelon.domains.requirements.structure.numbering import opening_mark

_CODE = re.compile(r"::=|:=|\s=/?\s|[{}<>|]|\+-+\+|-->|\\$|^//|^/\*")
_COLUMNS = re.compile(r"(?<![.:])\S\s{3,}\S")
_SHARE = 0.6


def find_drawings(lines: Sequence[Line]) -> frozenset[int]:
    """The lines of groups, between empty lines, that are mostly code or columns and do not end as a sentence does.

    Rows of columns that open with an identifier or a mark, or bind, are a table of requirements and stay.
    """
    return frozenset(at for group in _groups(lines) for at in group if _is_drawing([lines[at] for at in group]))


def _groups(lines: Sequence[Line]) -> Iterator[list[int]]:
    group: list[int] = []
    for at, line in enumerate(lines):
        if line.apart or line.layout is not None or (group and lines[group[-1]].page != line.page):
            yield group
            group = []
        if line.layout is None:
            group.append(at)
    yield group


def _is_drawing(group: Sequence[Line]) -> bool:
    if not group or group[-1].text.endswith((".", ":")) or opening_mark(group[0].text) is not None:
        return False
    return sum(_is_drawn(line.text) for line in group) >= _SHARE * len(group)


def _is_drawn(text: str) -> bool:
    return _CODE.search(text) is not None or (_COLUMNS.search(text) is not None and not is_normative(text, "en"))
