"""What an experiment can show before anything is spent on it: the minimum detectable effect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

from echelon.experiments.statistics.nodes import gauss_legendre

POWER = 0.8
MOST_CLUSTERS = 100_000

WITHIN = 0.1746
"""Mean variance p(1 - p) of one success: difficulties normal on the logit scale, standard deviation 1.5 around p = 0.5"""
BETWEEN = 0.0169
"""Variance of the true difference from task to task: an effect of standard deviation 0.7 on that scale, same tasks"""
SHARED = 0.5
"""Share of `BETWEEN` that tasks of one cluster have in common"""


@dataclass(frozen=True)
class Variance:
    """What is assumed about the scores before there are any: variance of a trial, and of the effect between tasks.

    The defaults are those of a success that is right half of the time with tasks of very different difficulty. A pilot
    says more: the standard deviation of its differences (`Comparison.sd`) goes into `minimum_detectable` as it is.
    """

    within: float = WITHIN
    between: float = BETWEEN
    shared: float = SHARED

    def sd(self, repeats: int = 1, tasks_per_cluster: float = 1.0) -> float:
        """Standard deviation of the difference of one cluster.

        √(between·(shared + (1 - shared)/m) + 2·within/(m·r)) with m tasks a cluster and r repeats: the variance of a mean
        of two levels (Snijders & Bosker 2012, *Multilevel Analysis*, sect. 3.3).
        """
        between = self.between * (self.shared + (1 - self.shared) / tasks_per_cluster)
        return math.sqrt(between + 2 * self.within / (tasks_per_cluster * repeats))


@lru_cache(maxsize=4096)
def _standardised(clusters: int, alpha: float, power: float) -> float:
    """The noncentrality at which a two-sided t test of `clusters` values has this power."""
    degrees = clusters - 1
    return float(optimize.brentq(lambda shift: power_at(shift, degrees, alpha) - power, 0.0, 1_000.0))


def power_at(shift: float, degrees: int, alpha: float = 0.05) -> float:
    """Chance that a two-sided t test of a mean `shift` standard errors away from 0 says so.

    P(|T'| > t) = E[Φ(shift - t·s) + Φ(-shift - t·s)] with s² = χ²/degrees, integrated over the quantiles of χ²
    (Johnson, Kotz & Balakrishnan 1995, *Continuous Univariate Distributions* 2, ch. 31): where the noncentral t of scipy
    has no value in its tails, this has one.
    """
    critical = float(stats.t.ppf(1 - alpha / 2, degrees))
    spread, weights = _chi(degrees)
    beyond = special.ndtr(shift - critical * spread) + special.ndtr(-shift - critical * spread)
    return float((weights * beyond).sum())


@lru_cache(maxsize=1024)
def _chi(degrees: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Quantiles of √(χ²/degrees) and their weights."""
    nodes, weights = gauss_legendre(200)
    return np.sqrt(special.chdtri(degrees, 1 - (nodes + 1) / 2) / degrees), weights / 2


def minimum_detectable(sd: float, clusters: int, alpha: float = 0.05, power: float = POWER) -> float:
    """The smallest true difference that a two-sided t test of `clusters` differences finds with this power.

    delta = ncp · sd/√G where P(|T'(G - 1, ncp)| > t(1 - alpha/2; G - 1)) = power, T' noncentral t
    (Cohen 1988, *Statistical Power Analysis*, ch. 2; Julious 2010, *Sample Sizes for Clinical Trials*, ch. 4).
    Raises ValueError for fewer than two clusters.
    """
    if clusters < 2:
        raise ValueError("a difference needs at least two clusters")
    return _standardised(clusters, alpha, power) * sd / math.sqrt(clusters)


def needed_clusters(effect: float, sd: float, alpha: float = 0.05, power: float = POWER) -> int | None:
    """The fewest clusters, five or more, that find `effect` with this power; None when even 100,000 do not."""
    if effect == 0 or minimum_detectable(sd, MOST_CLUSTERS, alpha, power) > abs(effect):
        return None
    low, high = 5, MOST_CLUSTERS
    while low < high:
        middle = (low + high) // 2
        if minimum_detectable(sd, middle, alpha, power) <= abs(effect):
            high = middle
        else:
            low = middle + 1
    return low
