"""An inverted index over bags of words, in arrays that are stored and read as they are, with BM25 scores.

BM25 after Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the inverse document frequency
of Lucene (never negative).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[np.generic]]

K1 = 1.2
B = 0.75


class Postings:
    """For each term the documents that hold it, and how often. Documents are numbered from 0."""

    def __init__(self, arrays: Arrays) -> None:
        """Of arrays that `arrays` gave."""
        self._arrays = arrays
        listed = arrays["terms"].tobytes().decode()
        self._ids = {term: at for at, term in enumerate(listed.split("\n"))} if listed else {}
        self._starts, self._documents, self._counts = arrays["starts"], arrays["documents"], arrays["counts"]
        self._lengths: NDArray[np.float64] = arrays["lengths"].astype("float64")

    @classmethod
    def of(cls, bags: Sequence[Mapping[str, int]]) -> Postings:
        """An index of `bags`."""
        import numpy as np

        holders: dict[str, list[int]] = {}
        counts: dict[str, list[int]] = {}
        for number, bag in enumerate(bags):
            for term, count in bag.items():
                holders.setdefault(term, []).append(number)
                counts.setdefault(term, []).append(count)
        every = list(holders)
        return cls(
            {
                "terms": np.frombuffer("\n".join(every).encode(), dtype=np.uint8),
                "starts": np.cumsum([0, *(len(holders[term]) for term in every)], dtype=np.int64),
                "documents": np.array([n for term in every for n in holders[term]], dtype=np.int32),
                "counts": np.array([n for term in every for n in counts[term]], dtype=np.int32),
                "lengths": np.array([max(1, sum(bag.values())) for bag in bags], dtype=np.int32),
            }
        )

    @property
    def arrays(self) -> Arrays:
        """What to store."""
        return self._arrays

    def __len__(self) -> int:
        return len(self._lengths)

    def holders(self, term: str) -> list[int]:
        """The documents that hold `term`, in order."""
        return [int(number) for number in self._of(term)[0]]

    def bm25(self, query: Mapping[str, float], *, b: float = B) -> NDArray[np.float64]:
        """A score for each document: terms of the query weighted by their values. Zeros when nothing is shared."""
        import numpy as np

        out = np.zeros(len(self))
        if not len(self):
            return out
        norm = K1 * (1 - b + b * self._lengths / self._lengths.mean())
        for term, weight in query.items():
            documents, counts = self._of(term)
            if len(documents):
                rarity = math.log(1 + (len(self) - len(documents) + 0.5) / (len(documents) + 0.5))
                out[documents] += weight * rarity * counts * (K1 + 1) / (counts + norm[documents])
        return out

    def _of(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        at = self._ids.get(term)
        span = slice(0, 0) if at is None else slice(int(self._starts[at]), int(self._starts[at + 1]))
        return self._documents[span], self._counts[span]  # type: ignore[return-value]
