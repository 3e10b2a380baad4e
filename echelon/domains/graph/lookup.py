"""Looking things up: requirements near to a text, whether one is there already, and entities by name."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from pydantic import Field

from echelon.domains.graph import repeats
from echelon.domains.graph.entities import Entity, known_entities
from echelon.domains.graph.keys import entity_key
from echelon.domains.graph.stores.port import ENTITY_LABELS, GraphStore, Label, RelationshipType, Value
from echelon.domains.likeness.near_text import LIGHT_WORDS, NearText, similarity
from echelon.domains.likeness.words import STOPWORDS
from echelon.domains.requirements.types import Modality
from echelon.domains.search.embeddings import embed
from echelon.domains.search.fusion import reciprocal_rank_fusion

NEAR_NAME = 80.0
"""Out of 100: names below are not offered as near (rapidfuzz token_sort_ratio)."""


class Similar(Value):
    """A requirement that is near to a text."""

    key: str
    requirement_id: str | None
    text: str
    score: float = Field(description="similarity of the words, 0 to 1; see near_text")


class DuplicateVerdict(StrEnum):
    """What a text is to the graph."""

    NEW = "new"
    DUPLICATE = "duplicate"
    CONFLICT = "conflict"


class DuplicateCheck(Value):
    """Whether the graph has a requirement already, and the requirements that say so."""

    verdict: DuplicateVerdict
    matches: tuple[Similar, ...] = ()


class Resolution(Value):
    """An entity found by name, or the nearest names there are."""

    entity: Entity | None
    candidates: tuple[Entity, ...] = ()


def find_similar(store: GraphStore, text: str, *, limit: int = 10) -> list[Similar]:
    """The requirements nearest to `text`: by words, and by meaning when the nodes have vectors (`embed_requirements`).

    Full text and vectors are fused by reciprocal rank, so that a paraphrase is found as well as a quotation.
    """
    vector = embed([text])[0]
    depth = max(50, limit)
    by_words = [hit.key for hit in store.search_text(Label.REQUIREMENT, _content_words(text), depth)]
    by_meaning = (
        [hit.key for hit in store.search_vectors(Label.REQUIREMENT, vector.tolist(), depth)] if vector.any() else []
    )
    best = [key for key, _ in reciprocal_rank_fusion([by_words, by_meaning])[:limit]]
    return _similar(store, text, best)


def embed_requirements(store: GraphStore) -> int:
    """Give each requirement without one a vector (wordllama, 256 numbers), for `find_similar`; how many got one."""
    missing = store.keys_without_vector(Label.REQUIREMENT)
    texts = {key: wording.text for key, wording in repeats.wordings(store).items()}
    keys = [key for key in missing if key in texts]
    vectors = embed([texts[key] for key in keys])
    # A text without words has no direction to compare.
    usable = {key: vectors[row].tolist() for row, key in enumerate(keys) if vectors[row].any()}
    store.store_vectors(Label.REQUIREMENT, usable)
    return len(usable)


def check_duplicates(store: GraphStore, text: str, modality: Modality) -> DuplicateCheck:
    """Whether the graph has this requirement already, or one that it contradicts. Compares with every requirement."""
    asked = NearText.of(text)
    found: dict[RelationshipType, list[str]] = {RelationshipType.DUPLICATES: [], RelationshipType.CONFLICTS_WITH: []}
    for key, wording in repeats.wordings(store).items():
        other = NearText.of(wording.text)
        relation = repeats.relation(asked, modality, other, wording.modality, similarity(asked, other))
        if relation is not None:
            found[relation].append(key)
    for name, verdict in (
        (RelationshipType.DUPLICATES, DuplicateVerdict.DUPLICATE),
        (RelationshipType.CONFLICTS_WITH, DuplicateVerdict.CONFLICT),
    ):
        if found[name]:
            return DuplicateCheck(verdict=verdict, matches=tuple(_similar(store, text, found[name])))
    return DuplicateCheck(verdict=DuplicateVerdict.NEW)


def resolve_business_object(store: GraphStore, name: str) -> Resolution:
    """The business object called `name`; see `resolve_entity`."""
    return resolve_entity(store, name, (Label.BUSINESS_OBJECT,))


def resolve_message(store: GraphStore, name: str) -> Resolution:
    """The message called `name`; see `resolve_entity`."""
    return resolve_entity(store, name, (Label.MESSAGE,))


def resolve_entity(
    store: GraphStore, name: str, labels: Sequence[Label] = ENTITY_LABELS, *, limit: int = 5
) -> Resolution:
    """The entity of one of `labels` called `name` or known by it as an alias; without one, the nearest names."""
    from rapidfuzz import fuzz

    wanted = entity_key(name)
    entities = [entity for entity in known_entities(store) if entity.label in labels]
    for entity in entities:
        if wanted and wanted in {entity.key, *(entity_key(alias) for alias in entity.aliases)}:
            return Resolution(entity=entity)
    scores = [
        max(fuzz.token_sort_ratio(wanted, entity_key(other)) for other in (entity.name, *entity.aliases))
        for entity in entities
    ]
    near = [position for position in range(len(entities)) if scores[position] >= NEAR_NAME]
    near.sort(key=lambda position: (-scores[position], position))
    return Resolution(entity=None, candidates=tuple(entities[position] for position in near[:limit]))


def _similar(store: GraphStore, text: str, keys: Sequence[str]) -> list[Similar]:
    """The requirements with these keys, nearest first."""
    asked = NearText.of(text)
    rows = store.read(
        "MATCH (n:Requirement) WHERE n.key IN $keys "
        "RETURN n.key AS key, n.requirement_id AS requirement_id, n.text AS text",
        {"keys": list(keys)},
    ).rows
    position = {key: place for place, key in enumerate(keys)}
    ordered = sorted(rows, key=lambda row: position[row["key"]])
    return [Similar(**row, score=round(similarity(asked, NearText.of(row["text"])), 4)) for row in ordered]


def _content_words(text: str) -> str:
    """`text` without the words that stand in every other sentence; they would find anything."""
    left_out = LIGHT_WORDS | STOPWORDS
    return " ".join(word for word in text.split() if word.strip(".,;:!?()").casefold() not in left_out)
