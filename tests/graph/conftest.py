"""The graph databases that the tests run on: kglite always, Neo4j's driver against a real Bolt server."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.domains.graph.metamodel import Metamodel, load_metamodel
from echelon.domains.graph.stores.opening import open_graph
from echelon.domains.graph.stores.port import GraphStore
from tests.graph.bolt_server import PASSWORD, USER

METAMODEL = Path(__file__).parents[2] / "configs" / "metamodel.yaml"


@pytest.fixture(scope="session")
def bolt_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a Bolt server on loopback that lives as long as the tests."""
    if importlib.util.find_spec("arcadedb_embedded") is None:
        pytest.skip("the Bolt server needs the arcadedb-embedded wheel")
    folder = tmp_path_factory.mktemp("bolt")
    # Java's better compiler does not pay off within a few minutes.
    environment = {**os.environ, "ARCADEDB_JVM_ARGS": "-XX:TieredStopAtLevel=1"}
    program = Path(__file__).with_name("bolt_server.py")
    with (
        (folder / "errors.txt").open("w") as errors,
        subprocess.Popen(
            [sys.executable, str(program)],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as server,
    ):
        assert server.stdin and server.stdout
        lines: list[str] = []
        while not lines or not lines[-1].startswith("bolt port "):
            line = server.stdout.readline().decode()
            assert line, "".join(lines) + (folder / "errors.txt").read_text()
            lines.append(line)
        yield int(lines[-1].removeprefix("bolt port "))
        server.stdin.close()
        # The server goes on printing while it stops; a full pipe would hold it up.
        server.stdout.read()
        server.wait(timeout=60)


@pytest.fixture(scope="session")
def metamodel() -> Metamodel:
    """The metamodel that the project ships."""
    return load_metamodel(METAMODEL)


def bolt_url(port: int, database: str) -> str:
    return f"bolt://{USER}:{PASSWORD}@127.0.0.1:{port}/{database}"


@pytest.fixture(params=["kglite", "bolt"])
def graph_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty graph."""
    if request.param == "kglite":
        return f"kglite://{tmp_path}/graph.kgl"
    url = bolt_url(request.getfixturevalue("bolt_port"), "graph")
    with open_graph(url) as store:
        store.write("MATCH (n) DETACH DELETE n")
    return url


@pytest.fixture
def store(graph_url: str, metamodel: Metamodel) -> Iterator[GraphStore]:
    """An empty graph, prepared; the test runs once on each database."""
    with open_graph(graph_url) as opened:
        metamodel.prepare(opened)
        yield opened


@pytest.fixture
def kglite_store(tmp_path: Path, metamodel: Metamodel) -> Iterator[GraphStore]:
    """An empty kglite graph, for tests of what does not differ between databases."""
    with open_graph(f"kglite://{tmp_path}/graph.kgl") as opened:
        metamodel.prepare(opened)
        yield opened
