"""What a document says beside a requirement: the other columns of its table, the other fields of its card."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from echelon.domains.requirements.structure.blocks import Block
from echelon.domains.requirements.structure.entry import Entry

_LONGEST = 1_000
_MOST = 24
_FIELD = re.compile(r"(?P<name>[A-ZÄÖÜ][\w ()/.-]{1,40}?)\s*:\s+(?P<value>\S.*)", re.S)


def of_row(block: Block, source_id: str | None) -> tuple[tuple[str, str], ...]:
    """Title and text of the other cells of a row, those of its number and empty ones apart."""
    if block.table is None or len(block.table.titles) < 2:
        return ()
    own = {" ".join(block.text.split()), source_id or ""}
    pairs = zip(block.table.titles, block.cells, strict=False)
    found = [(title, cell[:_LONGEST]) for title, cell in pairs if title and cell.strip() and not _is_own(cell, own)]
    return tuple(dict(found).items())[:_MOST]


def of_entry(entry: Entry, blocks: Sequence[Block]) -> tuple[tuple[str, str], ...]:
    """Name and value of the fields of a card, or of the attribute lines below an entry ("Verification: test")."""
    found = dict(_fields(entry, blocks))
    return tuple((name, value[:_LONGEST]) for name, value in found.items() if value.strip("[]() ") != entry.label)[
        :_MOST
    ]


def _fields(entry: Entry, blocks: Sequence[Block]) -> Iterator[tuple[str, str]]:
    for index in entry.cut:
        block = blocks[index]
        if len(block.cells) == 2 and block.table is not None and not any(block.table.titles):
            yield block.cells[0].strip(" :"), block.cells[1]
            continue
        match = _FIELD.fullmatch(block.text.strip())
        if match is not None and len(match["name"].split()) <= 5:
            yield match["name"], match["value"]


def _is_own(cell: str, own: set[str]) -> bool:
    """Whether a cell is the text or the number of the requirement itself."""
    text = " ".join(cell.split())
    return text in own or any(text and len(words) > 20 and words in text for words in own)
