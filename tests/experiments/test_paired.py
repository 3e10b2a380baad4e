"""A difference of two arms: the estimate, the interval, both tests, and where nothing may be said."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from echelon.experiments.statistics.paired import Row, compare, differences, sign_flip


def rows(scores: dict[str, list[tuple[float, float]]]) -> list[Row]:
    """Rows of tasks that are clusters of their own, with a pair (a, b) a trial."""
    return [
        (task, task, trial, arm, pair[k])
        for task, pairs in scores.items() for trial, pair in enumerate(pairs) for k, arm in enumerate("ab")
    ]  # fmt: skip


def test_the_interval_is_that_of_students_t_over_the_clusters() -> None:
    d = [0.2, 0.5, -0.1, 0.4, 0.3, 0.0, 0.6]
    found = compare(rows({f"t{n}": [(0.0, v)] for n, v in enumerate(d)}), "a", "b", bounds=None)
    expected = stats.ttest_1samp(d, 0)
    low, high = expected.confidence_interval(0.95)
    assert found.p == pytest.approx(expected.pvalue)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert (found.estimate, found.clusters, found.pairs) == (pytest.approx(np.mean(d)), 7, 7)


def test_repeats_and_tasks_of_a_cluster_become_one_difference() -> None:
    given_rows: list[Row] = [
        ("doc", "t1", 0, "a", 0.0), ("doc", "t1", 0, "b", 1.0), ("doc", "t1", 1, "a", 0.0), ("doc", "t1", 1, "b", 0.0),
        ("doc", "t2", 0, "a", 1.0), ("doc", "t2", 0, "b", 1.0), ("other", "t3", 0, "a", 1.0), ("other", "t3", 0, "b", 0.0),
    ]  # fmt: skip
    found = differences(given_rows, "a", "b")
    assert found.names == ("doc", "other")
    assert found.values.tolist() == [0.25, -1.0]
    assert (found.tasks, found.pairs) == (3, 4)


def test_more_repeats_do_not_narrow_an_interval_whose_clusters_differ() -> None:
    once = {f"t{n}": [(0.0, float(n % 2))] for n in range(8)}
    often = {task: pairs * 50 for task, pairs in once.items()}
    assert compare(rows(once), "a", "b").low == pytest.approx(compare(rows(often), "a", "b").low)


def test_a_trial_without_its_pair_is_counted_and_not_used() -> None:
    whole = rows({f"t{n}": [(0.0, n / 10), (0.1, n / 10)] for n in range(6)})
    lost = [r for r in whole if not (r[1] == "t0" and r[2] == 1 and r[3] == "b")]
    found = compare(lost, "a", "b")
    assert (found.unpaired, found.pairs, found.tasks) == (1, 11, 6)


@pytest.mark.parametrize("clusters", [0, 1, 4])
def test_fewer_than_five_clusters_have_no_interval_and_it_says_so(clusters: int) -> None:
    found = compare(rows({f"t{n}": [(0.0, n / 10)] for n in range(clusters)}), "a", "b")
    assert not found.has_interval
    assert (found.low, found.high, found.p, found.flip, found.mde) == (None,) * 5
    assert ("needs 5" in found.why_not) or clusters == 0


def test_five_clusters_have_one() -> None:
    assert compare(rows({f"t{n}": [(0.0, n / 10)] for n in range(5)}), "a", "b").has_interval


@pytest.mark.parametrize(("difference", "significant"), [(1.0, True), (0.0, False), (-1.0, True)])
def test_where_all_clusters_agree_the_number_of_them_makes_the_interval(difference: float, significant: bool) -> None:
    pair = (0.0, 1.0) if difference > 0 else (1.0, 0.0) if difference < 0 else (1.0, 1.0)
    found = compare(rows({f"t{n}": [pair] for n in range(12)}), "a", "b")
    assert found.exact and found.has_interval and found.estimate == difference
    assert found.low is not None and found.high is not None and found.p is not None
    assert found.low < found.high, "an interval of width 0 would claim to know everything"
    assert (found.p <= 0.05) is significant
    assert (found.low < 0 < found.high) is not significant


def test_where_all_clusters_agree_on_a_figure_without_bounds_there_is_no_interval() -> None:
    found = compare(rows({f"t{n}": [(100.0, 90.0)] for n in range(12)}), "a", "b", bounds=None)
    assert not found.has_interval and "no bounds" in found.why_not


def test_sign_flip_goes_through_all_patterns_of_few_and_draws_of_many() -> None:
    assert sign_flip([1.0] * 5) == 2 / 2**5
    assert sign_flip([1.0, -1.0]) == 1.0
    assert sign_flip([1.0] * 30) == pytest.approx(1e-4)
    assert sign_flip([1.0] * 30) == sign_flip([1.0] * 30)


@settings(deadline=None)
@given(st.lists(st.integers(-5, 5), min_size=5, max_size=12), st.floats(0.1, 100))
def test_swapping_the_arms_or_changing_the_unit_changes_nothing_else(values: list[int], unit: float) -> None:
    table = {f"t{n}": [(0.0, v * unit)] for n, v in enumerate(values)}
    one, other = compare(rows(table), "a", "b", bounds=None), compare(rows(table), "b", "a", bounds=None)
    plain = compare(rows({t: [(0.0, p[0][1] / unit)] for t, p in table.items()}), "a", "b", bounds=None)
    assert math.isclose(one.estimate, -other.estimate, abs_tol=1e-9)
    assert one.flip == other.flip
    assert one.has_interval == other.has_interval == plain.has_interval
    if one.low is not None and other.high is not None and one.p is not None and plain.p is not None:
        assert math.isclose(one.low, -other.high, abs_tol=1e-6)
        assert math.isclose(one.p, plain.p, rel_tol=1e-6, abs_tol=1e-9)
