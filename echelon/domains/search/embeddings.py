"""Texts as vectors: wordllama from its wheel, without a network, or an OpenAI-compatible server by configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class EmbeddingError(Exception):
    """A server of embeddings does not answer as it should; the message is one sentence without a key."""


class Embedder(Protocol):
    """Makes vectors of texts."""

    @property
    def name(self) -> str:
        """Identifies model and size; vectors of one name can be compared with each other only."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of length 1 for each text, shape (texts, dimension), float32. A text without words is all zeros."""
        ...


class WordLlama:
    """The 256-dimensional static embeddings that the wordllama wheel holds (16 MB): 10,000 short texts a second."""

    name = "wordllama-l2_supercat_256"
    dimension = 256

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder."""
        from echelon.domains.likeness import embedding

        return embedding.unit(embedding.embed(texts))


class OpenAIEmbedder:
    """Embeddings of any server that speaks OpenAI's `/embeddings`."""

    def __init__(self, model: str, dimension: int, *, api_key: str, base_url: str | None = None) -> None:
        self._model = model
        self._api_key = api_key
        self._base_url = base_url
        self.name = f"{model}-{dimension}"
        self.dimension = dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See Embedder. Raises EmbeddingError when the server fails or answers with another dimension."""
        import numpy as np
        import openai

        from echelon.domains.likeness.embedding import unit

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        rows: list[list[float]] = []
        here = openai.DefaultHttpxClient(follow_redirects=False)  # texts and key go to the configured address alone
        with openai.OpenAI(api_key=self._api_key, base_url=self._base_url, http_client=here) as client:
            for start in range(0, len(texts), 256):
                batch = [text or " " for text in texts[start : start + 256]]
                try:
                    answer = client.embeddings.create(model=self._model, input=batch, encoding_format="float")
                except openai.OpenAIError as error:
                    raise EmbeddingError(f"the embeddings server failed: {_said(error)}") from error
                rows += [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        if len(rows) != len(texts) or any(len(row) != self.dimension for row in rows):
            raise EmbeddingError(f"the embeddings server did not send {len(texts)} vectors of {self.dimension} numbers")
        return unit(np.asarray(rows, dtype=np.float32))


def _said(error: Exception) -> str:
    status = getattr(error, "status_code", 0)
    if 300 <= status < 400:
        return f"it sends requests on to another address (status {status}), which is not followed with a key"
    return type(error).__name__


def embed(texts: Sequence[str]) -> Vectors:
    """Vectors of `texts` from wordllama; see Embedder.embed."""
    return WordLlama().embed(texts)
