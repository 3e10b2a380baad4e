"""Queries that cost too much: each ends with a sentence within its limits, and who asked lives on with the graph."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import pytest

from echelon.bounded import Child
from echelon.domains.graph.cypher.apart import run_cypher_apart
from echelon.domains.graph.cypher.guard import CypherPolicy
from echelon.domains.graph.cypher.lexer import CypherRefusedError
from echelon.domains.graph.metamodel import Metamodel
from echelon.domains.graph.stores.opening import driver_of, open_graph
from echelon.domains.graph.stores.port import (
    GraphBusyError,
    GraphUnavailableError,
    Label,
    QueryError,
    QueryTimeoutError,
    RelationshipType,
)
from echelon.domains.graph.upsert import NodeRow, RelationshipRow, upsert_nodes, upsert_relationships

DOUBLED = "RETURN size(reduce(s = $k, x IN range(1, 60) | s + s)) AS n"
WAYS = "MATCH p = allShortestPaths((a)-[*..50]-(b)) RETURN count(p) AS n"
POLICY = CypherPolicy(timeout_s=2)
NODES = 200


@pytest.fixture
def url(graph_url: str, metamodel: Metamodel) -> str:
    """A graph of some nodes, each of them connected with the next three; closed."""
    keys = [f"k{n:03d}" for n in range(NODES)]
    arrows = [RelationshipRow(source=keys[n], target=keys[(n + step) % NODES]) for n in range(NODES) for step in (1, 2)]
    with open_graph(graph_url) as store:
        metamodel.prepare(store)
        upsert_nodes(store, Label.REQUIREMENT, [NodeRow(key=k, properties={"text": "word " * 400}) for k in keys])
        upsert_relationships(store, RelationshipType.REFINES, Label.REQUIREMENT, Label.REQUIREMENT, arrows)
    return graph_url


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"kglite://{tmp_path}/graph.kgl"


def test_a_query_gets_the_rows_that_it_gets_in_this_process(url: str) -> None:
    query = "MATCH (n:Requirement) WHERE n.key < $k RETURN n.key AS key, n ORDER BY key"
    found = run_cypher_apart(url, query, {"k": "k003"})
    with open_graph(url) as store:
        assert found == store.read(query, {"k": "k003"})
    assert [row["key"] for row in found.rows] == ["k000", "k001", "k002"]


def loaded(*names: str) -> list[str]:
    """Which of these modules are imported here."""
    return [name for name in names if name in sys.modules]


def test_a_child_for_a_server_imports_the_driver_without_the_libraries_of_numbers() -> None:
    child = Child(imports=(driver_of("bolt://127.0.0.1"),))
    assert child.call(loaded, "neo4j", "numpy", "pandas", "pyarrow") == ["neo4j"]
    assert Child(imports=(driver_of("bolt://127.0.0.1"), "numpy")).call(loaded, "neo4j", "numpy") == ["neo4j", "numpy"]


def test_rows_are_limited_and_said_to_be(url: str) -> None:
    found = run_cypher_apart(url, "MATCH (n) RETURN n.key AS key", policy=CypherPolicy(max_rows=7))
    assert len(found.rows) == 7 and found.truncated


@pytest.mark.parametrize("start", ["x", ["x"]], ids=["text", "list"])
def test_doubling_is_ended_by_its_memory(file_url: str, start: object) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # the largest child of this process so far
    with pytest.raises(QueryError, match=r"memory|longer than") as caught:
        run_cypher_apart(file_url, DOUBLED, {"k": start}, POLICY)
    assert "\n" not in str(caught.value)
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, 512 * 1024)


def test_a_query_ends_soon_after_its_time(file_url: str) -> None:
    with open_graph(file_url) as store:
        keys = [f"k{n:04d}" for n in range(1500)]
        upsert_nodes(store, Label.REQUIREMENT, [NodeRow(key=k) for k in keys])
        arrows = [RelationshipRow(source=a, target=keys[n * 7 % 1500]) for n, a in enumerate(keys)]
        upsert_relationships(store, RelationshipType.REFINES, Label.REQUIREMENT, Label.REQUIREMENT, arrows)
    began = time.monotonic()
    with pytest.raises((QueryTimeoutError, QueryError)):
        run_cypher_apart(file_url, WAYS, policy=CypherPolicy(timeout_s=1))
    assert time.monotonic() - began < 15  # starting the child on a busy machine included


def test_a_large_result_is_refused_with_a_way_out(url: str) -> None:
    with pytest.raises(QueryError, match=r"more than 0\.1 MB.*LIMIT"):
        run_cypher_apart(url, "MATCH (n) RETURN collect(n) AS all", policy=CypherPolicy(max_result_mb=0.1))


def test_the_graph_is_whole_after_queries_that_were_ended(url: str) -> None:
    for query in (DOUBLED, WAYS):
        with pytest.raises(QueryError):
            run_cypher_apart(url, query, {"k": "x"}, CypherPolicy(timeout_s=0.5, max_memory_mb=128))
    with open_graph(url) as store:
        assert store.read("MATCH (n) RETURN count(n) AS n").rows[0]["n"] == NODES
        upsert_nodes(store, Label.REQUIREMENT, [NodeRow(key="one more")])


def test_a_write_that_is_allowed_is_kept(file_url: str) -> None:
    policy = CypherPolicy(allow_write=True)
    run_cypher_apart(file_url, "MERGE (n:Requirement {key: $k})", {"k": "new"}, policy)
    with open_graph(file_url) as store:
        assert store.read("MATCH (n) RETURN n.key AS key").rows == ({"key": "new"},)


def test_what_the_guard_refuses_starts_no_child(file_url: str) -> None:
    with pytest.raises(CypherRefusedError, match="read-only"):
        run_cypher_apart(file_url, "MATCH (n) DELETE n")
    assert not Path(file_url.removeprefix("kglite://")).exists()


def test_a_missing_parameter_and_a_wrong_query_are_told_as_before(file_url: str) -> None:
    with pytest.raises(CypherRefusedError, match=r"pass a value for it"):
        run_cypher_apart(file_url, "RETURN $k AS k")
    with pytest.raises(QueryError):
        run_cypher_apart(file_url, "MATCH (n RETURN n")


def test_a_graph_that_cannot_be_opened_is_said_to_be(tmp_path: Path, file_url: str) -> None:
    (tmp_path / "broken.kgl").write_bytes(b"no graph")
    with pytest.raises(GraphUnavailableError, match=r"broken\.kgl cannot be opened"):
        run_cypher_apart(f"kglite://{tmp_path}/broken.kgl", "RETURN 1 AS n")
    with open_graph(file_url), pytest.raises(GraphBusyError):
        run_cypher_apart(file_url, "RETURN 1 AS n", policy=CypherPolicy(timeout_s=8))
