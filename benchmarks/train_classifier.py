"""Train the sentence classifier and measure it on documents that it has not seen.

    python benchmarks/train_classifier.py measure [--splits 5]     # figures only, one JSON line each
    python benchmarks/train_classifier.py train                    # writes data/sentence_model.npz

Needs scikit-learn (`pip install scikit-learn`), which the project itself does not, and the PURE training half in
`../shared/data/pure/PURE_train.csv` (columns Requirement, Name of Doc, Req/Not Req).
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, precision_score, recall_score

from echelon.domains.likeness.embedding import embed, unit
from echelon.domains.requirements.judging.company import STANDING, company
from echelon.domains.requirements.judging.features import BUCKETS, NAMES, grams, hand_features
from echelon.domains.requirements.judging.sentence_model import MODEL_VERSION, VECTOR_DIMENSIONS

DATA = Path(__file__).parents[1] / ".." / "shared" / "data" / "pure" / "PURE_train.csv"
MODEL = Path(__file__).parents[1] / "echelon" / "domains" / "requirements" / "judging" / "data" / "sentence_model.npz"
STRENGTH = 1.0  # inverse L2 of the regression: the library's default
LEAST_DOCUMENTS = 5  # an n-gram counts when this many training documents have it
TREES: dict[str, Any] = {
    "max_iter": 150,
    "learning_rate": 0.06,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 20,
    "l2_regularization": 1.0,
    "random_state": 0,
}
COMPANY_TREES: dict[str, Any] = {
    "max_iter": 80,
    "learning_rate": 0.05,
    "max_leaf_nodes": 6,
    "min_samples_leaf": 60,
    "l2_regularization": 5.0,
    "random_state": 0,
}
COMPANY_STRENGTH = 0.1
FOLDS = 5
INNER_FOLDS = 3  # ways of leaving documents out within the training documents, for the second pass
MIXED = 4  # documents of a list that holds several


class Sentences:
    """The labelled sentences with everything computed once: features do not depend on labels."""

    def __init__(self, path: Path) -> None:
        with path.open(encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        self.texts = [row["Requirement"] for row in rows]
        self.labels = np.array([row["Req/Not Req"].strip().lower().startswith("req") for row in rows], dtype=int)
        self.documents = np.array(documents(self.texts, [row["Name of Doc"] for row in rows]))
        self.hand = hand_features(self.texts)
        vectors = embed(self.texts)
        self.units = unit(vectors)
        self.dense = np.hstack([self.hand, vectors[:, :VECTOR_DIMENSIONS]])
        found = [grams(text) for text in self.texts]
        ends = np.cumsum([0, *(len(buckets) for buckets in found)])
        self.grams = csr_matrix((np.ones(ends[-1]), np.concatenate(found), ends), shape=(len(rows), BUCKETS))

    def weights(self, rows: np.ndarray) -> np.ndarray:
        """A sentence weighs less in a long document, so that one document of 1,644 sentences does not decide alone."""
        sizes = Counter(self.documents[rows])
        weight = np.array([sizes[name] ** -0.5 for name in self.documents[rows]])
        return weight / weight.mean()


def documents(texts: list[str], names: list[str]) -> list[str]:
    """The document of each row. The file names it, with two catches: one document under two spellings
    ("inventory-2.0.pdf", "inventory 2.0.pdf"), and two versions of one text under two names. So names are folded, and
    documents that share three sentences of five words or more count as one."""
    folded = [re.sub(r"[^a-z0-9]+", " ", name.rsplit(".", 1)[0].lower()).strip() for name in names]
    sentences: dict[str, set[str]] = defaultdict(set)
    for text, name in zip(texts, folded, strict=True):
        if len(text.split()) >= 5:
            sentences[name].add(" ".join(text.lower().split()))
    same = {name: name for name in sentences}
    for one, other in combinations(sorted(sentences), 2):
        if len(sentences[one] & sentences[other]) >= 3:
            same[other] = same[one]
    return [same.get(name, name) for name in folded]


class Fitted:
    """Both models, fitted on some rows."""

    def __init__(self, data: Sentences, rows: np.ndarray) -> None:
        self.kept = np.flatnonzero(_document_frequency(data, rows) >= LEAST_DOCUMENTS)
        counts = data.grams[rows][:, self.kept]
        seen = np.asarray((counts > 0).sum(axis=0)).ravel()
        self.idf = np.log((1 + len(rows)) / (1 + seen)) + 1
        self.linear = LogisticRegression(C=STRENGTH, max_iter=500, solver="liblinear")
        self.linear.fit(self._wide(data, rows), data.labels[rows], sample_weight=data.weights(rows))
        self.trees = HistGradientBoostingClassifier(**TREES)
        self.trees.fit(data.dense[rows], data.labels[rows], sample_weight=data.weights(rows))

    def _wide(self, data: Sentences, rows: np.ndarray) -> csr_matrix:
        values = data.grams[rows][:, self.kept].multiply(self.idf).tocsr()
        lengths = np.sqrt(np.asarray(values.multiply(values).sum(axis=1)).ravel())
        scale = csr_matrix((1 / np.where(lengths == 0, 1, lengths), (range(len(rows)), range(len(rows)))))
        return hstack([csr_matrix(data.hand[rows]), scale @ values]).tocsr()

    def chances(self, data: Sentences, rows: np.ndarray) -> np.ndarray:
        """What both models say, shape (len(rows), 2)."""
        linear = self.linear.predict_proba(self._wide(data, rows))[:, 1]
        return np.column_stack([linear, self.trees.predict_proba(data.dense[rows])[:, 1]])


class Second:
    """The second pass, fitted on first chances that were given to documents which the first pass had not seen.

    It sees each document once alone and once in a list with others, because both kinds of list are judged.
    """

    def __init__(self, data: Sentences, rows: np.ndarray, seed: int) -> None:
        chances = np.zeros((len(data.labels), 2))
        for part in folds(data, rows, seed, INNER_FOLDS):
            chances[part] = Fitted(data, np.setdiff1d(rows, part)).chances(data, part)
        names = np.random.RandomState(seed).permutation(sorted(set(data.documents[rows])))
        list_of = {name: at // MIXED for at, name in enumerate(names)}
        mixed = np.array([list_of[name] for name in data.documents[rows]])
        told = np.vstack([self.told(data, rows, chances[rows], lists) for lists in (data.documents[rows], mixed)])
        labels, weights = np.tile(data.labels[rows], 2), np.tile(data.weights(rows), 2)
        standing = told[:, :STANDING]
        self.mean, self.spread = standing.mean(axis=0), np.maximum(standing.std(axis=0), 1e-9)
        self.linear = LogisticRegression(C=COMPANY_STRENGTH, max_iter=2000)
        self.linear.fit((standing - self.mean) / self.spread, labels, sample_weight=weights)
        self.trees = HistGradientBoostingClassifier(**COMPANY_TREES).fit(told, labels, sample_weight=weights)

    @staticmethod
    def told(data: Sentences, rows: np.ndarray, chances: np.ndarray, lists: np.ndarray) -> np.ndarray:
        """How the sentences of `rows` stand among those of their list."""
        places = [np.flatnonzero(lists == name) for name in sorted(set(lists))]
        parts = [company([data.texts[r] for r in rows[at]], data.units[rows[at]], chances[at]) for at in places]
        result = np.zeros((len(rows), parts[0].shape[1]))
        for at, part in zip(places, parts, strict=True):
            result[at] = part
        return result

    def chance(self, data: Sentences, rows: np.ndarray, first: np.ndarray, lists: np.ndarray) -> np.ndarray:
        told = self.told(data, rows, first, lists)
        linear = self.linear.predict_proba((told[:, :STANDING] - self.mean) / self.spread)[:, 1]
        return (linear + self.trees.predict_proba(told)[:, 1]) / 2

    def arrays(self) -> dict[str, np.ndarray]:
        """What the model file holds of it."""
        weights = self.linear.coef_[0] / self.spread
        intercept = self.linear.intercept_ - weights @ self.mean
        trees = {f"company_{name}": array for name, array in _tree_arrays(self.trees).items()}
        told = {"company_weights": weights.astype(np.float32), "company_intercept": intercept.astype(np.float32)}
        return told | trees


def _document_frequency(data: Sentences, rows: np.ndarray) -> np.ndarray:
    total = np.zeros(BUCKETS)
    for name in sorted(set(data.documents[rows])):
        total += np.asarray(data.grams[rows[data.documents[rows] == name]].sum(axis=0)).ravel() > 0
    return total


def folds(data: Sentences, rows: np.ndarray, seed: int, count: int = FOLDS) -> list[np.ndarray]:
    """Rows in `count` parts, whole documents each, in an order that `seed` decides."""
    names = np.random.RandomState(seed).permutation(sorted(set(data.documents[rows])))
    return [rows[np.isin(data.documents[rows], names[part::count])] for part in range(count)]


def measure(data: Sentences, splits: int) -> None:
    """Every document is left out once a split: no sentence is judged by a model that saw its document.

    `alone`: the first pass; `document`: each document as one list; `mixed`: all that were left out together.
    """
    everything = np.arange(len(data.labels))
    lines: dict[str, list[dict[str, float]]] = defaultdict(list)
    chances = []
    for seed in range(splits):
        guesses = {kind: np.zeros(len(data.labels)) for kind in ("alone", "document", "mixed")}
        for part in folds(data, everything, seed):
            rows = np.setdiff1d(everything, part)
            first = Fitted(data, rows).chances(data, part)
            second = Second(data, rows, seed + 100)
            guesses["alone"][part] = first.mean(axis=1)
            guesses["document"][part] = second.chance(data, part, first, data.documents[part])
            guesses["mixed"][part] = second.chance(data, part, first, np.zeros(len(part), dtype=int))
        chances.append(guesses["document"])
        for kind, found in guesses.items():
            lines[kind].append(scores(data.labels, found > 0.5))
            print(json.dumps({"split": seed, "lists": kind, **lines[kind][-1]}), flush=True)
    for kind, found in lines.items():
        mean = {key: round(float(np.mean([line[key] for line in found])), 3) for key in found[0]}
        print(json.dumps({"mean_of_splits": len(found), "lists": kind, **mean}))
    by_document(data, chances)


def by_document(data: Sentences, chances: list[np.ndarray]) -> None:
    """One line a document, mean over the splits; and the mean over documents, a short one like a long one."""
    means = []
    for name in sorted(set(data.documents)):
        rows = data.documents == name
        lines = [scores(data.labels[rows], chance[rows] > 0.5) for chance in chances]
        line = {key: round(float(np.mean([entry[key] for entry in lines])), 3) for key in lines[0]}
        means.append(line["macro_f1"])
        print(json.dumps({"document": name, "sentences": int(rows.sum()), **line}))
    print(json.dumps({"mean_of_documents": len(means), "macro_f1": round(float(np.mean(means)), 3)}))


def scores(gold: np.ndarray, found: np.ndarray) -> dict[str, float]:
    return {
        "macro_f1": round(float(f1_score(gold, found, average="macro", labels=[0, 1], zero_division=0)), 3),
        "f1": round(float(f1_score(gold, found, zero_division=0)), 3),
        "precision": round(float(precision_score(gold, found, zero_division=0)), 3),
        "recall": round(float(recall_score(gold, found, zero_division=0)), 3),
    }


def train(data: Sentences) -> None:
    """Fit on all documents and write the arrays that `sentence_model.SentenceModel` reads."""
    rows = np.arange(len(data.labels))
    model = Fitted(data, rows)
    second = Second(data, rows, 0)
    weights = model.linear.coef_[0]
    np.savez_compressed(
        MODEL,
        version=np.array([MODEL_VERSION]),
        names=np.array(NAMES),
        hand_weights=weights[: len(NAMES)].astype(np.float32),
        intercept=model.linear.intercept_.astype(np.float32),
        buckets=model.kept.astype(np.int32),
        bucket_idf=model.idf.astype(np.float32),
        bucket_weights=weights[len(NAMES) :].astype(np.float32),
        **_tree_arrays(model.trees),
        **second.arrays(),
    )
    print(json.dumps({"file": MODEL.name, "bytes": MODEL.stat().st_size, "buckets": len(model.kept)}))


def _tree_arrays(trees: HistGradientBoostingClassifier) -> dict[str, np.ndarray]:
    """The trees as flat arrays; a leaf is its own left child."""
    roots: list[int] = []
    columns: dict[str, list[Any]] = defaultdict(list)
    for (predictor,) in trees._predictors:
        first = len(columns["feature"])
        roots.append(first)
        for at, node in enumerate(predictor.nodes, start=first):
            leaf = bool(node["is_leaf"])
            columns["feature"].append(0 if leaf else int(node["feature_idx"]))
            columns["threshold"].append(0.0 if leaf else float(node["num_threshold"]))
            columns["left"].append(at if leaf else first + int(node["left"]))
            columns["right"].append(at if leaf else first + int(node["right"]))
            columns["value"].append(float(node["value"]))
    return {
        "roots": np.array(roots, dtype=np.int32),
        "node_feature": np.array(columns["feature"], dtype=np.int32),
        "node_threshold": np.array(columns["threshold"], dtype=np.float32),
        "node_left": np.array(columns["left"], dtype=np.int32),
        "node_right": np.array(columns["right"], dtype=np.int32),
        "node_value": np.array(columns["value"], dtype=np.float32),
        "tree_base": np.asarray(trees._baseline_prediction, dtype=np.float32).ravel(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("action", choices=["measure", "train"])
    parser.add_argument("--splits", type=int, default=5, help="how many ways of leaving documents out")
    options = parser.parse_args()
    if not DATA.is_file():
        print(f"{DATA.name} is missing: it is development data that the project does not ship", file=sys.stderr)
        return 2
    data = Sentences(DATA)
    train(data) if options.action == "train" else measure(data, options.splits)
    return 0


if __name__ == "__main__":
    sys.exit(main())
