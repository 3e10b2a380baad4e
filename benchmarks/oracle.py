"""Somebody who knows the gold list: what is right about each doubtful place of a document.

A set is a document with the texts of its requirements. The oracle sees a place as any reader does, with the page around
it: it accepts what is in the gold list, corrects where a requirement begins and ends when the exact words stand there,
and rejects the rest. What it cannot say in words of the document it leaves as it is.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.extraction import ASVS, SCORER, SHARED, fips, fips_labels
from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import Document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.review.apply import applied, place_of
from echelon.domains.requirements.review.ledger import Entry
from echelon.domains.requirements.review.types import Decision, Queue, ReviewItem, Ruling
from echelon.domains.requirements.types import Requirement, Status

ROOT = Path(__file__).resolve().parents[1]
KNOWLEDGE = ROOT / "knowledge"
WILD = SHARED / "data/wild"
NEAR = 3000
"""Characters before and after a place in which the oracle looks for the words of a requirement that was missed."""
SAME = 85.0
SHORT = 25
"""Letters below which a place is about a requirement only when it stands in it word for word."""
OPENING = 8
"""Words with which a place and a missed requirement both begin where they are about the same, wherever either ends."""


@cache
def scorer() -> Any:
    """The scorer's own functions, so that nothing is matched in another way here."""
    spec = importlib.util.spec_from_file_location("requirement_scorer", SCORER)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class GoldSet:
    """A document with the texts of its requirements; what the rules find, and where they are wrong."""

    name: str
    path: Path
    gold: list[str]
    ids: list[str] = field(default_factory=list)
    document: Document = field(init=False)
    found: list[Requirement] = field(init=False)

    def __post_init__(self) -> None:
        self.document = read_document(self.path)
        self.found = extract_requirements(self.document)
        pairs: list[tuple[int, int]] = scorer().pair_up([r.text for r in self.found], self.gold)
        hit, got = {i for i, _ in pairs}, {j for _, j in pairs}
        self.right = {place_of(self.found[i].citations) for i in hit}
        self.false = [r for n, r in enumerate(self.found) if n not in hit]
        self.missed = [text for n, text in enumerate(self.gold) if n not in got]

    def f1(self, texts: Sequence[str]) -> float:
        """F1 of some texts against the gold list."""
        matched = len(scorer().pair_up(list(texts), self.gold)) if texts else 0
        return 2 * matched / max(1, len(texts) + len(self.gold))

    def held(
        self, queue: Queue, false: Sequence[Requirement] | None = None, missed: Sequence[str] | None = None
    ) -> int:
        """How many of the errors of the rules stand in the queue: a false one by its place, a missed one by its words."""
        places = {place_of(item.citations) for item in queue.items}
        wrong = sum(place_of(r.citations) in places for r in (self.false if false is None else false))
        left = self.missed if missed is None else missed
        return wrong + sum(any(self.words_at(item, text) for item in queue.items) for text in left)

    def knows(self, number: str) -> bool:
        """Whether the gold list has a requirement with this number, or with one that goes on from it."""
        return any(id_.replace(" ", "").startswith(number.replace(" ", "")) for id_ in self.ids)

    def words_at(self, item: ReviewItem, text: str) -> str:
        """The exact words of the document that are `text`, where some of them are those of a place; '' where none are."""
        from rapidfuzz import fuzz

        own, wanted = scorer().normal(item.text), scorer().normal(text)
        alike = fuzz.partial_ratio(own, wanted) if len(own) >= SHORT else 100.0 * (f" {own} " in f" {wanted} ")
        if alike < SAME and own.split()[:OPENING] != wanted.split()[:OPENING]:
            return ""
        page, last = self.document.page(item.page).text, item.citations[-1]
        begin = max(0, item.citations[0].start - NEAR) if item.citations[0].page == last.page else 0
        window = page[begin : last.end + NEAR]
        at = fuzz.partial_ratio_alignment(text, window)
        if at is None:
            return item.text
        words = _whole_words(window, at.dest_start, at.dest_end)
        return words if fuzz.ratio(scorer().normal(words), scorer().normal(text)) >= SAME else item.text

    def oracle(self, queue: Queue) -> dict[str, Decision]:
        """The right decision on each place of the queue, by its id."""
        left = list(self.missed)
        return {item.id: self._decision(item, left) for item in queue.items}

    def _decision(self, item: ReviewItem, left: list[str]) -> Decision:
        if item.taken and place_of(item.citations) in self.right:
            return Decision(id=item.id, ruling=Ruling.ACCEPT, reason="it is in the gold list")
        for text in left:
            words = self.words_at(item, text)
            if words and self.f1([words]) > 0:
                left.remove(text)
                texts = () if " ".join(words.split()) == " ".join(item.text.split()) else (words,)
                return Decision(id=item.id, ruling=Ruling.ACCEPT, texts=texts, reason="its words are in the gold list")
        return Decision(id=item.id, ruling=Ruling.REJECT, reason=f"it is not in the gold list: {item.text[:40]}")

    def after(self, queue: Queue, decisions: dict[str, Decision]) -> list[str]:
        """The texts that are delivered when these decisions are carried out."""
        entries = {id_: Entry(first=d) for id_, d in decisions.items()}
        now = applied(self.document, self.found, queue.items, entries)
        return [r.text for r in now if r.status is not Status.REJECTED]


def _whole_words(text: str, start: int, end: int) -> str:
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end].strip()


def text_sets(names: Sequence[str] = ()) -> Iterator[GoldSet]:
    """The sample policy, ASVS 4 and the sets of `../shared/data/wild`, those that are there."""
    if not names or "policy" in names:
        yield GoldSet(
            "policy",
            KNOWLEDGE / "records-retention-policy.pdf",
            _gold(KNOWLEDGE / "records-retention-policy.gold.json"),
        )
    if ASVS.exists() and (not names or "asvs" in names):
        rows = scorer().read_gold(ASVS.with_suffix(".csv"), "req_id", "req_description")
        yield GoldSet("asvs", ASVS, [text for _, text in rows])
    for folder in sorted(WILD.iterdir()) if WILD.is_dir() else ():
        if (folder / "gold.json").exists() and (not names or folder.name in names):
            path = next(p for p in sorted(folder.iterdir()) if p.name != "gold.json")
            gold = folder / "gold.json"
            yield GoldSet(folder.name, path, _gold(gold), _gold(gold, "id"))


def own_sets() -> Iterator[GoldSet]:
    """The documents of tests/requirements/doubtful."""
    for path in sorted((ROOT / "tests/requirements/doubtful").glob("*.md")):
        rows = path.with_suffix(".gold").read_text(encoding="utf-8").splitlines()
        yield GoldSet(path.stem, path, [row.partition("|")[2].strip() for row in rows])


def _gold(path: Path, key: str = "text") -> list[str]:
    return [row.get(key) or "" for row in json.loads(path.read_text(encoding="utf-8"))]


@dataclass(frozen=True)
class Labelled:
    """FIPS 201-2: sentences with labels; a sentence counts as taken when half of its letters are cited."""

    document: Document
    labels: list[dict[str, Any]]

    @staticmethod
    def read() -> Labelled:
        """Read document and labels. Raises OSError where the document is not there."""
        document = fips()
        return Labelled(document, fips_labels(document))

    def errors(self, taken: dict[int, set[int]]) -> list[dict[str, Any]]:
        """The labels that the rules do not get right."""
        return [x for x in self.labels if self.is_taken(x, taken) != (x["label"] == "requirement")]

    def is_taken(self, label: dict[str, Any], taken: dict[int, set[int]]) -> bool:
        """Whether half of a sentence stands in a requirement."""
        inside = sum(place in taken[label["page"]] for place in label["places"])
        return inside >= 0.5 * len(label["places"])

    def f1(self, taken: dict[int, set[int]]) -> float:
        """F1 on all labels."""
        wanted = sum(x["label"] == "requirement" for x in self.labels)
        found = [x for x in self.labels if self.is_taken(x, taken)]
        return 2 * sum(x["label"] == "requirement" for x in found) / max(1, len(found) + wanted)

    def touches(self, item: ReviewItem, label: dict[str, Any]) -> bool:
        """Whether a place is about a labelled sentence: half of either stands in the other."""
        places = set(label["places"])
        own = {n for c in item.citations if c.page == label["page"] for n in range(c.start, c.end)}
        return len(own & places) * 2 >= min(len(places), max(1, len(own)))

    def decision(self, item: ReviewItem) -> Decision | None:
        """The right decision on a place, None where no label is about it."""
        own = [x for x in self.labels if self.touches(item, x)]
        if not own:
            return None
        is_one = any(x["label"] == "requirement" for x in own)
        return Decision(id=item.id, ruling=Ruling.ACCEPT if is_one else Ruling.REJECT, reason="it is labelled so")
