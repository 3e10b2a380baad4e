"""Rankings into one ranking."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

Item = TypeVar("Item", bound=Hashable)
K = 60
"""The constant of the formula, as its authors chose it."""
DEPTH = 50
"""Pieces of each ranking that are fused."""


def reciprocal_rank_fusion(rankings: Sequence[Sequence[Item]], *, k: int = K) -> list[tuple[Item, float]]:
    """Items with the sum of 1 / (k + rank) over `rankings` (best first, ranks from 1), best first.

    Equals stand in the order in which they first come up, ranking by ranking. Source: Cormack, Clarke and Büttcher,
    "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods", SIGIR 2009.
    """
    scores: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda pair: -pair[1])
