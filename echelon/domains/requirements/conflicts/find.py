"""Conflicts: requirements that ask for different numbers of the same thing, or forbid what another one asks for or
allows."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import NamedTuple

from pydantic import Field

from echelon.domains.documents.types import Frozen
from echelon.domains.likeness.words import STOPWORDS, without_ending
from echelon.domains.requirements.conflicts.counted import COUNT, TIME_OF_DAY, counts, times_of_day
from echelon.domains.requirements.conflicts.quantities import Quantity, excludes, quantities
from echelon.domains.requirements.types import Modality, Requirement, Status

SAME_MATTER = 0.7
"""Share of words of content that two requirements must have in common (Dice): the same matter in other numbers."""
SAME_ACT = 0.75
"""The same for what one forbids and the other one asks for or allows."""
TEXTS = 10_000
"""How many texts are kept as they were read: a job asks for its conflicts whenever it looks at its results."""
_LEAST_WORDS = 3
_COMMON = 60
"""A word that more requirements have than this says little about what they are about."""
SAME_COUNT = 0.8
"""The same where the numbers have no unit."""
_CLAUSE_END = re.compile(r"(?:[,;:]|(?<=\w{4})\.)(?=\s)")
_CONDITION = re.compile(r"\s*(?:if|when|whenever|where|unless|falls|wenn|sofern|soweit|sobald)\b", re.I)
_DEPENDENT = re.compile(
    rf"{_CONDITION.pattern}|\s*(?:(?:in|an|auf|mit|für|von|bei|for|of|to|in|with)\s+)?(?:die|der|das|dem|den|denen|deren|dessen|welche[rnms]?|which|who|whose|whom|that)\b",
    re.I,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_LIGHT_WORDS = """shall must should may can will not never least most than more less longer later within binnen innerhalb
    mindestens höchstens spätestens muss müssen soll sollen sollte sollten darf dürfen kann können nicht kein keine keinen
    werden wird allowed permitted prohibited forbidden only nur maximum minimum full each every all jede jeder jedes alle"""
_LIGHT = frozenset(_LIGHT_WORDS.split())


class ConflictKind(StrEnum):
    """In what two requirements conflict."""

    NUMBERS = "numbers"
    TERMS = "terms"


class Side(Frozen):
    """One of the two requirements, with its place and its words."""

    id: str
    key: str = ""
    source_id: str | None = None
    document: str = ""
    where: str = Field(default="", description="'page 6', or section and paragraph")
    quote: str = Field(description="its words, verbatim")
    words: str = Field(description="the words that conflict")


class Conflict(Frozen):
    """Two requirements that cannot both be met as they stand, or of which one tells another number."""

    kind: ConflictKind
    left: Side
    right: Side
    score: float = Field(ge=0, le=1, description="share of words of content in common")

    @property
    def says(self) -> str:
        """One line: both sides with their words and places."""
        return f"{_told(self.left)} against {_told(self.right)}"


class _Text(NamedTuple):
    words: frozenset[str]
    """Those of content, without the amounts"""
    amounts: tuple[Quantity, ...]
    cases: frozenset[tuple[str, float]]
    """Dimension and value of the amounts that say when or of whom it is asked."""


@dataclass(frozen=True, slots=True)
class _Read:
    requirement: Requirement
    words: frozenset[str]
    amounts: tuple[Quantity, ...]
    cases: frozenset[tuple[str, float]]


def find_conflicts(requirements: Sequence[Requirement]) -> list[Conflict]:
    """The conflicts among requirements, in their order, each pair once. What repeats another one is left out.

    Numbers: the same matter (most words of content in common) with another amount of the same dimension, unless one is
    a lower and the other an upper bound with room between. Terms: the same act, forbidden by one and asked for or allowed
    by the other.
    """
    read = [_Read(r, *_text(r.text)) for r in requirements if r.status is Status.ACCEPTED]
    found = [_conflict(read[a], read[b]) for a, b in _near(read)]
    return [conflict for conflict in found if conflict is not None]


def with_conflicts(requirements: Sequence[Requirement], conflicts: Sequence[Conflict]) -> list[Requirement]:
    """The requirements, each with the ids of those that it conflicts with."""
    others: dict[str, list[str]] = defaultdict(list)
    for conflict in conflicts:
        others[conflict.left.id].append(conflict.right.id)
        others[conflict.right.id].append(conflict.left.id)
    return [
        r.model_copy(update={"conflicts_with": tuple(dict.fromkeys(others[r.id]))}) if r.id in others else r
        for r in requirements
    ]


def amounts_in(text: str) -> tuple[Quantity, ...]:
    """The amounts that a text asks for, in order: with units, times of day, and counts of things."""
    return _text(text).amounts


def _all_amounts(text: str) -> list[Quantity]:
    clock = list(times_of_day(text))
    units = [q for q in quantities(text) if not any(c.start < q.end and q.start < c.end for c in clock)]
    return sorted([*clock, *units, *counts(text, [*clock, *units])], key=lambda amount: amount.start)


def _in_condition(text: str, at: int) -> bool:
    """Whether offset `at` stands in a clause that says when or of whom something is asked ("if it is above 25 MB")."""
    start = max((match.end() for match in _CLAUSE_END.finditer(text, 0, at)), default=0)
    pattern = _CONDITION if start == 0 or text[start - 1] != "," else _DEPENDENT
    return pattern.match(text, start) is not None


@functools.lru_cache(maxsize=TEXTS)
def _text(text: str) -> _Text:
    everything = _all_amounts(text)
    amounts = tuple(amount for amount in everything if not _in_condition(text, amount.start))
    rest = text
    for amount in reversed(amounts):
        rest = f"{rest[: amount.start]} {rest[amount.end :]}"
    words = frozenset(
        without_ending(word) for word in map(str.lower, _WORD.findall(rest)) if word not in _LIGHT | STOPWORDS
    )
    return _Text(words, amounts, frozenset((a.dimension, a.value) for a in everything if a not in amounts))


def _near(read: Sequence[_Read]) -> Iterator[tuple[int, int]]:
    """Pairs that share two words which few requirements have."""
    holders: dict[str, list[int]] = defaultdict(list)
    for at, item in enumerate(read):
        for word in item.words:
            holders[word].append(at)
    shared: dict[tuple[int, int], int] = defaultdict(int)
    for places in holders.values():
        if len(places) <= _COMMON:
            for pair in combinations(places, 2):
                shared[pair] += 1
    yield from (pair for pair in sorted(shared) if shared[pair] >= 2)


def _conflict(left: _Read, right: _Read) -> Conflict | None:
    common = len(left.words & right.words)
    score = 2 * common / max(1, len(left.words) + len(right.words))
    if common < _LEAST_WORDS or score < min(SAME_MATTER, SAME_ACT):
        return None
    if left.cases != right.cases or _differ_in_name(left.words ^ right.words, left, right):
        return None
    pair = _amounts_differ(left, right)
    if score >= SAME_ACT and _forbids(left) != _forbids(right) and pair is None and not _limit(left, right):
        return _made(ConflictKind.TERMS, left, right, score, _term(left), _term(right))
    least = SAME_COUNT if pair is not None and _is_bare(pair[0]) else SAME_MATTER
    if score >= least and pair is not None and (_forbids(left) == _forbids(right) or _limit(left, right)):
        return _made(ConflictKind.NUMBERS, left, right, score, pair[0].words, pair[1].words)
    return None


def _amounts_differ(left: _Read, right: _Read) -> tuple[Quantity, Quantity] | None:
    """The one amount of each that cannot both hold; None when they agree, or when several amounts cannot be matched."""
    for dimension in sorted({amount.dimension for amount in left.amounts}):
        ours = [amount for amount in left.amounts if amount.dimension == dimension]
        theirs = [amount for amount in right.amounts if amount.dimension == dimension]
        if len(ours) != len(theirs) or (len(ours) > 1 and dimension != TIME_OF_DAY):
            continue
        for one, other in zip(ours, theirs, strict=True):
            if excludes(one, other):
                return one, other
    return None


def _is_bare(amount: Quantity) -> bool:
    return amount.dimension == TIME_OF_DAY or amount.dimension.startswith(COUNT)


def _limit(left: _Read, right: _Read) -> bool:
    """Whether both set a limit to amounts of one dimension: then "no more than" forbids nothing else."""
    ours = {amount.dimension for amount in left.amounts if amount.bound}
    return any(amount.bound and amount.dimension in ours for amount in right.amounts)


def _differ_in_name(apart: frozenset[str], left: _Read, right: _Read) -> bool:
    """Whether two texts exchange one word of content ("gate" against "door"), or short ones more: they speak of other
    things."""
    own, other = apart & left.words, apart & right.words
    exchanged = len(own) == len(other) == 1
    return exchanged or (bool(own) and bool(other) and min(len(left.words), len(right.words)) <= 5)


def _forbids(read: _Read) -> bool:
    return read.requirement.modality is Modality.PROHIBITION


def _term(read: _Read) -> str:
    return read.requirement.modality.value


def _made(kind: ConflictKind, left: _Read, right: _Read, score: float, ours: str, theirs: str) -> Conflict:
    return Conflict(
        kind=kind,
        left=_side(left.requirement, ours),
        right=_side(right.requirement, theirs),
        score=round(score, 3),
    )


def _side(requirement: Requirement, words: str) -> Side:
    cited = requirement.citations
    return Side(
        id=requirement.id,
        key=requirement.key,
        source_id=requirement.source_id,
        document=cited[0].document if cited else "",
        where=cited[0].where if cited else "",
        quote=" … ".join(citation.quote for citation in cited) or requirement.text,
        words=words,
    )


def _told(side: Side) -> str:
    place = ", ".join(part for part in (side.document, side.where) if part)
    number = f" {side.source_id}" if side.source_id else ""
    return f'"{side.quote}" ({side.id}{number}{"; " if place else ""}{place}: {side.words})'
