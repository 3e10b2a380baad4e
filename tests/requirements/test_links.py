"""Trace links: through `trace_links`, with texts of the tests' own and, where they are present, public data sets."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.domains.likeness.similarity import likeness, stem, words
from echelon.domains.requirements import trace_links
from echelon.domains.requirements.links import LINKS_PER_LOW, rank_pairs

TRACE = Path(__file__).parents[2] / ".." / "shared" / "data" / "trace"

HIGH = {
    "H1": "The archive shall keep invoices readable for ten years.",
    "H2": "The gate shall admit only visitors with a valid badge.",
    "H3": "The pump controller shall stop the pump when the tank is full.",
}
LOW = {
    "L1": "Store each invoice in PDF/A in the archive so that it can be read in ten years.",
    "L2": "The badge reader checks the badge of a visitor before the gate opens.",
    "L3": "A level sensor in the tank signals the pump controller.",
    "L4": "The controller switches the pump off within one second of the signal.",
}
TRUE = {("H1", "L1"), ("H2", "L2"), ("H3", "L3"), ("H3", "L4")}

TEXTS = st.dictionaries(st.text("abc", min_size=1, max_size=3), st.text("abc xyz", max_size=30), max_size=5)


def pairs(links: list[tuple[str, str, float]]) -> set[tuple[str, str]]:
    return {(high, low) for high, low, _ in links}


def test_links_what_belongs_together() -> None:
    assert pairs(trace_links(HIGH, LOW)) == TRUE


def test_confidence_falls_from_surest_and_is_at_least_a_half() -> None:
    chances = [chance for _, _, chance in trace_links(HIGH, LOW)]
    assert chances == sorted(chances, reverse=True)
    assert all(0.5 <= chance <= 1 for chance in chances)


def test_order_of_the_input_does_not_matter() -> None:
    turned = trace_links(dict(reversed(HIGH.items())), dict(reversed(LOW.items())))
    assert turned == trace_links(HIGH, LOW)


@pytest.mark.parametrize(("high", "low"), [({}, LOW), (HIGH, {}), ({}, {}), ({"a": ""}, {"b": ""}), ({"a": "?"}, LOW)])
def test_nothing_to_link(high: dict[str, str], low: dict[str, str]) -> None:
    assert trace_links(high, low) == []


def test_texts_without_a_common_word_are_not_linked() -> None:
    assert trace_links({"a": "Zebras graze."}, {"b": "Invoices expire."}) == []


def test_judge_overrules_close_calls_only() -> None:
    asked: list[tuple[str, str]] = []

    def judge(close: list[tuple[str, str]]) -> list[float]:
        asked.extend(close)
        return [0.0] * len(close)

    alone = trace_links(HIGH, LOW)
    judged = trace_links(HIGH, LOW, judge=judge)
    assert asked
    assert len(asked) <= 2 * round(LINKS_PER_LOW * len(LOW))
    assert all(upper in HIGH.values() and lower in LOW.values() for upper, lower in asked)
    assert pairs(judged) < pairs(alone)
    assert judged[0][:2] == alone[0][:2]


def test_judge_who_agrees_adds_links_with_its_confidence() -> None:
    judged = trace_links(HIGH, LOW, judge=lambda close: [0.75] * len(close))
    assert len(judged) >= len(trace_links(HIGH, LOW))
    assert 0.75 in {chance for _, _, chance in judged}


@pytest.mark.parametrize("answers", [[], [0.5] * 99])
def test_judge_with_another_number_of_answers_is_refused(answers: list[float]) -> None:
    with pytest.raises(ValueError, match="the judge answered"):
        trace_links(HIGH, LOW, judge=lambda close: answers)


@pytest.mark.parametrize("answer", [-0.1, 1.5, float("nan")])
def test_judge_outside_of_probability_is_refused(answer: float) -> None:
    with pytest.raises(ValueError, match="no probability"):
        trace_links(HIGH, LOW, judge=lambda close: [answer] * len(close))


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
def test_links_are_between_given_ids_and_each_once(high: dict[str, str], low: dict[str, str]) -> None:
    links = trace_links(high, low)
    assert len(pairs(links)) == len(links)
    assert all(upper in high and lower in low and 0.5 <= chance <= 1 for upper, lower, chance in links)
    assert links == trace_links(high, low)


@settings(max_examples=30, deadline=None)
@given(TEXTS, TEXTS)
def test_ranks_are_finite_and_fall(high: dict[str, str], low: dict[str, str]) -> None:
    ranks = [rank for _, _, rank in rank_pairs(high, low)]
    assert np.isfinite(ranks).all()
    assert ranks == sorted(ranks, reverse=True)


def test_likeness_of_a_text_to_itself_is_one_and_to_nothing_is_zero() -> None:
    alike = likeness(["The gate opens.", ""], ["The gate opens.", "", "§"])
    assert alike.total.shape == (2, 3)
    assert alike.total[0, 0] == pytest.approx(1, abs=1e-5)
    assert alike.words[1].max() == 0
    assert alike.words[0, 1] == 0


def test_likeness_is_the_same_in_blocks() -> None:
    many = [f"requirement number {at} about topic {at % 7}" for at in range(600)]
    whole = likeness(many[:3], many).words
    assert whole.shape == (3, 600)
    assert whole[0, 0] == pytest.approx(1, abs=1e-5)
    assert whole[2, 2] == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "family", [("allocates", "allocated"), ("commands", "command"), ("queries", "query"), ("stopping", "stops")]
)
def test_stem_joins_forms_of_a_word(family: tuple[str, str]) -> None:
    assert stem(family[0]) == stem(family[1])


def test_words_take_identifiers_apart() -> None:
    assert set(words("ccmCtrlTask() and DATA_RATE")) >= {"ccmctrltask", "ctrl", "task", "data"}


@pytest.mark.parametrize(("name", "bar"), [("CM1-NASA", 0.45), ("GANNT", 0.43), ("ModisDataset", 0.35)])
def test_public_sets_reach_their_bar(name: str, bar: float) -> None:
    folder = TRACE / name
    if not folder.is_dir():
        pytest.skip(f"development data {name} is not present")
    high, low = (
        {path.name.removesuffix(".txt"): path.read_text(errors="replace") for path in sorted((folder / side).iterdir())}
        for side in ("high", "low")
    )
    with (folder / "answer.csv").open(errors="replace") as file:
        rows = [(row[0].strip().removesuffix(".txt"), row[1].strip().removesuffix(".txt")) for row in csv.reader(file)]
    gold = {(upper, lower) for upper, lower in rows if upper in high and lower in low}
    found = pairs(trace_links(high, low))
    assert 2 * len(found & gold) / (len(found) + len(gold)) >= bar
