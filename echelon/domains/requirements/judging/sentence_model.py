"""The trained part of the sentence classifier: weights from `data/sentence_model.npz`, evaluated with numpy alone.

Two models vote with equal weight: a logistic regression on the named features and the letter n-grams, and boosted
decision trees on the named features and the sentence vector. Where there are many sentences, two more of the same kinds look
at how each stands among the others (`company`). `benchmarks/train_classifier.py` makes the file, and
`docs/sentence-classifier.md` says on what and how well.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from echelon.domains.likeness.embedding import embed, unit
from echelon.domains.requirements.judging.company import LEAST, STANDING, company
from echelon.domains.requirements.judging.features import BUCKETS, NAMES, grams, hand_features

MODEL_VERSION = 2
# The word vectors were trained so that their first 64 numbers are vectors too; more did not help.
VECTOR_DIMENSIONS = 64
_FILE = "data/sentence_model.npz"


class Trees(NamedTuple):
    """Boosted trees as flat arrays; a leaf is its own left child."""

    roots: NDArray[np.int32]
    node_feature: NDArray[np.int32]
    node_threshold: NDArray[np.float32]
    node_left: NDArray[np.int32]
    node_right: NDArray[np.int32]
    node_value: NDArray[np.float32]
    tree_base: NDArray[np.float32]

    def scores(self, inputs: NDArray[np.float32] | NDArray[np.float64]) -> NDArray[np.float64]:
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


class SentenceModel(NamedTuple):
    """The arrays of the model file; n named features, b kept buckets, m tree nodes, t trees. Those whose names begin with
    `company` are of the second pass."""

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
    company_weights: NDArray[np.float32]
    company_intercept: NDArray[np.float32]
    company_roots: NDArray[np.int32]
    company_node_feature: NDArray[np.int32]
    company_node_threshold: NDArray[np.float32]
    company_node_left: NDArray[np.int32]
    company_node_right: NDArray[np.int32]
    company_node_value: NDArray[np.float32]
    company_tree_base: NDArray[np.float32]

    def probabilities(self, sentences: Sequence[str]) -> NDArray[np.float64]:
        """Probability that each sentence is a requirement, shape (len(sentences),), whatever their order.

        Fewer than `company.LEAST` are each judged by itself, more also by how they stand among the others.
        """
        vectors = embed(sentences)
        first = self._alone(sentences, vectors)
        if len(sentences) < LEAST:
            alone: NDArray[np.float64] = first.mean(axis=1)
            return alone
        told = company(sentences, unit(vectors), first)
        linear = told[:, :STANDING] @ self.company_weights + self.company_intercept[0]
        result: NDArray[np.float64] = (_sigmoid(linear) + _sigmoid(self._trees("company_").scores(told))) / 2
        return result

    def _alone(self, sentences: Sequence[str], vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """What the two models of the first pass say, shape (len(sentences), 2)."""
        hand = hand_features(sentences)
        linear = hand @ self.hand_weights + self.intercept[0] + self._gram_scores(sentences)
        boosted = self._trees("").scores(np.hstack([hand, vectors[:, :VECTOR_DIMENSIONS]]))
        return np.column_stack([_sigmoid(linear), _sigmoid(boosted)])

    def _trees(self, prefix: str) -> Trees:
        return Trees(*(getattr(self, f"{prefix}{name}") for name in Trees._fields))

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
