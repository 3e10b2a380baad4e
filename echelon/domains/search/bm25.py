"""Ranking of short texts, such as descriptions of tools: BM25 and meaning, added.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the inverse document frequency
of Lucene (never negative). The sum weighs both by their best score, so that a query of which no word occurs is answered
by meaning alone. Measured in `benchmarks/find_tools.py`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K1 = 1.2
B = 0.75
BM25_WEIGHT = 0.25
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]+")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "s", "ly")


def words(text: str) -> list[str]:
    """The words of `text`, names taken apart (`find_toolsByName` -> find tool by name), without common endings."""
    apart = _CAMEL.sub(" ", text.replace("_", " "))
    return [_stem(word) for word in _WORD.findall(apart.casefold())]


class Ranker:
    """An index over short texts. Building it for 200 texts takes about 0.1 s once the model is loaded."""

    def __init__(self, texts: Sequence[str]) -> None:
        from echelon.domains.search.embeddings import embed

        self._size = len(texts)
        self._weights = _bm25_weights([words(text) for text in texts])
        self._vectors = embed([_CAMEL.sub(" ", text.replace("_", " ")) for text in texts])

    def rank(self, query: str, *, limit: int | None = None) -> list[tuple[int, float]]:
        """(index of the text, score), best first, equals in the order of the texts; all of them without `limit`."""
        import numpy as np

        from echelon.domains.search.embeddings import embed

        if not self._size:
            return []
        lexical = np.zeros(self._size)
        for word in words(query):
            for index, weight in self._weights.get(word, ()):
                lexical[index] += weight
        near = (self._vectors @ embed([query])[0]).astype(np.float64)
        scores = _scaled(near) + BM25_WEIGHT * _scaled(lexical)
        order = np.argsort(-scores, kind="stable")[:limit]
        return [(int(index), round(float(scores[index]), 6)) for index in order]


def rank(query: str, texts: Sequence[str]) -> list[tuple[int, float]]:
    """All `texts` by nearness to `query`: (index, score), best first. For many queries keep a `Ranker`."""
    return Ranker(texts).rank(query)


def _bm25_weights(documents: Sequence[Sequence[str]]) -> dict[str, list[tuple[int, float]]]:
    """For each word the (index, BM25 weight) of the documents that hold it."""
    average = sum(map(len, documents)) / len(documents) if documents else 0.0
    frequency = Counter(word for document in documents for word in set(document))
    weights: dict[str, list[tuple[int, float]]] = {}
    for index, document in enumerate(documents):
        length = K1 * (1 - B + B * len(document) / average) if average else K1
        for word, count in Counter(document).items():
            rarity = math.log(1 + (len(documents) - frequency[word] + 0.5) / (frequency[word] + 0.5))
            weights.setdefault(word, []).append((index, rarity * count * (K1 + 1) / (count + length)))
    return weights


def _scaled(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    best = float(scores.max())
    return scores / best if best > 0 else scores


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
