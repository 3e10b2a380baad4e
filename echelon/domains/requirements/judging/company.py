"""What the other sentences of a document say about one of them: the second pass of the sentence classifier.

The first pass judges each sentence by itself. Sentences of one document are built alike: in one that writes "shall" a
sentence without it demands little, in one that describes its product in the present tense it may. So the second pass looks
at how a sentence stands among those that are near in meaning, open with the same words or have the same modal words, and
at what its neighbourhood is like. Texts of several documents can stand in one list: the neighbourhood of a sentence is
mostly its own document. The order of the sentences is not looked at.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST = 50
"""Fewer sentences are no company: each is judged by itself."""
STANDING = 16
"""How many of the first columns say how a sentence stands among the others; the linear model looks at these alone."""
_NEAREST, _AROUND = 10, 60
MODALS, ANY = slice(5, 11), 11
"""The columns of a neighbourhood that say how many of it have each modal word, and any."""
_CHUNK = 256
_MODALS = ("shall", "must", "should", "will", "can", "may")
_MODAL = [re.compile(rf"\b{word}\b", re.I) for word in _MODALS]
_ACTOR = re.compile(r"\b(?:system|user|application|software|player|operator|admin\w*)\b", re.I)
_NUMBER = re.compile(r"^\W*[\d.]*\W*")


def log_odds(chances: Floats) -> Floats:
    """The logarithm of the odds, kept between those of one and of 99 in a hundred."""
    kept = np.clip(chances, 0.01, 0.99)
    result: Floats = np.log(kept / (1 - kept))
    return result


def company(sentences: Sequence[str], vectors: NDArray[np.float32], chances: Floats) -> Floats:
    """How each sentence stands among the others, shape (len(sentences), columns); at least two sentences.

    `vectors` are of length 1; `chances` are those of the two models of the first pass, shape (len(sentences), 2). Column 0
    is the log-odds of their mean.
    """
    odds = log_odds(chances.mean(axis=1))
    form = _form(sentences)
    modal, any_modal, length, ends = form[:, :6], form[:, 6], form[:, 7], form[:, 8]
    words = [_NUMBER.sub("", sentence.lower()).split()[:2] for sentence in sentences]
    near, likeness = _neighbours(vectors, odds)
    nearest = [
        odds[near[:, :_NEAREST]].mean(axis=1),
        odds[near[:, :3]].mean(axis=1),
        likeness[:, :_NEAREST].mean(axis=1),
    ]
    standing = [odds, log_odds(chances[:, 0]), log_odds(chances[:, 1]), *nearest]
    standing += _group([" ".join(found[:1]) for found in words], odds)
    standing += _group([" ".join(found) for found in words], odds)
    standing += _group([row.tobytes() for row in modal], odds)
    sizes = np.minimum(3, length * 20 // 8)
    standing.append(_group(list(zip(ends, any_modal, sizes, strict=True)), odds)[0])
    around = _around(near, odds, form)
    result: Floats = np.column_stack([*standing, around, form, any_modal - around[:, ANY], modal - around[:, MODALS]])
    return result


def _form(sentences: Sequence[str]) -> Floats:
    """Six modal words, any of them, length in twenties of words, an end mark, an actor of software."""
    modal = np.array([[bool(pattern.search(text)) for pattern in _MODAL] for text in sentences], dtype=np.float64)
    length = np.array([len(text.split()) / 20 for text in sentences])
    ends = np.array([float(text.rstrip().endswith(".")) for text in sentences])
    actor = np.array([float(_ACTOR.search(text) is not None) for text in sentences])
    result: Floats = np.column_stack([modal, modal.max(axis=1), length, ends, actor])
    return result


def _likeness(vectors: NDArray[np.float32], odds: Floats, rows: NDArray[np.int_]) -> Floats:
    """How near each sentence is in meaning to those of `rows`; of equal ones the one with higher odds is nearer, so that
    the order of the sentences does not tell. None is near to itself."""
    likeness: Floats = np.round(vectors[rows] @ vectors.T, 5).astype(np.float64) + 1e-7 * odds
    likeness[np.arange(len(rows)), rows] = -1
    return likeness


def _neighbours(vectors: NDArray[np.float32], odds: Floats) -> tuple[NDArray[np.int_], Floats]:
    """The sixty nearest in meaning of each sentence, nearest first, and how near they are."""
    around = min(_AROUND, len(odds) - 1)
    places: list[NDArray[np.int_]] = []
    values: list[Floats] = []
    for first in range(0, len(odds), _CHUNK):
        likeness = _likeness(vectors, odds, np.arange(first, min(first + _CHUNK, len(odds))))
        near = np.argpartition(-likeness, around - 1, axis=1)[:, :around]
        value = np.take_along_axis(likeness, near, axis=1)
        order = np.argsort(-value, axis=1, kind="stable")
        places.append(np.take_along_axis(near, order, axis=1))
        values.append(np.take_along_axis(value, order, axis=1))
    return np.vstack(places), np.vstack(values)


def _around(near: NDArray[np.int_], odds: Floats, form: Floats) -> Floats:
    """The neighbourhood of each sentence, the sixty nearest in meaning: the share of them that are rather requirements,
    that have lower odds, how far its odds lie from their mean, mean and spread of their odds, and the means of their
    forms."""
    others = odds[near]
    mean, spread = others.mean(axis=1), others.std(axis=1)
    rather, lower = (others > 0).mean(axis=1), (others < odds[:, None]).mean(axis=1)
    forms = np.column_stack([form[:, column][near].mean(axis=1) for column in range(form.shape[1])])
    result: Floats = np.column_stack([rather, lower, (odds - mean) / (spread + 0.1), mean, spread, forms])
    return result


def _group(keys: Sequence[Hashable], odds: Floats) -> list[Floats]:
    """For each sentence the mean odds of the others of its group, nought where there are none, and how many they are."""
    members: dict[Hashable, list[int]] = defaultdict(list)
    for at, key in enumerate(keys):
        members[key].append(at)
    mean, count = np.zeros(len(keys)), np.zeros(len(keys))
    for places in members.values():
        if len(places) > 1:
            mean[places] = (odds[places].sum() - odds[places]) / (len(places) - 1)
        count[places] = len(places) - 1
    return [mean, np.log1p(count)]
