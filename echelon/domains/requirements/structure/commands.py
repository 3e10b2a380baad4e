"""Titles that are the requirements themselves: "1.1.1 Ensure the lens is clean", then why, how to look, how to mend."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from echelon.domains.requirements.judging.imperative import imperative
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.numbering import MarkKind
from echelon.domains.requirements.structure.sections import shape_of

LEAST = 4
_LABEL = re.compile(r"[A-ZÄÖÜ][\w /-]{2,40}:?")


def commanding(blocks: Sequence[Block]) -> Iterator[tuple[Block, list[int]]]:
    """Each title that is a requirement, with the blocks that explain it.

    Numbered titles of one form count when four or more of them and three in five command, and the same two labels or
    more stand below three in five: one that only has text below it ("2.1 Install the pump") opens a chapter.
    """
    titles = [b for b in blocks if b.kind is BlockKind.HEADING and b.mark is not None and _is_number(b)]
    sections = {title.index: _below(blocks, title) for title in titles}
    groups: dict[str, list[Block]] = {}
    for title in titles:
        groups.setdefault(shape_of(title.mark.label if title.mark else ""), []).append(title)
    for group in groups.values():
        if _command(group) and _are_explained(blocks, [sections[title.index] for title in group]):
            yield from ((title, sections[title.index]) for title in group if _commands(title))


def _is_number(block: Block) -> bool:
    return block.mark is not None and block.mark.kind in {MarkKind.DECIMAL, MarkKind.CODE} and not block.informative


def _below(blocks: Sequence[Block], title: Block) -> list[int]:
    """The blocks of the section that a title opens."""
    below: list[int] = []
    for block in blocks[title.index + 1 :]:
        if block.path[: len(title.path)] != title.path:
            break
        below.append(block.index)
    return below


def _commands(title: Block) -> bool:
    text = title.text[title.mark.end :].strip() if title.mark is not None else title.text
    return len(text.split()) >= 3 and imperative(text) is not None


def _command(group: Sequence[Block]) -> bool:
    commands = sum(map(_commands, group))
    return commands >= LEAST and commands >= 0.6 * len(group)


def _are_explained(blocks: Sequence[Block], sections: Sequence[list[int]]) -> bool:
    labels = Counter(label for section in sections for label in {_label(blocks[index]) for index in section} - {""})
    return sum(count >= 0.6 * len(sections) for count in labels.values()) >= 2


def _label(block: Block) -> str:
    """A short line that labels what stands below it: a title, or one that is bold or ends with a colon."""
    text = block.text.strip()
    lone = block.kind is BlockKind.HEADING or block.bold or text.endswith(":")
    return text.rstrip(":").lower() if lone and block.mark is None and _LABEL.fullmatch(text) else ""
