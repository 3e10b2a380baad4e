"""The compliance check: does the graph hold what the metamodel allows, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import groupby, islice
from typing import Any

from pydantic import Field

from echelon.domains.graph.metamodel import LabelRule, Metamodel, PropertyRule, RelationshipRule
from echelon.domains.graph.stores.port import RESERVED_PROPERTIES, GraphStore, Value

_PAGE = 5_000
_KEY = "key"


class ViolationKind(StrEnum):
    """What is wrong."""

    UNKNOWN_LABEL = "unknown_label"
    MISSING_KEY = "missing_key"
    DUPLICATE_KEY = "duplicate_key"
    MISSING_PROPERTY = "missing_property"
    UNKNOWN_PROPERTY = "unknown_property"
    WRONG_TYPE = "wrong_type"
    WRONG_VALUE = "wrong_value"
    UNKNOWN_RELATIONSHIP = "unknown_relationship"
    WRONG_ENDS = "wrong_ends"
    MISSING_RELATIONSHIP = "missing_relationship"


class Violation(Value):
    """One breach of the metamodel."""

    kind: ViolationKind
    element: str = Field(description="the label or the type of relationship")
    key: str = Field(description="key of the node, 'source -> target' of a relationship; empty: the whole element")
    detail: str


def check_compliance(store: GraphStore, metamodel: Metamodel, *, per_rule: int = 100) -> list[Violation]:
    """Every breach of `metamodel` in `store`, at most `per_rule` of each kind for each label or type, in order."""
    found = [*_labels(store, metamodel), *_relationship_types(store, metamodel)]
    for label in sorted(metamodel.labels):
        found += _nodes(store, label, metamodel.labels[label])
    for name in sorted(metamodel.relationships):
        found += _relationships(store, name, metamodel.relationships[name])
    found.sort(key=lambda violation: (violation.element, violation.kind, violation.key, violation.detail))
    groups = groupby(found, key=lambda violation: (violation.element, violation.kind))
    return [violation for _, group in groups for violation in islice(group, per_rule)]


def _labels(store: GraphStore, metamodel: Metamodel) -> Iterator[Violation]:
    rows = store.read("MATCH (n) RETURN labels(n) AS labels, count(*) AS nodes").rows
    for row in rows:
        known = [label for label in row["labels"] if label in metamodel.labels]
        if len(known) != 1 or len(row["labels"]) != 1:
            name = ":".join(sorted(row["labels"])) or "(no label)"
            yield Violation(kind=ViolationKind.UNKNOWN_LABEL, element=name, key="", detail=f"{row['nodes']} nodes")


def _nodes(store: GraphStore, label: str, rule: LabelRule) -> Iterator[Violation]:
    keyless = store.read(f"MATCH (n:{label}) WHERE n.key IS NULL RETURN count(n) AS nodes").rows[0]["nodes"]
    if keyless:
        yield Violation(kind=ViolationKind.MISSING_KEY, element=label, key="", detail=f"{keyless} nodes")
    twice = f"MATCH (n:{label}) WITH n.key AS key, count(*) AS nodes WHERE nodes > 1 RETURN key, nodes ORDER BY key"
    for row in store.read(twice).rows:
        if row[_KEY] is not None:
            detail = f"{row['nodes']} nodes"
            yield Violation(kind=ViolationKind.DUPLICATE_KEY, element=label, key=row[_KEY], detail=detail)
    for node in _all_nodes(store, label):
        for kind, detail in _wrong_properties(node["properties"], rule.properties):
            yield Violation(kind=kind, element=label, key=node[_KEY], detail=detail)
    for type_name in rule.at_least_one:
        alone = f"MATCH (n:{label}) WHERE n.key IS NOT NULL AND NOT (n)-[:{type_name}]->() RETURN n.key AS key"
        for row in store.read(alone).rows:
            kind = ViolationKind.MISSING_RELATIONSHIP
            yield Violation(kind=kind, element=label, key=row[_KEY], detail=f"no {type_name}")


def _all_nodes(store: GraphStore, label: str) -> Iterator[dict[str, Any]]:
    """Key and properties of every node of `label` with a text key, page by page in the order of the keys."""
    query = (
        f"MATCH (n:{label}) WHERE n.key > $after RETURN n.key AS key, properties(n) AS properties "
        "ORDER BY key LIMIT $page"
    )
    after = ""
    while True:
        rows = store.read(query, {"after": after, "page": _PAGE}).rows
        yield from rows
        if len(rows) < _PAGE:
            return
        after = rows[-1][_KEY]


def _wrong_properties(
    properties: dict[str, Any], rules: dict[str, PropertyRule]
) -> Iterator[tuple[ViolationKind, str]]:
    for name, rule in rules.items():
        value = properties.get(name)
        if value is None:
            if rule.required:
                yield ViolationKind.MISSING_PROPERTY, name
        elif not rule.type.holds(value):
            yield ViolationKind.WRONG_TYPE, f"{name} is not {rule.type}"
        elif rule.values and value not in rule.values:
            yield ViolationKind.WRONG_VALUE, f"{name} is {value!r}"
    for name in sorted(properties.keys() - rules.keys() - RESERVED_PROPERTIES - {_KEY}):
        yield ViolationKind.UNKNOWN_PROPERTY, name


def _relationship_types(store: GraphStore, metamodel: Metamodel) -> Iterator[Violation]:
    rows = store.read(
        "MATCH (a)-[r]->(b) RETURN type(r) AS type, labels(a) AS sources, labels(b) AS targets, count(*) AS number"
    ).rows
    for row in rows:
        rule = metamodel.relationships.get(row["type"])
        ends = f"{':'.join(sorted(row['sources']))} -> {':'.join(sorted(row['targets']))}"
        detail = f"{row['number']} from {ends}"
        if rule is None:
            yield Violation(kind=ViolationKind.UNKNOWN_RELATIONSHIP, element=row["type"], key="", detail=detail)
        elif not any(source in row["sources"] and target in row["targets"] for source, target in rule.between):
            yield Violation(kind=ViolationKind.WRONG_ENDS, element=row["type"], key="", detail=detail)


def _relationships(store: GraphStore, name: str, rule: RelationshipRule) -> Iterator[Violation]:
    if not rule.properties:
        return
    fields = ", ".join(f"r.{field} AS {field}" for field in rule.properties)
    for source, target in rule.between:
        rows = store.read(
            f"MATCH (a:{source})-[r:{name}]->(b:{target}) RETURN a.key AS source_key, b.key AS target_key, {fields}"
        ).rows
        for row in rows:
            values = {field: row[field] for field in rule.properties}
            for kind, detail in _wrong_properties(values, rule.properties):
                key = f"{row['source_key']} -> {row['target_key']}"
                yield Violation(kind=kind, element=name, key=key, detail=detail)
