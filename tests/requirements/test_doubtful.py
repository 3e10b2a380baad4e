"""Documents in which the rules are often wrong: the review queue leads to most of it, within its share of the sentences.

`doubtful/NAME.md` was written for this, `NAME.gold` says what it demands. What is expected here is that the queue is of
use; how much it holds is measured in `benchmarks/roles_matter.py own`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from rapidfuzz import fuzz

from echelon.domains.documents.reading import read_document
from echelon.domains.requirements.review.queue import SHARE, review_queue
from echelon.domains.requirements.review.types import ReviewItem
from tests.requirements.genres import gold_of, score

FOLDER = Path(__file__).parent / "doubtful"


def documents() -> list[Path]:
    return sorted(FOLDER.glob("*.md"))


def is_about(item: ReviewItem, text: str) -> bool:
    """Whether a place of the queue is what was missed, or a sentence of it."""
    words, wanted = item.text.lower(), text.lower()
    return words in wanted or (fuzz.partial_ratio(words, wanted) >= 90 and len(words) > 25)


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.stem)
def test_a_good_part_of_the_queue_is_about_errors(path: Path) -> None:
    wrong = score(path, gold_of(path))
    queue = review_queue(read_document(path))
    assert len(queue.items) <= SHARE * queue.sentences + 1
    useful = [i for i in queue.items if i.text in wrong.extra or any(is_about(i, text) for text in wrong.missed)]
    assert len(useful) >= 0.4 * len(queue.items), [(i.text, i.why) for i in queue.items]
