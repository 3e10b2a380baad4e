"""Integration: what a job found becomes part of the graph, once.

Everything is a keyed upsert, and what is looked for (duplicates, conflicts, mentions, fulfilments) is looked for after
the nodes are in, so that a second run of the same job, or of a job that was killed half way, ends in the same graph.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field

from echelon.domains.documents.types import Document
from echelon.domains.graph import nodes, repeats
from echelon.domains.graph.entities import Entity, EntityIndex, discover_entities, known_entities
from echelon.domains.graph.fulfilment import Relevance, find_fulfilments, judge_relevance
from echelon.domains.graph.stores.port import ENTITY_LABELS, GraphError, GraphStore, Label, RelationshipType, Value
from echelon.domains.graph.upsert import NodeRow, RelationshipRow, upsert_nodes, upsert_relationships
from echelon.domains.requirements.types import Requirement, Status

_NOT_INTEGRATED = {
    Status.REJECTED: "it was rejected",
    Status.CANDIDATE: "it is a candidate only, not accepted yet",
}


class Refusal(Value):
    """A requirement that was not integrated."""

    requirement_id: str
    reason: str


class IntegrationReport(Value):
    """What an integration did and what it found. Links are by key; `keys` maps the job's requirement ids to keys."""

    requirements: int = Field(description="requirements of the job that are in the graph now")
    nodes_created: int
    relationships_created: int
    created: dict[str, int] = Field(description="new nodes and relationships by label and type; only those above 0")
    keys: dict[str, str]
    refused: tuple[Refusal, ...] = ()
    duplicates: tuple[repeats.Link, ...] = Field(default=(), description="all that touch the job's requirements")
    conflicts: tuple[repeats.Link, ...] = Field(default=(), description="all that touch the job's requirements")
    relevance: dict[Relevance, int] = Field(default_factory=dict)
    mentions: int = Field(default=0, description="pairs of requirement and entity that were found")
    fulfilments: int = Field(default=0, description="pairs of requirement and entity whose capability covers it")


def integrate(
    store: GraphStore,
    requirements: Sequence[Requirement],
    documents: Sequence[Document],
    *,
    entities: Sequence[Entity] = (),
) -> IntegrationReport:
    """Put a job's requirements into the graph, with their documents, sections, entities and links.

    `entities` are business objects, messages and systems that are known to exist; those in the graph and those that the
    requirements' own subjects and objects name are added to them. `Metamodel.prepare(store)` comes first, once a graph.
    Refused with a reason: a requirement that is rejected or a candidate, that cites nothing, or whose quote does not
    stand where its citation says. Raises GraphError when two documents have one name, and what the database raises.
    """
    by_name = {document.file: document for document in documents}
    if len({document.sha256 for document in documents}) != len(by_name):
        raise GraphError("two documents of the job have one name; rename one")
    refused = [(requirement, _objection(requirement, by_name)) for requirement in requirements]
    accepted = [requirement for requirement, reason in refused if reason is None]
    keyed: dict[str, Requirement] = {}
    for requirement in accepted:
        keyed.setdefault(nodes.key_of(requirement, by_name), requirement)
    writer = _Writer(store)
    index = _write_entities(writer, store, accepted, entities)
    mentioned = {key: index.mentions(requirement.text) for key, requirement in keyed.items()}
    relevance = {key: judge_relevance(keyed[key], mentioned[key]).relevance for key in keyed}
    _write_structure(writer, keyed, by_name, relevance)
    mentions = _write_mentions(writer, mentioned)
    fulfilments = _write_fulfilments(writer, store, keyed, list(index.entities.values()))
    _write_repeats(writer, store, list(keyed))
    store.flush()
    return IntegrationReport(
        requirements=len(keyed),
        nodes_created=sum(writer.nodes.values()),
        relationships_created=sum(writer.relationships.values()),
        created={name: count for name, count in sorted((writer.nodes + writer.relationships).items()) if count},
        keys={requirement.id: nodes.key_of(requirement, by_name) for requirement in accepted},
        refused=tuple(Refusal(requirement_id=item.id, reason=reason) for item, reason in refused if reason is not None),
        duplicates=_touching(store, RelationshipType.DUPLICATES, keyed),
        conflicts=_touching(store, RelationshipType.CONFLICTS_WITH, keyed),
        relevance={level: count for level in Relevance if (count := list(relevance.values()).count(level))},
        mentions=mentions,
        fulfilments=fulfilments,
    )


class _Writer:
    """Upserts, and counts what they created."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self.nodes: Counter[str] = Counter()
        self.relationships: Counter[str] = Counter()

    def write(self, label: Label, rows: Sequence[NodeRow]) -> None:
        self.nodes[label.value] += upsert_nodes(self._store, label, rows).nodes_created

    def connect(self, name: RelationshipType, source: Label, target: Label, rows: Sequence[RelationshipRow]) -> None:
        done = upsert_relationships(self._store, name, source, target, rows)
        self.relationships[name.value] += done.relationships_created


def _objection(requirement: Requirement, documents: Mapping[str, Document]) -> str | None:
    """Why the requirement may not be integrated; None when it may."""
    if requirement.status in _NOT_INTEGRATED:
        return _NOT_INTEGRATED[requirement.status]
    if not requirement.citations:
        return "it cites no document"
    for citation in requirement.citations:
        document = documents.get(citation.document)
        if document is None:
            return f"it cites {citation.document}, which is not among the documents of the job"
        if (citation.page or 1) > len(document.pages):
            return f"it cites page {citation.page} of {citation.document}, which has {len(document.pages)}"
        if document.page(citation.page).text[citation.start : citation.end] != citation.quote:
            return f"its quote does not stand at {citation.where or 'that place'} of {citation.document}"
    return None


def _write_entities(
    writer: _Writer, store: GraphStore, requirements: Sequence[Requirement], given: Sequence[Entity]
) -> EntityIndex:
    """Write the given and the discovered entities; the index of them and of all that were in the graph."""
    known = known_entities(store)
    there = {(entity.label, entity.key) for entity in known}
    stated = [entity for entity in given if entity.key]
    there |= {(entity.label, entity.key) for entity in stated}
    named = {key for _, key in there}
    # What is known under one label is not made again under another one because of its head noun.
    found = [entity for entity in discover_entities(requirements) if entity.key not in named]
    for label in ENTITY_LABELS:
        writer.write(label, [nodes.entity_row(entity) for entity in (*stated, *found) if entity.label is label])
    return EntityIndex((*stated, *found, *known))


def _write_structure(
    writer: _Writer,
    keyed: Mapping[str, Requirement],
    documents: Mapping[str, Document],
    relevance: Mapping[str, Relevance],
) -> None:
    """Documents, sections and requirements, and CITES, IN_SECTION and REFINES between them."""
    sections, members, upward, tops = nodes.section_rows(keyed, documents)
    writer.write(Label.DOCUMENT, [nodes.document_row(document) for document in documents.values()])
    writer.write(Label.SECTION, sections)
    rows = [nodes.requirement_row(key, requirement, relevance[key]) for key, requirement in keyed.items()]
    writer.write(Label.REQUIREMENT, rows)
    citations = [row for key, requirement in keyed.items() for row in nodes.citation_rows(key, requirement, documents)]
    writer.connect(RelationshipType.CITES, Label.REQUIREMENT, Label.DOCUMENT, citations)
    writer.connect(RelationshipType.IN_SECTION, Label.REQUIREMENT, Label.SECTION, members)
    writer.connect(RelationshipType.IN_SECTION, Label.SECTION, Label.SECTION, upward)
    writer.connect(RelationshipType.IN_SECTION, Label.SECTION, Label.DOCUMENT, tops)
    refinements = nodes.refinement_rows(keyed, documents)
    writer.connect(RelationshipType.REFINES, Label.REQUIREMENT, Label.REQUIREMENT, refinements)


def _write_mentions(writer: _Writer, mentioned: Mapping[str, Sequence[Entity]]) -> int:
    total = 0
    for label in ENTITY_LABELS:
        rows = [
            RelationshipRow(source=key, target=entity.key)
            for key, entities in mentioned.items()
            for entity in entities
            if entity.label is label
        ]
        writer.connect(RelationshipType.MENTIONS, Label.REQUIREMENT, label, rows)
        total += len(rows)
    return total


def _write_fulfilments(
    writer: _Writer, store: GraphStore, keyed: Mapping[str, Requirement], entities: Sequence[Entity]
) -> int:
    """Write the fulfilments as claims. What is there already stays as it is: it may have been verified since."""
    able = [entity for entity in entities if entity.capabilities]
    there = {
        (row["source"], row["label"], row["target"])
        for row in store.read(
            "MATCH (a:Requirement)-[:FULFILLED_BY]->(b) "
            "RETURN a.key AS source, head(labels(b)) AS label, b.key AS target"
        ).rows
    }
    rows: dict[Label, list[RelationshipRow]] = {label: [] for label in ENTITY_LABELS}
    claims = 0
    for key, requirement in keyed.items():
        for claim in find_fulfilments(requirement, able):
            claims += 1
            if (key, claim.label.value, claim.key) not in there:
                properties = {"status": "claimed", "confidence": claim.confidence, "evidence": claim.evidence}
                rows[claim.label].append(RelationshipRow(source=key, target=claim.key, properties=properties))
    for label, new in rows.items():
        writer.connect(RelationshipType.FULFILLED_BY, Label.REQUIREMENT, label, new)
    return claims


def _write_repeats(writer: _Writer, store: GraphStore, incoming: Sequence[str]) -> None:
    names = (RelationshipType.DUPLICATES, RelationshipType.CONFLICTS_WITH)
    linked = [repeats.Linked((link.source, link.target) for link in repeats.links(store, name)) for name in names]
    found = repeats.find_repeats(repeats.wordings(store), incoming, *linked)
    for name, rows in zip(names, (found.duplicates, found.conflicts), strict=True):
        writer.connect(name, Label.REQUIREMENT, Label.REQUIREMENT, rows)


def _touching(store: GraphStore, name: RelationshipType, keys: Mapping[str, object]) -> tuple[repeats.Link, ...]:
    return tuple(link for link in repeats.links(store, name) if link.source in keys or link.target in keys)
