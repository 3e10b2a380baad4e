"""Cypher that a model wrote, run in a process of its own: no query takes the memory or the time of who asked.

The guard says what a query may do, not what it costs: `reduce(s = $k, x IN range(1, 60) | s + s)` is one row and a
quintillion characters, and no database that runs inside a process holds every such thing within its limits. The child
opens the graph itself and lets go of it by ending, also when it is ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echelon.bounded import Bounds, Child, ChildFailed, OutOfBounds
from echelon.domains.graph.cypher.guard import CypherPolicy, guard, run_cypher
from echelon.domains.graph.cypher.lexer import CypherRefusedError
from echelon.domains.graph.stores.opening import driver_of, open_graph
from echelon.domains.graph.stores.port import (
    GraphBusyError,
    GraphError,
    GraphUnavailableError,
    QueryError,
    QueryResult,
    QueryTimeoutError,
)

RAISES = (CypherRefusedError, GraphBusyError, GraphUnavailableError, QueryTimeoutError, QueryError, GraphError)
"""What the child's errors are here, the special ones first."""
WAIT_S = 30.0
"""How long a query that may write waits for another process to let go of the graph file."""
SLACK_S = 0.5
"""What the child may take beyond the query's own time limit, so that the database's answer comes first."""
WAYS_OUT = {
    "time": "give the paths a small length, start from a key, and count instead of returning everything",
    "memory": "give the paths and ranges a small length, and count or LIMIT before you collect",
    "output": "return single properties instead of nodes and lists, or add a LIMIT",
}


def run_cypher_apart(
    url: str,
    query: str,
    parameters: Mapping[str, Any] | None = None,
    policy: CypherPolicy | None = None,
) -> QueryResult:
    """`run_cypher` on the graph at `url`, within `policy`'s time, memory and result size, opening the graph included.

    Raises as `run_cypher` and `open_graph` do, QueryTimeoutError when the time was over, and QueryError with a way out
    for a query that needed more memory, had a larger result, or crashed the database.
    """
    policy = policy or CypherPolicy()
    guard(query, policy)
    waits = WAIT_S if policy.allow_write else 0.0
    bounds = Bounds(policy.timeout_s + waits + SLACK_S, policy.max_memory_mb, policy.max_result_mb)
    asked = policy.model_dump(mode="json")
    try:
        found = Child(bounds, RAISES, (driver_of(url),), warm=True).call(
            _answer, url, query, dict(parameters or {}), asked, waits
        )
    except OutOfBounds as over:
        if over.limit == "time":
            raise QueryTimeoutError(f"the query took longer than {policy.timeout_s:g} s: {WAYS_OUT['time']}") from over
        said = {"memory": "needed more than {:g} MB of memory", "output": "has a result of more than {:g} MB"}
        raise QueryError(f"the query {said[over.limit].format(over.ceiling)}: {WAYS_OUT[over.limit]}") from over
    except ChildFailed as failed:
        raise QueryError(f"the database broke on this query ({failed.kind}); ask in another way") from failed
    return QueryResult.model_validate(found)


def _answer(url: str, query: str, parameters: dict[str, Any], policy: dict[str, Any], waits: float) -> dict[str, Any]:
    """What the child does. The graph is closed, and so written, only when it may have changed."""
    allowed = CypherPolicy.model_validate(policy)
    store = open_graph(url, wait_s=waits or allowed.timeout_s / 2)  # time is left to say that it is held
    found = run_cypher(store, query, parameters, allowed).model_dump(mode="json")
    if allowed.allow_write:
        store.close()
    return found
