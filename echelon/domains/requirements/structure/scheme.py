"""Which numbers of a document number its requirements, and whether the document is a catalogue of them."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass

from echelon.domains.requirements.judging.judge import is_normative
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.numbering import MarkKind, opening_mark
from echelon.domains.requirements.structure.sections import NUMBERED, find_sections, shape_of

_DIGITS = re.compile(r"\d+")
_GONE = (
    r"(?:deleted|moved|withdrawn|removed|merged|deprecated|reserved|intentionally\s+left\s+blank"
    r"|empty|void|entfallen|entfällt|gestrichen|zurückgezogen|leer)"
)
_GONE_TITLE = re.compile(
    r"\W*(?:deleted|withdrawn|removed|deprecated|obsolete|superseded|entfallene?|gestrichene?|zurückgezogene?|gelöschte?)\b",
    re.I,
)
_GONE_NAME = re.compile(rf"\W*{_GONE}\s*(?:\([^)]*\)\s*)*\W*", re.I)
_WITHDRAWN = re.compile(
    rf"\[\s*{_GONE}\b[^\]]*\]?\.?|\(?{_GONE}\)?\s*(?:[.:,(—–-].*)?"
    rf"|(?:this|diese[rs]?)\s+\w+\s+(?:ist|is|was|has\s+been|wurde)\s+{_GONE}\b.{{0,80}}",
    re.I | re.S,
)
_TAG = re.compile(r"^\[[A-Z][A-Z0-9 ,.;:&/-]{2,80}\]\s*")
_APPENDIX = re.compile(r"(?:appendix|annex|anhang|anlage)\b", re.I)
_NORMATIVE = re.compile(r"\(?\bnormativ(?:e)?\b", re.I)
_MODAL = re.compile(
    r"\b(?:shall|must|should|muss|müssen|sollte|sollten|soll|sollen|darf|dürfen|is\s+required|are\s+required)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a document numbers its requirements.

    `shapes` are the forms of those numbers (digits as #), `main` the most frequent one; `catalogue` says that text
    outside of the numbered entries only comments on them. `sections` are the forms of numbered titles below which the
    entries of a control catalogue stand ("AC-1 POLICY AND PROCEDURES", then its statement, then a discussion), `stated` the
    blocks below them in the places that state the controls. `coded` are the forms
    of codes before sentences of which enough bind that the others do as well ("/F20/ The machine gives change.").
    """

    shapes: frozenset[str]
    main: str | None
    catalogue: bool
    sections: frozenset[str] = frozenset()
    stated: frozenset[int] = frozenset()
    coded: frozenset[str] = frozenset()

    def holds(self, block: Block) -> bool:
        """Whether this block is a numbered entry of the scheme.

        The appendix of a catalogue with numbers of its own holds other matter, unless it says that it is normative.
        """
        if block.kind is not BlockKind.CLAUSE or block.source_id is None:
            return False
        shape = shape_of(block.source_id)
        if self.catalogue and shape != self.main and in_appendix(block):
            return False
        return shape in self.shapes

    def states(self, block: Block) -> bool:
        """Whether this block is an entry with a code, a requirement also without a modal word."""
        coded = block.mark is not None and block.mark.kind is MarkKind.CODE and not block.in_table
        return coded and block.source_id is not None and shape_of(block.source_id) in self.coded

    def section_of(self, block: Block) -> str | None:
        """The number of the control that this block states: `AC-2`, or `AC-2(1)` below one of its enhancements."""
        if block.index not in self.stated or block.informative:
            return None
        label = None
        for title in block.path:
            mark = opening_mark(title)
            if mark is not None and mark.kind in NUMBERED and shape_of(mark.label) in self.sections:
                label = mark.label
            elif label is not None and mark is not None and mark.style == "integer:()":
                label = f"{label}({mark.label})"
        return label


def in_appendix(block: Block) -> bool:
    """Whether the block stands in an appendix that does not say that it is normative."""
    return any(_APPENDIX.match(title) and not _NORMATIVE.search(title) for title in block.path)


def is_gone(title: str) -> bool:
    """Whether a title says that what stands below it was deleted ("Deleted Requirements", "DELETED-7 Export")."""
    mark = opening_mark(title)
    if mark is not None and _GONE_NAME.fullmatch(title[mark.end :].strip()):
        return True
    return _GONE_TITLE.match(title) is not None


def is_withdrawn(text: str) -> bool:
    """Whether an entry says that it was deleted or moved."""
    return len(text) < 160 and _WITHDRAWN.fullmatch(text.strip()) is not None


def without_tag(text: str) -> int:
    """Length of a leading tag such as `[ADDED, SPLIT FROM 1.2.3] `, which tells the history of an entry."""
    match = _TAG.match(text)
    return match.end() if match else 0


def find_scheme(blocks: tuple[Block, ...], language: str) -> Scheme:
    """How the document of these blocks numbers its requirements.

    A shape numbers requirements when at least five entries have it and three in five of them bind or stand in a
    requirement table. A catalogue has at least fifteen such entries, and most have a code of their own (REQ-7,
    BES.7.4.2) or command or state without a modal verb.
    """
    entries: dict[str, list[Block]] = defaultdict(list)
    for block in blocks:
        if block.kind is not BlockKind.CLAUSE or not _DIGITS.search(block.source_id or "") or block.informative:
            continue
        if len(block.text) > 15 and not is_withdrawn(block.text):
            entries[shape_of(block.source_id or "")].append(block)
    shapes = {shape for shape, group in entries.items() if _numbers_requirements(group, language)}
    held = [block for shape in sorted(shapes) for block in entries[shape]]
    plain = sum(not _MODAL.search(block.text[:160]) or block.in_table for block in held)
    main = max(sorted(shapes), key=lambda shape: len(entries[shape]), default=None)
    codes = sum(block.mark is not None and block.mark.kind is MarkKind.CODE for block in held)
    catalogue = len(held) >= 15 and (plain > 0.6 * len(held) or codes > 0.6 * len(held))
    sections, stated = find_sections(blocks)
    coded = frozenset(shape for shape in shapes if _states(entries[shape], language))
    return Scheme(frozenset(shapes), main, catalogue or bool(sections), sections, stated, coded)


def _states(group: list[Block], language: str) -> bool:
    """Whether the entries of a form have codes and are sentences, and a third of them or more bind."""
    coded = [b for b in group if b.mark is not None and b.mark.kind is MarkKind.CODE and not b.in_table]
    whole = sum(b.text.rstrip().endswith((".", ";", ":", ")")) for b in coded)
    bind = sum(is_normative(b.text, language) for b in coded)
    return len(coded) >= 2 and whole > 0.6 * len(coded) and 3 * bind >= len(coded)


def _numbers_requirements(group: list[Block], language: str) -> bool:
    normative = sum(block.in_table or is_normative(block.text, language) for block in group)
    if len(group) >= 2 and group[0].mark is not None and group[0].mark.kind is MarkKind.CODE:
        sentences = sum(block.text.rstrip().endswith((".", ";", ":")) for block in group)
        return normative + sentences > 0.6 * len(group)
    return len(group) >= 5 and normative >= 0.6 * len(group)
