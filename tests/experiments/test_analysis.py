"""From results to what may be said: false completions counted, missing pairs shown, no verdict without an interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.experiments.analysis.analyse import Analysis, analyse
from echelon.experiments.analysis.words import beforehand, sentences
from echelon.experiments.metrics import METRICS
from echelon.experiments.trials import Trial, schedule
from tests.experiments.making import Cell, experiment, planned, results


def number(trial: Trial) -> int:
    return int(trial.task[1:])


def b_fails_often(trial: Trial) -> dict[str, Any]:
    fails = number(trial) % 4 != 0 if trial.arm == "b" else number(trial) % 10 == 0
    return {"success": not fails, "state": "escalated" if fails and trial.repeat == 1 else "completed"}


def analysed(end: Any, tasks: int = 20, **says: Any) -> Analysis:
    definition = experiment(**says)
    trials = planned(definition, tasks)
    return analyse(definition, trials, results(trials, end))


def test_a_difference_is_found_with_its_sign_and_said_in_words() -> None:
    found = analysed(b_fails_often, repeats=2)
    primary = found.of("b", "success")
    assert primary.significant is True and primary.found.estimate == pytest.approx(-0.65)
    what, price = sentences(found)
    assert what.startswith("'b' against 'a': success is 65.0 points lower, which is worse, 95 % interval -")
    assert "20 independent tasks" in what and "a success costs" in price.lower()


def test_false_completions_are_counted_exactly() -> None:
    found = analysed(b_fails_often, repeats=2)
    assert (found.arm("a").false_completion.successes, found.arm("b").false_completion.successes) == (2, 15)
    assert "wrong and yet COMPLETED: 'a' 2 of 40, 'b' 15 of 40" in sentences(found)[1]


def test_without_a_difference_it_says_how_many_tasks_it_would_take() -> None:
    found = analysed(lambda t: {"success": number(t) % 3 != (t.arm == "b")})
    assert found.of("b", "success").significant is False
    assert "Nothing can be said of success" in sentences(found)[0]
    said = sentences(analysed(lambda t: {"success": number(t) % 3 != (t.arm == "b")}, compare={"worth": 0.1}))[0]
    assert "to find a difference of 10.0 points it would take" in said


def test_a_difference_that_does_not_matter_is_said_to_be_small() -> None:
    found = analysed(
        lambda t: {"score": 0.9 + 0.001 * (number(t) % 3) * (t.arm == "b"), "success": True},
        compare={"metrics": ["score"], "worth": 0.05},
    )
    assert (
        "score is 0.1 points higher" in sentences(found)[0] or "differs by less than 5.0 points" in sentences(found)[0]
    )


@pytest.mark.parametrize("tasks", [2, 4])
def test_few_tasks_give_no_verdict_however_clear_it_looks(tasks: int) -> None:
    found = analysed(lambda t: {"success": t.arm == "a"}, tasks=tasks, repeats=50)
    primary = found.of("b", "success")
    assert (primary.significant, primary.adjusted, primary.found.low) == (None, None, None)
    assert (
        f"Nothing can be said of 'b' against 'a': an interval needs 5 independent tasks, here are {tasks}"
        in sentences(found)[0]
    )


def test_only_the_first_metric_is_tested() -> None:
    found = analysed(b_fails_often)
    assert {d.metric for d in found.differences if d.significant is not None} == {"success"}
    assert all(d.adjusted is None for d in found.differences if d.metric != "success")
    assert {d.metric for d in found.differences} == {"success", "false_completion", "tokens", "cost", "seconds"}


def test_a_crash_is_no_success_and_too_many_of_them_stop_the_verdict() -> None:
    few = analysed(lambda t: {"success": False, "state": "crashed"} if t.arm == "b" and number(t) < 3 else {})
    assert few.arm("b").crashed == 3 and few.too_many_crashes == ()
    assert few.of("b", "success").found.estimate == pytest.approx(-0.15)
    many = analysed(lambda t: {"success": False, "state": "crashed"} if t.arm == "b" and number(t) < 8 else {})
    assert many.too_many_crashes == ("b",) and many.of("b", "success").significant is None
    assert "40% of the trials of 'b' crashed" in sentences(many)[0]


def test_what_is_missing_is_shown_and_not_dropped_in_silence() -> None:
    definition = experiment()
    trials = planned(definition, 8)
    unknown = {"success": None, "checks": [{"kind": "command", "passed": None, "says": "no grader"}]}
    done = results(trials, lambda t: unknown if (t.task, t.arm) == ("t2", "b") else {})
    found = analyse(definition, trials, [r for r in done if (r.task, r.arm) != ("t1", "a")])
    missing = {(m.task, m.arm): m.why for m in found.missing}
    assert missing == {("t1", "a"): "was not run", ("t2", "b"): "could not be graded: no grader"}
    comparison = found.of("b", "success").found
    assert (comparison.pairs, comparison.unpaired) == (6, 2)


def test_repeats_of_a_task_are_no_more_tasks() -> None:
    def end(trial: Trial) -> dict[str, Any]:
        return {"success": trial.arm == "a" or number(trial) % 2 == 0}

    once, often = analysed(end, tasks=6), analysed(end, tasks=6, repeats=30)
    assert once.of("b", "success").found.low == pytest.approx(often.of("b", "success").found.low)
    assert often.of("b", "success").found.clusters == 6


def test_holm_over_the_arms() -> None:
    arms = {"a": {}, **{f"b{n}": {"model": f"m{n}"} for n in range(4)}}
    found = analysed(lambda t: {"success": not (t.arm == "b0" and number(t) < 6)}, tasks=20, arms=arms)
    one = found.of("b0", "success")
    assert one.found.p is not None and one.adjusted == pytest.approx(min(1.0, 4 * one.found.p))
    assert one.found.p <= 0.05 < one.adjusted or one.significant
    assert all(found.of(f"b{n}", "success").significant is False for n in (1, 2, 3))


def test_at_a_look_the_level_and_the_interval_are_those_of_the_look() -> None:
    definition = experiment(compare={"looks": [0.5, 1.0]})
    trials = planned(definition, 20)
    done = results(trials, b_fails_often)
    half = {t.cluster for t in trials[: len(trials) // 2]}
    early = analyse(definition, trials, [r for r in done if r.cluster in half], look=0)
    late = analyse(definition, trials, done)
    assert early.of("b", "success").found.level == pytest.approx(1 - 0.0052, abs=1e-3)
    assert late.of("b", "success").found.level == pytest.approx(1 - 0.048, abs=1e-3)
    assert late.decided and early.clusters == 10


def test_three_arms_that_are_the_same_differ_in_hardly_any_of_many_experiments() -> None:
    """A/A/A with chance in every trial: of 300 experiments at most 6 % may say anything."""
    arms = {"a": {}, "b": {"same_as": "a"}, "c": {"same_as": "a"}}
    definition = experiment(arms=arms, repeats=2, compare={"metrics": ["success"]})
    trials, alarms, draw = planned(definition, 20), 0, np.random.default_rng(17)
    for _ in range(300):
        chance = dict(zip((f"t{n}" for n in range(20)), draw.beta(1, 1, 20), strict=True))
        found = analyse(
            definition, trials, results(trials, lambda t, c=chance: {"success": bool(draw.random() < c[t.task])})
        )
        alarms += any(d.significant for d in found.differences)
    assert alarms <= 18


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 12), st.integers(1, 4), st.integers(1, 4), st.integers(0, 9))
def test_the_order_of_the_trials_is_whole_and_repeatable(tasks: int, per: int, repeats: int, seed: int) -> None:
    cells = [Cell(f"t{n}", f"c{n // per}") for n in range(tasks)]
    trials = schedule("x", cells, ["a", "b", "c"], repeats, seed)
    assert trials == schedule("x", cells, ["a", "b", "c"], repeats, seed)
    assert len({t.id for t in trials}) == len(trials) == tasks * 3 * repeats
    clusters = [t.cluster for t in trials]
    assert [c for n, c in enumerate(clusters) if n == 0 or clusters[n - 1] != c] == list(dict.fromkeys(clusters))
    seeds = {(t.task, t.repeat): t.seed for t in trials}
    assert all(seeds[t.pair] == t.seed for t in trials), "the arms of a task share its seed"
    assert all({t.arm for t in trials[n : n + 3]} == {"a", "b", "c"} for n in range(0, len(trials), 3))


def test_what_is_said_beforehand() -> None:
    assert "40.0 points" in beforehand(20, 0.4, METRICS["success"])
    assert "too few to show any difference of success" in beforehand(5, 1.02, METRICS["success"])
    assert "nothing will be said" in beforehand(3, None, METRICS["success"])
