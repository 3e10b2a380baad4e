"""Near-duplicates among requirements, within a document and across documents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from echelon.domains.requirements.types import Requirement

THRESHOLD = 0.88
_OTHER = re.compile(r"[^0-9a-zäöüß]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NEGATION = re.compile(r"\b(?:not|no|never|without|nicht|kein\w*|niemals|ohne)\b")
_BLOCK = 512


def find_duplicates(requirements: Sequence[Requirement], threshold: float = THRESHOLD) -> list[tuple[str, str, float]]:
    """Pairs of requirements that say nearly the same, as (id of the earlier, id of the later, similarity 0..1).

    Similarity is the mean of the Levenshtein ratio and the token-set ratio of the normalised texts (Unicode NFKC, lower
    case, punctuation and white space folded); pairs at or above `threshold` are returned, best first, then by position.
    Requirements that differ in a number or in a negation are no duplicates, however alike they read. The ids must be
    unique over the sequence. Raises ValueError when they are not or when `threshold` is outside 0..1.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be between 0 and 1, not {threshold}")
    ids = [requirement.id for requirement in requirements]
    if len(set(ids)) != len(ids):
        raise ValueError("the ids of the requirements must be unique; rename those of one document first")
    texts = [_normal(requirement.text) for requirement in requirements]
    pairs = [(i, j, score) for i, j, score in _close(texts, threshold) if texts[i]]
    pairs.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
    return [(ids[i], ids[j], round(score, 3)) for i, j, score in pairs]


def _close(texts: list[str], threshold: float) -> list[tuple[int, int, float]]:
    """Index pairs i < j whose score reaches the threshold; the cheap ratio goes first, block by block."""
    import numpy as np
    from rapidfuzz import fuzz, process

    numbered: dict[object, int] = {}
    signs = np.array([numbered.setdefault(_signs(text), len(numbered)) for text in texts])
    found: list[tuple[int, int, float]] = []
    # The mean of two ratios reaches t only when each is at least 2t - 1.
    floor = max(0.0, 100 * (2 * threshold - 1))
    for start in range(0, len(texts), _BLOCK):
        rows = texts[start : start + _BLOCK]
        scores = process.cdist(rows, texts[start:], scorer=fuzz.ratio, score_cutoff=floor)
        scores[signs[start : start + _BLOCK, None] != signs[None, start:]] = 0
        for row, column in zip(*np.triu(scores, k=1).nonzero(), strict=True):
            i, j = start + int(row), start + int(column)
            score = (float(scores[row, column]) + fuzz.token_set_ratio(texts[i], texts[j])) / 200
            if score >= threshold:
                found.append((i, j, score))
    return found


def _normal(text: str) -> str:
    return _OTHER.sub(" ", unicodedata.normalize("NFKC", text).lower()).strip()


def _signs(text: str) -> tuple[tuple[str, ...], int]:
    """What must agree between duplicates: the numbers and how often something is negated."""
    return tuple(sorted(_NUMBER.findall(text))), len(_NEGATION.findall(text))
