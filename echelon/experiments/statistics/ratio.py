"""The price of a success in one arm over that in another."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

LEAST_CLUSTERS = 5

Spending = tuple[Hashable, str, float, float]
"""(cluster, arm, cost, successes)"""


@dataclass(frozen=True)
class CostRatio:
    """Cost per success of `b` over that of `a`: 2.0 says that a success costs twice as much in `b`."""

    a: float | None
    """Cost per success of arm a, None without a success"""
    b: float | None
    ratio: float | None
    low: float | None
    high: float | None
    clusters: int
    why_not: str = ""


def cost_per_success(rows: Iterable[Spending], a: str, b: str, *, alpha: float = 0.05) -> CostRatio:
    """The ratio of two costs per success, with an interval by the jackknife over clusters on the log scale.

    θ = log(ΣC_b/ΣS_b) - log(ΣC_a/ΣS_a); with θ_(g) from all clusters but g: s² = (G-1)/G·Σ(θ_(g) - mean)², and
    exp(θ ± t(1 - alpha/2; G - 1)·s) (Efron & Tibshirani 1993, *An Introduction to the Bootstrap*, ch. 11; the log of a
    ratio is nearer to normal than the ratio: Cochran 1977, *Sampling Techniques*, sect. 6.8). An arm without a success has
    no price. Only clusters with rows of both arms count.
    """
    sums = _sums(rows, a, b)
    n, total = len(sums), sums.sum(axis=0) if len(sums) else np.zeros(4)
    prices = [_price(total[0], total[1]), _price(total[2], total[3])]
    if None in prices:
        return CostRatio(prices[0], prices[1], None, None, None, n, "an arm has no success, so a success has no price")
    theta = _log_ratio(total)
    if theta is None:
        return CostRatio(prices[0], prices[1], None, None, None, n, "an arm costs nothing, so there is no ratio")
    known = (prices[0], prices[1], math.exp(theta))
    if n < LEAST_CLUSTERS:
        return CostRatio(*known, None, None, n, f"an interval needs {LEAST_CLUSTERS} independent tasks, here are {n}")
    left_out = [_log_ratio(total - row) for row in sums]
    if None in left_out:
        return CostRatio(*known, None, None, n, "an arm has all its successes in one task")
    values = np.array(left_out, dtype=np.float64)
    error = math.sqrt((n - 1) / n * float(((values - values.mean()) ** 2).sum()))
    reach = float(stats.t.ppf(1 - alpha / 2, n - 1)) * error
    return CostRatio(*known, math.exp(theta - reach), math.exp(theta + reach), n)


def _sums(rows: Iterable[Spending], a: str, b: str) -> NDArray[np.float64]:
    """(clusters, 4): cost and successes of `a`, cost and successes of `b`."""
    found: dict[Hashable, NDArray[np.float64]] = {}
    seen: dict[Hashable, set[str]] = {}
    for cluster, arm, cost, successes in rows:
        if arm in (a, b):
            sums = found.setdefault(cluster, np.zeros(4))
            sums[0 if arm == a else 2] += cost
            sums[1 if arm == a else 3] += successes
            seen.setdefault(cluster, set()).add(arm)
    both = [found[c] for c in found if len(seen[c]) == 2]
    return np.array(both) if both else np.zeros((0, 4))


def _price(cost: float, successes: float) -> float | None:
    return float(cost / successes) if successes > 0 else None


def _log_ratio(sums: NDArray[np.float64]) -> float | None:
    if min(sums) <= 1e-12:
        return None
    return float(math.log(sums[2] / sums[3]) - math.log(sums[0] / sums[1]))
