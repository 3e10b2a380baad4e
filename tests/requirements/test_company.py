"""The second pass of the sentence classifier: how a sentence stands among the others, whatever their order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from echelon.domains.likeness.embedding import embed, unit
from echelon.domains.requirements import classify_sentences
from echelon.domains.requirements.judging.company import LEAST, company, log_odds
from echelon.domains.requirements.judging.sentence_model import load_model

THINGS = ("order", "invoice", "refund", "ticket", "seat", "train", "map", "fare", "route", "stop", "card", "reader")
SHALL = [f"The {one} desk shall print the {other} at once." for one in THINGS for other in THINGS[:6] if one != other]
PROSE = [
    f"The {one} was once thought of as a kind of {other}." for one in THINGS for other in THINGS[:6] if one != other
]


def chances_of(sentences: list[str]) -> NDArray[np.float64]:
    return load_model().probabilities(sentences)


def told_of(sentences: list[str], chances: list[float]) -> NDArray[np.float64]:
    return company(sentences, unit(embed(sentences)), np.array([chances, chances]).T)


def test_the_order_of_many_sentences_does_not_matter() -> None:
    sentences = [*SHALL[:40], *PROSE[:40]]
    assert np.allclose(chances_of(sentences), chances_of(sentences[::-1])[::-1], atol=0.01)


def test_few_sentences_are_judged_alone() -> None:
    few = SHALL[: LEAST - 1]
    assert np.allclose(chances_of(few), [chances_of([sentence])[0] for sentence in few])


def test_many_sentences_are_judged_with_the_others() -> None:
    many = SHALL[:60]
    assert not np.allclose(chances_of(many), [chances_of([sentence])[0] for sentence in many])


@pytest.mark.parametrize(("sentences", "expected"), [(SHALL[:60], True), (PROSE[:60], False)])
def test_clear_sentences_stay_what_they_are(sentences: list[str], expected: bool) -> None:
    labels = [label.is_requirement for label in classify_sentences([*sentences, *(PROSE if expected else SHALL)])]
    assert sum(label is expected for label in labels[: len(sentences)]) >= 0.95 * len(sentences)


def test_a_doubtful_sentence_is_told_what_its_list_is() -> None:
    """The same sentence among requirements that are built like it, and among prose that is built like it."""
    doubtful = "Displays the fare of the whole route."
    others = [f"Displays the {one} of the {other}." for one in THINGS for other in THINGS[:5]]
    among = [told_of([doubtful, *others], [0.4, *[chance] * len(others)])[0] for chance in (0.95, 0.05)]
    assert among[0][0] == among[1][0] == pytest.approx(log_odds(np.array([0.4]))[0])
    for column in (3, 4, 6, 8, 10, 12):  # nearest, same first words, same modal words, same form
        assert among[0][column] > 1 > -1 > among[1][column], column
    # All of its neighbourhood are requirements, none is lower; and the other way round.
    assert among[0][13:15].tolist() == [1, 0] and among[1][13:15].tolist() == [0, 1]


@settings(deadline=None, max_examples=20)
@given(st.lists(st.text(max_size=40), min_size=2, max_size=40), st.floats(0, 1))
def test_odd_company_gives_finite_numbers(sentences: list[str], chance: float) -> None:
    told = told_of(sentences, [chance] * len(sentences))
    assert len(told) == len(sentences) and np.isfinite(told).all()
