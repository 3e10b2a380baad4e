"""The metamodel file and the compliance check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from echelon.domains.graph.compliance import ViolationKind, check_compliance
from echelon.domains.graph.metamodel import Metamodel, MetamodelError, PropertyType, load_metamodel
from echelon.domains.graph.stores.port import GraphStore, Label, RelationshipType
from tests.graph.conftest import METAMODEL


def test_the_shipped_metamodel_has_all_labels_and_relationships() -> None:
    model = load_metamodel(METAMODEL)
    assert set(model.labels) == {label.value for label in Label}
    assert set(model.relationships) == {name.value for name in RelationshipType}
    assert model.full_text()["Requirement"] == "text"
    assert "text" in model.labels["Requirement"].required()


SMALL: dict[str, Any] = {
    "version": 1,
    "labels": {"A": {"properties": {"name": {"type": "string"}}}, "B": {}},
    "relationships": {"R": {"between": [["A", "B"]]}},
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"colour": "red"}, "colour"),
        ({"version": 0}, "version"),
        ({"labels": {}}, "labels"),
        ({"labels": {"A": {"properties": {"x": {"type": "text"}}}}}, "type"),
        ({"labels": {"A": {"properties": {"id": {"type": "string"}}}}}, "belongs to the database"),
        ({"labels": {"A": {"properties": {"x": {"type": "string", "requried": True}}}}}, "requried"),
        ({"labels": {"A B": {}}}, "not a name"),
        ({"labels": {"A`) DETACH DELETE n//": {}}}, "not a name"),
        ({"relationships": {"R": {"between": [["A", "C"]]}}}, "unknown label 'C'"),
        ({"relationships": {"R": {"between": []}}}, "between"),
        ({"labels": {"A": {"at_least_one": ["S"]}, "B": {}}}, "unknown relationship 'S'"),
        ({"labels": {"A": {"full_text": "body"}, "B": {}}}, "unknown property 'body'"),
    ],
)
def test_mistakes_in_the_file_are_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    file = tmp_path / "metamodel.yaml"
    file.write_text(yaml.safe_dump({**SMALL, **change}))
    with pytest.raises(MetamodelError) as caught:
        load_metamodel(file)
    assert "metamodel.yaml" in str(caught.value) and message in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(MetamodelError, match="cannot be read"):
        load_metamodel(tmp_path / "missing.yaml")
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(MetamodelError, match="not YAML"):
        load_metamodel(tmp_path / "bad.yaml")


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (PropertyType.STRING, ["", "x"], [1, None, ["x"]]),
        (PropertyType.INTEGER, [0, -3], [1.0, True, "1"]),
        (PropertyType.NUMBER, [0, 1.5], [True, "1"]),
        (PropertyType.BOOLEAN, [True], [1, "true"]),
        (PropertyType.STRINGS, [[], ["a"]], ["a", [1], None]),
    ],
)
def test_types(kind: PropertyType, good: list[Any], bad: list[Any]) -> None:
    assert all(kind.holds(value) for value in good)
    assert not any(kind.holds(value) for value in bad)


def requirement(**more: Any) -> dict[str, Any]:
    values = {"key": "r1", "text": "Logs shall be kept.", "modality": "obligation", "status": "accepted"}
    return {**values, "language": "en", "confidence": 0.9, "requirement_id": "R-0001", **more}


BROKEN: list[tuple[str, dict[str, Any], ViolationKind, str, str]] = [
    ("CREATE (n:Alien {key: 'x'})", {}, ViolationKind.UNKNOWN_LABEL, "Alien", ""),
    ("CREATE (n:System {name: 'x'})", {}, ViolationKind.MISSING_KEY, "System", ""),
    ("CREATE (n:System {key: 'x'})", {}, ViolationKind.MISSING_PROPERTY, "System", "x"),
    ("CREATE (n:System {key: 'x', name: 1})", {}, ViolationKind.WRONG_TYPE, "System", "x"),
    ("CREATE (n:System {key: 'x', name: 'x', colour: 'red'})", {}, ViolationKind.UNKNOWN_PROPERTY, "System", "x"),
    ("CREATE (n:Requirement $p)", requirement(modality="wish"), ViolationKind.WRONG_VALUE, "Requirement", "r1"),
    ("CREATE (n:Requirement $p)", requirement(), ViolationKind.MISSING_RELATIONSHIP, "Requirement", "r1"),
    (
        "CREATE (a:System {key: 'a', name: 'a'})-[:OWNS]->(b:System {key: 'b', name: 'b'})",
        {},
        ViolationKind.UNKNOWN_RELATIONSHIP,
        "OWNS",
        "",
    ),
    (
        "CREATE (a:System {key: 'a', name: 'a'})-[:MENTIONS]->(b:System {key: 'b', name: 'b'})",
        {},
        ViolationKind.WRONG_ENDS,
        "MENTIONS",
        "",
    ),
    (
        "CREATE (a:Requirement {key: 'a'})-[:FULFILLED_BY {status: 'maybe', confidence: 0.5}]->(b:System {key: 'b'})",
        {},
        ViolationKind.WRONG_VALUE,
        "FULFILLED_BY",
        "a -> b",
    ),
    (
        "CREATE (a:Requirement {key: 'a'})-[:FULFILLED_BY {status: 'claimed', confidence: 0.5}]->(b:System {key: 'b'})",
        {},
        ViolationKind.MISSING_PROPERTY,
        "FULFILLED_BY",
        "a -> b",
    ),
]


@pytest.mark.parametrize(("query", "properties", "kind", "element", "key"), BROKEN)
def test_each_breach_is_found(
    store: GraphStore,
    metamodel: Metamodel,
    query: str,
    properties: dict[str, Any],
    kind: ViolationKind,
    element: str,
    key: str,
) -> None:
    if "$p" in query:
        query = query.replace("$p", "{" + ", ".join(f"{name}: $p.{name}" for name in properties) + "}")
    store.write(query, {"p": properties})
    found = check_compliance(store, metamodel)
    assert (kind, element, key) in {(item.kind, item.element, item.key) for item in found}


def test_double_keys_are_found(tmp_path: Path, metamodel: Metamodel) -> None:
    from echelon.domains.graph.stores.opening import open_graph

    with open_graph(f"kglite://{tmp_path}/unprepared.kgl") as store:
        store.write("UNWIND [1, 2] AS x CREATE (:System {key: 's', name: 's'})")
        found = check_compliance(store, metamodel)
        assert [(item.kind, item.key, item.detail) for item in found] == [(ViolationKind.DUPLICATE_KEY, "s", "2 nodes")]


def test_breaches_are_limited_by_kind(kglite_store: GraphStore, metamodel: Metamodel) -> None:
    kglite_store.write("UNWIND range(1, 50) AS x CREATE (:System {key: toString(x)})")
    assert len(check_compliance(kglite_store, metamodel, per_rule=7)) == 7


def test_all_pages_of_nodes_are_looked_at(kglite_store: GraphStore, metamodel: Metamodel) -> None:
    kglite_store.write("UNWIND range(1, 5001) AS x CREATE (:System {key: 'k' + toString(x), name: 'n'})")
    kglite_store.write("MATCH (n:System) WHERE n.key = $k SET n.name = null", {"k": "k999"})
    assert [item.key for item in check_compliance(kglite_store, metamodel)] == ["k999"]


def test_an_empty_graph_complies(store: GraphStore, metamodel: Metamodel) -> None:
    assert check_compliance(store, metamodel) == []
