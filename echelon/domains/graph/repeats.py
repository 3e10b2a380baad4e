"""Duplicates and conflicts: requirements that say nearly the same, or forbid what another one asks for or allows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from echelon.domains.graph.stores.port import GraphStore, RelationshipType, Value
from echelon.domains.graph.upsert import RelationshipRow
from echelon.domains.likeness.duplicates import THRESHOLD as DUPLICATE_SIMILARITY
from echelon.domains.likeness.duplicates import repeats
from echelon.domains.likeness.near_text import NearText, exchanges_a_word, near_pairs
from echelon.domains.requirements.types import Modality

CONFLICT_SIMILARITY = 0.85
"""A prohibition and what it forbids rarely have all other words in common: "at any time", "under no circumstances"."""


class Wording(Value):
    """What duplicates and conflicts are told by."""

    text: str
    modality: Modality


class Link(Value):
    """A duplicate or a conflict between two requirements, by key."""

    source: str
    target: str
    score: float = Field(description="similarity of the words, 0 to 1")


class Repeats(Value):
    """What was found, as rows to write."""

    duplicates: tuple[RelationshipRow, ...]
    conflicts: tuple[RelationshipRow, ...]


class Linked:
    """The pairs of requirements that one type of relationship connects already, whatever its direction."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._others: dict[str, set[str]] = defaultdict(set)
        for source, target in pairs:
            self._others[source].add(target)
            self._others[target].add(source)

    def any_between(self, left: Sequence[str], right: Sequence[str]) -> bool:
        """Whether one of `left` is connected with one of `right`."""
        few, many = sorted((left, right), key=len)
        others = set(many)
        return any(not self._others.get(key, set()).isdisjoint(others) for key in few)


def wordings(store: GraphStore) -> dict[str, Wording]:
    """All requirements in the graph, by key and in the order of the keys."""
    rows = store.read(
        "MATCH (n:Requirement) WHERE n.text IS NOT NULL RETURN n.key AS key, n.text AS text, n.modality AS modality "
        "ORDER BY key"
    ).rows
    known = {modality.value for modality in Modality}
    return {
        row["key"]: Wording(text=row["text"], modality=Modality(row["modality"]))
        for row in rows
        if row["modality"] in known
    }


def links(store: GraphStore, name: RelationshipType) -> list[Link]:
    """All relationships of one type between requirements, in the order of their ends."""
    rows = store.read(
        f"MATCH (a:Requirement)-[r:{name}]->(b:Requirement) "
        "RETURN a.key AS source, b.key AS target, r.score AS score ORDER BY source, target"
    ).rows
    return [Link(source=row["source"], target=row["target"], score=row["score"] or 0.0) for row in rows]


def relation(
    left: NearText, left_modality: Modality, right: NearText, right_modality: Modality, score: float
) -> RelationshipType | None:
    """DUPLICATES, CONFLICTS_WITH or nothing, for two texts whose similarity is `score`.

    Texts that differ in what they are about ("Secure" for "HttpOnly") are neither, however long the rest is.
    """
    if score < min(DUPLICATE_SIMILARITY, CONFLICT_SIMILARITY) or exchanges_a_word(left, right):
        return None
    forbids = [modality is Modality.PROHIBITION for modality in (left_modality, right_modality)]
    if forbids[0] != forbids[1]:
        return RelationshipType.CONFLICTS_WITH if score >= CONFLICT_SIMILARITY else None
    same = score >= DUPLICATE_SIMILARITY and repeats(left, left_modality, right, right_modality)
    return RelationshipType.DUPLICATES if same else None


def find_repeats(
    known: Mapping[str, Wording], incoming: Sequence[str], duplicates: Linked, conflicts: Linked
) -> Repeats:
    """Duplicates and conflicts between the requirements of `incoming` and all of `known` (which holds them too).

    Of requirements with the same words, one stands for all: one that was there before, or else the first of `incoming`.
    The others duplicate it; nearly same ones are compared through it alone, so that 1,000 copies of a sentence make 999
    relationships and not 499,500. What `duplicates` and `conflicts` connect already is left as it is.
    """
    order = {key: position for position, key in enumerate(incoming)}
    texts = {key: NearText.of(wording.text) for key, wording in known.items()}
    groups: dict[tuple[NearText, Modality], list[str]] = defaultdict(list)
    for key in sorted(known, key=lambda key: (order.get(key, -1), key)):
        if texts[key].words:
            groups[texts[key], known[key].modality].append(key)
    members = {group[0]: group for group in groups.values()}
    found: dict[RelationshipType, list[RelationshipRow]] = {
        RelationshipType.DUPLICATES: [
            _duplicate(key, first, 1.0)
            for first, group in members.items()
            for key in group[1:]
            if key in order and not duplicates.any_between([key], [other for other in group if other != key])
        ],
        RelationshipType.CONFLICTS_WITH: [],
    }
    news = [first for first, group in members.items() if any(key in order for key in group)]
    threshold = min(DUPLICATE_SIMILARITY, CONFLICT_SIMILARITY)
    for left, right, score in near_pairs({key: texts[key] for key in members}, news, threshold):
        name = relation(texts[left], known[left].modality, texts[right], known[right].modality, score)
        if name is RelationshipType.CONFLICTS_WITH and not conflicts.any_between(members[left], members[right]):
            found[name].append(_conflict_row(left, right, score))
        elif name is RelationshipType.DUPLICATES and not duplicates.any_between(members[left], members[right]):
            earlier, later = sorted((left, right), key=lambda key: (order.get(key, -1), key))
            found[name].append(_duplicate(later, earlier, score))
    return Repeats(
        duplicates=tuple(found[RelationshipType.DUPLICATES]), conflicts=tuple(found[RelationshipType.CONFLICTS_WITH])
    )


def _duplicate(source: str, target: str, score: float) -> RelationshipRow:
    return RelationshipRow(source=source, target=target, properties={"score": round(score, 4)})


def _conflict_row(left: str, right: str, score: float) -> RelationshipRow:
    source, target = sorted((left, right))
    reason = "one forbids what the other asks for or allows"
    return RelationshipRow(source=source, target=target, properties={"score": round(score, 4), "reason": reason})
