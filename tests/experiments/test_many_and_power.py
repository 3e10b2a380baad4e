"""Several arms, looks before the end, and what an experiment can show before it is run."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from echelon.experiments.statistics.many import boundary, holm, nominal, rejected
from echelon.experiments.statistics.power import Variance, minimum_detectable, needed_clusters, power_at

FOUR = (0.25, 0.5, 0.75, 1.0)


@pytest.mark.parametrize(
    ("looks", "constant"), [((1.0,), 1.960), ((0.5, 1.0), 1.977), (FOUR, 2.024), ((0.2, 0.4, 0.6, 0.8, 1.0), 2.040)]
)
def test_the_boundary_is_the_published_one(looks: tuple[float, ...], constant: float) -> None:
    """Jennison & Turnbull 2000, table 2.3: C_B(K, 0.05)."""
    assert boundary(looks) == pytest.approx(constant, abs=6e-4)


def test_levels_grow_to_a_little_less_than_alpha() -> None:
    levels = [nominal(FOUR, k) for k in range(4)]
    assert levels == pytest.approx([0.00005, 0.0042, 0.0194, 0.0430], abs=1e-4)
    assert nominal((1.0,), 0, 0.05) == 0.05


def test_brownian_motions_pass_the_boundary_as_often_as_they_may() -> None:
    steps = np.random.default_rng(5).normal(0, 0.5, (40_000, 4)).cumsum(axis=1)
    z = np.abs(steps) / np.sqrt(FOUR)
    limits = stats.norm.isf(np.array([nominal(FOUR, k) for k in range(4)]) / 2)
    assert (z >= limits).any(axis=1).mean() == pytest.approx(0.05, abs=0.004)


def test_holm_is_the_published_example() -> None:
    """Holm's steps by hand: 4·0.01, 3·0.013, then the greatest so far, 2·0.04 and 1·0.08."""
    assert holm({"a": 0.04, "b": 0.01, "c": 0.08, "d": 0.013}) == pytest.approx(
        {"a": 0.08, "b": 0.04, "c": 0.08, "d": 0.04}
    )


@given(st.dictionaries(st.text(min_size=1, max_size=3), st.floats(0, 1), min_size=1, max_size=8))
def test_holm_keeps_order_and_is_between_p_and_bonferroni(p: dict[str, float]) -> None:
    adjusted = holm(p)
    for name, value in p.items():
        assert value <= adjusted[name] <= min(1.0, len(p) * value) + 1e-12
    for one in p:
        assert all(adjusted[one] <= adjusted[other] for other in p if p[one] < p[other])


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 0.2), min_size=1, max_size=6))
def test_with_one_look_the_results_are_those_of_holm(p: dict[str, float]) -> None:
    assume(all(abs(value - 0.05) > 1e-9 for value in holm(p).values()))
    assert set(rejected(p, (1.0,), 0)) == {name for name, value in holm(p).items() if value <= 0.05}


def test_an_early_look_wants_much_more() -> None:
    p = {"a": 0.001, "b": 0.02}
    assert rejected(p, FOUR, 0) == {}
    assert set(rejected(p, FOUR, 1)) == {"a"}
    assert set(rejected(p, FOUR, 3)) == {"a", "b"}


@pytest.mark.parametrize(("tasks", "repeats", "effect"), [(20, 1, 0.40), (20, 3, 0.24), (40, 3, 0.17)])
def test_what_may_be_expected_of_a_design_without_a_pilot(tasks: int, repeats: int, effect: float) -> None:
    assert minimum_detectable(Variance().sd(repeats), tasks) == pytest.approx(effect, abs=0.005)


def test_the_assumed_variance_is_that_of_the_population_that_it_names() -> None:
    rng = np.random.default_rng(3)
    level, effect = rng.normal(0, 1.5, 400_000), rng.normal(0, 0.7, 400_000)
    low, high = (1 / (1 + np.exp(-(level + sign * effect / 2))) for sign in (-1, 1))
    assert Variance().within == pytest.approx((low * (1 - low)).mean(), abs=1e-3)
    assert Variance().between == pytest.approx((high - low).var(), abs=1e-3)


@pytest.mark.parametrize("degrees", [4, 9, 39])
@pytest.mark.parametrize("shift", [0.0, 1.0, 3.0])
def test_power_is_that_of_the_noncentral_t(degrees: int, shift: float) -> None:
    critical = stats.t.ppf(0.975, degrees)
    expected = stats.nct.sf(critical, degrees, shift) + stats.nct.cdf(-critical, degrees, shift)
    assert power_at(shift, degrees) == pytest.approx(expected, abs=1e-5)


@settings(deadline=None)
@given(st.floats(0.02, 1.0), st.floats(0.01, 1.0))
def test_so_many_clusters_are_needed_and_one_less_is_not_enough(effect: float, sd: float) -> None:
    needed = needed_clusters(effect, sd)
    assert needed is not None
    assert minimum_detectable(sd, needed) <= effect
    assert needed == 5 or minimum_detectable(sd, needed - 1) > effect


def test_some_effects_no_experiment_finds() -> None:
    assert needed_clusters(0.0, 0.4) is None
    assert needed_clusters(1e-6, 0.4) is None
