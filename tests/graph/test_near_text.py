"""Near-same texts: the similarity, and that the fast search finds exactly the pairs that comparing all finds."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from echelon.domains.likeness.near_text import NearText, exchanges_a_word, near_pairs, similarity

WORDS = st.sampled_from(
    [
        "log",
        "invoice",
        "key",
        "user",
        "system",
        "keep",
        "sign",
        "delete",
        "send",
        "old",
        "new",
        "daily",
        "all",
        "audit",
        "the",
        "shall",
        "not",
    ]
)
TEXTS = st.lists(st.lists(WORDS, max_size=12).map(" ".join), max_size=14)


def near(left: str, right: str) -> float:
    return similarity(NearText.of(left), NearText.of(right))


def test_case_articles_plurals_and_modality_do_not_count() -> None:
    assert near("The system shall keep an audit log.", "Systems must keep audit logs") == 1.0
    assert near("Logs shall be deleted", "LOGS SHALL NOT BE DELETED!") == 1.0


def test_numbers_and_order_count() -> None:
    assert near("Keep it for 10 years", "Keep it for 6 years") == 0.0
    assert near("Version 1.2 is kept", "Version 12 is kept") == 0.0
    assert near("the sender pays the receiver back", "the receiver pays the sender back") < 0.9


def test_nothing_is_near_to_nothing() -> None:
    assert near("", "") == 0.0
    assert near("shall not", "must") == 0.0


def test_negations_are_counted() -> None:
    assert NearText.of("Nobody shall not do that, never").negations == 2
    assert NearText.of("Daten dürfen nicht gelöscht werden").negations == 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_symmetric_and_bounded(left: str, right: str) -> None:
    assert 0.0 <= near(left, right) <= 1.0
    assert near(left, right) == near(right, left)


@example(["log log log log log", "log log log invoice invoice"], 0.6)
@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from([0.5, 0.6, 0.75, 0.85, 0.9, 1.0]))
def test_all_pairs_are_found(texts: list[str], threshold: float) -> None:
    keyed = {f"k{number}": NearText.of(text) for number, text in enumerate(texts)}
    found = {frozenset((left, right)): score for left, right, score in near_pairs(keyed, keyed, threshold)}
    keys = list(keyed)
    expected = {
        frozenset((left, right)): similarity(keyed[left], keyed[right])
        for position, left in enumerate(keys)
        for right in keys[position + 1 :]
        if similarity(keyed[left], keyed[right]) >= threshold
    }
    assert found == expected


@given(TEXTS)
def test_only_pairs_with_one_of_the_asked_are_found(texts: list[str]) -> None:
    keyed = {f"k{number}": NearText.of(text) for number, text in enumerate(texts)}
    among = list(keyed)[::3]
    pairs = [(left, right) for left, right, _ in near_pairs(keyed, among, 0.7)]
    assert all(left in among for left, _ in pairs)
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    everything = {frozenset(pair[:2]) for pair in near_pairs(keyed, keyed, 0.7)}
    assert {frozenset(pair) for pair in pairs} == {pair for pair in everything if pair & set(among)}


@pytest.mark.parametrize("threshold", [0.0, 0.49, 1.01])
def test_a_threshold_out_of_bounds_is_an_error(threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        list(near_pairs({}, [], threshold))


@pytest.mark.parametrize(
    ("left", "right", "exchanged"),
    [
        ("Cookies have the Secure attribute", "Cookies have the HttpOnly attribute", True),
        ("Staff shall inform the owners of the rules", "Suppliers shall inform the owners of the rules", True),
        ("Keep the logs on disk", "Keep the logs on disk every day", False),
        ("The organisation keeps logs", "The organization keeps logs", False),
        ("fields which are required", "fields what are required", False),
        ("Keep the logs", "Keep the logs", False),
        ("", "Keep", False),
    ],
)
def test_exchanged_words(left: str, right: str, exchanged: bool) -> None:
    assert exchanges_a_word(NearText.of(left), NearText.of(right)) is exchanged
    assert exchanges_a_word(NearText.of(right), NearText.of(left)) is exchanged


@given(st.lists(WORDS, max_size=10).map(" ".join), st.lists(WORDS, max_size=10).map(" ".join))
def test_exchange_does_not_depend_on_the_order(left: str, right: str) -> None:
    one, other = NearText.of(left), NearText.of(right)
    assert exchanges_a_word(one, other) == exchanges_a_word(other, one)
    assert not exchanges_a_word(one, one)
