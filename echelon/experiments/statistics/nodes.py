"""Where to integrate numerically: worked out once a process, as it costs more than most integrals."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray


@cache
def gauss_legendre(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Nodes between -1 and 1 and their weights (Gauss-Legendre), to be read only."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    for values in (nodes, weights):
        values.flags.writeable = False
    return nodes, weights
