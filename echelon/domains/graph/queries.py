"""Questions about the graph: what is in it, what surrounds a node, what leads where, what a change touches.

`docs/graph.md` lists all operations with what they are for.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from echelon.domains.graph.stores.port import GraphError, GraphStore, Label, Value
from echelon.domains.requirements.types import Modality

MAX_DEPTH = 6
"""Relationships that a path or a neighbourhood may be long."""


class NodeRef(Value):
    """A node, as an answer names it."""

    label: str
    key: str
    name: str = Field(description="its name, or its text when it is a requirement")


class Relation(Value):
    """A relationship of a node, seen from it."""

    type: str
    direction: Literal["out", "in"]
    other: NodeRef
    properties: dict[str, Any]


class Neighbourhood(Value):
    """A node and what it is connected with."""

    node: NodeRef
    properties: dict[str, Any]
    relations: tuple[Relation, ...]
    truncated: bool = False


class TracePath(Value):
    """A way from one node to another: keys of the nodes and types of the relationships between them."""

    keys: tuple[str, ...]
    types: tuple[str, ...]


class LabelSchema(Value):
    """A label as the graph has it."""

    label: str
    nodes: int
    properties: tuple[str, ...]


class RelationshipSchema(Value):
    """A kind of connection as the graph has it."""

    type: str
    source: str
    target: str
    number: int


class GraphSchema(Value):
    """What is in the graph: labels with their properties, and what is connected with what."""

    labels: tuple[LabelSchema, ...]
    relationships: tuple[RelationshipSchema, ...]


class Coverage(Value):
    """How far requirements are fulfilled."""

    requirements: int
    verified: int = Field(description="with at least one verified FULFILLED_BY")
    claimed: int = Field(description="with claimed ones only")
    open: tuple[str, ...] = Field(description="keys of requirements without any, in order")


def graph_schema(store: GraphStore, *, sample: int = 200) -> GraphSchema:
    """What labels, properties and relationships there are. Properties are those of the first `sample` nodes a label."""
    labels: list[LabelSchema] = []
    for label, number in _label_counts(store).items():
        of_label = store.read(
            "MATCH (n) WHERE $label IN labels(n) RETURN n ORDER BY n.key LIMIT $sample",
            {"label": label, "sample": sample},
        ).rows
        names = sorted({name for item in of_label for name in item["n"]["properties"]})
        labels.append(LabelSchema(label=label, nodes=number, properties=tuple(names)))
    return GraphSchema(labels=tuple(labels), relationships=tuple(_relationship_schema(store)))


def _label_counts(store: GraphStore) -> dict[str, int]:
    rows = store.read("MATCH (n) UNWIND labels(n) AS label RETURN label, count(*) AS nodes ORDER BY label").rows
    return {row["label"]: row["nodes"] for row in rows}


def _relationship_schema(store: GraphStore) -> list[RelationshipSchema]:
    rows = store.read(
        "MATCH (a)-[r]->(b) RETURN type(r) AS type, head(labels(a)) AS source, head(labels(b)) AS target, "
        "count(*) AS number ORDER BY type, source, target"
    ).rows
    return [RelationshipSchema(**row) for row in rows]


def graph_statistics(store: GraphStore) -> dict[str, int]:
    """Numbers of nodes by label and of relationships by type, plus `nodes` and `relationships` in all."""
    labels = _label_counts(store)
    connections = _relationship_schema(store)
    counts = dict(labels)
    for connection in connections:
        counts[connection.type] = counts.get(connection.type, 0) + connection.number
    return {
        "nodes": sum(labels.values()),
        "relationships": sum(connection.number for connection in connections),
        **dict(sorted(counts.items())),
    }


def neighbourhood(store: GraphStore, label: Label, key: str, *, limit: int = 100) -> Neighbourhood:
    """A node with its properties and relationships, in the order of type and key.

    Raises GraphError when there is no such node.
    """
    found = store.read(f"MATCH (n:{label} {{key: $key}}) RETURN n", {"key": key}).rows
    if not found:
        raise GraphError(f"there is no {label} with the key {key}")
    relations: list[Relation] = []
    truncated = False
    for direction, pattern in (("out", "-[r]->"), ("in", "<-[r]-")):
        result = store.read(
            f"MATCH (n:{label} {{key: $key}}){pattern}(m) RETURN type(r) AS type, r, m ORDER BY type, m.key",
            {"key": key},
            max_rows=limit,
        )
        truncated = truncated or result.truncated
        for row in result.rows:
            relations.append(
                Relation(
                    type=row["type"],
                    direction="out" if direction == "out" else "in",
                    other=_ref(row["m"]),
                    properties={name: value for name, value in row["r"]["properties"].items() if name != "key"},
                )
            )
    node = found[0]["n"]
    properties = dict(sorted(node["properties"].items()))
    return Neighbourhood(node=_ref(node), properties=properties, relations=tuple(relations), truncated=truncated)


def trace_paths(
    store: GraphStore, source: str, target: str, *, max_length: int = 4, limit: int = 10
) -> list[TracePath]:
    """The shortest ways between two nodes by key, whatever the direction of the relationships, shortest first.

    `max_length` counts relationships, 1 to 6.
    """
    if not 1 <= max_length <= MAX_DEPTH:
        raise GraphError(f"a path has 1 to {MAX_DEPTH} relationships, not {max_length}")
    paths: list[TracePath] = []
    for length in range(1, max_length + 1):
        rows = store.read(
            f"MATCH p = (a)-[*{length}..{length}]-(b) WHERE a.key = $source AND b.key = $target "
            "RETURN [n IN nodes(p) | n.key] AS keys, [r IN relationships(p) | type(r)] AS types",
            {"source": source, "target": target},
            max_rows=limit * 20,
        ).rows
        found: set[tuple[tuple[str, ...], tuple[str, ...]]] = {(tuple(r["keys"]), tuple(r["types"])) for r in rows}
        shortest = sorted((keys, types) for keys, types in found if len(set(keys)) == len(keys))
        paths += [TracePath(keys=keys, types=types) for keys, types in shortest]
        if len(paths) >= limit:
            break
    return paths[:limit]


def coverage(store: GraphStore) -> Coverage:
    """How many obligations, prohibitions and recommendations are fulfilled, and which are open."""
    rows = store.read(
        "MATCH (n:Requirement) WHERE n.modality <> $permission OPTIONAL MATCH (n)-[r:FULFILLED_BY]->() "
        "RETURN n.key AS key, collect(DISTINCT r.status) AS statuses ORDER BY key",
        {"permission": Modality.PERMISSION.value},
    ).rows
    verified = sum("verified" in row["statuses"] for row in rows)
    without = tuple(row["key"] for row in rows if not row["statuses"])
    return Coverage(
        requirements=len(rows), verified=verified, claimed=len(rows) - verified - len(without), open=without
    )


def impact(store: GraphStore, label: Label, key: str) -> list[NodeRef]:
    """The requirements that a change of this node touches: those that mention it, are fulfilled by it, or refine,
    duplicate or contradict it, and what refines or duplicates those, in the order of their keys."""
    reached: dict[str, NodeRef] = {}
    frontier = [(label.value, key)]
    for _ in range(MAX_DEPTH):
        found: dict[str, NodeRef] = {}
        for at_label in sorted({item[0] for item in frontier}):
            rows = store.read(
                f"MATCH (n:{at_label})<-[:MENTIONS|FULFILLED_BY|REFINES|DUPLICATES|CONFLICTS_WITH]-(m:Requirement) "
                "WHERE n.key IN $keys RETURN DISTINCT m ORDER BY m.key",
                {"keys": [item[1] for item in frontier if item[0] == at_label]},
            ).rows
            found |= {row["m"]["properties"]["key"]: _ref(row["m"]) for row in rows}
        news = {name: ref for name, ref in found.items() if name not in reached and name != key}
        if not news:
            break
        reached |= news
        frontier = [(Label.REQUIREMENT.value, name) for name in news]
    return [reached[name] for name in sorted(reached)]


def _ref(node: dict[str, Any]) -> NodeRef:
    properties = node["properties"]
    name = properties.get("name") or properties.get("text") or ""
    return NodeRef(label=node["labels"][0] if node["labels"] else "", key=properties.get("key", ""), name=name)
