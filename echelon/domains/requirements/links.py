"""Trace links between two levels of requirements: which lower one refines, implements or tests which higher one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from echelon.domains.likeness.similarity import likeness

Judge = Callable[[list[tuple[str, str]]], list[float]]

# A lower requirement mostly has one parent, and a few have none: nine links for ten lower requirements.
LINKS_PER_LOW = 0.9
# How much it counts that a pair stands out among the candidates of its higher requirement, against standing out among
# those of its lower one. Less than 1, because a higher one may have many children, while a lower one has few parents.
ROW_WEIGHT = 0.75
# Below this nothing is a link, however well it stands out; nor are texts without a common word linked.
LEAST_SIMILARITY = 0.04
# With a judge, the pairs ranked from 0.4 to 2 times the number of links are close calls.
CLOSE_CALLS = (0.4, 2.0)


def trace_links(
    high: Mapping[str, str], low: Mapping[str, str], judge: Judge | None = None
) -> list[tuple[str, str, float]]:
    """The links to create between `high` and `low` (id -> text), as (high id, low id, confidence), surest first.

    The best `LINKS_PER_LOW * len(low)` pairs of `rank_pairs` are linked. Confidence is 0.5 at that cut and grows to 1.

    `judge` looks at the close calls: it takes (high text, low text) pairs, at most twice as many as links are expected,
    and returns for each the probability of a link; 0.5 or more links. Raises ValueError when it returns another number
    of answers or one outside 0 to 1, FileNotFoundError without the wordllama wheel.
    """
    ranked = rank_pairs(high, low)
    wanted = min(len(ranked), max(1, round(LINKS_PER_LOW * len(low))))
    if not wanted:
        return []
    cut = ranked[wanted - 1][2]
    chances = [1 / (1 + math.exp(cut - rank)) for _, _, rank in ranked]
    if judge is not None:
        first, last = int(CLOSE_CALLS[0] * wanted), min(len(ranked), math.ceil(CLOSE_CALLS[1] * wanted))
        chances[first:last] = _ask(judge, [(high[upper], low[lower]) for upper, lower, _ in ranked[first:last]])
    found = [
        (upper, lower, round(chance, 4))
        for (upper, lower, _), chance in zip(ranked, chances, strict=True)
        if chance >= 0.5
    ]
    return sorted(found, key=lambda link: (-link[2], link[0], link[1]))


def rank_pairs(
    high: Mapping[str, str], low: Mapping[str, str], row_weight: float = ROW_WEIGHT
) -> list[tuple[str, str, float]]:
    """All thinkable pairs as (high id, low id, rank), best first.

    The rank is how far the pair's similarity stands out among all candidates of its lower requirement, plus
    `row_weight` times the same among those of its higher one, in standard deviations. So the scale of the similarity,
    which changes with length and language of the texts, does not matter.
    """
    if not high or not low:
        return []
    upper, lower = sorted(high), sorted(low)
    alike = likeness([high[name] for name in upper], [low[name] for name in lower])
    rank = _stands_out(alike.total, axis=0) + row_weight * _stands_out(alike.total, axis=1)
    possible = np.argwhere((alike.total >= LEAST_SIMILARITY) & (alike.words > 0))
    pairs = [(upper[row], lower[column], float(rank[row, column])) for row, column in possible.tolist()]
    return sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))


def _stands_out(values: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Standard scores along `axis`; 0 where all values are alike."""
    spread = values.std(axis=axis, keepdims=True)
    scores: NDArray[np.float32] = (values - values.mean(axis=axis, keepdims=True)) / np.where(spread < 1e-6, 1, spread)
    return np.where(spread < 1e-6, np.float32(0), scores)


def _ask(judge: Judge, texts: list[tuple[str, str]]) -> list[float]:
    answers = [float(answer) for answer in judge(texts)] if texts else []
    if len(answers) != len(texts):
        raise ValueError(f"the judge answered {len(answers)} of {len(texts)} pairs")
    if not all(0 <= answer <= 1 for answer in answers):
        raise ValueError("the judge answered with something that is no probability from 0 to 1")
    return answers
