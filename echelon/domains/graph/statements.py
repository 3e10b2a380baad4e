"""The requirements of a graph as they were stated: words, number, document and place, read back from the nodes."""

from __future__ import annotations

from typing import Any

from echelon.domains.graph.stores.port import GraphStore
from echelon.domains.requirements.types import Citation, Modality, Place, Requirement, Status

_QUERY = (
    "MATCH (n:Requirement) OPTIONAL MATCH (n)-[c:CITES]->(d:Document) "
    "RETURN n.key AS key, n.requirement_id AS id, n.source_id AS source_id, n.text AS text, n.modality AS modality, "
    "n.status AS status, n.language AS language, d.name AS document, c.page AS page, c.place AS place, c.quote AS quote, "
    "c.start_offset AS start, c.end_offset AS end ORDER BY key, document, page, start"
)


def statements(store: GraphStore) -> dict[str, Requirement]:
    """All requirements of the graph by their keys, with their citations; other jobs' included."""
    found: dict[str, Requirement] = {}
    for row in store.read(_QUERY).rows:
        known = found.get(row["key"])
        cited = _citation(row)
        if known is None:
            known = _requirement(row)
        elif cited is None:
            continue
        more = () if cited is None else (cited,)
        found[row["key"]] = known.model_copy(update={"citations": (*known.citations, *more)})
    return found


def _requirement(row: dict[str, Any]) -> Requirement:
    return Requirement(
        id=row["id"] or "R-0000",
        key=row["key"][:10],
        source_id=row["source_id"],
        text=row["text"] or "",
        modality=Modality(row["modality"] or Modality.OBLIGATION),
        status=Status(row["status"] or Status.ACCEPTED),
        language=row["language"] or "und",
        confidence=1.0,
        citations=(),
    )


def _citation(row: dict[str, Any]) -> Citation | None:
    if not row["document"] or row["quote"] is None:
        return None
    section, _, paragraph = (row["place"] or "").rpartition("paragraph ")
    place = Place(section=section.removeprefix("section ").rstrip(", "), paragraph=int(paragraph or 1))
    page = row["page"]
    return Citation(
        document=row["document"], page=page, place=None if page is not None else place,
        quote=row["quote"], start=row["start"] or 0, end=row["end"] or 0,
    )  # fmt: skip
