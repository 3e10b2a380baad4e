"""Search by words and by meaning in PostgreSQL with the vector extension: for workers that share one database.

Words are PostgreSQL's full text (`ts_rank_cd`, English stems), meaning is the cosine distance of pgvector, compared
exactly, fused by reciprocal rank as in `semantic`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from echelon.domains.search.embeddings import Embedder, WordLlama
from echelon.domains.search.files import Kind, TextFile, chunks, read_text_file, walk
from echelon.domains.search.fusion import DEPTH, reciprocal_rank_fusion
from echelon.domains.search.index import FILE_NAME, Changes, IndexStatistics, SearchHit
from echelon.json_text import is_object

if TYPE_CHECKING:
    import psycopg

_SCHEMA = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS search_files (
    workspace text NOT NULL, path text NOT NULL, sha256 text NOT NULL, kind text NOT NULL, embedder text NOT NULL,
    PRIMARY KEY (workspace, path));
CREATE TABLE IF NOT EXISTS search_chunks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, workspace text NOT NULL, path text NOT NULL,
    first_line integer NOT NULL, last_line integer NOT NULL, text text NOT NULL, vector vector,
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED,
    FOREIGN KEY (workspace, path) REFERENCES search_files ON DELETE CASCADE);
CREATE INDEX IF NOT EXISTS search_chunks_path ON search_chunks (workspace, path);
CREATE INDEX IF NOT EXISTS search_chunks_words ON search_chunks USING gin (words);
"""
_UNDER = "(%(under)s = '' OR path = %(under)s OR starts_with(path, %(under)s || '/'))"
_SCHEMA_LOCK = 4_271_990_117
"""Number of the advisory lock under which one worker makes the tables."""


class PgVectorIndex:
    """See SearchIndex: in PostgreSQL. Workspaces are told apart by `workspace`, by default the folder's path."""

    def __init__(
        self, root: Path, database_url: str, *, embedder: Embedder | None = None, workspace: str | None = None
    ) -> None:
        """Connect, and make the tables when they are not there."""
        self.root = root
        self._workspace = workspace or hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:32]
        self._embedder: Embedder = embedder or WordLlama()
        self._connection = _connect(database_url)
        with self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
            self._connection.execute(_SCHEMA)

    @staticmethod
    def available(database_url: str) -> bool:
        """Whether the server has the vector extension, installed or ready to be."""
        with _connect(database_url) as connection:
            found = connection.execute("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'").fetchone()
        return found is not None and found[0] > 0

    def update(self, paths: Iterable[str]) -> Changes:
        """See SearchIndex.update."""
        indexed: list[str] = []
        removed: list[str] = []
        known = self._known()
        for path in dict.fromkeys(paths):
            file = None if Path(path).name.startswith(FILE_NAME) else read_text_file(self.root, path)
            if file is None and path in known:
                self._execute("DELETE FROM search_files WHERE workspace = %s AND path = %s", self._workspace, path)
                removed.append(path)
            elif file is not None and known.get(path) != (file.sha256, self._embedder.name):
                self._add(file)
                indexed.append(path)
        return Changes(indexed=tuple(indexed), removed=tuple(removed))

    def sync(self) -> Changes:
        """See SearchIndex.sync."""
        return self.update(sorted({*walk(self.root), *self._known()}))

    def cleanup(self) -> tuple[str, ...]:
        """See SearchIndex.cleanup."""
        return self.update(path for path in sorted(self._known()) if not (self.root / path).is_file()).removed

    def drop(self) -> None:
        """Take the whole workspace out of the database, when its job is deleted."""
        self._execute("DELETE FROM search_files WHERE workspace = %s", self._workspace)

    def search(self, query: str, *, limit: int = 10, under: str = "") -> list[SearchHit]:
        """See SearchIndex.search."""
        depth = max(DEPTH, limit)
        parameters = {"workspace": self._workspace, "under": under.strip("/"), "limit": depth}
        ranked = reciprocal_rank_fusion([self._by_words(query, parameters), self._by_meaning(query, parameters)])
        best = dict(ranked[:limit])
        rows = self._execute(
            "SELECT id, path, first_line, last_line, text FROM search_chunks WHERE id = ANY(%s)", list(best)
        )
        found = {row[0]: row for row in rows}
        return [
            SearchHit(
                path=found[number][1],
                first_line=found[number][2],
                last_line=found[number][3],
                text=found[number][4],
                score=round(score, 6),
            )
            for number, score in best.items()
            if number in found
        ]

    def statistics(self) -> IndexStatistics:
        """See SearchIndex.statistics."""
        by_kind = self._execute(
            "SELECT kind, count(*) FROM search_files WHERE workspace = %s GROUP BY kind ORDER BY kind", self._workspace
        )
        (row,) = self._execute(
            "SELECT count(*), coalesce(sum(length(text)), 0), count(vector) FROM search_chunks WHERE workspace = %s",
            self._workspace,
        )
        return IndexStatistics(
            files=sum(number for _, number in by_kind),
            chunks=row[0],
            characters=row[1],
            by_kind={Kind(kind).value: number for kind, number in by_kind},
            with_vector=row[2],
        )

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _known(self) -> dict[str, tuple[str, str]]:
        """SHA-256 and embedder of each indexed file, by path."""
        rows = self._execute("SELECT path, sha256, embedder FROM search_files WHERE workspace = %s", self._workspace)
        return {path: (sha256, embedder) for path, sha256, embedder in rows}

    def _add(self, file: TextFile) -> None:
        # PostgreSQL cannot store NUL; read_text_file lets no such file through.
        pieces = chunks(file.text)
        vectors = self._embedder.embed([piece.text for piece in pieces])
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.execute("DELETE FROM search_files WHERE workspace = %s AND path = %s", (self._workspace, file.path))
            cursor.execute(
                "INSERT INTO search_files VALUES (%s, %s, %s, %s, %s)",
                (self._workspace, file.path, file.sha256, file.kind.value, self._embedder.name),
            )
            cursor.executemany(
                "INSERT INTO search_chunks (workspace, path, first_line, last_line, text, vector) "
                "VALUES (%s, %s, %s, %s, %s, %s::vector)",
                [
                    (
                        *(self._workspace, file.path, piece.first_line, piece.last_line, piece.text),
                        _vector(vectors[row]) if vectors[row].any() else None,
                    )
                    for row, piece in enumerate(pieces)
                ],
            )

    def _by_words(self, query: str, parameters: dict[str, Any]) -> list[int]:
        rows = self._execute(
            # Any of the words, as BM25 has it: plainto_tsquery alone would ask for all of them.
            "WITH asked AS (SELECT replace(plainto_tsquery('english', %(query)s)::text, '&', '|')::tsquery AS words) "
            "SELECT id FROM search_chunks, asked WHERE workspace = %(workspace)s AND "
            f"search_chunks.words @@ asked.words AND {_UNDER} "
            "ORDER BY ts_rank_cd(search_chunks.words, asked.words, 1) DESC, path, first_line LIMIT %(limit)s",
            {**parameters, "query": query.replace("\0", " ")},
        )
        return [row[0] for row in rows]

    def _by_meaning(self, query: str, parameters: dict[str, Any]) -> list[int]:
        vector = self._embedder.embed([query])[0]
        if not vector.any():
            return []
        rows = self._execute(
            f"SELECT id FROM search_chunks WHERE workspace = %(workspace)s AND vector IS NOT NULL AND {_UNDER} "
            "ORDER BY vector <=> %(vector)s::vector, path, first_line LIMIT %(limit)s",
            {**parameters, "vector": _vector(vector)},
        )
        return [row[0] for row in rows]

    def _execute(self, query: str, *parameters: Any) -> list[Any]:
        given: dict[str, Any] | tuple[Any, ...] = (
            parameters[0] if parameters and is_object(parameters[0]) else parameters
        )
        cursor = self._connection.execute(query.encode(), given)
        return cursor.fetchall() if cursor.description else []


def _connect(database_url: str) -> psycopg.Connection[Any]:
    import psycopg

    scheme, _, rest = database_url.partition("://")
    return psycopg.connect(f"{scheme.split('+')[0]}://{rest}", autocommit=True)


def _vector(values: Any) -> str:
    return "[" + ",".join(repr(float(value)) for value in values) + "]"
