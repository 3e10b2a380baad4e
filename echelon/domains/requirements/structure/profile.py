"""What the unit of a requirement is in a document: an entry, a control, a numbered clause, a table row or a sentence.

One place decides, and says why; `requirements.profile` of the settings overrides it.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise

from echelon.domains.requirements.judging.judge import has_capital_modal, judge_prose
from echelon.domains.requirements.judging.sentences import split_sentences
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.entries import cut_commentary, find_entries, make_of
from echelon.domains.requirements.structure.entry import LEAST, Entry, Form
from echelon.domains.requirements.structure.scheme import Scheme

SEVERAL = 2.0
"""Sentences that bind below an identifier, on the mean, from which each of them is a requirement."""
MOST = 0.5
"""Share of identifiers above two and more such sentences from which it is so as well, where no end mark says otherwise."""
NO_SCHEME = Scheme(frozenset(), None, False)
_TEXTS = frozenset({BlockKind.CLAUSE, BlockKind.ITEM, BlockKind.ROW, BlockKind.PARAGRAPH})


class Unit(StrEnum):
    """What one requirement is."""

    ENTRIES = "entries"
    CONTROLS = "controls"
    CATALOGUE = "catalogue"
    CLAUSES = "clauses"
    ROWS = "rows"
    SENTENCES = "sentences"


@dataclass(frozen=True, slots=True)
class Profile:
    """How one document states its requirements.

    `capitals`: only modal words in capitals bind. `alone`: text outside of the entries (or of the numbered entries of a
    catalogue) only comments on them. `labels`: the identifier that a block stands below, where identifiers are above
    several requirements.
    `reasons` are short sentences with figures; `certain` is false where another unit was near.
    """

    unit: Unit
    reasons: tuple[str, ...]
    certain: bool = True
    alone: bool = False
    entries: tuple[Entry, ...] = ()
    scheme: Scheme = NO_SCHEME
    capitals: bool = False
    labels: Mapping[int, str] = field(default_factory=dict[int, str])


class Binding:
    """Counts the sentences of blocks that bind; each block is read once."""

    def __init__(self, blocks: Sequence[Block], language: str, capitals: bool) -> None:
        self.blocks, self._language, self._capitals = blocks, language, capitals
        self._counts: dict[int, int] = {}

    def in_block(self, index: int) -> int:
        """How many sentences of this block bind."""
        if index not in self._counts:
            text = self.blocks[index].text
            self._counts[index] = sum(
                judge_prose(text[a:b], self._language, self._capitals) is not None for a, b in split_sentences(text)
            )
        return self._counts[index]

    def total(self, indices: set[int] | None = None) -> int:
        """Binding sentences in these blocks, or in all that may bind."""
        return sum(
            self.in_block(block.index)
            for block in self.blocks
            if self.counts(block) and (indices is None or block.index in indices)
        )

    @staticmethod
    def counts(block: Block) -> bool:
        """Whether a block may bind at all."""
        return block.kind in _TEXTS and not block.informative


def choose_profile(
    blocks: Sequence[Block], language: str, capitals: bool, scheme: Scheme, wanted: Unit | None = None
) -> Profile:
    """The profile of the document of these blocks; `wanted` overrides the choice of the unit.

    Entries are chosen when they hold requirements, one each; a catalogue or entries never silence more sentences that
    bind than they hold.
    """
    if wanted in {None, Unit.ENTRIES}:
        found = [entry for entry in find_entries(blocks) if not _is_chapter(entry, blocks, scheme)]
        if scheme.sections:
            # Controls have such labels as well, and their statements are found in their own way.
            for entry in found:
                entry.stated = False
        written = capitals or _write_capitals(found, blocks)
        binding = Binding(blocks, language, written)
        profile = _by_entries(found, binding, wanted is Unit.ENTRIES)
        if profile is not None and not (wanted is None and _scheme_holds_more(scheme, profile, binding)):
            plain = replace(scheme, catalogue=False, sections=frozenset(), stated=frozenset())
            return replace(profile, scheme=plain, capitals=written)
    binding = Binding(blocks, language, capitals)
    profile = _as_wanted(wanted, scheme) if wanted else _by_scheme(blocks, binding, scheme)
    return replace(profile, capitals=capitals)


def _is_chapter(entry: Entry, blocks: Sequence[Block], scheme: Scheme) -> bool:
    """Whether numbered clauses stand below the identifier: then they are the entries."""
    return any(scheme.holds(blocks[index]) and not blocks[index].in_table for index in entry.body)


def _write_capitals(entries: Sequence[Entry], blocks: Sequence[Block]) -> bool:
    """Whether most entries bind with modal words in capitals: then other text of the document needs them as well."""
    written = sum(any(has_capital_modal(blocks[index].text) for index in entry.body) for entry in entries)
    return written >= LEAST and written > 0.6 * len(entries)


def _scheme_holds_more(scheme: Scheme, profile: Profile, binding: Binding) -> bool:
    """Whether the numbered entries of a catalogue hold more than the entries that titles and the like set apart."""
    if not scheme.catalogue or profile.unit is Unit.SENTENCES:
        return scheme.catalogue
    held = {block.index for block in binding.blocks if _in_catalogue(block, binding.blocks, scheme)}
    return binding.total(held) > binding.total({index for entry in profile.entries for index in entry.body})


def _by_entries(found: Sequence[Entry], binding: Binding, forced: bool) -> Profile | None:
    entries = tuple(
        entry
        for group in _groups(found)
        for entry in _own(group)
        if forced or (_holds(group, binding) and not _is_stray(entry, group, binding))
    )
    if not entries:
        return None
    sizes = [sum(binding.in_block(index) > 0 for index in entry.body) for entry in entries]
    form = entries[0].form.value
    counts = [count for entry in entries if (count := binding.total(set(entry.body)))]
    # A card is one requirement, and entries that need no modal word are not told by the few that have some.
    tells = len(counts) > 0.5 * len(entries) and entries[0].form is not Form.CARD
    several = statistics.mean(counts) if tells else 0.0
    ended = sum(entry.ends for entry in entries) > 0.5 * len(entries)
    often = tells and sum(count > 1 for count in counts) >= MOST * len(counts) >= MOST * LEAST
    if not (forced or ended) and (statistics.median(sizes) >= 2 or several >= SEVERAL or often):
        reason = f"{len(entries)} identifiers in {form}, most above several sentences that bind: each is a requirement"
        labels = {index: entry.label for entry in entries for index in (*entry.body, *entry.cut)}
        return Profile(Unit.SENTENCES, (reason,), certain=several >= 1.25 * SEVERAL, labels=labels)
    if sum(any(binding.in_block(index) for index in entry.body) for entry in entries) > 0.6 * len(entries):
        for entry in entries:
            cut_commentary(entry, binding.blocks, binding.in_block)
    inside = binding.total({index for entry in entries for index in entry.body})
    cut = binding.total({index for entry in entries for index in entry.cut})
    # A summary repeats entries with their identifiers.
    known = {entry.label for entry in entries}
    told = {index for entry in entries for index in (*entry.body, *entry.cut)}
    again = {b.index for b in binding.blocks if b.source_id in known and b.index not in told}
    outside = binding.total() - inside - cut - binding.total(again)
    # Few entries silence only what is a third of them.
    alone = max(inside, len(entries)) >= (outside if len(entries) >= 5 else 3 * outside)
    reasons = [f"{len(entries)} identifiers in {form}, each with its text"]
    if outside:
        what = "left out" if alone else "taken as well"
        reasons.append(f"{outside} sentences that bind stand outside of the entries and are {what}, {inside} inside")
    certain = len(entries) >= 5 and not (alone and outside > 0.5 * max(inside, len(entries)))
    return Profile(Unit.ENTRIES, tuple(reasons), certain, alone, tuple(sorted(entries, key=lambda e: e.anchor)))


def _groups(entries: Sequence[Entry]) -> list[list[Entry]]:
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.form].append(entry)
    return list(groups.values())


def _own(group: Sequence[Entry]) -> list[Entry]:
    """The entries without the chapters above them ("Guideline 1.1" above "Criterion 1.1.1")."""
    return [entry for entry, after in pairwise([*group, None]) if entry is not None and not _heads(entry, after)]


def _heads(entry: Entry, after: Entry | None) -> bool:
    if after is None or not after.label.startswith(f"{entry.label}."):
        return False
    return entry.title.partition(entry.label)[0] != after.title.partition(after.label)[0]


def _is_stray(entry: Entry, group: Sequence[Entry], binding: Binding) -> bool:
    """Whether an entry of a rare kind ("ASM-1" among many "REQ-7") does not bind: it is an assumption or the like."""
    if entry.form not in {Form.TITLE, Form.LINE} or any(binding.in_block(index) for index in entry.body):
        return False
    return sum(make_of(other.label) == make_of(entry.label) for other in group) < LEAST


def _holds(group: Sequence[Entry], binding: Binding) -> bool:
    """Whether the entries of one form are requirements: most bind, or are called criteria, rules or the like."""
    named = sum(entry.named or entry.stated for entry in group)
    bind = sum(any(binding.in_block(index) for index in entry.body) for entry in group)
    return named > 0.6 * len(group) or bind > 0.6 * len(group)


def _as_wanted(wanted: Unit, scheme: Scheme) -> Profile:
    reason = (f"{wanted.value} was asked for",)
    if wanted is Unit.SENTENCES:
        return Profile(wanted, reason)
    if wanted in {Unit.CATALOGUE, Unit.CONTROLS}:
        return Profile(wanted, reason, scheme=replace(scheme, catalogue=True), alone=True)
    return Profile(wanted, reason, scheme=replace(scheme, catalogue=False, sections=frozenset(), stated=frozenset()))


def _by_scheme(blocks: Sequence[Block], binding: Binding, scheme: Scheme) -> Profile:
    held = {block.index for block in blocks if scheme.holds(block)}
    if scheme.catalogue:
        inside = {block.index for block in blocks if _in_catalogue(block, blocks, scheme)}
        bound, outside = binding.total(inside), binding.total() - binding.total(inside)
        # The statement of a control binds without a modal word.
        size = max(bound, len(held), len([index for index in inside if scheme.section_of(blocks[index])]))
        unit = Unit.CONTROLS if scheme.sections else Unit.CATALOGUE
        reason = (
            f"{len(held)} numbered entries like {scheme.main}" if not scheme.sections else "numbered titles of controls"
        )
        if size >= outside:
            return Profile(unit, (reason,), outside <= 0.5 * size, True, scheme=scheme)
        why = f"{outside} sentences that bind stand outside of them, {bound} inside: they are no catalogue"
        plain = replace(scheme, catalogue=False, sections=frozenset(), stated=frozenset())
        return Profile(Unit.SENTENCES, (reason, why), False, scheme=plain)
    rows = sum(block.required for block in blocks)
    outside = binding.total({block.index for block in blocks if not block.required})
    if rows >= 5 and rows >= 2 * outside:
        told = (f"{rows} rows of requirement tables", f"{outside} sentences that bind stand outside of them")
        return Profile(Unit.ROWS, told, alone=True, scheme=scheme)
    if held:
        return Profile(Unit.CLAUSES, (f"{len(held)} numbered clauses like {scheme.main}",), scheme=scheme)
    if rows and rows >= binding.total():
        return Profile(Unit.ROWS, (f"{rows} rows of requirement tables",), scheme=scheme)
    return Profile(Unit.SENTENCES, ("no repeated form of entries: each sentence that binds",), scheme=scheme)


def _in_catalogue(block: Block, blocks: Sequence[Block], scheme: Scheme) -> bool:
    if scheme.section_of(block) or block.required:
        return True
    while block.parent is not None:
        block = blocks[block.parent]
    return scheme.holds(block)
