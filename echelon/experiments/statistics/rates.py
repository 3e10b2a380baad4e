"""Shares of yes and no: Wilson's interval, and Cohen's kappa for two who judge the same things."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True)
class Rate:
    """`successes` of `n`, with the interval at `level`; `effective` is the n that the interval was made with."""

    successes: int
    n: int
    low: float | None
    high: float | None
    effective: float
    level: float = 0.95

    @property
    def share(self) -> float | None:
        """The share itself, None of nothing."""
        return self.successes / self.n if self.n else None


def wilson(successes: int, n: int, *, alpha: float = 0.05, effective: float | None = None) -> Rate:
    """Wilson's score interval (Wilson 1927, *J. Am. Statist. Assoc.* 22:209).

    (p + z²/2n ± z·√(p(1-p)/n + z²/4n²)) / (1 + z²/n). With an `effective` n below n, as for several observations of one
    document, the interval is made with that one.
    """
    if n == 0:
        return Rate(0, 0, None, None, 0.0, 1 - alpha)
    size = float(n if effective is None else effective)
    z = NormalDist().inv_cdf(1 - alpha / 2)
    p = successes / n
    middle = (p + z * z / (2 * size)) / (1 + z * z / size)
    reach = z * math.sqrt(p * (1 - p) / size + z * z / (4 * size * size)) / (1 + z * z / size)
    return Rate(successes, n, max(0.0, middle - reach), min(1.0, middle + reach), size, 1 - alpha)


def wilson_clustered(outcomes: Iterable[tuple[Hashable, bool]], *, alpha: float = 0.05) -> Rate:
    """Wilson's interval for (cluster, success) pairs of which several may come from one cluster.

    n is divided by the design effect of the ratio estimator (Rao & Scott 1992, *Biometrics* 48:577): its variance
    G/(G-1)·Σ(x_g - p·m_g)²/n² over p(1-p)/n, never below 1. Where all are alike there is no variance to estimate it from;
    then each cluster counts once.
    """
    groups: dict[Hashable, list[bool]] = {}
    for cluster, success in outcomes:
        groups.setdefault(cluster, []).append(success)
    n, x = sum(map(len, groups.values())), sum(map(sum, groups.values()))
    if n == len(groups):
        return wilson(x, n, alpha=alpha)
    p, g = x / n, len(groups)
    if x in (0, n) or g < 2:
        return wilson(x, n, alpha=alpha, effective=g)
    variance = g / (g - 1) * sum((sum(v) - p * len(v)) ** 2 for v in groups.values()) / n**2
    effect = max(1.0, variance / (p * (1 - p) / n))
    return wilson(x, n, alpha=alpha, effective=n / effect)


@dataclass(frozen=True)
class Agreement:
    """Cohen's kappa of two judges with its interval; None where both always said the same one thing."""

    kappa: float | None
    low: float | None
    high: float | None
    n: int
    agreed: float
    """Share of the cases on which both say the same"""


LEAST_LABELS = 10
"""Below so many cases the standard error of kappa means nothing; no interval is given."""


def cohens_kappa(pairs: Sequence[tuple[Hashable, Hashable]], *, alpha: float = 0.05) -> Agreement:
    """Agreement beyond chance: (p_o - p_e)/(1 - p_e) (Cohen 1960, *Educ. Psychol. Meas.* 20:37).

    Interval by the large-sample variance of Fleiss, Cohen & Everitt 1969, *Psychol. Bull.* 72:323, eq. 13:
    Σ_i p_ii·[1 - (p_i. + p_.i)(1 - κ)]² + (1 - κ)²·Σ_{i≠j} p_ij·(p_.i + p_j.)² - [κ - p_e(1 - κ)]², over n(1 - p_e)².
    """
    n = len(pairs)
    if n == 0:
        return Agreement(None, None, None, 0, 0.0)
    labels = sorted({label for pair in pairs for label in pair}, key=repr)
    share = {(i, j): sum(p == (i, j) for p in pairs) / n for i in labels for j in labels}
    row = {i: sum(share[i, j] for j in labels) for i in labels}
    column = {j: sum(share[i, j] for i in labels) for j in labels}
    agreed = sum(share[i, i] for i in labels)
    by_chance = sum(row[i] * column[i] for i in labels)
    if by_chance >= 1 - 1e-12:
        return Agreement(None, None, None, n, agreed)
    kappa = (agreed - by_chance) / (1 - by_chance)
    if n < LEAST_LABELS:
        return Agreement(kappa, None, None, n, agreed)
    same = sum(share[i, i] * (1 - (row[i] + column[i]) * (1 - kappa)) ** 2 for i in labels)
    apart = (1 - kappa) ** 2 * sum(share[i, j] * (column[i] + row[j]) ** 2 for i in labels for j in labels if i != j)
    variance = max(0.0, same + apart - (kappa - by_chance * (1 - kappa)) ** 2) / (n * (1 - by_chance) ** 2)
    reach = NormalDist().inv_cdf(1 - alpha / 2) * math.sqrt(variance)
    return Agreement(kappa, max(-1.0, kappa - reach), min(1.0, kappa + reach), n, agreed)
