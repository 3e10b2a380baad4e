"""Nested scopes of a budget: nothing is overshot, whatever is reserved and spent in whatever order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.budget import LIMITS, Amounts, Budget, Scope
from echelon.errors import LimitReached


class Meter:
    def __init__(self) -> None:
        self.spent = Amounts()

    def __call__(self) -> Amounts:
        return self.spent


def budget(meter: Meter, **ceilings: float) -> Budget:
    return Budget(meter, [Scope("job", ceilings)])


amounts = st.builds(
    Amounts,
    model_calls=st.integers(0, 3),
    tokens=st.integers(0, 500),
    cost=st.floats(0, 2, allow_nan=False),
    seconds=st.floats(0, 5, allow_nan=False),
)
ceilings = st.dictionaries(st.sampled_from(LIMITS), st.integers(0, 1000).map(float))


@given(ceilings, ceilings, st.lists(st.tuples(amounts, st.floats(0, 1)), max_size=30))
def test_no_scope_ever_passes_a_ceiling_when_calls_take_at_most_what_was_reserved(outer, inner, calls) -> None:
    meter = Meter()
    b = budget(meter, **outer)
    with b.scope("task", inner):
        for needed, share in calls:
            try:
                with b.reserve(needed):
                    used = Amounts(
                        model_calls=needed.model_calls, tokens=int(needed.tokens * share), cost=needed.cost * share,
                        seconds=needed.seconds * share,
                    )  # fmt: skip
            except LimitReached as limit:
                assert limit.scope in ("job", "task")
                continue
            meter.spent += used
            for limits in (outer, inner):
                assert all(meter.spent.of(name) <= ceiling + 1e-6 for name, ceiling in limits.items())
    assert b.held.tokens == b.held.model_calls == 0 and b.held.cost == pytest.approx(0)


@given(st.integers(0, 20))
def test_exactly_as_many_calls_are_made_as_the_ceiling_allows(most: int) -> None:
    meter = Meter()
    b = budget(meter, model_calls=float(most))
    made = 0
    for _ in range(most + 5):
        try:
            with b.reserve(Amounts(model_calls=1)):
                made += 1
        except LimitReached as limit:
            assert (limit.limit, limit.spent, limit.setting) == ("model_calls", most, "budget.model_calls")
            continue
        meter.spent += Amounts(model_calls=1)
    assert made == most


def test_the_widest_scope_that_is_full_is_named() -> None:
    meter = Meter()
    b = budget(meter, tokens=100)
    with b.scope("task", {"tokens": 50.0}), b.scope("phase", {"tokens": 50.0}):
        with pytest.raises(LimitReached) as caught, b.reserve(Amounts(tokens=60)):
            pass
        assert caught.value.scope == "task" and caught.value.setting == "budget.task.tokens"
        assert "may take 60" in str(caught.value) and not caught.value.ends_job
        with pytest.raises(LimitReached) as caught:
            b.check(Amounts(tokens=101))
        assert caught.value.scope == "job" and caught.value.ends_job


def test_a_scope_counts_from_where_it_began() -> None:
    meter = Meter()
    b = budget(meter)
    meter.spent = Amounts(tokens=900)
    with b.scope("task", {"tokens": 100.0}):
        b.check(Amounts(tokens=100))
    with b.scope("task", {"tokens": 100.0}, start=Amounts(tokens=850)):
        assert b.left() == {"tokens": 50.0}
        with pytest.raises(LimitReached):
            b.check(Amounts(tokens=51))
    b.check(Amounts(tokens=10_000))


def test_what_is_reserved_is_out_of_reach_of_others_until_it_is_settled() -> None:
    meter = Meter()
    b = budget(meter, cost=1.0)
    with b.reserve(Amounts(cost=0.7)):
        with pytest.raises(LimitReached):
            b.check(Amounts(cost=0.4))
        b.check(Amounts(cost=0.3))
    b.check(Amounts(cost=1.0))


def test_a_scope_without_seconds_left_begins_no_call_though_seconds_are_not_reserved() -> None:
    meter = Meter()
    b = budget(meter, seconds=10)
    meter.spent = Amounts(seconds=9.9)
    b.check()
    meter.spent = Amounts(seconds=10.0)
    with pytest.raises(LimitReached):
        b.check()


def test_at_four_fifths_each_scope_says_so_the_narrowest_first() -> None:
    meter = Meter()
    b = budget(meter, tokens=100, model_calls=10)
    assert b.warning() is None
    meter.spent = Amounts(tokens=80, model_calls=7)
    assert b.warning() == "Limit: 80 of 100 tokens of the job are used. Finish what matters and end your phase."
    with b.scope("task", {"tokens": 20.0}, start=Amounts()):
        assert [w.split(" of the ")[1].split()[0] for w in b.warnings()] == ["task", "job"]
    assert len(b.warnings()) == 1
