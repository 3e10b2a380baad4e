"""Search by words and meaning, in SQLite and in PostgreSQL."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from echelon.domains.search.embeddings import EmbeddingError, OpenAIEmbedder, WordLlama, embed
from echelon.domains.search.fusion import reciprocal_rank_fusion
from echelon.domains.search.pgvector import PgVectorIndex
from echelon.domains.search.semantic import SearchIndex, SemanticIndex, open_search
from tests.search.web_server import serve

OpenIndex = Callable[[Path], SearchIndex]

PARAPHRASES = [
    ("informing individuals about a leak of private information", "documents/policy.txt"),
    ("nightly duplicates of files stored off site", "notes/backup.md"),
    ("how to get out of the house in an emergency", "notes/fire.md"),
    ("are animals allowed", "notes/pets.md"),
]


@pytest.mark.parametrize(("asked", "path"), PARAPHRASES)
def test_paraphrases_are_found(workspace: Path, open_index: OpenIndex, asked: str, path: str) -> None:
    index = open_index(workspace)
    index.sync()
    assert path in [hit.path for hit in index.search(asked, limit=2)]
    index.close()


def test_words_are_found(workspace: Path, open_index: OpenIndex) -> None:
    index = open_index(workspace)
    index.sync()
    hit = index.search("alarm stairs", limit=1)[0]
    assert hit.path == "notes/fire.md" and "stairs" in hit.text
    assert hit.text == "\n".join((workspace / hit.path).read_text().split("\n")[hit.first_line - 1 : hit.last_line])
    assert [hit.path for hit in index.search("people", under="documents")] == ["documents/policy.txt"]
    assert index.search("people", under="nowhere") == []
    index.close()


def test_the_index_follows_the_files(workspace: Path, open_index: OpenIndex) -> None:
    index = open_index(workspace)
    assert len(index.sync().indexed) == 5
    assert index.sync().model_dump() == {"indexed": (), "removed": ()}
    (workspace / "notes/pets.md").write_text("Parrots are welcome.\n")
    assert index.update(["notes/pets.md", "notes/fire.md"]).indexed == ("notes/pets.md",)
    assert index.search("parrots", limit=1)[0].path == "notes/pets.md"
    (workspace / "notes/pets.md").unlink()
    assert index.cleanup() == ("notes/pets.md",)
    assert "notes/pets.md" not in [hit.path for hit in index.search("parrots", limit=9)]
    found = index.statistics()
    assert (found.files, found.chunks, found.with_vector, found.by_kind) == (4, 4, 4, {"code": 1, "prose": 3})
    index.close()


def test_an_empty_workspace(tmp_path: Path, open_index: OpenIndex) -> None:
    index = open_index(tmp_path)
    assert index.sync().indexed == ()
    assert index.search("anything") == [] and index.search("") == []
    assert index.statistics().chunks == 0
    index.close()


def test_the_same_question_gets_the_same_answer(workspace: Path, open_index: OpenIndex) -> None:
    for number in range(30):
        (workspace / f"notes/same{number}.md").write_text("The very same words in each of these files.\n")
    index = open_index(workspace)
    index.sync()
    first = [hit.path for hit in index.search("the same words", limit=10)]
    assert [hit.path for hit in index.search("the same words", limit=10)] == first
    index.close()


@pytest.mark.parametrize("query", ["' OR 1=1 --", "a & | ! b", "%s %(x)s", "(((", "\\", "a\0b"])
def test_any_query_is_text(workspace: Path, open_index: OpenIndex, query: str) -> None:
    index = open_index(workspace)
    index.sync()
    assert isinstance(index.search(query), list)
    index.close()


def test_another_connection_sees_what_was_indexed(workspace: Path) -> None:
    with SemanticIndex(workspace) as reader, SemanticIndex(workspace) as writer:
        assert reader.search("animals") == []
        writer.sync()
        assert reader.search("animals", limit=1)[0].path == "notes/pets.md"


def test_workspaces_are_kept_apart(workspace: Path, tmp_path: Path, postgres_url: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "own.md").write_text("Dogs and cats live here.\n")
    with PgVectorIndex(workspace, postgres_url) as one, PgVectorIndex(other, postgres_url) as two:
        one.sync()
        two.sync()
        assert {hit.path for hit in two.search("dogs")} == {"own.md"}
        two.drop()
        assert two.statistics().files == 0 and one.statistics().files == 5


def test_postgresql_with_the_extension_is_used_when_it_is_there(workspace: Path, postgres_url: str) -> None:
    index = open_search(workspace, database_url=postgres_url.replace("postgresql://", "postgresql+psycopg://"))
    assert isinstance(index, PgVectorIndex)
    index.close()
    for url in (None, "sqlite:///x.db"):
        index = open_search(workspace, database_url=url)
        assert isinstance(index, SemanticIndex)
        index.close()


class Letters:
    """An embedder of the tests' own: counts letters."""

    def __init__(self, letters: str) -> None:
        self.name = f"letters-{letters}"
        self.dimension = len(letters)
        self._letters = letters

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        rows = np.array([[text.count(letter) for letter in self._letters] for text in texts], dtype=np.float32)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)


def test_another_embedder_makes_all_vectors_anew(workspace: Path) -> None:
    with SemanticIndex(workspace, embedder=Letters("xyz")) as index:
        index.sync()
    with SemanticIndex(workspace, embedder=Letters("abcd")) as index:
        index.sync()
        assert index.statistics().with_vector == 5
        assert index.search("dddd")


def test_another_embedder_in_postgresql(workspace: Path, postgres_url: str) -> None:
    with PgVectorIndex(workspace, postgres_url, embedder=Letters("xyz")) as index:
        assert len(index.sync().indexed) == 5
    with PgVectorIndex(workspace, postgres_url, embedder=Letters("abcd")) as index:
        assert len(index.sync().indexed) == 5
        assert index.search("dddd")


def test_vectors_have_length_one_and_stay_the_same() -> None:
    vectors = embed(["keep the logs", "", "keep the logs"])
    assert vectors.shape == (3, WordLlama.dimension)
    assert float((vectors[0] ** 2).sum()) == pytest.approx(1.0, abs=1e-5)
    assert (vectors[0] == vectors[2]).all()
    assert embed([]).shape == (0, WordLlama.dimension)


def test_embeddings_of_a_server() -> None:
    def answer(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        assert path == "/v1/embeddings" and body["model"] == "small"
        data = [{"object": "embedding", "index": n, "embedding": [3.0, 4.0]} for n, _ in enumerate(body["input"])]
        return 200, {
            "object": "list",
            "data": data[::-1],
            "model": "small",
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }

    with serve(answer) as server:
        embedder = OpenAIEmbedder("small", 2, api_key="k", base_url=f"{server.url}/v1")
        assert embedder.embed(["a", ""]).tolist() == [pytest.approx([0.6, 0.8])] * 2
        assert embedder.embed([]).shape == (0, 2)
        assert embedder.name == "small-2"
        with pytest.raises(EmbeddingError, match="3 numbers"):
            OpenAIEmbedder("small", 3, api_key="k", base_url=f"{server.url}/v1").embed(["a"])
    with serve(lambda path, body: (400, {"error": {"message": "no"}})) as server, pytest.raises(EmbeddingError):
        OpenAIEmbedder("small", 2, api_key="secret", base_url=f"{server.url}/v1").embed(["a"])


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_neither_texts_nor_key_are_sent_on_to_another_address(status: int) -> None:
    with (
        serve(lambda path, body: (200, {})) as thief,
        serve(lambda path, body: (status, f"{thief.url}/v1/embeddings")) as server,
        pytest.raises(EmbeddingError, match=f"status {status}"),
    ):
        OpenAIEmbedder("small", 2, api_key="secret", base_url=f"{server.url}/v1").embed(["confidential"])
    assert len(server.requests) == 1 and thief.requests == []


def test_fusion() -> None:
    fused = reciprocal_rank_fusion([["a", "b", "c"], ["b", "d"]])
    assert [item for item, _ in fused] == ["b", "a", "d", "c"]
    assert fused[0][1] == pytest.approx(1 / 62 + 1 / 61)
    assert reciprocal_rank_fusion([[], []]) == []


def test_embedding_leaves_the_logging_of_the_process_alone() -> None:
    code = (
        "import logging; from echelon.domains.search.embeddings import embed; embed(['a']);"
        "root = logging.getLogger(); print(len(root.handlers), root.level); logging.getLogger('httpx').info('asked')"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"0 {logging.WARNING}\n", "")
