"""The doubtful places of a document, the most doubtful first."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from echelon.domains.documents.types import Document
from echelon.domains.likeness.duplicates import repeats
from echelon.domains.likeness.near_text import NearText, near_pairs, same_force
from echelon.domains.requirements.candidates import Candidate, Finder
from echelon.domains.requirements.judging.judge import judge_prose
from echelon.domains.requirements.judging.sentences import split_sentences
from echelon.domains.requirements.review.signs import Around, Beside, Reason, of_left, of_taken, subject_of, together
from echelon.domains.requirements.review.types import Queue, ReviewItem, Sign
from echelon.domains.requirements.structure.blocks import Block, BlockKind
from echelon.domains.requirements.structure.build import DocumentKey
from echelon.domains.requirements.structure.entry import Entry
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.structure.places import cite
from echelon.domains.requirements.structure.profile import Unit
from echelon.domains.requirements.types import Citation, Modality

SHARE = 0.15
"""Places in the queue for each sentence of the document."""
AROUND = 200
"""Characters of context before and after the words of a place."""
NEAR = 0.8
"""Similarity from which two requirements may say the same, or contradict each other."""
SHORTEST = 4
"""Words of a sentence that may bind."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A place before it gets its id."""

    at: int
    text: str
    spans: tuple[Span, ...]
    block: Block
    reasons: tuple[Reason, ...]
    taken: bool
    modality: Modality | None = None
    source_id: str | None = None
    other: Candidate | None = None

    @property
    def chief(self) -> Reason:
        """The strongest reason."""
        return max(self.reasons, key=lambda r: r.weight)


def review_queue(document: Document, unit: Unit | None = None, least: float = 0.5, share: float = SHARE) -> Queue:
    """The queue of `document`: at most `share` times its sentences, and none that no sign speaks for.

    `unit` and `least` are those of the extraction (`ExtractOptions.profile`, `min_confidence`): what stands below
    `least` was left out. Deterministic; a document in a language that is not read has an empty queue.
    """
    return _queued(DocumentKey(document), unit, least, share)


@lru_cache(maxsize=4)
def _queued(key: DocumentKey, unit: Unit | None, least: float, share: float) -> Queue:
    finder = Finder(key.document, unit)
    candidates = list(finder.run())
    looking = _Looking(key.document, finder, [c for c in candidates if c.confidence >= least])
    places = sorted(looking.places(), key=lambda p: (-together(list(p.reasons)), p.at))
    kept = places[: math.ceil(share * looking.sentences)] if finder.foreign is None else []
    items = (looking.item(number, place) for number, place in enumerate(kept, 1))
    return Queue(sentences=looking.sentences, items=tuple(items))


class _Looking:
    """One look over a document and what the rules took of it."""

    def __init__(self, document: Document, finder: Finder, candidates: Sequence[Candidate]) -> None:
        self._document, self._finder, self._candidates = document, finder, candidates
        self._blocks = finder.blocks
        self._entries = {index: entry for entry in finder.profile.entries for index in entry.body}
        self._anchors = {entry.anchor for entry in finder.profile.entries}
        self._cut = {index for entry in finder.profile.entries for index in entry.cut}
        self._covered: dict[int, set[int]] = {}
        for candidate in candidates:
            for span in candidate.spans:
                self._covered.setdefault(span.page, set()).update(range(span.start, span.end))
        self.sentences = sum(len(split_sentences(b.text)) for b in self._blocks if b.kind is not BlockKind.HEADING)

    def places(self) -> Iterator[_Place]:
        """All places that some sign speaks for, in no order that matters."""
        yield from self._taken()
        yield from self._left()

    def item(self, number: int, place: _Place) -> ReviewItem:
        """The place as it is asked about."""
        other = place.other
        return ReviewItem(
            id=f"D-{number:04d}",
            sign=place.chief.sign,
            why="; ".join(r.says for r in _strongest(place.reasons)),
            document=self._document.file,
            block=place.block.index,
            page=place.spans[0].page,
            section=" > ".join(place.block.path) or None,
            text=place.text,
            citations=self._citations(place.spans),
            context=self._context(place.spans),
            taken=place.taken,
            modality=place.modality,
            source_id=place.source_id,
            other=other.text if other is not None else "",
            other_citations=self._citations(other.spans) if other is not None else (),
        )

    def _citations(self, spans: Sequence[Span]) -> tuple[Citation, ...]:
        return tuple(cite(self._document, span) for span in spans)

    def _context(self, spans: Sequence[Span]) -> str:
        """The words around a place, from its last span back to its first where they are near."""
        page, last = spans[-1].page, spans[-1]
        start = min(
            (s.start for s in spans if s.page == page and last.start - s.start < 2 * AROUND), default=last.start
        )
        text = self._document.page(page).text
        return " ".join(text[max(0, start - AROUND) : last.end + AROUND].split())

    def _taken(self) -> Iterator[_Place]:
        usual = statistics.median(len(c.text.split()) for c in self._candidates) if self._candidates else 0.0
        pairs = dict(self._alike())
        for number, candidate in enumerate(self._candidates):
            block = self._blocks[candidate.block]
            entry = self._entries.get(candidate.block)
            beside = Beside(entry, self._before(number), entry is not None and self._follows(entry), usual)
            reasons = list(of_taken(candidate, block, beside))
            other: Candidate | None = None
            if number in pairs:
                other, reason = pairs[number]
                reasons.append(reason)
            if candidate.spans:
                yield _Place(
                    candidate.spans[0].start, candidate.text, candidate.spans, block, tuple(reasons), True,
                    candidate.modality, candidate.source_id, other,
                )  # fmt: skip

    def _follows(self, entry: Entry) -> bool:
        """Whether text that is in no entry's body stands between the text of an entry and the next identifier."""
        after = max(entry.body) + 1
        if after >= len(self._blocks) or after in self._anchors or after in self._entries:
            return False
        block = self._blocks[after]
        return block.kind is not BlockKind.HEADING and not block.in_table

    def _before(self, number: int) -> str:
        """The requirement before one in the same section."""
        if number == 0:
            return ""
        one, before = (self._candidates[n] for n in (number, number - 1))
        return before.text if self._blocks[before.block].path == self._blocks[one.block].path else ""

    def _alike(self) -> Iterator[tuple[int, tuple[Candidate, Reason]]]:
        """The later of two requirements that are near in words, with the earlier one and what may be the matter."""
        whole = {str(n): NearText.of(c.text) for n, c in enumerate(self._candidates)}
        texts = {key: replace(text, numbers=()) for key, text in whole.items()}  # other numbers may be the matter
        for a, b, score in near_pairs(texts, texts, NEAR):
            first, second = sorted((int(a), int(b)))
            one, two = self._candidates[first], self._candidates[second]
            reason = _between(one, two, whole[str(first)], whole[str(second)], score)
            if reason is not None:
                yield second, (one, reason)

    def _left(self) -> Iterator[_Place]:
        """Sentences that are in no requirement; the same words are asked about once, where they stand first."""
        holding, asked = {c.block for c in self._candidates}, set[str]()
        parties = {subject_of(c.text) for c in self._candidates} - {""}
        for block in self._blocks:
            if block.kind is BlockKind.HEADING:
                continue
            between = bool({block.index - 1, block.index} & holding) and bool({block.index, block.index + 1} & holding)
            lead = self._blocks[block.parent].text if block.parent is not None else ""
            for start, end in split_sentences(block.text):
                text = block.text[start:end].strip()
                spans = block.flow.spans(start, end, lambda page: self._document.page(page).text)
                if (len(text.split()) < SHORTEST and not lead) or not spans or self._is_covered(spans):
                    continue
                binds = judge_prose(text, self._finder.language, self._finder.profile.capitals)
                party = subject_of(text) in parties
                around = Around(binds is not None, block.index in self._cut, between, lead, party)
                reasons = tuple(of_left(text, block, around))
                if reasons and text not in asked:
                    asked.add(text)
                    yield _Place(
                        spans[0].start, text, spans, block, reasons, False, binds.modality if binds else None,
                        block.source_id,
                    )  # fmt: skip

    def _is_covered(self, spans: Sequence[Span]) -> bool:
        """Whether half of its letters stand in a requirement."""
        inside = sum(len(self._covered.get(s.page, set()) & set(range(s.start, s.end))) for s in spans)
        return inside * 2 >= sum(s.end - s.start for s in spans)


def _between(one: Candidate, two: Candidate, left: NearText, right: NearText, score: float) -> Reason | None:
    """What may be the matter with two requirements that are near in words."""
    if one.modality is not two.modality or not same_force(left, right):
        return Reason(Sign.CONFLICT, 0.3, "another one is alike and binds otherwise")
    if left.numbers != right.numbers:
        return Reason(Sign.CONFLICT, 0.1, "another one is alike and has other numbers")
    if score < 1 and repeats(left, one.modality, right, two.modality):
        return Reason(Sign.REPETITION, 0.2, "another one is alike")
    return None


def _strongest(reasons: Sequence[Reason]) -> list[Reason]:
    """At most three reasons, the strongest first."""
    return sorted(reasons, key=lambda r: -r.weight)[:3]
