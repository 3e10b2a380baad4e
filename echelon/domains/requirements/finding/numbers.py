"""The number that a requirement has in its document."""

from __future__ import annotations

from echelon.domains.requirements.finding.candidate import LEAD_END, OPEN_END
from echelon.domains.requirements.finding.source import Source
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.entries import names_rules, title_label
from echelon.domains.requirements.structure.numbering import Mark, MarkKind, bare_number, opening_mark
from echelon.domains.requirements.structure.outline import is_law
from echelon.domains.requirements.structure.trailing import make_of, trailing_label

_LONGEST_SECTION = 200  # blocks


def source_id(source: Source, block: Block) -> str | None:
    """The identifier of a block: its own, that of its control with the letters of its list, or that of its section."""
    trailing = trailing_label(block.text)
    coded = block.mark is not None and block.mark.kind in {MarkKind.CODE, MarkKind.SECTION}
    if trailing is not None and make_of(trailing) in source.trailing and not coded:
        return trailing
    if block.kind is BlockKind.CLAUSE:
        return block.source_id
    law = _law_id(source, block)
    if law is not None:
        return law
    control = source.scheme.section_of(block)
    numbered = control or _lone_number(block)
    section = source.profile.labels.get(block.index) or numbered or number_above(block)
    if block.kind is not BlockKind.ITEM or block.mark is None:
        return section
    parent = source.parent(block)
    if (
        control is not None
        and block.mark.style == "integer:()"
        and (parent is None or parent.kind is not BlockKind.ITEM)
    ):
        return f"{control}({block.mark.label})"
    above = source_id(source, parent) if parent is not None else section
    listed = parent is not None and parent.kind is BlockKind.ITEM
    if above is None and not listed and block.mark.kind is MarkKind.INTEGER:
        # The rules of a document that numbers nothing else.
        return block.mark.label.strip("().")
    counted = above is not None and (above != number_above(block) or numbered or not above[0].isdigit())
    if parent is None and block.mark.style == "integer:()" and above is not None and above[0].isdigit():
        return f"{above}({block.mark.label})"
    counted = counted or (_is_unled(parent) and _is_clause_mark(block.mark) and source.binds(block))
    if block.mark.kind is MarkKind.BULLET or not counted:
        return above
    return f"{above} {block.mark.label})"


def _is_unled(parent: Block | None) -> bool:
    """Whether what stands above an item opens no list."""
    if parent is None:
        return True
    text = parent.text.rstrip()
    return parent.kind is not BlockKind.ITEM and LEAD_END.search(text) is None and OPEN_END.search(text) is None


def _is_clause_mark(mark: Mark) -> bool:
    """Whether a mark numbers the clauses of a section that no lead-in opens: "a." or "a)"."""
    return mark.kind is MarkKind.LETTER and "(" not in mark.style


def _law_id(source: Source, block: Block) -> str | None:
    """The identifier of an item of a law, as laws are cited: `§ 2 Abs. 1 Nr. 3`, `Article 2(1)(a)`."""
    title = next((title for title in reversed(block.path) if is_law(title)), None)
    mark = opening_mark(title) if title is not None else _section_of_act(source, block)
    if mark is None:
        return None
    marks = _marks_above(source, block)
    if title is None:
        return mark.label + "".join(f"({part.label})" for part in marks)
    if mark.label.startswith("§") and source.document.language == "en":
        return mark.label + "".join(f"({part.label})" for part in marks or _letter_above(source, block))
    if mark.label.startswith("§"):
        first = max((at for at, part in enumerate(marks) if part.style == "integer:()"), default=0)
        marks = marks[first:]
    if not marks or (mark.label.startswith("§") and marks[0].style != "integer:()"):
        marks = [*_paragraph_above(source, block, mark.label.startswith("§")), *marks]
    if mark.label.startswith("Article"):
        return mark.label + "".join(f"({part.label})" for part in marks)
    paragraph = mark.label.startswith("Art")
    return " ".join((mark.label, *(_part_of_law(part, paragraph and at == 0) for at, part in enumerate(marks))))


def _marks_above(source: Source, block: Block) -> list[Mark]:
    """The marks of the items that a block stands in, its own last."""
    marks: list[Mark] = []
    item: Block | None = block
    while item is not None:
        if item.kind is BlockKind.ITEM and item.mark is not None and item.mark.kind is not MarkKind.BULLET:
            marks.insert(0, item.mark)
        item = source.parent(item)
    return marks


def _section_of_act(source: Source, block: Block) -> Mark | None:
    """The number of the section of an act that a block stands in: "4 Duty to register", with subsections (1), (2)."""
    if not source.is_act or not block.path:
        return None
    mark = opening_mark(block.path[-1]) or bare_number(block.path[-1])
    return mark if mark is not None and mark.kind is MarkKind.INTEGER else None


def _letter_above(source: Source, block: Block) -> list[Mark]:
    """The paragraph "(a)" of its section that a block goes on with."""
    for other in reversed(source.blocks[max(0, block.index - _LONGEST_SECTION) : block.index]):
        if other.path != block.path:
            break
        if other.kind is BlockKind.ITEM and other.parent is None and other.mark is not None:
            return [other.mark]
    return []


def _paragraph_above(source: Source, block: Block, bracketed: bool) -> list[Mark]:
    """The paragraph "(2)" of its section that a block goes on with, below the list of that paragraph; that of an article
    may be "2." as well."""
    for other in reversed(source.blocks[max(0, block.index - _LONGEST_SECTION) : block.index]):
        if other.path != block.path:
            break
        if other.kind is not BlockKind.ITEM or other.mark is None:
            continue
        numbered = not bracketed and other.parent is None and other.mark.kind is MarkKind.INTEGER
        if numbered or other.mark.style == "integer:()":
            return [other.mark]
    return []


def _part_of_law(mark: Mark, paragraph: bool) -> str:
    if mark.kind is MarkKind.INTEGER:
        return f"Abs. {mark.label}" if paragraph or mark.style == "integer:()" else f"Nr. {mark.label}"
    return f"Buchst. {mark.label}"


def _lone_number(block: Block) -> str | None:
    """The number above a block whose title is nothing but that number."""
    mark = opening_mark(block.path[-1]) if block.path else None
    lone = mark is not None and mark.end == len(block.path[-1]) and mark.kind in {MarkKind.CODE, MarkKind.DECIMAL}
    return mark.label if mark is not None and lone else None


def number_above(block: Block) -> str | None:
    """The identifier or number of the nearest title above a block that has one."""
    for title in reversed(block.path):
        label = title_label(title)
        if label is not None and not label[0].isalpha() and not title.startswith(label) and not names_rules(title):
            # "Release 2.0" is a name.
            label = None
        mark = opening_mark(title) or bare_number(title)
        if mark is not None and mark.kind in {MarkKind.CODE, MarkKind.DECIMAL, MarkKind.SECTION}:
            return label if label and label.startswith(mark.label) and mark.kind is MarkKind.CODE else mark.label
        if mark is not None and mark.kind is MarkKind.INTEGER and mark.end < len(title):
            return mark.label
        if label:
            return label
    return None
