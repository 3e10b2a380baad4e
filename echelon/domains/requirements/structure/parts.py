"""Cut a document into parts that an agent works on one at a time."""

from __future__ import annotations

from pydantic import Field

from echelon.domains.documents.types import Document, Frozen
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.build import build_structure

MAX_CHARS = 6000


class Part(Frozen):
    """A part of a document: whole blocks in order. All parts together hold every block once."""

    number: int = Field(ge=1, description="from 1, in document order")
    pages: tuple[int, ...] = Field(description="page numbers, from 1, ascending")
    heading: str = Field(description="heading path at the beginning of the part, ' > ' between levels, may be empty")
    text: str
    first_block: int = Field(ge=0)
    last_block: int = Field(ge=0, description="inclusive")


def split_parts(document: Document, max_chars: int = MAX_CHARS) -> list[Part]:
    """Parts of `document` of at most `max_chars` characters, cut between blocks and preferably before headings.

    A part grows beyond `max_chars` only when a single block is longer. Deterministic.
    Raises ValueError when `max_chars` is below 200.
    """
    if max_chars < 200:
        raise ValueError(f"max_chars must be at least 200, not {max_chars}")
    parts: list[Part] = []
    group: list[Block] = []
    size = 0
    for block in build_structure(document).blocks:
        length = len(_shown(block)) + 1
        if group and _cut_before(block, group, size, length, max_chars):
            parts.append(_part(len(parts) + 1, group))
            group, size = [], 0
        group.append(block)
        size += length
    if group:
        parts.append(_part(len(parts) + 1, group))
    return parts


def _cut_before(block: Block, group: list[Block], size: int, length: int, max_chars: int) -> bool:
    if size + length > max_chars:
        # A heading alone at the end of a part belongs to what follows, unless the part would be only that.
        return True
    return block.kind is BlockKind.HEADING and size > 0.6 * max_chars


def _shown(block: Block) -> str:
    if block.kind is BlockKind.HEADING:
        return f"\n{block.text}"
    label = block.mark.label if block.mark else ""
    return f"{label} {block.text}".strip()


def _part(number: int, group: list[Block]) -> Part:
    return Part(
        number=number,
        pages=tuple(sorted({page for block in group for page in block.pages()})),
        heading=" > ".join(group[0].path),
        text="\n".join(_shown(block) for block in group).strip(),
        first_block=group[0].index,
        last_block=group[-1].index,
    )
