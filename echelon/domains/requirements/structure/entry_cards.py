"""Cards: small tables or lists of fields of which each is one entry, with an identifier in one field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.entry import Entry, Form

ID = r"""(?:
    [A-Z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+){0,6}?[-_.]?\d+(?:\.\d+)*(?:-\d+)?(?:\(\d+\))*(?:[a-z](?![a-z]))?(?:v\d+)?
    |(?:(?:[A-Z][a-z]+\s){1,3})\d+(?:\.\d+)+
    )"""
_CELL = re.compile(rf"\[?(?P<id>{ID}|\d{{1,4}})\]?\s*(?:[-–—:]\s+.*)?$", re.X | re.S)
_ID_FIELDS = re.compile(
    r"#|u?id|.*[-\s](?:#|id|nr\.?|no\.?|nummer|number|kennung)|nr\.?|no\.?|number|nummer|kennung|identifier|bezeichnung|name|title|titel|requirement|anforderung|use\s?case|anwendungsfall|key",
    re.I,
)
_TEXT_FIELDS = (
    re.compile(
        r"(?:requirements?|desc(?:ription)?|text|statement|\w*anforderung(?:s?text|en)?|\w*beschreibung|forderung|(?:shall|requirement)\s+(?:statement|text|description))",
        re.I,
    ),
    re.compile(r"(?:goal|objective|purpose|ziel|zweck|summary|kurzbeschreibung)", re.I),
)


def is_text_field(name: str) -> bool:
    """Whether a field of this name holds what is required."""
    return any(pattern.fullmatch(name) for pattern in _TEXT_FIELDS)


def holds_label(name: str, value: str) -> bool:
    """Whether a field of this name gives the identifier of a card by this value."""
    return _ID_FIELDS.fullmatch(name) is not None and len(value) < 120 and _CELL.match(value) is not None


@dataclass(slots=True)
class _Card:
    """Fields of one card with their names, and what follows it in the running text."""

    name: str
    label: str
    anchor: int
    fields: list[tuple[str, int]] = field(default_factory=list)
    following: list[int] = field(default_factory=list)


def find_cards(blocks: Sequence[Block]) -> Iterator[Entry]:
    """Small tables or lists of fields of which each is one entry: an identifier in one field, the text in another one,
    or in the paragraphs below."""
    names = Counter(name for block in blocks for name, _, _ in _identified(block))
    if not names:
        return
    cards = list(_collect(blocks, names.most_common(1)[0][0]))
    wanted = _text_field(cards)
    for card in cards:
        body = [index for name, index in card.fields if name == wanted] if wanted else card.following
        others = [index for _, index in card.fields if index not in body]
        yield Entry(card.label, Form.CARD, card.anchor, named=True, body=body, cut=others)


def _identified(block: Block) -> Iterator[tuple[str, str, bool]]:
    """Name of the field and identifier that a row holds, itself or in the titles of its table."""
    if block.table is None:
        return
    for cells, in_titles in ((block.table.titles, True), (block.cells, False)):
        if len(cells) == 2 and holds_label(_name(cells[0]), cells[1].strip()):
            match = _CELL.match(cells[1].strip())
            yield _name(cells[0]), match["id"] if match else "", in_titles


def _collect(blocks: Sequence[Block], id_name: str) -> Iterator[_Card]:
    card: _Card | None = None
    table = 0
    for block in blocks:
        found = next(((label, titles) for name, label, titles in _identified(block) if name == id_name), None)
        opens = found is not None and (not found[1] or (block.table is not None and block.table.number != table))
        table = block.table.number if block.table is not None else table
        if block.kind is BlockKind.HEADING or opens:
            if card is not None:
                yield card
            card = _Card(id_name, found[0], block.index) if found is not None and opens else None
        if card is None or block.kind is BlockKind.HEADING:
            continue
        if len(block.cells) == 2 and block.in_table:
            card.fields.append((_name(block.cells[0]), block.index))
        elif not block.informative:
            card.following.append(block.index)
    if card is not None:
        yield card


def _name(cell: str) -> str:
    return cell.strip(" :").lower()


def _text_field(cards: Sequence[_Card]) -> str | None:
    """The name of the field that holds the requirement; None when it stands below the fields."""
    names = Counter(name for card in cards for name in {name for name, _ in card.fields} if name != card.name)
    for pattern in _TEXT_FIELDS:
        for name, _ in names.most_common():
            if pattern.fullmatch(name):
                return name
    if sum(bool(card.following) for card in cards) > 0.6 * len(cards):
        return None
    return next((name for name, _ in names.most_common(1)), None)
