"""Full text search over the text files of a workspace: SQLite FTS5, in a file of the workspace.

Prose is indexed by stems (porter), code by trigrams, so that any part of a name of three characters or more is found.
Only files whose content changed are read into the index again. Ranking is BM25 (SQLite's `bm25()`).
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.search.files import Kind, TextFile, chunks, read_text_file, walk
from echelon.domains.search.fusion import reciprocal_rank_fusion

FILE_NAME = ".search.sqlite3"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, sha256 TEXT NOT NULL, kind TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,
    text TEXT NOT NULL, embedder TEXT, vector BLOB);
CREATE INDEX IF NOT EXISTS chunks_path ON chunks (path);
CREATE VIRTUAL TABLE IF NOT EXISTS prose USING fts5 (
    text, content='chunks', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE IF NOT EXISTS code USING fts5 (text, content='chunks', content_rowid='id', tokenize='trigram');
"""
_TABLE = {Kind.PROSE: "prose", Kind.CODE: "code"}


class SearchHit(BaseModel):
    """A piece of a file that was found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str = Field(description="relative to the workspace, with /")
    first_line: int = Field(ge=1)
    last_line: int = Field(ge=1)
    text: str = Field(description="the lines, verbatim")
    score: float = Field(description="comparable within one answer only; higher is better")


class IndexStatistics(BaseModel):
    """How much is in the index."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    files: int
    chunks: int
    characters: int
    by_kind: dict[str, int] = Field(description="number of files of prose and of code")
    with_vector: int = Field(description="chunks that semantic search can find")


class Changes(BaseModel):
    """What an update did: paths in order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    indexed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class WorkspaceIndex:
    """The index of one workspace. May be used from several threads and processes; close it after use."""

    def __init__(self, root: Path, *, file: Path | None = None) -> None:
        """Open or make the index of the folder `root`, in `file` (by default in `root` itself)."""
        self.root = root
        self._file = file or root / FILE_NAME
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(self._file, timeout=30, check_same_thread=False, isolation_level=None)
        self._connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + _SCHEMA)

    def update(self, paths: Iterable[str]) -> Changes:
        """Index these files as they are now; those that are gone or are no text leave the index."""
        indexed: list[str] = []
        removed: list[str] = []
        for path in dict.fromkeys(paths):
            file = None if self._is_own(path) else read_text_file(self.root, path)
            with self._transaction() as connection:
                known = connection.execute("SELECT sha256 FROM files WHERE path = ?", (path,)).fetchone()
                if file is None and known is not None:
                    self._forget(path)
                    removed.append(path)
                elif file is not None and (known is None or known[0] != file.sha256):
                    self._forget(path)
                    self._add(file)
                    indexed.append(path)
        return Changes(indexed=tuple(indexed), removed=tuple(removed))

    def sync(self) -> Changes:
        """Bring the whole index up to date with the workspace."""
        present = [path for path in walk(self.root) if not self._is_own(path)]
        return self.update(sorted({*present, *self._paths()}))

    def cleanup(self) -> tuple[str, ...]:
        """Take the files out of the index that are not in the workspace any more; their paths."""
        return self.update(path for path in self._paths() if not (self.root / path).is_file()).removed

    def search(self, query: str, *, limit: int = 10, under: str = "") -> list[SearchHit]:
        """The pieces that hold words of `query`, best first; `"…"` holds words together. `under` is a folder or file.

        Pieces of prose and of code are ranked apart and merged by rank, since their scores cannot be compared.
        """
        merged = reciprocal_rank_fusion(self.rankings(query, limit=limit, under=under))[:limit]
        return self.hits(merged)

    def rankings(self, query: str, *, limit: int, under: str = "") -> list[list[int]]:
        """Numbers of the pieces that full text finds, best first: one ranking of prose, one of code."""
        return [self._matches(kind, query, limit, under) for kind in Kind]

    def hits(self, ranked: Iterable[tuple[int, float]]) -> list[SearchHit]:
        """The pieces with these numbers and scores."""
        found: list[SearchHit] = []
        with self._lock:
            for number, score in ranked:
                row = self._connection.execute(
                    "SELECT path, first_line, last_line, text FROM chunks WHERE id = ?", (number,)
                ).fetchone()
                if row is not None:
                    path, first, last, text = row
                    found.append(
                        SearchHit(path=path, first_line=first, last_line=last, text=text, score=round(score, 6))
                    )
        return found

    def pieces_without_vector(self, embedder: str, *, limit: int) -> list[tuple[int, str]]:
        """(number, text) of pieces that have no vector of this embedder."""
        with self._lock:
            return self._connection.execute(
                "SELECT id, text FROM chunks WHERE embedder IS NOT ? ORDER BY id LIMIT ?", (embedder, limit)
            ).fetchall()

    def store_vectors(self, embedder: str, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Set vectors (float32, as bytes) by the numbers of their pieces."""
        with self._transaction() as connection:
            connection.executemany(
                "UPDATE chunks SET embedder = ?, vector = ? WHERE id = ?",
                [(embedder, vector, number) for number, vector in vectors],
            )

    def vectors(self, embedder: str) -> list[tuple[int, str, bytes]]:
        """(number, path, vector) of all pieces with a vector of this embedder, in the order of path and line."""
        with self._lock:
            return self._connection.execute(
                "SELECT id, path, vector FROM chunks WHERE embedder = ? ORDER BY path, first_line", (embedder,)
            ).fetchall()

    def version(self) -> tuple[int, int]:
        """Changes whenever the index changes, here or in another process."""
        with self._lock:
            theirs: int = self._connection.execute("PRAGMA data_version").fetchone()[0]
            return theirs, self._connection.total_changes

    def statistics(self) -> IndexStatistics:
        """Numbers of files, pieces, characters and vectors."""
        with self._lock:
            by_kind = dict(self._connection.execute("SELECT kind, count(*) FROM files GROUP BY kind ORDER BY kind"))
            pieces, characters, vectors = self._connection.execute(
                "SELECT count(*), coalesce(sum(length(text)), 0), count(vector) FROM chunks"
            ).fetchone()
        return IndexStatistics(
            files=sum(by_kind.values()), chunks=pieces, characters=characters, by_kind=by_kind, with_vector=vectors
        )

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _paths(self) -> list[str]:
        with self._lock:
            return [row[0] for row in self._connection.execute("SELECT path FROM files ORDER BY path")]

    def _is_own(self, path: str) -> bool:
        return (self.root / path).name.startswith(self._file.name)

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _forget(self, path: str) -> None:
        row = self._connection.execute("SELECT kind FROM files WHERE path = ?", (path,)).fetchone()
        if row is None:
            return
        table = _TABLE[Kind(row[0])]
        self._connection.execute(
            f"INSERT INTO {table} ({table}, rowid, text) SELECT 'delete', id, text FROM chunks WHERE path = ?", (path,)
        )
        self._connection.execute("DELETE FROM chunks WHERE path = ?", (path,))
        self._connection.execute("DELETE FROM files WHERE path = ?", (path,))

    def _add(self, file: TextFile) -> None:
        self._connection.execute("INSERT INTO files VALUES (?, ?, ?)", (file.path, file.sha256, file.kind))
        for piece in chunks(file.text):
            cursor = self._connection.execute(
                "INSERT INTO chunks (path, first_line, last_line, text) VALUES (?, ?, ?, ?)",
                (file.path, piece.first_line, piece.last_line, piece.text),
            )
            self._connection.execute(
                f"INSERT INTO {_TABLE[file.kind]} (rowid, text) VALUES (?, ?)", (cursor.lastrowid, piece.text)
            )

    def _matches(self, kind: Kind, query: str, limit: int, under: str) -> list[int]:
        expression = fts_expression(query, shortest=3 if kind is Kind.CODE else 1)
        if not expression:
            return []
        table = _TABLE[kind]
        folder = under.strip("/")
        with self._lock:
            rows = self._connection.execute(
                f"SELECT {table}.rowid FROM {table} JOIN chunks ON chunks.id = {table}.rowid "
                f"WHERE {table} MATCH ? AND (? = '' OR path = ? OR substr(path, 1, length(?) + 1) = ? || '/') "
                f"ORDER BY bm25({table}), path, first_line LIMIT ?",
                (expression, folder, folder, folder, folder, limit),
            ).fetchall()
        return [row[0] for row in rows]


def fts_expression(query: str, *, shortest: int = 1) -> str:
    """The FTS5 expression that looks for any word or quoted phrase of `query`; no character of it has another meaning.

    Words under `shortest` characters are left out (trigrams cannot find them); empty when none is left.
    """
    terms = [phrase or word for phrase, word in re.findall(r'"([^"]*)"|([^\s"]+)', query.replace("\0", " "))]
    usable = [term for term in terms if len(term) >= shortest and re.search(r"\w", term)]
    return " OR ".join(f'"{term}"' for term in dict.fromkeys(usable))
