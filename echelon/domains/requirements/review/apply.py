"""What a decision on a doubtful place changes: requirements accepted, rejected, split, told apart; quotes stay verbatim."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from echelon.domains.documents.types import Document
from echelon.domains.likeness.words import folded_words
from echelon.domains.requirements import document_files
from echelon.domains.requirements.candidates import Candidate
from echelon.domains.requirements.categories import load_scheme
from echelon.domains.requirements.extract import requirement_of
from echelon.domains.requirements.judging.judge import modality_of
from echelon.domains.requirements.review.ledger import Entry, Standing
from echelon.domains.requirements.review.types import Decision, ReviewItem, Ruling
from echelon.domains.requirements.structure.flow import Span
from echelon.domains.requirements.types import Citation, Modality, Requirement, Reviewed, Status
from echelon.errors import ModelFault

PER_ITEM = 20
"""Numbers for the requirements that the decision on a place makes"""
SURE = 0.8
"""Confidence of what a role took for a requirement."""

SHARED = 4
"""Words in a row that a place and the text that a role names for it have in common, at least."""

Place = tuple[tuple[int, int, int], ...]


def place_of(citations: Sequence[Citation]) -> Place:
    """Where something stands, to be compared."""
    return tuple((c.page or 1, c.start, c.end) for c in citations)


def check_decision(document: Document, item: ReviewItem, decision: Decision) -> None:
    """Raises ModelFault in one sentence for a decision that cannot be carried out."""
    for text in decision.texts:
        if _located(document, item, text) is None:
            raise ModelFault(
                f"{item.id}: the words '{text[:60]}' do not stand on page {item.page} of '{item.document}'; "
                "copy them exactly from its context."
            )
    if decision.ruling is Ruling.SPLIT and len(decision.texts) < 2:
        raise ModelFault(f"{item.id}: a split needs two texts or more, each in the exact words of the document.")
    if decision.ruling is Ruling.DUPLICATE and not (item.taken and item.other):
        raise ModelFault(f"{item.id} names no other requirement that it could repeat; accept or reject it.")
    if decision.ruling is Ruling.CONFLICT and not (item.taken and item.other):
        raise ModelFault(f"{item.id} names no other requirement that it could contradict; accept or reject it.")
    for text in decision.texts:
        if not _share_words(item.text, text):
            raise ModelFault(
                f"{item.id}: the words '{text[:60]}' stand elsewhere; name those of the place itself, between [[ and ]], "
                "or where it begins or ends."
            )


def _share_words(place: str, text: str) -> bool:
    """Whether `text` begins, ends or lies within the place: some words in a row are the same.

    A model that copies the neighbouring sentence would put it where the place stands, and lose the place.
    """
    mine, theirs = folded_words(place), folded_words(text)
    least = min(SHARED, len(mine), len(theirs))
    runs = {mine[i : i + least] for i in range(len(mine) - least + 1)}
    return least > 0 and any(theirs[i : i + least] in runs for i in range(len(theirs) - least + 1))


def _located(document: Document, item: ReviewItem, text: str) -> Span | None:
    for page in dict.fromkeys((item.page, *(c.page or 1 for c in item.citations))):
        found = document_files.locate(document, page, text)
        if found is not None:
            return Span(page, *found)
    return None


def applied(
    document: Document, found: Iterable[Requirement], items: Iterable[ReviewItem], entries: dict[str, Entry]
) -> list[Requirement]:
    """The requirements of a part after the decisions on the places in it, in the order of the document."""
    now = list(found)
    for item in items:
        if item.id in entries:
            now = _One(document, item, entries[item.id]).on(now)
    return now


@dataclass(frozen=True)
class _One:
    """One decided place."""

    document: Document
    item: ReviewItem
    entry: Entry

    def on(self, found: list[Requirement]) -> list[Requirement]:
        """`found` with this decision carried out."""
        decision, place = self.entry.now, place_of(self.item.citations)
        there = next((r for r in found if place_of(r.citations) == place), None)
        if decision.held:
            held = f"{decision.ruling.value}: {decision.reason} / code: {decision.held}"
            note = self._note(for_person=True).model_copy(update={"reason": held})
            return self._changed(
                found, there, {"status": Status.ACCEPTED, "modality": self._by_rule(there), "review": note}
            )
        if self.entry.standing is Standing.FOR_PERSON:
            return self._kept(found, there, self._unsettled())
        match decision.ruling:
            case Ruling.REJECT:
                return self._changed(found, there, {"status": Status.REJECTED, "review": self._note()})
            case Ruling.ACCEPT | Ruling.SPLIT if decision.texts:
                without = self._changed(found, there, {"status": Status.REJECTED, "review": self._note()})
                return _put(without, [self._new(n, text) for n, text in enumerate(decision.texts)])
            case Ruling.ACCEPT | Ruling.SPLIT:
                return self._kept(found, there, self._note())
            case Ruling.DUPLICATE:
                other = place_of(self.item.other_citations)
                first = next((r.id for r in found if place_of(r.citations) == other), None)
                status = Status.DUPLICATE if first else Status.ACCEPTED
                return self._changed(found, there, {"status": status, "duplicate_of": first, "review": self._note()})
            case Ruling.CONFLICT:
                return self._changed(found, there, {"review": self._note(for_person=True)})

    def _kept(self, found: list[Requirement], there: Requirement | None, note: Reviewed) -> list[Requirement]:
        if there is None:
            return _put(found, [self._new(0, None).model_copy(update={"review": note})])
        modality = self.entry.now.modality or there.modality
        return self._changed(found, there, {"status": Status.ACCEPTED, "modality": modality, "review": note})

    def _by_rule(self, there: Requirement | None) -> Modality:
        return self.item.modality or (there.modality if there is not None else Modality.OBLIGATION)

    def _changed(
        self, found: list[Requirement], there: Requirement | None, changes: dict[str, object]
    ) -> list[Requirement]:
        return [r.model_copy(update=changes) if r is there else r for r in found]

    def _new(self, number: int, text: str | None) -> Requirement:
        """A requirement where the rules saw none: the whole place, or the exact words `text` of the document."""
        located = _located(self.document, self.item, text) if text is not None else None
        spans = (located,) if located else tuple(Span(c.page or 1, c.start, c.end) for c in self.item.citations)
        words = " ".join((text if text is not None else self.item.text).split())
        language = self.document.language
        modality = self.entry.now.modality or modality_of(words, language) or self.item.modality
        candidate = Candidate(
            block=self.item.block, text=words, spans=spans, source_id=self.item.source_id,
            modality=modality or Modality.OBLIGATION, confidence=SURE, language=language,
            path=tuple(self.item.section.split(" > ")) if self.item.section else (),
        )  # fmt: skip
        id_ = document_files.DECIDED + PER_ITEM * int(self.item.id.removeprefix("D-")) + number
        built = requirement_of(self.document, id_, candidate, words, load_scheme())
        return built.model_copy(update={"review": self._note()})

    def _note(self, for_person: bool = False) -> Reviewed:
        decision = self.entry.now
        return Reviewed(item=self.item.id, ruling=decision.ruling.value, reason=decision.reason, for_person=for_person)

    def _unsettled(self) -> Reviewed:
        judged = self.entry.judged
        assert judged is not None
        says = f"{self.entry.now.ruling.value}: {self.entry.now.reason} / {judged.ruling.value}: {judged.reason}"
        return Reviewed(item=self.item.id, ruling=self.entry.now.ruling.value, reason=says, for_person=True)


def _put(found: list[Requirement], new: list[Requirement]) -> list[Requirement]:
    """`found` with new requirements in their places in the document."""
    out = list(found)
    for requirement in new:
        at = place_of(requirement.citations)[0]
        after = next((n for n, r in enumerate(out) if place_of(r.citations)[:1] > (at,)), len(out))
        out.insert(after, requirement)
    return out
