"""Agreement of two readers beyond chance (Cohen 1960)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def cohens_kappa(first: Sequence[str], second: Sequence[str]) -> float | None:
    """Cohen's kappa of two readers' labels of the same things: 1 agree always, 0 as by chance, below 0 worse.

    None where it is not defined: nothing was read twice, or both gave all of them one and the same label. Raises
    ValueError when the lengths differ.
    """
    pairs = list(zip(first, second, strict=True))
    if not pairs:
        return None
    observed = sum(a == b for a, b in pairs) / len(pairs)
    left, right = Counter(first), Counter(second)
    by_chance = sum(left[label] * right[label] for label in left) / len(pairs) ** 2
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)
