"""What a job's documents and requirements become in the graph: rows of nodes and of the relationships they bring."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from echelon.domains.documents.types import Document
from echelon.domains.graph.entities import Entity
from echelon.domains.graph.keys import document_key, requirement_key, section_key
from echelon.domains.graph.upsert import NodeRow, RelationshipRow
from echelon.domains.requirements.types import Requirement

PATH_SEPARATOR = " > "
"""Between the levels of `Requirement.section`."""


def document_of(requirement: Requirement, documents: Mapping[str, Document]) -> Document:
    """The document that the requirement was read from: the one of its first citation."""
    return documents[requirement.citations[0].document]


def key_of(requirement: Requirement, documents: Mapping[str, Document]) -> str:
    """The key of the requirement's node."""
    return requirement_key(document_of(requirement, documents).sha256, requirement.source_id, requirement.text)


def requirement_row(key: str, requirement: Requirement, relevance: str) -> NodeRow:
    """The node of a requirement."""
    return NodeRow(
        key=key,
        properties={
            "requirement_id": requirement.id,
            "text": requirement.text,
            "modality": requirement.modality.value,
            "status": requirement.status.value,
            "language": requirement.language,
            "confidence": float(requirement.confidence),
            "relevance": relevance,
            "source_id": requirement.source_id,
            "section": requirement.section,
            "categories": list(requirement.categories) or None,
            "subject": requirement.subject,
            "action": requirement.action,
            "object": requirement.object,
            "condition": requirement.condition,
            "deadline": requirement.deadline,
            "split_from": requirement.split_from,
        },
    )


def document_row(document: Document) -> NodeRow:
    """The node of a document."""
    return NodeRow(
        key=document_key(document.sha256),
        properties={
            "name": document.file,
            "media_type": document.media_type,
            "language": document.language,
            "pages": len(document.pages),
            "heading": document.title,
        },
    )


def entity_row(entity: Entity) -> NodeRow:
    """The node of an entity. What the entity does not say stays as it is in the graph."""
    stated = {
        "name": entity.name,
        "description": entity.description,
        "aliases": list(entity.aliases),
        "capabilities": list(entity.capabilities),
    }
    return NodeRow(key=entity.key, properties={name: value for name, value in stated.items() if value})


def section_rows(
    keyed: Mapping[str, Requirement], documents: Mapping[str, Document]
) -> tuple[list[NodeRow], list[RelationshipRow], list[RelationshipRow], list[RelationshipRow]]:
    """Sections of the requirements in `keyed` (by key), and where things stand.

    Returns the section nodes, then IN_SECTION from requirements to sections, from sections to the sections above them,
    and from the sections at the top to their documents.
    """
    nodes: dict[str, NodeRow] = {}
    upward: dict[str, RelationshipRow] = {}
    tops: dict[str, RelationshipRow] = {}
    members: list[RelationshipRow] = []
    for key, requirement in keyed.items():
        if not requirement.section:
            continue
        document = document_of(requirement, documents)
        names = requirement.section.split(PATH_SEPARATOR)
        paths = [PATH_SEPARATOR.join(names[: level + 1]) for level in range(len(names))]
        keys = [section_key(document.sha256, path) for path in paths]
        for level, (name, path, section) in enumerate(zip(names, paths, keys, strict=True)):
            nodes[section] = NodeRow(key=section, properties={"name": name, "path": path, "level": level + 1})
            if level:
                upward[section] = RelationshipRow(source=section, target=keys[level - 1])
            else:
                tops[section] = RelationshipRow(source=section, target=document_key(document.sha256))
        members.append(RelationshipRow(source=key, target=keys[-1]))
    return list(nodes.values()), members, list(upward.values()), list(tops.values())


def citation_rows(key: str, requirement: Requirement, documents: Mapping[str, Document]) -> Iterator[RelationshipRow]:
    """CITES from a requirement to its documents, one for each citation."""
    for citation in requirement.citations:
        yield RelationshipRow(
            source=key,
            target=document_key(documents[citation.document].sha256),
            key=f"{citation.page or 1}:{citation.start}",
            properties={
                **({"page": citation.page} if citation.page is not None else {"place": citation.where}),
                "quote": citation.quote,
                "start_offset": citation.start,
                "end_offset": citation.end,
            },
        )


def refinement_rows(keyed: Mapping[str, Requirement], documents: Mapping[str, Document]) -> list[RelationshipRow]:
    """REFINES from a numbered requirement to the one above it: 3.1.2 to 3.1, AC-2(4) to AC-2, 5.2 a to 5.2."""
    numbered: dict[tuple[str, str], str] = {}
    for key, requirement in keyed.items():
        if requirement.source_id:
            numbered.setdefault((document_of(requirement, documents).sha256, requirement.source_id), key)
    rows: list[RelationshipRow] = []
    for key, requirement in keyed.items():
        above = (
            numbered.get((document_of(requirement, documents).sha256, number))
            for number in _numbers_above(requirement.source_id or "")
        )
        parent = next((other for other in above if other is not None and other != key), None)
        if parent is not None:
            rows.append(RelationshipRow(source=key, target=parent))
    return rows


def _numbers_above(number: str) -> Sequence[str]:
    """The numbers of which `number` could be a part, the nearest first."""
    cuts: list[str] = []
    for position in range(len(number) - 1, 0, -1):
        before, after = number[position - 1], number[position]
        if after in ".-(/ " or (before.isdigit() and after.isalpha()):
            cuts.append(number[:position].rstrip(".-(/ "))
    return list(dict.fromkeys(cut for cut in cuts if cut))
