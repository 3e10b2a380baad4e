"""A difference between two arms that worked at the same tasks: one number a cluster, then Student's t.

Tasks that share a document or a repository are not independent of each other, and neither are repeats of a task. So
the trials of a cluster become one difference, and the clusters are the sample. This is the cluster-robust t test of a
mean with G - 1 degrees of freedom (Donner & Klar 2000, *Design and Analysis of Cluster Randomization Trials*, ch. 6;
Cameron & Miller 2015, *J. Human Resources* 50(2), sect. VI). Trials taken as independent give intervals that are too
narrow, and a percentile bootstrap covers too rarely below 40 clusters; neither is offered.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from echelon.experiments.statistics.power import minimum_detectable

LEAST_CLUSTERS = 5
"""With fewer clusters there is no interval: t with under 4 degrees of freedom says next to nothing."""
ENUMERATED = 14
"""Up to so many clusters the sign-flip test goes through every pattern of signs."""
PATTERNS = 9_999
"""Patterns of signs that it draws above that."""

Row = tuple[str | int, str, int, str, float]
"""(cluster, task, trial, arm, score)"""
Bounds = tuple[float, float]


@dataclass(frozen=True)
class Comparison:
    """How arm `b` differs from arm `a`: mean over the clusters of the score of `b` minus that of `a`.

    `low`, `high`, `p` and `mde` are None where nothing can be said, and `why_not` says why. Where every cluster shows the
    very same difference there is no variance to calculate with; `exact` then says that the interval comes from the
    number of clusters alone.
    """

    estimate: float
    clusters: int
    tasks: int
    pairs: int
    low: float | None = None
    high: float | None = None
    p: float | None = None
    """Two-sided p of the t test; of the sign-flip test where there is no variance"""
    flip: float | None = None
    """Two-sided p of the sign-flip test"""
    mde: float | None = None
    """The smallest difference that so many clusters with this variance show in four of five experiments"""
    sd: float | None = None
    """Standard deviation of the differences of the clusters"""
    unpaired: int = 0
    """Trials of one arm that the other arm has nothing to compare with"""
    level: float = 0.95
    exact: bool = False
    why_not: str = ""

    @property
    def has_interval(self) -> bool:
        """Whether an interval is known; without one there is no verdict."""
        return self.low is not None


@dataclass(frozen=True)
class Differences:
    """One difference a cluster, in the order of their first appearance."""

    names: tuple[str | int, ...]
    values: NDArray[np.float64]
    tasks: int
    pairs: int
    unpaired: int


def compare(
    rows: Iterable[Row], a: str, b: str, *, alpha: float = 0.05, bounds: Bounds | None = (0.0, 1.0)
) -> Comparison:
    """Compare arm `b` with arm `a`: positive when `b` scores higher. `rows` are (cluster, task, trial, arm, score).

    `bounds` are the least and the greatest possible score, None when there are none, as for tokens. They are only used
    where all clusters show the same difference. Rows of other arms are left out; a trial that only one of the two arms
    has is counted in `unpaired`.
    """
    return compared(differences(rows, a, b), alpha=alpha, bounds=bounds)


def differences(rows: Iterable[Row], a: str, b: str) -> Differences:
    """One difference `b` - `a` a cluster: the mean over its tasks of the mean over the trials that both arms have."""
    scores: dict[tuple[str | int, str, int], dict[str, float]] = {}
    for cluster, task, trial, arm, score in rows:
        if arm in (a, b):
            scores.setdefault((cluster, task, trial), {})[arm] = float(score)
    tasks: dict[tuple[str | int, str], list[float]] = {}
    for (cluster, task, _), of in scores.items():
        if len(of) == 2:
            tasks.setdefault((cluster, task), []).append(of[b] - of[a])
    clusters: dict[str | int, list[float]] = {}
    for (cluster, _), found in tasks.items():
        clusters.setdefault(cluster, []).append(math.fsum(found) / len(found))
    values = np.array([math.fsum(v) / len(v) for v in clusters.values()], dtype=np.float64)
    pairs = sum(map(len, tasks.values()))
    return Differences(tuple(clusters), values, len(tasks), pairs, len(scores) - pairs)


def compared(found: Differences, *, alpha: float = 0.05, bounds: Bounds | None = (0.0, 1.0)) -> Comparison:
    """The t interval and both tests of a set of differences.

    mean ± t(1 - alpha/2; G - 1) · s/√G, s the standard deviation of the G differences. Where s is 0, see `_constant`.
    """
    n, d = len(found.values), found.values
    mean = float(d.mean()) if n else math.nan
    silent = Comparison(
        estimate=mean, clusters=n, tasks=found.tasks, pairs=found.pairs, unpaired=found.unpaired, level=1 - alpha
    )
    if n == 0:
        return replace(silent, why_not="no task has a result of both arms")
    if n < LEAST_CLUSTERS:
        return replace(silent, why_not=f"an interval needs {LEAST_CLUSTERS} independent tasks, here are {n}")
    sd, flip = float(d.std(ddof=1)), sign_flip(d)
    if sd <= 1e-12 * max(1.0, abs(mean)):
        return _constant(replace(silent, p=flip, flip=flip, sd=0.0), alpha, bounds)
    error = sd / math.sqrt(n)
    reach = _quantile(1 - alpha / 2, n - 1) * error
    p = float(2 * stats.t.sf(abs(mean) / error, n - 1))
    mde = minimum_detectable(sd, n, alpha)
    return replace(silent, low=mean - reach, high=mean + reach, p=p, flip=flip, mde=mde, sd=sd)


def _constant(found: Comparison, alpha: float, bounds: Bounds | None) -> Comparison:
    """All G clusters show the same difference d, so there is no variance to go by.

    The share q of clusters that would show d is at least (alpha/2)^(1/G) (Clopper & Pearson 1934, *Biometrika* 26:404, G
    of G); the others may show anything that the bounds allow: q·d ± (1 - q)·(greatest - least score).
    """
    if bounds is None:
        return replace(found, why_not="every task shows the very same difference, and the figure has no bounds")
    share, span = (alpha / 2) ** (1 / found.clusters), bounds[1] - bounds[0]
    middle, reach = share * found.estimate, (1 - share) * span
    return replace(found, low=max(middle - reach, -span), high=min(middle + reach, span), exact=True)


@lru_cache(maxsize=256)
def _quantile(probability: float, degrees: int) -> float:
    return float(stats.t.ppf(probability, degrees))


def sign_flip(values: Sequence[float] | NDArray[np.float64]) -> float:
    """Two-sided p of the sign-flip (paired randomisation) test of a mean of 0.

    Share of the 2^G patterns of signs whose sum is at least as far from 0 (Fisher 1935, *The Design of Experiments*, sect.
    21); above `ENUMERATED` values of drawn ones, the one seen counted in (Phipson & Smyth 2010, *Stat. Appl. Genet. Mol.
    Biol.* 9(1):39). The drawn patterns are always the same.
    """
    d = np.asarray(values, dtype=np.float64)
    if len(d) == 0:
        return 1.0
    signs = _signs(len(d))
    seen = abs(float(d.sum()))
    as_far = int((np.abs(signs @ d) >= seen - 1e-9 * max(1.0, seen)).sum())
    return as_far / len(signs) if len(d) <= ENUMERATED else (as_far + 1) / (len(signs) + 1)


@lru_cache(maxsize=32)
def _signs(n: int) -> NDArray[np.float64]:
    if n <= ENUMERATED:
        bits = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
        return np.where(bits == 1, 1.0, -1.0)
    return np.random.default_rng(20_261).choice(np.array([1.0, -1.0]), (PATTERNS, n))
