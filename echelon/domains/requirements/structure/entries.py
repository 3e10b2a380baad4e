"""Entries: requirements that a document sets apart by an identifier in a repeated form, from one to the next.

The identifier stands in a title ("#### REQ-7 Storage"), in a line of its own ("A_123 - Storage", "R_1SHALL"), in the
title of a small table ("Requirement: R-17") or in a field of a card ("| ID | AW6 |", "| Description | ... |").
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.commands import commanding
from echelon.domains.requirements.structure.entry import LEAST, Entry, Form
from echelon.domains.requirements.structure.entry_cards import ID, find_cards, is_text_field
from echelon.domains.requirements.structure.numbering import opening_mark
from echelon.domains.requirements.structure.roles import binds, informs, is_label, opens_note
from echelon.domains.requirements.structure.sections import shape_of

_KEYWORD = r"(?:MUST\s+NOT|SHALL\s+NOT|MUST|SHALL|SHOULD|MAY|MUSS|SOLLTE|SOLL|KANN)"
_TITLE_LINE = re.compile(
    rf"(?:[A-Z][a-z]+:?\s)?\[?(?P<id>{ID})\]?(?:\s*{_KEYWORD}\s*$|\s*[-–—:]\s+(?P<after>\S.*)|\s+(?P<title>\S.*)|\s*$)",
    re.X | re.S,
)
# An identifier in brackets or braces behind the words of a title ("1.1 Ringing {#BELL003}").
_TITLE_END = re.compile(rf"\S.*\s[\[({{]\#?(?P<id>{ID})[\])}}]\s*$", re.X | re.S)
# A name for links that is an identifier; links to chapters are words in small letters.
_ANCHOR_ID = re.compile(r"[A-Z]{2,}[A-Z0-9._-]*\d+[a-z]?")
# A word in a line of its own that is no word: with a tilde, or with digits and other signs ("req~lock~2").
_TOKEN = re.compile(r"(?=\S*[A-Za-z])(?=\S*\d)[A-Za-z][\w.-]*~[\w.~-]+")
_REQUIRES = re.compile(r"(?:req(?:uirement)?s?|anf(?:orderung)?|rq)(?![A-Za-z])", re.I)
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
# Words in brackets that are no words, or a sign, at the end of an entry: its end mark.
END_MARK = re.compile(r"\s*(?:\[[^\w\s\]]{1,4}\]|(?:^|(?<=\s))[⇐⇦⌫◀◄■□\ue000-\uf8ff])\s*$")
# What says how much an entry counts: "(Level AA)", "(Priorität 2)".
_LEVEL = re.compile(r"[(\[](?:level|stufe|priority|priorität|prio|class|klasse)\s+\w{1,6}[)\]]", re.I)
_NOTHING = re.compile(r"\(?(?:none|keine?|n/a|not\s+applicable|entfällt)\)?\.?", re.I)
_PURE_ATTRIBUTES = re.compile(r"(?:(?:^|\s)[a-z][a-z ]{1,20}:\s?\S.*){2,}$|^:\w+:", re.I)


def find_entries(blocks: Sequence[Block]) -> list[Entry]:
    """The entries of a document in its order, each label once: the first place that has a text.

    A form counts when at least three different labels of one make have it; a single code in a title is a name.
    """
    entries = [*find_cards(blocks), *_sections(blocks), *_levelled(blocks), *_commands(blocks)]
    entries.sort(key=lambda entry: entry.anchor)
    kinds = _usual({(entry.form, entry.label) for entry in entries if entry.body})
    known: dict[str, Entry] = {}
    for entry in entries:
        if entry.body and entry.label not in known and _kind(entry.form, entry.label) in kinds:
            known[entry.label] = entry
    kept = list(known.values())
    attributes = _attribute_names(kept, blocks)
    for entry in kept:
        _drop_attributes(entry, blocks, attributes)
    _take_described(kept, blocks)
    return [entry for entry in kept if entry.body]


def title_label(text: str) -> str | None:
    """The identifier that opens a title or a line of its own, or None."""
    mark = opening_mark(text.strip())
    if mark is not None and mark.style == "code:sign":
        return mark.label
    match = _TITLE_LINE.match(text.strip())
    if match is None or len(text) > 220:
        return None
    return _WORDS_BEFORE.sub("", match["id"])


def names_rules(title: str) -> bool:
    """Whether a title calls what it names a criterion, requirement, rule or the like."""
    return _NAMES_RULES.search(title) is not None


def _usual(found: Iterable[tuple[Form, str]]) -> set[tuple[Form, str]]:
    """The kinds of identifiers that three entries or more have, and rare ones that are built like them: a document
    that numbers WALL_1 to WALL_9 has also GATE_1."""
    found = list(found)
    counts = Counter(_kind(form, label) for form, label in found)
    usual = {kind for kind, count in counts.items() if count >= LEAST}
    built = {(form, _build(label)) for form, label in found if _kind(form, label) in usual} - {(f, "") for f in Form}
    return usual | {_kind(form, label) for form, label in found if (form, _build(label)) in built}


def _build(label: str) -> str:
    """How an identifier ends: `A_#` for WALL_1, GS-A_12 and A_7-02; empty where it has no letters before a number."""
    match = re.fullmatch(r"(?:A#?-)*(A[-_.]#)(?:-#)?", shape_of(label))
    return match[1] if match else ""


def _kind(form: Form, label: str) -> tuple[Form, str]:
    """Where an identifier stands and what its kind has in common. The fields of cards say by themselves what is what."""
    return form, make_of(label) if form in {Form.TITLE, Form.LINE} else ""


def make_of(label: str) -> str:
    """What labels of one document have in common: their first letters, or that they are decimal numbers."""
    letters = re.match(r"[A-Za-z]+", label)
    return letters.group() if letters else "#"


# identifiers in titles and in lines of their own


def _sections(blocks: Sequence[Block]) -> Iterator[Entry]:
    anchors = [(block.index, form, label) for block in blocks for form, label in _anchor(block)]
    kinds = _usual((form, label) for _, form, label in anchors)
    anchors = [anchor for anchor in anchors if (anchor[1], make_of(anchor[2])) in kinds]
    for (index, form, label), (following, _, _) in pairwise([*anchors, (len(blocks), Form.LINE, "")]):
        title = blocks[index].text
        named = _NAMES_RULES.search(title.split(label)[0]) is not None or _LEVEL.search(title) is not None
        named = named or _REQUIRES.match(label) is not None
        entry = Entry(label, form, index, title, named=named)
        _fill(entry, blocks, following)
        yield entry


def _levelled(blocks: Sequence[Block]) -> Iterator[Entry]:
    """Clauses of which most say their level or priority ("1.1.1 Light: ... (Level A)"), each with what stands below it."""
    clauses = [b for b in blocks if b.kind is BlockKind.CLAUSE and b.source_id and not (b.in_table or b.informative)]
    shapes = Counter(shape_of(b.source_id or "") for b in clauses)
    levels = Counter(shape_of(b.source_id or "") for b in clauses if _LEVEL.search(b.text))
    held = [b for b in clauses if levels[s := shape_of(b.source_id or "")] >= max(LEAST, 0.6 * shapes[s])]
    for block, following in pairwise([*held, None]):
        if block is not None:
            entry = Entry(block.source_id or "", Form.LEVEL, block.index, named=True)
            _fill(entry, blocks, following.index if following is not None else len(blocks))
            entry.body.insert(0, block.index)
            yield entry


def _anchor(block: Block) -> Iterator[tuple[Form, str]]:
    if block.in_table:
        return
    text = block.text.strip()
    if block.kind is BlockKind.HEADING:
        label = title_label(text)
        if label and (not _is_section_number(text, label) or _LEVEL.search(text)):
            yield Form.TITLE, label
        elif label is None and block.mark is not None and _LEVEL.search(text):
            yield Form.TITLE, block.mark.label
        elif (behind := _TITLE_END.match(text)) is not None:
            yield Form.TITLE, behind["id"]
        elif _ANCHOR_ID.fullmatch(block.anchor):
            yield Form.TITLE, block.anchor
    elif block.kind is BlockKind.PARAGRAPH and _TOKEN.fullmatch(text):
        yield Form.LINE, text
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
        text = block.text.strip()
        if block.kind is BlockKind.HEADING and block.path[:-1] == blocks[entry.anchor].path and is_label(text):
            # "Criterion" above what binds, "Discussion" above what does not.
            entry.stated = entry.stated or binds(text)
            continue
        if block.kind is BlockKind.HEADING:
            break
        if not text or block.kind in {BlockKind.CAPTION, BlockKind.FOOTNOTE} or _NOTHING.fullmatch(text):
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


def _commands(blocks: Sequence[Block]) -> Iterator[Entry]:
    """Titles that command, each a requirement; what stands below them says why and how."""
    for title, below in commanding(blocks):
        label = title.mark.label if title.mark is not None else ""
        yield Entry(label, Form.COMMAND, title.index, named=True, body=[title.index], cut=below)


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


def _take_described(entries: Sequence[Entry], blocks: Sequence[Block]) -> None:
    """Where three in five entries say what they demand behind a label ("Description: The till prints ..."), the label is no
    text of theirs, and they are requirements by it."""
    labels = {entry.label: _FIELD.match(blocks[entry.body[0]].text) for entry in entries if entry.body}
    described = {label: match for label, match in labels.items() if match and is_text_field(match["name"].lower())}
    if len(described) < max(LEAST, 0.6 * len(entries)):
        return
    for entry in entries:
        if entry.label in described:
            entry.skip, entry.stated = described[entry.label].end(), True


def _is_text_field(name: str) -> bool:
    return is_text_field(name) or binds(name)


def _drop_attributes(entry: Entry, blocks: Sequence[Block], names: frozenset[str]) -> None:
    """Leave out attribute lines, what stands below one, single words such as a level, and lines of attributes alone."""
    kept: list[int] = []
    below: set[int] = set()
    for index in entry.body:
        block = blocks[index]
        if index == entry.anchor:
            kept.append(index)
            continue
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
