"""What the port promises, on every database."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from echelon.domains.graph.metamodel import Metamodel
from echelon.domains.graph.stores.opening import open_graph
from echelon.domains.graph.stores.port import (
    GraphBusyError,
    GraphError,
    GraphStore,
    GraphUnavailableError,
    Label,
    QueryError,
    QueryTimeoutError,
    RelationshipType,
)
from echelon.domains.graph.upsert import NodeRow, RelationshipRow, upsert_nodes, upsert_relationships
from tests.graph.conftest import bolt_url


def seed(store: GraphStore) -> None:
    texts = {"a": "The archive keeps audit logs", "b": "The archive deletes old invoices", "c": "Doors stay shut"}
    upsert_nodes(store, Label.REQUIREMENT, [NodeRow(key=key, properties={"text": text}) for key, text in texts.items()])
    upsert_nodes(store, Label.SYSTEM, [NodeRow(key="archive", properties={"name": "archive", "aliases": ["store"]})])
    rows = [RelationshipRow(source=key, target="archive") for key in ("a", "b")]
    upsert_relationships(store, RelationshipType.MENTIONS, Label.REQUIREMENT, Label.SYSTEM, rows)


def test_reads_what_was_written(store: GraphStore) -> None:
    seed(store)
    result = store.read(
        "MATCH (n:Requirement) WHERE n.key IN $keys RETURN n.key AS key ORDER BY key", {"keys": ["a", "c"]}
    )
    assert result.columns == ("key",)
    assert result.rows == ({"key": "a"}, {"key": "c"})
    assert not result.truncated


def test_upserts_are_idempotent(store: GraphStore) -> None:
    seed(store)
    again = upsert_nodes(store, Label.REQUIREMENT, [NodeRow(key="a", properties={"text": "other words"})])
    rows = [RelationshipRow(source="a", target="archive")]
    linked = upsert_relationships(store, RelationshipType.MENTIONS, Label.REQUIREMENT, Label.SYSTEM, rows)
    assert (again.nodes_created, linked.relationships_created) == (0, 0)
    assert store.read("MATCH (n:Requirement {key: $k}) RETURN n.text AS t", {"k": "a"}).rows[0]["t"] == "other words"


def test_relationships_with_different_keys_are_different(store: GraphStore) -> None:
    seed(store)
    rows = [RelationshipRow(source="a", target="archive", key=key) for key in ("1:0", "1:9", "1:0")]
    done = upsert_relationships(store, RelationshipType.MENTIONS, Label.REQUIREMENT, Label.SYSTEM, rows)
    assert done.relationships_created == 2


def test_a_property_of_none_is_removed(store: GraphStore) -> None:
    upsert_nodes(store, Label.SYSTEM, [NodeRow(key="s", properties={"name": "s", "description": "old"})])
    upsert_nodes(store, Label.SYSTEM, [NodeRow(key="s", properties={"description": None})])
    assert store.read("MATCH (n:System) RETURN n").rows[0]["n"]["properties"] == {"key": "s", "name": "s"}


def test_a_relationship_to_nothing_is_an_error(store: GraphStore) -> None:
    seed(store)
    with pytest.raises(GraphError, match="1 MENTIONS"):
        rows = [RelationshipRow(source="a", target="nowhere")]
        upsert_relationships(store, RelationshipType.MENTIONS, Label.REQUIREMENT, Label.SYSTEM, rows)


def test_many_rows_go_in_batches(store: GraphStore) -> None:
    rows = [NodeRow(key=f"k{number:05d}", properties={"name": "s"}) for number in range(4_500)]
    assert upsert_nodes(store, Label.SECTION, rows).nodes_created == 4_500
    assert upsert_nodes(store, Label.SECTION, rows).nodes_created == 0
    assert upsert_nodes(store, Label.SECTION, []).nodes_created == 0


def test_values_look_the_same_on_every_database(store: GraphStore) -> None:
    seed(store)
    row = store.read(
        "MATCH p = (n:Requirement {key: $key})-[r:MENTIONS]->(s:System) "
        "RETURN n, r, p, [1, 2.5, true, null] AS list, {x: s} AS map, date($day) AS day",
        {"key": "a", "day": "2026-01-31"},
    ).rows[0]
    requirement = {"labels": ["Requirement"], "properties": {"key": "a", "text": "The archive keeps audit logs"}}
    system = {"labels": ["System"], "properties": {"key": "archive", "name": "archive", "aliases": ["store"]}}
    assert row["n"] == requirement
    assert row["r"] == {"relationship": "MENTIONS", "properties": {"key": ""}}
    assert row["p"] == {"nodes": [requirement, system], "relationships": [row["r"]]}
    assert row["list"] == [1, 2.5, True, None]
    assert row["map"] == {"x": system}
    assert row["day"] == "2026-01-31"


def test_rows_are_limited(store: GraphStore) -> None:
    seed(store)
    result = store.read("MATCH (n:Requirement) RETURN n.key AS key ORDER BY key", max_rows=2)
    assert [row["key"] for row in result.rows] == ["a", "b"]
    assert result.truncated


@pytest.mark.parametrize("query", ["MATCH (n RETURN n", "RETURN $missing", "RETURN unknown_function(1)"])
def test_a_bad_query_is_one_sentence(store: GraphStore, query: str) -> None:
    with pytest.raises(QueryError) as caught:
        store.read(query)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


def test_text_search_finds_words(store: GraphStore) -> None:
    seed(store)
    hits = store.search_text(Label.REQUIREMENT, "audit logs of the archive", 10)
    assert hits[0].key == "a" and {hit.key for hit in hits} == {"a", "b"}
    assert store.search_text(Label.REQUIREMENT, "submarine", 10) == []
    assert len(store.search_text(Label.REQUIREMENT, "archive", 1)) == 1


def test_text_search_follows_changes(store: GraphStore) -> None:
    seed(store)
    assert store.search_text(Label.REQUIREMENT, "zebra", 5) == []
    upsert_nodes(store, Label.REQUIREMENT, [NodeRow(key="z", properties={"text": "A zebra crosses"})])
    assert [hit.key for hit in store.search_text(Label.REQUIREMENT, "zebra", 5)] == ["z"]
    upsert_nodes(store, Label.REQUIREMENT, [NodeRow(key="z", properties={"text": "Nothing crosses"})])
    assert store.search_text(Label.REQUIREMENT, "zebra", 5) == []


@pytest.mark.parametrize("query", ["", "   ", "\"'`*~^:(){}[]", "AND OR NOT", "text:* OR *:*", "ä ö 漢字", "a" * 3000])
def test_text_search_takes_any_text(store: GraphStore, query: str) -> None:
    seed(store)
    assert isinstance(store.search_text(Label.REQUIREMENT, query, 5), list)


def test_text_search_needs_an_index(store: GraphStore) -> None:
    with pytest.raises(QueryError, match="no full text"):
        store.search_text(Label.DOCUMENT, "x", 5)


def test_text_search_in_an_empty_graph(store: GraphStore) -> None:
    assert store.search_text(Label.REQUIREMENT, "anything", 5) == []


def test_vectors(store: GraphStore) -> None:
    seed(store)
    assert store.search_vectors(Label.REQUIREMENT, [1.0, 0.0], 5) == []
    assert store.keys_without_vector(Label.REQUIREMENT) == ["a", "b", "c"]
    store.store_vectors(Label.REQUIREMENT, {"a": [1.0, 0.0], "b": [0.6, 0.8]})
    assert store.keys_without_vector(Label.REQUIREMENT) == ["c"]
    hits = store.search_vectors(Label.REQUIREMENT, [2.0, 0.0], 5)
    assert [hit.key for hit in hits] == ["a", "b"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.6], abs=1e-6)
    store.store_vectors(Label.REQUIREMENT, {"c": [0.0, -1.0], "a": [0.0, 1.0]})
    assert [hit.key for hit in store.search_vectors(Label.REQUIREMENT, [0.0, 1.0], 2)] == ["a", "b"]
    assert (
        "embedding" not in store.read("MATCH (n:Requirement {key: $k}) RETURN n", {"k": "a"}).rows[0]["n"]["properties"]
    )


def test_a_vector_of_nothing_is_an_error(store: GraphStore) -> None:
    seed(store)
    with pytest.raises(QueryError):
        store.store_vectors(Label.REQUIREMENT, {"nowhere": [1.0]})
    store.store_vectors(Label.REQUIREMENT, {})


def test_everything_survives_closing(graph_url: str, metamodel: Metamodel) -> None:
    with open_graph(graph_url) as first:
        metamodel.prepare(first)
        seed(first)
        first.store_vectors(Label.REQUIREMENT, {"a": [1.0, 0.0]})
    first.close()
    with open_graph(graph_url) as second:
        metamodel.prepare(second)
        assert second.read("MATCH (n) RETURN count(n) AS n").rows[0]["n"] == 4
        assert [hit.key for hit in second.search_vectors(Label.REQUIREMENT, [1.0, 0.0], 5)] == ["a"]
        assert second.search_text(Label.REQUIREMENT, "audit", 5)[0].key == "a"


def test_a_slow_query_is_stopped(kglite_store: GraphStore) -> None:
    kglite_store.write("UNWIND range(1, 1500) AS x CREATE (:Section {key: toString(x)})")
    start = time.monotonic()
    with pytest.raises((QueryTimeoutError, QueryError)):
        kglite_store.read("MATCH (a), (b), (c) RETURN a.key + b.key + c.key AS x", timeout_s=0.2)
    assert time.monotonic() - start < 3


def test_counting_words_where_a_server_has_no_text_index(bolt_port: int, metamodel: Metamodel) -> None:
    with open_graph(bolt_url(bolt_port, "plain")) as store:
        store.write("MATCH (n) DETACH DELETE n")
        metamodel.prepare(store)
        seed(store)
        hits = store.search_text(Label.REQUIREMENT, "Audit archive", 10)
        assert [(hit.key, hit.score) for hit in hits] == [("a", 2.0), ("b", 1.0)]


def test_a_killed_writer_loses_nothing(tmp_path: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from echelon.domains.graph.stores.opening import open_graph\n"
        "store = open_graph(sys.argv[1])\n"
        "store.write('CREATE (:System {key: $k})', {'k': 'written'})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    url = f"kglite://{tmp_path}/g.kgl"
    killed = subprocess.run([sys.executable, "-c", program, url], cwd=Path(__file__).parents[2], check=False)
    assert killed.returncode == -9
    with open_graph(url) as store:
        assert store.read("MATCH (n:System) RETURN n.key AS key").rows == ({"key": "written"},)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    url = f"kglite://{tmp_path}/g.kgl"
    with open_graph(url), pytest.raises(GraphBusyError, match="open for writing elsewhere"):
        open_graph(url, wait_s=0.2)
    with open_graph(url, wait_s=0.2) as store:
        assert store.read("RETURN 1 AS one").rows == ({"one": 1},)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("sqlite:///x", "use kglite:, neo4j: or bolt:"),
        ("kglite://", "kglite address"),
        ("kglite://host/x.kgl", "kglite address"),
        ("bolt://", "Neo4j address"),
    ],
)
def test_bad_addresses(url: str, message: str) -> None:
    with pytest.raises(GraphUnavailableError, match=message):
        open_graph(url)


def test_no_server_is_told_without_the_password() -> None:
    with pytest.raises(GraphUnavailableError) as caught:
        open_graph("bolt://user:secret@127.0.0.1:1/x")
    assert "127.0.0.1:1" in str(caught.value) and "secret" not in str(caught.value)


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "g.kgl").write_bytes(b"this is no graph" * 100)
    with pytest.raises(GraphUnavailableError, match=r"g\.kgl cannot be opened"):
        open_graph(f"kglite://{tmp_path}/g.kgl")


def test_a_closed_graph_says_so(tmp_path: Path) -> None:
    store = open_graph(f"kglite://{tmp_path}/g.kgl")
    store.close()
    with pytest.raises(GraphError, match="closed"):
        store.read("RETURN 1")


def test_a_wrong_password_is_told(bolt_port: int) -> None:
    with pytest.raises(GraphUnavailableError):
        open_graph(f"bolt://root:wrong-password@127.0.0.1:{bolt_port}/graph")


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GraphUnavailableError, match="folder"):
        open_graph(f"kglite://{tmp_path}/file/g.kgl")


def test_many_threads_share_a_store(store: GraphStore) -> None:
    def work(name: int) -> None:
        for number in range(10):
            upsert_nodes(store, Label.SYSTEM, [NodeRow(key=f"{name}-{number}", properties={"name": "s"})])
            store.read("MATCH (n:System) RETURN count(n) AS c")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert store.read("MATCH (n:System) RETURN count(n) AS c").rows == ({"c": 40},)
