"""How the address of a graph becomes an open store."""

from __future__ import annotations

from urllib.parse import urlsplit

from echelon.domains.graph.stores.port import GraphStore, GraphUnavailableError


def driver_of(url: str) -> str:
    """What a process of its own imports to speak with the database of this address."""
    return "kglite" if urlsplit(url).scheme == "kglite" else "echelon.domains.graph.stores.neo4j_apart"


def open_graph(url: str, *, wait_s: float = 30.0) -> GraphStore:
    """Open the graph at `url`; close it after use, best with `with`.

    `kglite:///absolute/path.kgl` or `kglite:relative/path.kgl` is a file, made when it is not there. Only one process
    at a time holds such a file for writing: `wait_s` is how many seconds to wait for another one to let go.
    `neo4j://user:password@host:7687/database` and `bolt://…` (also `+s` and `+ssc`) are servers.

    Raises GraphBusyError when the file is still held after `wait_s`, GraphUnavailableError for anything else that keeps
    the graph from being opened.
    """
    scheme = urlsplit(url).scheme
    if scheme == "kglite":
        from echelon.domains.graph.stores.kglite import KgliteStore

        return KgliteStore.open(url, wait_s=wait_s)
    if scheme.split("+")[0] in {"neo4j", "bolt"}:
        from echelon.domains.graph.stores.neo4j import Neo4jStore

        return Neo4jStore.open(url)
    raise GraphUnavailableError(f"the graph address starts with {scheme!r}; use kglite:, neo4j: or bolt:")
