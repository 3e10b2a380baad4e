"""The port of the requirement graph: what every graph database behind Echelon can do, and the values it speaks in.

Two databases stand behind it: kglite (embedded, one file) and Neo4j (any server that speaks Bolt and Cypher). The
rest of the package uses this port alone, so that one set of queries runs on both: bind nodes before MERGE, never store
a map as a property, keep the property names `id`, `title`, `type` and `embedding` free, and leave full text and vectors
to the port.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import TracebackType
from typing import Any, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field

RESERVED_PROPERTIES = frozenset({"id", "title", "type", "embedding"})
"""Names that a database uses for itself (kglite: id, title, type; Neo4j store: embedding); never ours to store."""


class Label(StrEnum):
    """The kinds of node."""

    REQUIREMENT = "Requirement"
    DOCUMENT = "Document"
    SECTION = "Section"
    BUSINESS_OBJECT = "BusinessObject"
    MESSAGE = "Message"
    SYSTEM = "System"


class RelationshipType(StrEnum):
    """The kinds of relationship."""

    CITES = "CITES"
    IN_SECTION = "IN_SECTION"
    REFINES = "REFINES"
    DUPLICATES = "DUPLICATES"
    CONFLICTS_WITH = "CONFLICTS_WITH"
    FULFILLED_BY = "FULFILLED_BY"
    MENTIONS = "MENTIONS"


ENTITY_LABELS = (Label.BUSINESS_OBJECT, Label.MESSAGE, Label.SYSTEM)


class GraphError(Exception):
    """Something about the graph failed; the message is one sentence for a user and holds no password."""


class GraphUnavailableError(GraphError):
    """The graph cannot be opened: bad address, no server, refused login, or a damaged file."""


class GraphBusyError(GraphUnavailableError):
    """Another process or another open store holds the graph file for writing."""


class QueryError(GraphError):
    """The database refused a query or failed on it."""


class QueryTimeoutError(QueryError):
    """A query ran longer than its time limit."""


class Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class WriteResult(Value):
    """What a write changed, and the rows of its RETURN clause."""

    nodes_created: int = 0
    relationships_created: int = 0
    nodes_deleted: int = 0
    relationships_deleted: int = 0
    properties_set: int = 0
    rows: tuple[dict[str, Any], ...] = ()


class QueryResult(Value):
    """The rows of a read. Nodes, relationships and paths are plain maps and lists, the same on every database.

    A node is `{"labels": [...], "properties": {...}}`, a relationship `{"relationship": TYPE, "properties": {...}}`, a
    path `{"nodes": [...], "relationships": [...]}`; dates and durations are ISO 8601 text.
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    truncated: bool = Field(default=False, description="the query had more rows than were asked for")


class Hit(Value):
    """A node that a search found."""

    key: str
    score: float = Field(description="BM25 (text, unbounded) or cosine (vectors, -1 to 1); higher is nearer")


class GraphStore(Protocol):
    """A graph database. Every method raises GraphError (or a kind of it) and nothing else of the database's own."""

    def prepare(self, labels: Sequence[str], full_text: Mapping[str, str]) -> None:
        """Make `key` unique for each of `labels`, and index one text property for each label of `full_text`.

        Safe to call any number of times.
        """
        ...

    def write(
        self, query: str, parameters: Mapping[str, Any] | None = None, *, timeout_s: float = 600.0
    ) -> WriteResult:
        """Run one statement that changes the graph, all of it or nothing, in at most `timeout_s` seconds."""
        ...

    def read(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        max_rows: int = 1_000_000,
        timeout_s: float = 60.0,
    ) -> QueryResult:
        """Run one query that the database itself keeps from writing, where it can.

        `timeout_s` is in seconds. Raises QueryTimeoutError when the database noticed that the time was over.
        """
        ...

    def search_text(self, label: str, query: str, limit: int) -> list[Hit]:
        """The nodes of `label` whose indexed text shares words with `query`, best first, equals by key.

        `query` is plain text: no character of it has a meaning of its own.
        """
        ...

    def store_vectors(self, label: str, vectors: Mapping[str, Sequence[float]]) -> None:
        """Set the vector of each node of `label`, by key. All vectors of a label have one length."""
        ...

    def search_vectors(self, label: str, vector: Sequence[float], limit: int) -> list[Hit]:
        """The nodes of `label` whose vectors are nearest to `vector` (cosine, exact), nearest first, equals by key."""
        ...

    def keys_without_vector(self, label: str) -> list[str]:
        """Keys of the nodes of `label` that have no vector yet, in order."""
        ...

    def flush(self) -> None:
        """Make everything written so far durable and visible to readers of other processes."""
        ...

    def close(self) -> None:
        """Flush and let go of the database. Closing twice is harmless."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
