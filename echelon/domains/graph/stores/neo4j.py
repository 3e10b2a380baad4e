"""The graph on a server: Neo4j, or another one that speaks Bolt and Cypher, behind the GraphStore port.

Reads run in transactions of read access mode. Full text uses a Lucene index where the server has one and falls back to
counting words; vectors are compared exactly (`vector.similarity.cosine`, Neo4j 5.18 and later), so that the same
question always gets the same answer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice
from types import TracebackType
from typing import TYPE_CHECKING, Any, LiteralString, Protocol, Self
from urllib.parse import unquote, urlsplit, urlunsplit

from echelon.domains.graph.stores.port import (
    RESERVED_PROPERTIES,
    GraphUnavailableError,
    Hit,
    QueryError,
    QueryResult,
    QueryTimeoutError,
    WriteResult,
)
from echelon.json_text import is_object, is_sequence

if TYPE_CHECKING:
    import neo4j

_WORDS = re.compile(r"\w+")
_TIMEOUT_CODES = ("TransactionTimedOut", "LockClientStopped", "TransactionTimedOutClientConfiguration")
_VECTOR_BATCH = 500


class _Driver(Protocol):
    """The part of neo4j.Driver that is used; neo4j itself leaves the types of the options out."""

    def session(self, *, database: str | None, default_access_mode: str = "WRITE") -> neo4j.Session: ...

    def close(self) -> None: ...


class Neo4jStore:
    """See GraphStore. Made by `open_graph`."""

    def __init__(self, driver: _Driver, database: str | None) -> None:
        self._driver = driver
        self._database = database
        self._full_text: dict[str, str] = {}
        self._indexed: set[str] = set()

    @classmethod
    def open(cls, url: str) -> Self:
        """Connect to the server that `url` names; see `open_graph`."""
        import neo4j

        parts = urlsplit(url)
        if not parts.hostname:
            raise GraphUnavailableError("a Neo4j address is neo4j://user:password@host:7687/database")
        where = f"{parts.hostname}:{parts.port or 7687}"
        address = urlunsplit((parts.scheme, where, "", parts.query, ""))
        login = (unquote(parts.username), unquote(parts.password or "")) if parts.username else None
        database = parts.path.strip("/") or None
        # neo4j gives the options of a driver no types.
        driver = neo4j.GraphDatabase.driver(address, auth=login)  # pyright: ignore[reportUnknownMemberType]
        with ExitStack() as on_failure:
            on_failure.callback(driver.close)
            _greet(driver, database, where)
            on_failure.pop_all()
        return cls(driver, database)

    def prepare(self, labels: Sequence[str], full_text: Mapping[str, str]) -> None:
        for label in labels:
            self.write(f"CREATE CONSTRAINT {label}_key IF NOT EXISTS FOR (n:{label}) REQUIRE n.key IS UNIQUE")
        self._full_text.update(full_text)
        names = {_index_name(label): label for label in full_text}
        for name, label in names.items():
            if name in self._full_text_indexes():
                self._indexed.add(label)
                continue
            try:
                self.write(f"CREATE FULLTEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON EACH [n.{full_text[label]}]")
            except QueryError:
                continue  # a server without such indexes: search_text counts words instead
            self.read("CALL db.awaitIndexes(60)")
            self._indexed.add(label)

    def write(
        self, query: str, parameters: Mapping[str, Any] | None = None, *, timeout_s: float = 600.0
    ) -> WriteResult:
        import neo4j

        @neo4j.unit_of_work(timeout=timeout_s)
        def run(transaction: neo4j.ManagedTransaction) -> WriteResult:
            result = transaction.run(_unfiltered(query), dict(parameters or {}))
            rows = tuple({name: _plain(record[name]) for name in record.keys()} for record in result)  # noqa: SIM118
            counts = result.consume().counters
            return WriteResult(
                nodes_created=counts.nodes_created,
                relationships_created=counts.relationships_created,
                nodes_deleted=counts.nodes_deleted,
                relationships_deleted=counts.relationships_deleted,
                properties_set=counts.properties_set,
                rows=rows,
            )

        with self._session("WRITE") as session:
            return session.execute_write(run)

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        max_rows: int = 1_000_000,
        timeout_s: float = 60.0,
    ) -> QueryResult:
        import neo4j

        @neo4j.unit_of_work(timeout=timeout_s)
        def run(transaction: neo4j.ManagedTransaction) -> QueryResult:
            result = transaction.run(_unfiltered(query), dict(parameters or {}))
            columns = tuple(result.keys())
            records = list(islice(result, max_rows + 1))
            rows = tuple({name: _plain(record[name]) for name in columns} for record in records[:max_rows])
            return QueryResult(columns=columns, rows=rows, truncated=len(records) > max_rows)

        with self._session("READ") as session:
            return session.execute_read(run)

    def search_text(self, label: str, query: str, limit: int) -> list[Hit]:
        if label not in self._full_text:
            raise QueryError(f"{label} has no full text index")
        words = sorted({word.lower() for word in _WORDS.findall(query)})
        if not words:
            return []
        if label in self._indexed:
            found = self.read(
                "CALL db.index.fulltext.queryNodes($index, $query) YIELD node, score "
                "RETURN node.key AS key, score ORDER BY score DESC, key LIMIT $limit",
                {"index": _index_name(label), "query": " OR ".join(words), "limit": limit},
            )
        else:
            found = self.read(
                f"UNWIND $words AS word MATCH (n:{label}) WHERE toLower(n.{self._full_text[label]}) CONTAINS word "
                "WITH n.key AS key, count(word) AS score RETURN key, score ORDER BY score DESC, key LIMIT $limit",
                {"words": words, "limit": limit},
            )
        return [Hit(key=row["key"], score=float(row["score"])) for row in found.rows]

    def store_vectors(self, label: str, vectors: Mapping[str, Sequence[float]]) -> None:
        rows = [{"key": key, "vector": [float(x) for x in vectors[key]]} for key in sorted(vectors)]
        for start in range(0, len(rows), _VECTOR_BATCH):
            batch = rows[start : start + _VECTOR_BATCH]
            done = self.write(
                f"UNWIND $rows AS row MATCH (n:{label} {{key: row.key}}) SET n.embedding = row.vector "
                "RETURN count(n) AS found",
                {"rows": batch},
            )
            if done.rows[0]["found"] != len(batch):
                raise QueryError(f"{len(batch) - done.rows[0]['found']} of the {label} nodes do not exist")

    def search_vectors(self, label: str, vector: Sequence[float], limit: int) -> list[Hit]:
        found = self.read(
            f"MATCH (n:{label}) WHERE n.embedding IS NOT NULL "
            "WITH n, vector.similarity.cosine(n.embedding, $vector) AS near "
            "ORDER BY near DESC, n.key LIMIT $limit RETURN n.key AS key, n.embedding AS vector",
            {"vector": [float(x) for x in vector], "limit": limit},
        )
        # Servers scale the similarity differently (Neo4j: 0 to 1), so the score is computed here.
        hits = [Hit(key=row["key"], score=_cosine(vector, row["vector"])) for row in found.rows]
        return sorted(hits, key=lambda hit: (-hit.score, hit.key))

    def keys_without_vector(self, label: str) -> list[str]:
        found = self.read(f"MATCH (n:{label}) WHERE n.embedding IS NULL RETURN n.key AS key ORDER BY key")
        return [row["key"] for row in found.rows]

    def flush(self) -> None:
        """Nothing to do: a Neo4j transaction is durable when it is committed."""

    def close(self) -> None:
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _full_text_indexes(self) -> set[str]:
        return {row["name"] for row in self.read("SHOW INDEXES").rows if row["type"] == "FULLTEXT"}

    @contextmanager
    def _session(self, access: str) -> Generator[neo4j.Session]:
        """A session with the server's errors turned into ours."""
        import neo4j

        try:
            with self._driver.session(database=self._database, default_access_mode=access) as session:
                yield session
        except neo4j.exceptions.Neo4jError as error:
            if any(code in (error.code or "") for code in _TIMEOUT_CODES):
                raise QueryTimeoutError("the query took longer than its time limit") from error
            raise QueryError(_message(error)) from error
        except neo4j.exceptions.ServiceUnavailable as error:
            raise GraphUnavailableError(f"the graph server does not answer: {_message(error)}") from error
        except (neo4j.exceptions.DriverError, ValueError, TypeError, OverflowError) as error:
            raise QueryError(_message(error)) from error


def _greet(driver: _Driver, database: str | None, where: str) -> None:
    """Raises GraphUnavailableError when the server, or its database, does not answer."""
    import neo4j

    try:
        with driver.session(database=database) as session:
            session.run("RETURN 1").consume()
    except (neo4j.exceptions.DriverError, neo4j.exceptions.Neo4jError) as error:
        raise GraphUnavailableError(f"no graph at {where}: {_message(error)}") from error


def _unfiltered(query: str) -> LiteralString:
    """The driver asks for queries that stand in the source; a graph's user writes their own, with values as parameters."""
    return query  # pyright: ignore[reportReturnType]


def _index_name(label: str) -> str:
    return f"{label.lower()}_text"


def _message(error: BaseException) -> str:
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return str(text).splitlines()[0][:300]


def _cosine(left: Sequence[float], right: Sequence[float]) -> float:
    norms = math.sqrt(sum(x * x for x in left)) * math.sqrt(sum(x * x for x in right))
    return sum(x * y for x, y in zip(left, right, strict=True)) / norms if norms else 0.0


def _plain(value: Any) -> Any:
    """The driver's values as the port gives them."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return {"labels": sorted(value.labels), "properties": _own(dict(value.items()))}
    if isinstance(value, Relationship):
        return {"relationship": value.type, "properties": _own(dict(value.items()))}
    if isinstance(value, Path):
        return {
            "nodes": [_plain(node) for node in value.nodes],
            "relationships": [_plain(relationship) for relationship in value.relationships],
        }
    if is_object(value):
        return {name: _plain(item) for name, item in value.items()}
    if hasattr(value, "iso_format"):
        return value.iso_format()
    if is_sequence(value) and not hasattr(value, "srid"):
        return [_plain(item) for item in value]
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    return str(value)


def _own(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(item) for name, item in properties.items() if name not in RESERVED_PROPERTIES}
