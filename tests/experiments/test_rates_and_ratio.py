"""Wilson's interval, Cohen's kappa, and the price of a success."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from echelon.experiments.statistics.rates import cohens_kappa, wilson, wilson_clustered
from echelon.experiments.statistics.ratio import cost_per_success


@settings(deadline=None)
@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_that_of_scipy(counts: tuple[int, int]) -> None:
    found = wilson(*counts)
    expected = stats.binomtest(*counts).proportion_ci(0.95, "wilson")
    assert (found.low, found.high) == (pytest.approx(expected.low, abs=1e-9), pytest.approx(expected.high, abs=1e-9))


def test_nothing_has_no_rate() -> None:
    assert (wilson(0, 0).share, wilson(0, 0).low) == (None, None)


def test_several_of_one_cluster_count_for_less() -> None:
    alike = [(doc, doc < 5) for doc in range(10) for _ in range(4)]
    single = [(n, n % 2 == 0) for n in range(40)]
    clustered, plain = wilson_clustered(alike), wilson_clustered(single)
    assert (clustered.successes, clustered.n, plain.successes, plain.n) == (20, 40, 20, 40)
    assert plain.effective == 40 and clustered.effective == pytest.approx(9, abs=1)
    assert clustered.low is not None and plain.low is not None and clustered.low < plain.low


def test_where_all_are_alike_each_cluster_counts_once() -> None:
    assert wilson_clustered([(doc, True) for doc in range(10) for _ in range(4)]).effective == 10


def test_the_clustered_interval_covers_where_the_plain_one_does_not() -> None:
    rng, hits, plain_hits, runs = np.random.default_rng(4), 0, 0, 600
    for _ in range(runs):
        chance = rng.beta(1.2, 0.8, 30)
        seen = [(g, bool(rng.random() < p)) for g, p in enumerate(chance) for _ in range(6)]
        found, plain = wilson_clustered(seen), wilson(sum(s for _, s in seen), len(seen))
        hits += (found.low or 0) <= 0.6 <= (found.high or 1)
        plain_hits += (plain.low or 0) <= 0.6 <= (plain.high or 1)
    assert hits / runs >= 0.92
    assert plain_hits / runs < 0.85


def test_kappa_is_the_published_example() -> None:
    """Fleiss, Cohen & Everitt 1969: three labels, kappa .429, standard error .054 with n = 200."""
    table = [[53, 5, 2], [11, 14, 5], [1, 6, 3]]
    pairs = [(i, j) for i in range(3) for j in range(3) for _ in range(table[i][j] * 2)]
    found = cohens_kappa(pairs)
    assert found.kappa == pytest.approx(0.429, abs=6e-4)
    assert found.low is not None and found.high is not None
    assert (found.high - found.low) / 2 / 1.96 == pytest.approx(0.0540, abs=6e-4)


def test_kappa_of_chance_is_none_and_of_agreement_one() -> None:
    assert cohens_kappa([(a, b) for a in (True, False) for b in (True, False)] * 5).kappa == pytest.approx(0.0)
    assert cohens_kappa([(True, True), (False, False)] * 10).kappa == pytest.approx(1.0)
    assert cohens_kappa([(True, True)] * 20).kappa is None
    assert cohens_kappa([]).kappa is None
    assert cohens_kappa([(True, True), (False, True)]).low is None


def test_the_price_of_a_success_and_its_interval() -> None:
    rows = [(g, arm, cost, 1.0) for g in range(8) for arm, cost in (("a", 1.0 + g / 10), ("b", 2.0 + g / 5))]
    found = cost_per_success(rows, "a", "b")
    assert found.ratio == pytest.approx(2.0) and found.a == pytest.approx(1.35)
    assert found.low == pytest.approx(2.0) and found.high == pytest.approx(2.0), "every task says exactly 2"


def test_the_ratio_of_prices_covers() -> None:
    rng, hits, runs = np.random.default_rng(8), 0, 400
    for _ in range(runs):
        level = rng.gamma(4, 0.25, 20)
        rows = [
            (g, arm, float(rng.gamma(9, level[g] / 9) * factor), float(rng.random() < 0.7))
            for g in range(20) for arm, factor in (("a", 1.0), ("b", 1.5))
        ]  # fmt: skip
        found = cost_per_success(rows, "a", "b")
        hits += found.low is not None and found.high is not None and found.low <= 1.5 <= found.high
    assert hits / runs >= 0.92


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([(g, arm, 1.0, float(arm == "a")) for g in range(8) for arm in "ab"], "no success"),
        ([(g, arm, 0.0, 1.0) for g in range(8) for arm in "ab"], "costs nothing"),
        ([(g, arm, 1.0, 1.0) for g in range(4) for arm in "ab"], "needs 5"),
        ([(g, arm, 1.0, float(arm == "a" or g == 0)) for g in range(8) for arm in "ab"], "in one task"),
    ],
)
def test_where_there_is_no_price_or_no_interval_it_says_why(
    rows: list[tuple[int, str, float, float]], why: str
) -> None:
    found = cost_per_success(rows, "a", "b")
    assert found.low is None and why in found.why_not


def test_a_cluster_that_lacks_an_arm_is_left_out() -> None:
    rows = [(g, arm, 1.0 + g, 1.0) for g in range(6) for arm in "ab"] + [(9, "a", 1000.0, 1.0)]
    found = cost_per_success(rows, "a", "b")
    assert found.clusters == 6 and found.ratio is not None and math.isclose(found.ratio, 1.0)
