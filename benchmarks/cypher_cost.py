"""What expensive Cypher costs whoever asks: 44 queries that a model could write, each within its limits or ended.

    python benchmarks/cypher_cost.py [--seconds 10] [--nodes 1000] [--short] [--url neo4j://...]

Each query passes the guard and runs as the tool `run_cypher` runs it. A figure for each is its time (starting the
child included) and how it ended; the bars are the limit and one second more, 512 MB resident in the child, and that
this process and the graph are there at the end. Prints one JSON line a figure; exits with 1 where a bar does not hold.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from echelon.domains.graph.cypher.apart import run_cypher_apart
from echelon.domains.graph.cypher.guard import CypherPolicy, guard
from echelon.domains.graph.metamodel import load_metamodel
from echelon.domains.graph.stores.opening import open_graph
from echelon.domains.graph.stores.port import GraphError, Label, RelationshipType
from echelon.domains.graph.upsert import NodeRow, RelationshipRow, upsert_nodes, upsert_relationships

BAR_MB = 512
SLACK_S = 1.0
QUERIES = (
    "RETURN size(reduce(s=$k, x IN range(1,60) | s+s)) AS n",
    "RETURN reduce(s=$k, x IN range(1,60) | s+s) AS s",
    "RETURN size(reduce(s=$list, x IN range(1,60) | s+s)) AS n",
    "RETURN reduce(s=$list, x IN range(1,40) | s+[s]) AS s",
    "RETURN size(reduce(s=$k, x IN range(1,60) | replace(s, $k, $kk))) AS n",
    "RETURN size(reduce(s=$k, x IN range(1,30) | s+s+s)) AS n",
    "WITH reduce(s=$k, x IN range(1,24) | s+s) AS s RETURN split(s, $k) AS parts",
    "WITH reduce(s=$k, x IN range(1,26) | s+s) AS s UNWIND range(1,1000) AS n RETURN s+toString(n) AS t",
    "UNWIND range(1,100000000) AS x RETURN count(x) AS n",
    "UNWIND range(1,100000000) AS x RETURN collect(x) AS all",
    "RETURN range(1,200000000) AS all",
    "RETURN size(range(1,2000000000)) AS n",
    "UNWIND range(1,10000) AS x UNWIND range(1,10000) AS y RETURN sum(x*y) AS n",
    "UNWIND range(1,10000) AS x UNWIND range(1,10000) AS y RETURN collect(x*y) AS n",
    "UNWIND range(1,3000) AS x UNWIND range(1,3000) AS y WITH x, y ORDER BY x*y DESC RETURN x, y LIMIT 1",
    "UNWIND range(1,2000) AS x UNWIND range(1,2000) AS y RETURN DISTINCT toString(x)+toString(y) AS t",
    "RETURN [x IN range(1,20000) | [y IN range(1,20000) | x*y]] AS m",
    "RETURN size([x IN range(1,50000000) WHERE x % 2 = 0]) AS n",
    "RETURN reduce(a=0, x IN range(1,100000000) | a+x) AS n",
    "RETURN all(x IN range(1,100000000) WHERE x > 0) AS yes",
    "MATCH (a), (b) RETURN count(*) AS n",
    "MATCH (a), (b), (c) RETURN count(*) AS n",
    "MATCH (a), (b), (c), (d) RETURN count(*) AS n",
    "MATCH (a), (b) RETURN collect(a.text+b.text) AS all",
    "MATCH (a), (b) WITH a, b ORDER BY a.text, b.text RETURN a.key, b.key LIMIT 5",
    "MATCH (a), (b), (c) WHERE a.text CONTAINS b.key AND c.text ENDS WITH a.key RETURN count(*) AS n",
    "MATCH (a) RETURN collect(a) AS all",
    "MATCH (a) WITH collect(a) AS all UNWIND all AS x RETURN collect({n: x, all: all}) AS n",
    "MATCH (a) WITH collect(a) AS all UNWIND all AS x UNWIND all AS y UNWIND all AS z RETURN count(*) AS n",
    "MATCH p = (a)-[*]-(b) RETURN count(p) AS n",
    "MATCH p = (a)-[*]->(b) RETURN p",
    "MATCH p = (a)-[*1..20]-(b) RETURN count(p) AS n",
    "MATCH p = (a)-[*10..12]-(b) RETURN collect(p) AS all",
    "MATCH p = (a)-[*..30]->(a) RETURN count(p) AS n",
    "MATCH p = allShortestPaths((a)-[*..50]-(b)) RETURN count(p) AS n",
    "MATCH p = allShortestPaths((a)-[*..50]-(b)) WHERE a.key < b.key RETURN collect(p) AS all",
    "MATCH p = shortestPath((a)-[*..100]-(b)) WHERE a.key <> b.key RETURN sum(length(p)) AS n",
    "MATCH (a)-[*1..8]-(b)-[*1..8]-(c) RETURN count(DISTINCT c) AS n",
    "MATCH (a)--(b)--(c)--(d)--(e)--(f)--(g)--(h) RETURN count(*) AS n",
    "MATCH (a)-[r*2..9]->(b) RETURN DISTINCT a.key, b.key, size(r) AS n ORDER BY n DESC",
    "MATCH (a) OPTIONAL MATCH (a)-[*1..15]->(b) WITH a, collect(b) AS bs RETURN a.key, size(bs) AS n",
    "MATCH (a) WHERE size([(a)-[*1..12]-(b) | b.text]) > 0 RETURN count(a) AS n",
    "MATCH (a) CALL { WITH a MATCH (a)-[*1..12]-(b) RETURN count(b) AS n } RETURN sum(n) AS n",
    "MATCH (a), (b) WITH a.text AS t, count(b) AS n UNWIND range(1, n*n) AS x RETURN t, max(x) AS m",
)
PARAMETERS = {"k": "x", "kk": "xx", "list": ["x"]}


def fill(url: str, nodes: int) -> None:
    """A graph of `nodes` requirements with 1,000 characters each, connected with the next and with some far ones."""
    keys = [f"k{n:05d}" for n in range(nodes)]
    ends = [(k, keys[(n * step + step) % nodes]) for n, k in enumerate(keys) for step in (1, 7, 31)]
    arrows = [RelationshipRow(source=a, target=b) for a, b in ends if a != b]
    with open_graph(url) as store:
        load_metamodel(ROOT / "configs" / "metamodel.yaml").prepare(store)
        upsert_nodes(store, Label.REQUIREMENT, [NodeRow(key=k, properties={"text": f"{k} " * 170}) for k in keys])
        upsert_relationships(store, RelationshipType.REFINES, Label.REQUIREMENT, Label.REQUIREMENT, arrows)


def ended(url: str, query: str, policy: CypherPolicy) -> str:
    """How a query ended: `rows`, or the sentence that refuses it."""
    try:
        return f"{len(run_cypher_apart(url, query, PARAMETERS, policy).rows)} rows"
    except GraphError as error:
        return str(error)


def say(figure: str, value: float, **more: Any) -> None:
    """Print one figure."""
    print(json.dumps({"benchmark": "cypher_cost", "figure": figure, "value": round(value, 2), **more}), flush=True)


def measure(url: str, nodes: int, seconds: float, queries: tuple[str, ...]) -> bool:
    """Ask every query; whether all bars hold."""
    fill(url, nodes)
    policy = CypherPolicy(timeout_s=seconds)
    slowest = 0.0
    for query in queries:
        guard(query, policy)
        began = time.perf_counter()
        how = ended(url, query, policy)
        took = time.perf_counter() - began
        slowest = max(slowest, took)
        say("seconds of a query", took, query=query, ended=how)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    with open_graph(url) as store:
        left = store.read("MATCH (n) RETURN count(n) AS n").rows[0]["n"]
    say("queries", len(queries))
    say("seconds of the slowest", slowest, bar=seconds + SLACK_S)
    say("megabytes resident in the largest child", peak, bar=BAR_MB)
    say("nodes of the graph afterwards", left, bar=nodes)
    return slowest <= seconds + SLACK_S and peak <= BAR_MB and left == nodes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of a query")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--url", help="address of an empty graph; by default a file in a temporary folder")
    parser.add_argument("--short", action="store_true", help="every fourth query, 2 seconds each, 300 nodes")
    given = parser.parse_args()
    seconds, nodes, queries = (2.0, 300, QUERIES[::4]) if given.short else (given.seconds, given.nodes, QUERIES)
    with tempfile.TemporaryDirectory() as folder:
        held = measure(given.url or f"kglite://{folder}/graph.kgl", nodes, seconds, queries)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
