"""Titles of controls: which numbers name controls, and where each control is stated."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.numbering import MarkKind
from echelon.domains.requirements.structure.roles import informs

NUMBERED = frozenset({MarkKind.CODE, MarkKind.DECIMAL})
LEAST = 5
_DIGITS = re.compile(r"\d+")


def shape_of(label: str) -> str:
    """The form of a label: `3.1.12` and `3.2.1` are both `#.#.#`, `AC-2(1)` is `A-#(#)`."""
    return _DIGITS.sub("#", re.sub(r"[A-Za-z]+", "A", label))


@dataclass(slots=True)
class _Place:
    """One place where a numbered title stands, with the blocks below it."""

    label: str
    part: str
    blocks: list[int] = field(default_factory=list)
    states: set[bool] = field(default_factory=set)

    @property
    def whole(self) -> bool:
        """Whether text that binds and a discussion stand below it."""
        return self.states == {True, False}


def find_sections(blocks: Sequence[Block]) -> tuple[frozenset[str], frozenset[int]]:
    """The forms of numbered titles of controls, and the blocks of their statements and discussions.

    A form names controls when at least five titles have it, and three in five have text that binds and below it a label
    that opens a discussion. A control that stands in several places (an example in an introduction, the rows of a
    mapping, notes of an appendix) is stated in the part of the document that states most of them.
    """
    forms: dict[str, list[_Place]] = defaultdict(list)
    for place in _places(blocks):
        forms[shape_of(place.label)].append(place)
    found: set[str] = set()
    stated: set[int] = set()
    for form, places in sorted(forms.items()):
        # A table of contents and the rows of a mapping repeat the titles: each number counts once.
        labels = {place.label for place in places}
        whole = {place.label for place in places if place.whole}
        if len(labels) >= LEAST and len(whole) >= 0.6 * len(labels):
            found.add(form)
            stated.update(index for home in _homes(places) for index in home.blocks)
    return frozenset(found), frozenset(stated)


def _places(blocks: Sequence[Block]) -> list[_Place]:
    places: list[_Place] = []
    for block in blocks:
        if block.kind is BlockKind.HEADING and block.mark is not None and block.mark.kind in NUMBERED:
            places.append(_Place(block.mark.label, block.path[0] if block.path else ""))
        elif places and block.kind is not BlockKind.HEADING:
            places[-1].blocks.append(block.index)
            places[-1].states.add(block.informative and informs(block.path[-1] if block.path else ""))
    return places


def _homes(places: Sequence[_Place]) -> list[_Place]:
    """For each number the place that states it."""
    parts = Counter(place.part for place in places if place.whole)
    homes: dict[str, _Place] = {}
    for place in places:
        best = homes.get(place.label)
        if best is None or (place.whole, parts[place.part]) > (best.whole, parts[best.part]):
            homes[place.label] = place
    return list(homes.values())
