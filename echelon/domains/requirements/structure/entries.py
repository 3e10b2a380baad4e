"""Entries: requirements that a document sets apart by an identifier in a repeated form, from one to the next.

The identifier stands in a title ("#### REQ-7 Storage"), in a line of its own ("A_123 - Storage", "R_1SHALL"), in the
title of a small table ("Requirement: R-17") or in a field of a card ("| ID | AW6 |", "| Description | ... |").
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.roles import binds, informs, opens_note

LEAST = 3
"""A form of identifiers counts from this many entries with a text."""
_ID = r"""(?:
    [A-Z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+){0,6}?[-_.]?\d+(?:\.\d+)*(?:-\d+)?(?:\(\d+\))*(?:[a-z](?![a-z]))?(?:v\d+)?
    |(?:(?:[A-Z][a-z]+\s){1,3})\d+(?:\.\d+)+
    )"""
_KEYWORD = r"(?:MUST\s+NOT|SHALL\s+NOT|MUST|SHALL|SHOULD|MAY|MUSS|SOLLTE|SOLL|KANN)"
_TITLE_LINE = re.compile(
    rf"(?:[A-Z][a-z]+:?\s)?\[?(?P<id>{_ID})\]?(?:\s*{_KEYWORD}\s*$|\s*[-–—:]\s+(?P<after>\S.*)|\s+(?P<title>\S.*)|\s*$)",
    re.X | re.S,
)
_CELL = re.compile(rf"\[?(?P<id>{_ID}|\d{{1,4}})\]?\s*(?:[-–—:]\s+.*)?$", re.X | re.S)
_WORDS_BEFORE = re.compile(r"^(?:[A-Z][a-z]+\s)+")
_FIELD = re.compile(r"(?P<name>[A-ZÄÖÜ][^:;!?\n]{1,80}?)\s*:(?:\s|$)")
_MODAL = re.compile(
    r"\b(?:shall|must|should|may|can|will|is|are|has|have|muss|müssen|soll|sollen|sollte|sollten|darf|dürfen|kann|können|ist|sind|hat|haben)\b",
    re.I,
)
_NAMES_RULES = re.compile(
    r"(?:criterion|criteria|requirement|control|rule|policy|measure|objective|obligation|kriterium|anforderung|maßnahme|regel|vorgabe|prüfschritt)\b",
    re.I,
)
# Words in brackets that are no words, at the end of an entry: its end mark.
END_MARK = re.compile(r"\s*\[[^\w\s\]]{1,4}\]\s*$")
_PURE_ATTRIBUTES = re.compile(r"(?:(?:^|\s)[a-z][a-z ]{1,20}:\s?\S.*){2,}$|^:\w+:", re.I)
_TEXT_FIELDS = (
    re.compile(
        r"(?:requirements?|description|text|statement|anforderung(?:stext)?|beschreibung|forderung|shall\s+statement)",
        re.I,
    ),
    re.compile(r"(?:goal|objective|purpose|ziel|zweck|summary|kurzbeschreibung)", re.I),
)
_ID_FIELDS = re.compile(
    r"#|id|.*[-\s]id|nr\.?|no\.?|number|nummer|kennung|identifier|bezeichnung|name|title|titel|requirement|anforderung|use\s?case|anwendungsfall|key",
    re.I,
)


class Form(StrEnum):
    """Where the identifiers of entries stand."""

    TITLE = "titles"
    LINE = "lines of their own"
    CARD = "fields of cards"


@dataclass(slots=True)
class Entry:
    """One entry. `anchor` is the index of the block with its identifier, `body` those of its text, in order.

    `ends`: it has an end mark. `named`: its title calls it a criterion, requirement, rule or the like. `cut` are blocks
    of its section that were left out as commentary.
    """

    label: str
    form: Form
    anchor: int
    title: str = ""
    named: bool = False
    body: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)
    ends: bool = False


def find_entries(blocks: Sequence[Block]) -> list[Entry]:
    """The entries of a document in its order, each label once: the first place that has a text.

    A form counts when at least three different labels of one make have it; a single code in a title is a name.
    """
    entries = [*_cards(blocks), *_sections(blocks)]
    entries.sort(key=lambda entry: entry.anchor)
    known: dict[str, Entry] = {}
    for entry in entries:
        if entry.body and entry.label not in known:
            known[entry.label] = entry
    counts = Counter((entry.form, _make(entry.label)) for entry in known.values())
    kept = [entry for entry in known.values() if counts[entry.form, _make(entry.label)] >= LEAST]
    attributes = _attribute_names(kept, blocks)
    for entry in kept:
        _drop_attributes(entry, blocks, attributes)
    return [entry for entry in kept if entry.body]


def title_label(text: str) -> str | None:
    """The identifier that opens a title or a line of its own, or None."""
    match = _TITLE_LINE.match(text.strip())
    if match is None or len(text) > 220:
        return None
    return _WORDS_BEFORE.sub("", match["id"])


def _make(label: str) -> str:
    """What labels of one document have in common: their first letters, or that they are decimal numbers."""
    letters = re.match(r"[A-Za-z]+", label)
    return letters.group() if letters else "#"


# identifiers in titles and in lines of their own


def _sections(blocks: Sequence[Block]) -> Iterator[Entry]:
    anchors = [(block.index, form, label) for block in blocks for form, label in _anchor(block)]
    shapes = Counter((form, _make(label)) for _, form, label in anchors)
    anchors = [anchor for anchor in anchors if shapes[anchor[1], _make(anchor[2])] >= LEAST]
    for (index, form, label), (following, _, _) in pairwise([*anchors, (len(blocks), Form.LINE, "")]):
        title = blocks[index].text
        entry = Entry(label, form, index, title, named=_NAMES_RULES.search(title.split(label)[0]) is not None)
        _fill(entry, blocks, following)
        yield entry


def _anchor(block: Block) -> Iterator[tuple[Form, str]]:
    if block.in_table:
        return
    text = block.text.strip()
    if block.kind is BlockKind.HEADING:
        label = title_label(text)
        if label and not _is_section_number(text, label):
            yield Form.TITLE, label
    elif block.kind in {BlockKind.PARAGRAPH, BlockKind.CLAUSE}:
        marked = block.source_id if block.kind is BlockKind.CLAUSE and block.mark is not None else None
        line = f"{marked} - {text}" if marked else text
        label = title_label(line)
        if label and re.search(r"[A-Za-z]", label) and _is_title_line(text):
            yield Form.LINE, marked or label


def _is_section_number(text: str, label: str) -> bool:
    """A bare decimal number before a title numbers a section; with words before it ("Criterion 1.1") an entry."""
    return re.match(r"(?:[A-Z]\.)?\d+(?:\.\d+)*(?:\s|$)", text) is not None and text.startswith(label)


def _is_title_line(text: str) -> bool:
    return not text.endswith((".", ";", ",", "!", "?")) or END_MARK.search(text) is not None


def _fill(entry: Entry, blocks: Sequence[Block], following: int) -> None:
    """Take the blocks up to the next title, identifier or end mark."""
    for block in blocks[entry.anchor + 1 : following]:
        if block.kind is BlockKind.HEADING:
            break
        text = block.text.strip()
        if not text or block.kind in {BlockKind.CAPTION, BlockKind.FOOTNOTE}:
            continue
        if block.kind is BlockKind.NOTE or block.informative or opens_note(text):
            entry.cut.append(block.index)
            continue
        if END_MARK.fullmatch(text):
            entry.ends = True
            break
        entry.body.append(block.index)
        if END_MARK.search(text):
            entry.ends = True
            break


# attributes


def _attribute_names(entries: Sequence[Entry], blocks: Sequence[Block]) -> frozenset[str]:
    """Names before a colon that open a block in three entries or more ("Rationale:", "Last modified:")."""
    seen: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        for index in entry.body:
            match = _FIELD.match(blocks[index].text)
            if match and len(match["name"].split()) <= 12 and not _MODAL.search(match["name"]):
                seen[match["name"].lower()].add(entry.label)
    least = max(LEAST, len(entries) // 10)
    return frozenset(name for name, labels in seen.items() if len(labels) >= least and not _is_text_field(name))


def _is_text_field(name: str) -> bool:
    return any(pattern.fullmatch(name) for pattern in _TEXT_FIELDS) or binds(name)


def _drop_attributes(entry: Entry, blocks: Sequence[Block], names: frozenset[str]) -> None:
    """Leave out attribute lines, what stands below one, single words such as a level, and lines of attributes alone."""
    kept: list[int] = []
    below: set[int] = set()
    for index in entry.body:
        block = blocks[index]
        match = _FIELD.match(block.text)
        is_attribute = match is not None and (match["name"].lower() in names or informs(match["name"]))
        if is_attribute or block.parent in below or _PURE_ATTRIBUTES.match(block.text):
            below.add(index)
            entry.cut.append(index)
        elif kept or len(block.text.split()) > 1:
            kept.append(index)
    entry.body = kept


def cut_commentary(entry: Entry, blocks: Sequence[Block], binds_in: Callable[[int], int]) -> None:
    """Leave out what follows the text that binds, from the first paragraph that does not (`binds_in` counts sentences
    that bind in a block); lists and rows stay with what leads in to them. An end mark says better where it ends."""
    if entry.ends or not any(binds_in(index) for index in entry.body):
        return
    for position, index in enumerate(entry.body):
        before = entry.body[:position]
        block = blocks[index]
        if not any(binds_in(other) for other in before) or binds_in(index):
            continue
        attached = block.kind in {BlockKind.ITEM, BlockKind.ROW} and blocks[before[-1]].text.rstrip()[-1:] != "."
        if not attached and not blocks[before[-1]].text.rstrip().endswith((":", ",")):
            entry.cut += entry.body[position:]
            entry.body = before
            return


# cards


@dataclass(slots=True)
class _Card:
    """Fields of one card with their names, and what follows it in the running text."""

    name: str
    label: str
    anchor: int
    fields: list[tuple[str, int]] = field(default_factory=list)
    following: list[int] = field(default_factory=list)


def _cards(blocks: Sequence[Block]) -> Iterator[Entry]:
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
        if len(cells) == 2 and _ID_FIELDS.fullmatch(_name(cells[0])):
            match = _CELL.match(cells[1].strip())
            if match and len(cells[1]) < 120:
                yield _name(cells[0]), match["id"], in_titles


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
