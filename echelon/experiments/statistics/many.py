"""More than one test: several arms against one baseline, and looks at the figures before the end."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from scipy import optimize, stats

from echelon.experiments.statistics.nodes import gauss_legendre

NODES = 240
"""Points of the numerical integration; with so many the error of a boundary is under 1e-6."""


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p values that keep the chance of any false alarm at the level (Holm 1979, *Scand. J. Statist.* 6:65).

    Sorted p(1) <= ... <= p(m): the adjusted p(i) is the maximum over j <= i of (m - j + 1)·p(j), at most 1.
    """
    out: dict[str, float] = {}
    highest = 0.0
    for rank, name in enumerate(sorted(p, key=lambda k: (p[k], k))):
        highest = max(highest, min(1.0, (len(p) - rank) * p[name]))
        out[name] = highest
    return {name: out[name] for name in p}


@lru_cache(maxsize=512)
def boundary(looks: tuple[float, ...], alpha: float = 0.05) -> float:
    """The constant C of the O'Brien-Fleming design: |Z(k)| >= C/√t(k) at a look with the share t(k) of all clusters.

    O'Brien & Fleming 1979, *Biometrics* 35:549. B(t) = √t·Z(t) is a Brownian motion, so the boundary of B is the constant C;
    P(|B| passes C at any look) = alpha is solved by stepwise integration of the density of B (Armitage, McPherson & Rowe
    1969, *J. R. Statist. Soc. A* 132:235). Four equal looks at 0.05 give 2.024.
    """
    return float(optimize.brentq(lambda c: _passed(looks, c) - alpha, 0.1, 12.0, xtol=1e-9))


def _passed(looks: tuple[float, ...], bound: float) -> float:
    """Chance that a Brownian motion is outside of ±bound at any of the times."""
    nodes, weights = gauss_legendre(NODES)
    x, w = nodes * bound, weights * bound
    density = stats.norm.pdf(x, scale=math.sqrt(looks[0]))
    for before, after in itertools.pairwise(looks):
        step = stats.norm.pdf(x[:, None] - x[None, :], scale=math.sqrt(after - before))
        density = step @ (density * w)
    return 1.0 - float((density * w).sum())


def nominal(looks: Sequence[float], look: int, alpha: float = 0.05) -> float:
    """The p value below which the look with this index (from 0) is a result: 2·(1 - Φ(C/√t)).

    Used with the p of a t test (Jennison & Turnbull 2000, *Group Sequential Methods*, sect. 3.8). One look: `alpha` itself.
    """
    shares = tuple(float(t) for t in looks)
    if len(shares) == 1:
        return alpha
    return float(2 * stats.norm.sf(boundary(shares, alpha) / math.sqrt(shares[look])))


def rejected(p: Mapping[str, float], looks: Sequence[float], look: int, alpha: float = 0.05) -> dict[str, float]:
    """The comparisons that are a result at this look, each with the level that it passed.

    Holm's steps with the boundary of each look in place of alpha/m (Ye, Li, Liu & Yao 2013, *Stat. Med.* 32:1112): of m
    comparisons still open the smallest p is held against the nominal level of a design with alpha/m, and so on until one
    fails.
    """
    out: dict[str, float] = {}
    open_ = sorted(p, key=lambda k: (p[k], k))
    while open_:
        level = nominal(looks, look, alpha / len(open_))
        if p[open_[0]] > level:
            break
        out[open_.pop(0)] = level
    return out
