"""Search by words and by meaning over the text files of a workspace.

FTS5 (BM25) and vectors are fused by reciprocal rank. Pieces get their vectors when files are indexed; vectors of
another embedder than the one in use are made anew.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from echelon.domains.search.embeddings import Embedder, WordLlama
from echelon.domains.search.fusion import DEPTH, reciprocal_rank_fusion
from echelon.domains.search.index import Changes, IndexStatistics, SearchHit, WorkspaceIndex

if TYPE_CHECKING:
    from echelon.domains.search.embeddings import Vectors

_BATCH = 256


class SearchIndex(Protocol):
    """Search over one workspace, wherever the index is kept."""

    def update(self, paths: Iterable[str]) -> Changes:
        """Index these files as they are now; called on each write."""
        ...

    def sync(self) -> Changes:
        """Bring the whole index up to date."""
        ...

    def cleanup(self) -> tuple[str, ...]:
        """Take files out of the index that are gone; their paths."""
        ...

    def search(self, query: str, *, limit: int = 10, under: str = "") -> list[SearchHit]:
        """The pieces nearest to `query` in words and meaning, best first."""
        ...

    def statistics(self) -> IndexStatistics:
        """How much is in the index."""
        ...

    def close(self) -> None:
        """Let go of the index."""
        ...


class SemanticIndex:
    """See SearchIndex: in a SQLite file of the workspace."""

    def __init__(self, root: Path, *, embedder: Embedder | None = None, file: Path | None = None) -> None:
        """Open or make the index of the folder `root`; see WorkspaceIndex."""
        self.text = WorkspaceIndex(root, file=file)
        self._embedder: Embedder = embedder or WordLlama()
        self._lock = threading.RLock()
        self._cached: tuple[tuple[int, int], list[int], list[str], Vectors] | None = None

    def update(self, paths: Iterable[str]) -> Changes:
        """See WorkspaceIndex.update; new pieces get their vectors."""
        changes = self.text.update(paths)
        self._embed_new()
        return changes

    def sync(self) -> Changes:
        """See WorkspaceIndex.sync; new pieces get their vectors."""
        changes = self.text.sync()
        self._embed_new()
        return changes

    def cleanup(self) -> tuple[str, ...]:
        """See WorkspaceIndex.cleanup."""
        return self.text.cleanup()

    def search(self, query: str, *, limit: int = 10, under: str = "") -> list[SearchHit]:
        """The pieces nearest to `query` in words and meaning, best first. `under` is a folder or a file."""
        depth = max(DEPTH, limit)
        rankings = [*self.text.rankings(query, limit=depth, under=under), self._nearest(query, depth, under)]
        return self.text.hits(reciprocal_rank_fusion(rankings)[:limit])

    def statistics(self) -> IndexStatistics:
        """See WorkspaceIndex.statistics."""
        return self.text.statistics()

    def close(self) -> None:
        """Let go of the file."""
        self.text.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _embed_new(self) -> None:
        while pieces := self.text.pieces_without_vector(self._embedder.name, limit=_BATCH):
            vectors = self._embedder.embed([text for _, text in pieces])
            self.text.store_vectors(
                self._embedder.name,
                [(number, vectors[row].tobytes()) for row, (number, _) in enumerate(pieces)],
            )

    def _nearest(self, query: str, limit: int, under: str) -> list[int]:
        """Numbers of the pieces whose vectors are nearest to the query's, nearest first."""
        import numpy as np

        numbers, paths, vectors = self._vectors()
        asked = self._embedder.embed([query])[0]
        if not numbers or not asked.any():
            return []
        folder = under.strip("/")
        inside = np.array([not folder or path == folder or path.startswith(folder + "/") for path in paths])
        scores = np.where(inside, vectors @ asked, -np.inf)
        order = np.argsort(-scores, kind="stable")[:limit]
        return [numbers[row] for row in order if np.isfinite(scores[row])]

    def _vectors(self) -> tuple[list[int], list[str], Vectors]:
        """All vectors, in the order of path and line; kept until the index changes."""
        import numpy as np

        with self._lock:
            version = self.text.version()
            if self._cached is None or self._cached[0] != version:
                rows = self.text.vectors(self._embedder.name)
                matrix = np.frombuffer(b"".join(row[2] for row in rows), dtype=np.float32)
                shaped = matrix.reshape(len(rows), self._embedder.dimension)
                self._cached = (version, [row[0] for row in rows], [row[1] for row in rows], shaped)
            return self._cached[1:]


def open_search(root: Path, *, database_url: str | None = None, embedder: Embedder | None = None) -> SearchIndex:
    """The search index of the workspace `root`.

    In PostgreSQL when `database_url` is one and its server has the vector extension, otherwise in a SQLite file of the
    workspace.
    """
    if database_url and database_url.startswith(("postgresql", "postgres")):
        from echelon.domains.search.pgvector import PgVectorIndex

        if PgVectorIndex.available(database_url):
            return PgVectorIndex(root, database_url, embedder=embedder)
    return SemanticIndex(root, embedder=embedder)
