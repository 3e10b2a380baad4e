"""The graph in one file: kglite behind the GraphStore port.

Writes go through kglite's write-ahead log, so a finished write survives a killed process. kglite calls may come from
any thread; one lock keeps them one after another.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote, urlsplit

from echelon.domains.graph.stores.port import (
    RESERVED_PROPERTIES,
    GraphBusyError,
    GraphError,
    GraphUnavailableError,
    Hit,
    QueryError,
    QueryResult,
    QueryTimeoutError,
    WriteResult,
)
from echelon.json_text import is_object, is_sequence

if TYPE_CHECKING:
    import kglite

VECTOR_COLUMN = "text"
MAX_WORK_UNITS = 3_000_000
"""Rows and list items that one read may hold on its way, about 1 GB; kglite's own ceiling allows 3.6 GB (measured)."""
_RETRY_S = 0.1


class KgliteStore:
    """See GraphStore. Made by `open_graph`."""

    def __init__(self, graph: kglite.KnowledgeGraph) -> None:
        self._graph = graph
        self._full_text: dict[str, str] = {}
        self._lock = threading.RLock()
        self._open = True

    @classmethod
    def open(cls, url: str, *, wait_s: float) -> Self:
        """Open or make the file that `url` names; see `open_graph`."""
        import kglite

        path = _path_of(url)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise GraphUnavailableError(f"the folder of {path.name} cannot be made: {error.strerror}") from error
        # A warning on standard error about a label that has no node yet would tear the live display.
        kglite.set_query_warning_policy("silent")
        deadline = time.monotonic() + wait_s
        while True:
            try:
                return cls(kglite.open(str(path), durable="normal"))
            except kglite.WriterLeaseHeldError as error:
                if time.monotonic() >= deadline:
                    raise GraphBusyError(
                        f"the graph {path.name} is open for writing elsewhere; close it there"
                    ) from error
                time.sleep(_RETRY_S)
            except (kglite.KgError, OSError, ValueError) as error:
                raise GraphUnavailableError(f"the graph {path.name} cannot be opened: {_first_line(error)}") from error

    def prepare(self, labels: Sequence[str], full_text: Mapping[str, str]) -> None:
        with self._calls() as graph:
            for label in labels:
                graph.cypher(f"CREATE CONSTRAINT {label}_key IF NOT EXISTS FOR (n:{label}) REQUIRE n.key IS UNIQUE")
            self._full_text.update(full_text)

    def write(
        self, query: str, parameters: Mapping[str, Any] | None = None, *, timeout_s: float = 600.0
    ) -> WriteResult:
        with self._calls() as graph:
            result: Any = graph.cypher(query, params=dict(parameters or {}), timeout_ms=_milliseconds(timeout_s))
            found = result.to_list()
            stats: dict[str, Any] = result.stats or {}
        counts = {name: count for name, count in stats.items() if name in WriteResult.model_fields}
        return WriteResult(rows=tuple(_plain(row) for row in found), **counts)

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        max_rows: int = 1_000_000,
        timeout_s: float = 60.0,
    ) -> QueryResult:
        with self._calls() as graph:
            result: Any = graph.begin_read().cypher(
                query,
                params=dict(parameters or {}),
                timeout_ms=_milliseconds(timeout_s),
                row_limit=max_rows,
                max_work_units=MAX_WORK_UNITS,
            )
            columns, found = tuple(result.columns), result.to_list()
            notes: dict[str, Any] = result.diagnostics or {}
        rows = tuple(_plain(row) for row in found)
        # kglite counts all rows only when it left some out.
        return QueryResult(columns=columns, rows=rows, truncated=(notes.get("total_rows") or 0) > len(rows))

    def search_text(self, label: str, query: str, limit: int) -> list[Hit]:
        field = self._full_text.get(label)
        if field is None:
            raise QueryError(f"{label} has no full text index")
        if not self._has_nodes(label):
            return []
        with self._calls() as graph:
            # Building anew costs 0.1 s for 10,000 texts and replaces kglite's own catching up, which stops at 1,000.
            if not graph.has_text_index(label, field) or self._is_stale(graph, label, field):
                graph.build_text_index(label, field)
        found = self.read(
            f"MATCH (n:{label}) WITH n, text_bm25(n, '{field}', $query) AS score WHERE score > 0 "
            "RETURN n.key AS key, score ORDER BY score DESC, key LIMIT $limit",
            {"query": query, "limit": limit},
        )
        return [Hit(key=row["key"], score=row["score"]) for row in found.rows]

    @staticmethod
    def _is_stale(graph: kglite.KnowledgeGraph, label: str, field: str) -> bool:
        indexes: Any = graph.cypher("SHOW INDEXES")
        return any(
            index["stale"]
            for index in indexes.to_list()
            if index["type"] == "FULLTEXT" and index["labelsOrTypes"] == [label] and index["properties"] == [field]
        )

    def store_vectors(self, label: str, vectors: Mapping[str, Sequence[float]]) -> None:
        if not vectors:
            return
        ids = self._ids(label)
        missing = sorted(set(vectors) - set(ids))
        if missing:
            raise QueryError(f"{label} has no node {missing[0]}")
        with self._calls() as graph:
            graph.add_node_embeddings(
                label, VECTOR_COLUMN, {ids[key]: [float(x) for x in vector] for key, vector in vectors.items()}
            )

    def search_vectors(self, label: str, vector: Sequence[float], limit: int) -> list[Hit]:
        with self._calls() as graph:
            if graph.node_embedding_dim(label, VECTOR_COLUMN) is None:
                return []
            found: Any = graph.select(label).node_vector_search(
                VECTOR_COLUMN, [float(x) for x in vector], top_k=limit, metric="cosine", returning=["key"], exact=True
            )
        hits = [Hit(key=row["key"], score=row["score"]) for row in found]
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))

    def keys_without_vector(self, label: str) -> list[str]:
        ids = self._ids(label)
        with self._calls() as graph:
            if graph.node_embedding_dim(label, VECTOR_COLUMN) is None:
                return sorted(ids)
            present: Any = graph.node_embeddings(label, VECTOR_COLUMN)
        return sorted(key for key, node in ids.items() if node not in present)

    def flush(self) -> None:
        with self._calls() as graph:
            graph.save()

    def close(self) -> None:
        with self._lock:
            if self._open:
                self.flush()
                self._graph.close()
                self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _has_nodes(self, label: str) -> bool:
        return bool(self.read(f"MATCH (n:{label}) RETURN n.key LIMIT 1").rows)

    def _ids(self, label: str) -> dict[str, int]:
        """kglite's own number of each node of `label`, by key. Numbers hold for one open graph alone."""
        rows = self.read(f"MATCH (n:{label}) RETURN n.key AS key, n.id AS number").rows
        return {row["key"]: row["number"] for row in rows if row["key"] is not None}

    @contextmanager
    def _calls(self) -> Generator[kglite.KnowledgeGraph]:
        """The graph, locked, with kglite's errors turned into ours."""
        import kglite

        with self._lock:
            if not self._open:
                raise GraphError("the graph is closed")
            try:
                yield self._graph
            except kglite.CypherTimeoutError as error:
                raise QueryTimeoutError("the query took longer than its time limit") from error
            except (kglite.KgError, ValueError, TypeError, OverflowError, RecursionError) as error:
                raise QueryError(_first_line(error)) from error


def _path_of(url: str) -> Path:
    parts = urlsplit(url)
    path = unquote(parts.path)
    if parts.netloc or not path.strip("/"):
        raise GraphUnavailableError("a kglite address is kglite:///absolute/path.kgl or kglite:relative/path.kgl")
    return Path(path)


def _milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0][:300]


def _plain(value: Any) -> Any:
    """kglite's values as the port gives them: nodes, relationships and paths without kglite's own fields."""
    if is_object(value):
        if value.keys() == {"id", "labels", "properties"}:
            return {"labels": value["labels"], "properties": _own(value["properties"])}
        if value.keys() == {"id", "start", "end", "type", "properties"}:
            return {"relationship": value["type"], "properties": _own(value["properties"])}
        return {name: _plain(item) for name, item in value.items()}
    if is_sequence(value):
        return [_plain(item) for item in value]
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    return str(value)


def _own(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(item) for name, item in properties.items() if name not in RESERVED_PROPERTIES}
