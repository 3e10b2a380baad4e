"""The number that a requirement has in its document."""

from __future__ import annotations

from echelon.domains.requirements.finding.source import Source
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.entries import title_label
from echelon.domains.requirements.structure.numbering import MarkKind, bare_number, opening_mark


def source_id(source: Source, block: Block) -> str | None:
    """The identifier of a block: its own, that of its control with the letters of its list, or that of its section."""
    if block.kind is BlockKind.CLAUSE:
        return block.source_id
    control = source.scheme.section_of(block)
    numbered = control or _lone_number(block)
    section = numbered or number_above(block)
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
    counted = above is not None and (above != number_above(block) or numbered or not above[0].isdigit())
    if block.mark.kind is MarkKind.BULLET or not counted:
        return above
    return f"{above} {block.mark.label})"


def _lone_number(block: Block) -> str | None:
    """The number above a block whose title is nothing but that number."""
    mark = opening_mark(block.path[-1]) if block.path else None
    lone = mark is not None and mark.end == len(block.path[-1]) and mark.kind in {MarkKind.CODE, MarkKind.DECIMAL}
    return mark.label if mark is not None and lone else None


def number_above(block: Block) -> str | None:
    """The identifier or number of the nearest title above a block that has one."""
    for title in reversed(block.path):
        label = title_label(title)
        mark = opening_mark(title) or bare_number(title)
        if mark is not None and mark.kind in {MarkKind.CODE, MarkKind.DECIMAL, MarkKind.SECTION}:
            return label if label and label.startswith(mark.label) and mark.kind is MarkKind.CODE else mark.label
        if mark is not None and mark.kind is MarkKind.INTEGER and mark.end < len(title):
            return mark.label
        if label:
            return label
    return None
