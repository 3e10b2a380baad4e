"""Plausible repairs are told apart by what they do on other inputs, which are like those of the tests."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.code.repair.behaviour import behaviours, judged
from echelon.domains.code.repair.inputs import varied
from echelon.domains.code.repair.spectrum import Coverage
from echelon.domains.code.running.command import Surroundings
from echelon.domains.code.running.fence import Fence, FenceKind
from tests.code.conftest import MakeTree, patient

RIGHT = "def top(items):\n    return max(items)\n"
ALSO_RIGHT = "def top(items):\n    return sorted(items)[-1]\n"
FITTED = "def top(items):\n    return items[2]\n"
ENDLESS = "def top(items):\n    while items[0] != 3:\n        pass\n    return 9\n"

values = st.recursive(
    st.none() | st.booleans() | st.integers(-50, 50) | st.text("abc", max_size=5),
    lambda v: st.lists(v, max_size=4),
    max_leaves=8,
)


@patient
@given(st.lists(st.lists(values, min_size=2, max_size=2), min_size=1, max_size=5), st.integers(0, 9))
def test_variations_are_new_repeatable_and_of_the_same_length(calls: list[list[Any]], seed: int) -> None:
    made = varied(calls, most=12, seed=seed)
    said = [json.dumps(each) for each in made]
    assert made == varied(calls, most=12, seed=seed) and len(set(said)) == len(said) <= 12
    assert not set(said) & {json.dumps(call) for call in calls} and all(len(each) == 2 for each in made)


@patient
@given(st.lists(st.lists(st.integers(0, 99), min_size=2, unique=True).map(sorted), min_size=1, max_size=4))
def test_what_all_calls_have_in_common_is_kept(calls: list[list[int]]) -> None:
    for (items,) in varied([[call] for call in calls], most=20):
        assert items == sorted(items) and len(set(items)) == len(items) and min(items, default=0) >= 0


def test_positive_numbers_stay_positive() -> None:
    assert all(n > 0 for (n,) in varied([[1], [7]], most=20))
    assert varied([]) == []


def test_agreement_and_failures_are_counted_where_somebody_answers() -> None:
    one, _, three = judged([["1", "2", "!E"], ["1", "2", "!E"], ["1", "!E", "!E"]])
    assert (one.inputs, one.failing, three.failing) == (2, 0, 1)
    assert one.agrees > three.agrees and one.is_most and not three.is_most and not one.same_as_all
    assert judged([["!E"], ["!E"]])[0].inputs == 0
    assert judged([["1"], ["1"]])[0].same_as_all


def test_a_change_that_fits_the_values_alone_is_in_the_minority(make_tree: MakeTree) -> None:
    tree = make_tree({"top.py": RIGHT})
    spectrum = [
        Coverage(test="t", passed=False, calls=[("top.py", "top", "[[3, 1, 9]]"), ("top.py", "top", "[[3, 2, 7, 5]]")])
    ]
    where = Surroundings(tree, Fence(FenceKind.NONE))
    right, also, fitted, endless = behaviours(where, "top.py", [RIGHT, ALSO_RIGHT, FITTED, ENDLESS], spectrum)
    assert right == also and right.failing == 0 and right.agrees > fitted.agrees
    assert endless.failing > 0 and not fitted.is_most
    assert (tree / "top.py").read_text() == RIGHT, "what was tried is put back"
    assert behaviours(where, "top.py", [RIGHT, FITTED], [])[0].inputs == 0, "without calls nothing tells"
