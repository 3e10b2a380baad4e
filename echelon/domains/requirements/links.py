"""Trace links between two levels of requirements: which lower one refines, implements or tests which higher one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from echelon.domains.requirements.similarity import likeness

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Judge = Callable[[list[tuple[str, str]]], list[float]]

# A lower requirement mostly has one parent, and a few have none: nine links for ten lower requirements.
LINKS_PER_LOW = 0.9
# How far a pair stands out among the candidates of its higher requirement, against among those of its lower one. Less
# than 1, because a higher requirement may have many children, while a lower one has few parents.
ROW_WEIGHT = 0.75
# Below this nothing is a link, however well it stands out; nor are texts without a common word linked.
LEAST_SIMILARITY = 0.04
# With a judge, the pairs ranked from 0.4 to 2 times the number of links are close calls.
_CLOSE = (0.4, 2.0)


def trace_links(
    high: Mapping[str, str], low: Mapping[str, str], judge: Judge | None = None
) -> list[tuple[str, str, float]]:
    """The links to create between `high` and `low` (id -> text), as (high id, low id, confidence), surest first.

    A pair is ranked by how far its similarity stands out among all candidates of its lower and of its higher
    requirement (in standard deviations), and the best `LINKS_PER_LOW * len(low)` pairs are linked. One rule for every
    set: no threshold on the similarity, whose scale changes with the length and language of the texts. Confidence is
    0.5 at the cut and grows to 1.

    `judge` looks at the close calls: it takes (high text, low text) pairs, at most twice as many as links are expected,
    and returns for each the probability of a link; 0.5 or more links. Raises ValueError when it returns another number
    of answers, FileNotFoundError without the wordllama wheel.
    """
    import numpy as np

    if not high or not low:
        return []
    high_ids, low_ids = sorted(high), sorted(low)
    high_texts, low_texts = [high[name] for name in high_ids], [low[name] for name in low_ids]
    alike = likeness(high_texts, low_texts)
    possible = (alike.total >= LEAST_SIMILARITY) & (alike.words > 0)
    standing = _stands_out(alike.total, axis=0) + ROW_WEIGHT * _stands_out(alike.total, axis=1)
    rank = np.where(possible, standing, -np.inf)

    order = np.argsort(-rank, axis=None, kind="stable")[: int(possible.sum())]
    wanted = min(len(order), max(1, round(LINKS_PER_LOW * len(low_ids))))
    if wanted == 0:
        return []
    sure = 1 / (1 + np.exp(rank.ravel()[order[wanted - 1]] - rank.ravel()[order]))
    pairs = [divmod(int(at), len(low_ids)) for at in order]
    if judge is not None:
        _ask(judge, [(high_texts[row], low_texts[column]) for row, column in pairs], sure, wanted)
    found = [
        (high_ids[row], low_ids[column], round(float(chance), 4))
        for (row, column), chance in zip(pairs, sure, strict=True)
        if chance >= 0.5
    ]
    return sorted(found, key=lambda link: (-link[2], link[0], link[1]))


def _stands_out(values: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Standard scores along `axis`; 0 where all values are alike."""
    import numpy as np

    spread = values.std(axis=axis, keepdims=True)
    scores: NDArray[np.float32] = (values - values.mean(axis=axis, keepdims=True)) / np.where(spread < 1e-6, 1, spread)
    return np.where(spread < 1e-6, np.float32(0), scores)


def _ask(judge: Judge, texts: list[tuple[str, str]], sure: NDArray[np.float64], wanted: int) -> None:
    """Replace the confidence of the close calls by the judge's."""
    first, last = int(_CLOSE[0] * wanted), min(len(texts), int(_CLOSE[1] * wanted) + 1)
    answers = judge(texts[first:last])
    if len(answers) != last - first:
        raise ValueError(f"the judge answered {len(answers)} of {last - first} pairs")
    sure[first:last] = answers
