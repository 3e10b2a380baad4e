"""Repetitions among requirements, within a document and across documents."""

from __future__ import annotations

from collections.abc import Sequence

from echelon.domains.likeness.near_text import NearText, exchanges_a_word, near_pairs, same_force
from echelon.domains.requirements.types import Modality, Requirement

THRESHOLD = 0.9


def repeats(left: NearText, left_modality: Modality, right: NearText, right_modality: Modality) -> bool:
    """Whether one of two near texts says what the other says: it binds alike and is about the same things.

    "must export" and "may export", "never" and its absence, "delete" and "archive", 6 and 10 years make another
    requirement, however alike two texts read.
    """
    if left_modality is not right_modality or left.numbers != right.numbers:
        return False
    return same_force(left, right) and not exchanges_a_word(left, right)


def find_duplicates(requirements: Sequence[Requirement], threshold: float = THRESHOLD) -> list[tuple[str, str, float]]:
    """Pairs of requirements that say the same, as (id of the earlier, id of the later, similarity `threshold`..1).

    Similarity is that of `near_text`: the share of words that stand in both texts in the same order. Pairs come best
    first, then by position. The ids must be unique over the sequence. Raises ValueError when they are not or when
    `threshold` is outside 0.5..1.
    """
    if not 0.5 <= threshold <= 1:
        raise ValueError(f"threshold must be between 0.5 and 1, not {threshold}")
    by_id = {requirement.id: requirement for requirement in requirements}
    if len(by_id) != len(requirements):
        raise ValueError("the ids of the requirements must be unique; rename those of one document first")
    texts = {key: NearText.of(requirement.text) for key, requirement in by_id.items()}
    order = {key: position for position, key in enumerate(by_id)}
    pairs = [
        (a, b, score) if order[a] < order[b] else (b, a, score)
        for a, b, score in near_pairs(texts, by_id, threshold)
        if repeats(texts[a], by_id[a].modality, texts[b], by_id[b].modality)
    ]
    pairs.sort(key=lambda pair: (-pair[2], order[pair[0]], order[pair[1]]))
    return [(earlier, later, round(score, 3)) for earlier, later, score in pairs]
