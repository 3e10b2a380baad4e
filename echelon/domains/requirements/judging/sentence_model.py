"""The trained part of the sentence classifier: weights from `data/sentence_model.npz`, evaluated with numpy alone.

Two models vote with equal weight: a logistic regression on the named features and the letter n-grams, and boosted
decision trees on the named features and the sentence vector. `benchmarks/train_classifier.py` makes the file, and
`docs/sentence-classifier.md` says on what and how well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from echelon.domains.likeness.embedding import embed
from echelon.domains.requirements.judging.features import BUCKETS, NAMES, grams, hand_features

MODEL_VERSION = 1
# The word vectors were trained so that their first 64 numbers are vectors too; more did not help.
VECTOR_DIMENSIONS = 64
_FILE = "data/sentence_model.npz"


class SentenceModel(NamedTuple):
    """The arrays of the model file; n named features, b kept buckets, m tree nodes, t trees."""

    version: NDArray[np.int64]
    names: NDArray[np.str_]
    hand_weights: NDArray[np.float32]
    intercept: NDArray[np.float32]
    buckets: NDArray[np.int32]
    bucket_idf: NDArray[np.float32]
    bucket_weights: NDArray[np.float32]
    roots: NDArray[np.int32]
    node_feature: NDArray[np.int32]
    node_threshold: NDArray[np.float32]
    node_left: NDArray[np.int32]
    node_right: NDArray[np.int32]
    node_value: NDArray[np.float32]
    tree_base: NDArray[np.float32]

    def probabilities(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Probability that each sentence is a requirement, shape (len(sentences),). Each is judged by itself."""
        hand = hand_features(sentences)
        linear = hand @ self.hand_weights + self.intercept[0] + self._gram_scores(sentences)
        boosted = self._tree_scores(np.hstack([hand, embed(sentences)[:, :VECTOR_DIMENSIONS]]))
        result: NDArray[np.float64] = (_sigmoid(linear) + _sigmoid(boosted)) / 2
        return result

    def _gram_scores(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        idf = np.zeros(BUCKETS)
        idf[self.buckets] = self.bucket_idf
        weight = np.zeros(BUCKETS)
        weight[self.buckets] = self.bucket_weights
        scores = np.zeros(len(sentences))
        for row, sentence in enumerate(sentences):
            found = grams(sentence)
            values = idf[found]
            length = float(np.sqrt(values @ values))
            scores[row] = float(values @ weight[found]) / length if length else 0.0
        return scores

    def _tree_scores(self, inputs: NDArray[np.float32]) -> NDArray[np.float64]:
        """Sum of the trees: each node looks at all sentences at once, on one contiguous row of the transpose."""
        columns = np.ascontiguousarray(inputs.T)
        feature, threshold = self.node_feature.tolist(), self.node_threshold.tolist()
        left, right, value = self.node_left.tolist(), self.node_right.tolist(), self.node_value.tolist()

        def evaluate(node: int) -> NDArray[np.float64] | float:
            if left[node] == node:
                return float(value[node])
            below = columns[feature[node]] <= threshold[node]
            return np.where(below, evaluate(left[node]), evaluate(right[node]))

        total = np.full(len(inputs), float(self.tree_base[0]))
        for root in self.roots.tolist():
            total += evaluate(root)
        return total


@lru_cache(maxsize=1)
def load_model() -> SentenceModel:
    """The shipped model. Raises ValueError when its version or its features are not those of this code."""
    with (Path(__file__).parent / _FILE).open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        model = SentenceModel(**{name: arrays[name] for name in SentenceModel._fields})
    if int(model.version[0]) != MODEL_VERSION or tuple(model.names.tolist()) != NAMES:
        raise ValueError(f"{_FILE} was made for other features: run benchmarks/train_classifier.py")
    return model


def _sigmoid(values: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(values, -30, 30)))
    return result
