"""Whether the rows of a table are requirements, and which of its rows only name those below them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from echelon.domains.requirements.judging.judge import is_normative
from echelon.domains.requirements.structure.element_parts import inner_number
from echelon.domains.requirements.structure.table_rows import Columns, cell_at, says_requirements

_SENTENCE = 4  # words
_LEAST = 3


def rows_bind(columns: Columns, rows: Sequence[Sequence[str]], language: str, path: Sequence[str]) -> bool:
    """Whether a table with identifiers is one of requirements: most of its texts bind, or they are sentences below a title
    that says requirements. `rows` are the texts of its cells, `path` the titles above it."""
    column = columns.text if columns.text is not None else _wordiest(columns, rows)
    if column is None or not (columns.ids or columns.inner):
        return False
    texts = [text for row in rows if (text := cell_at(row, column))]
    if columns.inner:
        texts = [text[mark.end :].strip() for text in texts if (mark := inner_number(text))]
    bind = sum(is_normative(text, language) for text in texts)
    if path and says_requirements(path[-1]):
        bind = max(bind, sum(text.endswith((".", ";")) and len(text.split()) >= _SENTENCE for text in texts))
    return bind >= _LEAST and bind > 0.6 * len(texts)


def _wordiest(columns: Columns, rows: Sequence[Sequence[str]]) -> int | None:
    """The column with most words, where no title tells which one holds the texts."""
    words: Counter[int] = Counter()
    for row in rows:
        words.update({at: len(text.split()) for at, text in enumerate(row) if at not in columns.ids})
    return words.most_common(1)[0][0] if words else None


def is_chapter(texts: Sequence[str], columns: Columns) -> bool:
    """Whether a row of a requirement table only names those below it: one cell, and not the one of the text."""
    filled = [at for at, text in enumerate(texts) if text]
    return len(texts) > 2 and len(filled) == 1 and filled[0] != columns.text
