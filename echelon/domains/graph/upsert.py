"""Keyed upserts: the only statements that the package writes nodes and relationships with.

Labels and types come from enums, everything else is a parameter. Writing the same rows twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field

from echelon.domains.graph.stores.port import GraphError, GraphStore, Label, RelationshipType, Value, WriteResult

BATCH = 2_000
"""Rows in one statement."""


class NodeRow(Value):
    """A node to write. A property that is None is removed."""

    key: str
    properties: dict[str, Any] = Field(default_factory=dict)


class RelationshipRow(Value):
    """A relationship to write, between nodes that exist. Two with the same ends and `key` are one."""

    source: str
    target: str
    key: str = ""
    properties: dict[str, Any] = Field(default_factory=dict)


def upsert_nodes(store: GraphStore, label: Label, rows: Sequence[NodeRow]) -> WriteResult:
    """Make or update the nodes of `rows`. Later rows win over earlier ones with the same key."""
    query = f"UNWIND $rows AS row MERGE (n:{label} {{key: row.key}}) SET n += row.properties"
    unique = {row.key: row for row in rows}
    return _sum(
        store.write(query, {"rows": batch}) for batch in _batches([row.model_dump() for row in unique.values()])
    )


def upsert_relationships(
    store: GraphStore, name: RelationshipType, source: Label, target: Label, rows: Sequence[RelationshipRow]
) -> WriteResult:
    """Make or update the relationships of `rows`. Raises GraphError when one of the nodes does not exist."""
    query = (
        f"UNWIND $rows AS row MATCH (a:{source} {{key: row.source}}) MATCH (b:{target} {{key: row.target}}) "
        f"MERGE (a)-[r:{name} {{key: row.key}}]->(b) SET r += row.properties RETURN count(r) AS written"
    )
    unique = {(row.source, row.target, row.key): row for row in rows}
    results: list[WriteResult] = []
    for batch in _batches([row.model_dump() for row in unique.values()]):
        result = store.write(query, {"rows": batch})
        written = sum(row["written"] for row in result.rows)
        if written < len(batch):
            raise GraphError(f"{len(batch) - written} {name} relationships have an end that is not in the graph")
        results.append(result)
    return _sum(results)


def _batches(rows: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    for start in range(0, len(rows), BATCH):
        yield rows[start : start + BATCH]


def _sum(results: Any) -> WriteResult:
    nodes = relationships = properties = 0
    for result in results:
        nodes += result.nodes_created
        relationships += result.relationships_created
        properties += result.properties_set
    return WriteResult(nodes_created=nodes, relationships_created=relationships, properties_set=properties)
