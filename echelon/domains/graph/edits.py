"""Single edits of the graph: one requirement, one fulfilment. `integrate` does a whole job at once."""

from __future__ import annotations

from echelon.domains.documents.types import Document
from echelon.domains.graph import nodes
from echelon.domains.graph.entities import Entity
from echelon.domains.graph.fulfilment import judge_relevance
from echelon.domains.graph.stores.port import GraphError, GraphStore, Label, RelationshipType
from echelon.domains.graph.upsert import RelationshipRow, upsert_nodes, upsert_relationships
from echelon.domains.requirements.types import Requirement


def upsert_requirement(store: GraphStore, requirement: Requirement, document: Document) -> str:
    """Make or update the node of one requirement of `document`, with its citations; its key.

    `integrate` does this and everything around it for all requirements of a job. Raises GraphError when it cites
    another document or nothing.
    """
    if {citation.document for citation in requirement.citations} != {document.file}:
        raise GraphError(f"{requirement.id} has to cite {document.file} and nothing else")
    by_name = {document.file: document}
    key = nodes.key_of(requirement, by_name)
    upsert_nodes(store, Label.DOCUMENT, [nodes.document_row(document)])
    upsert_nodes(
        store, Label.REQUIREMENT, [nodes.requirement_row(key, requirement, judge_relevance(requirement, ()).relevance)]
    )
    rows = list(nodes.citation_rows(key, requirement, by_name))
    upsert_relationships(store, RelationshipType.CITES, Label.REQUIREMENT, Label.DOCUMENT, rows)
    return key


def link_fulfilment(
    store: GraphStore,
    requirement: str,
    entity: Entity,
    *,
    evidence: str,
    confidence: float = 1.0,
    verified: bool = False,
) -> None:
    """Say that `entity` fulfils the requirement with key `requirement`, because of `evidence`.

    Makes the entity when it is not there. Raises GraphError when there is no such requirement or no evidence.
    """
    if not evidence.strip():
        raise GraphError("a fulfilment needs evidence")
    upsert_nodes(store, entity.label, [nodes.entity_row(entity)])
    status = "verified" if verified else "claimed"
    row = RelationshipRow(
        source=requirement,
        target=entity.key,
        properties={"status": status, "confidence": float(confidence), "evidence": evidence},
    )
    upsert_relationships(store, RelationshipType.FULFILLED_BY, Label.REQUIREMENT, entity.label, [row])
