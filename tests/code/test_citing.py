"""Places of an answer about code: the right line passes with what stands there, a wrong one never does."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.coder.citing import looked_up, named
from tests.code.conftest import SHOP, MakeTree, patient

ANSWER = "The limit is `MAX_ATTEMPTS`, used by HttpClient.fetch()."
FILE = "shop/retry.py"
LINE = SHOP[FILE].splitlines().index("    MAX_ATTEMPTS = 3") + 1


@pytest.mark.parametrize(
    "place", [f"{FILE}:{LINE}", f'{FILE}:{LINE} "MAX_ATTEMPTS = 3"', f"repository/{FILE}:{LINE}", f"`{FILE}:{LINE}`"]
)
def test_a_right_line_passes_with_what_stands_there(shop: Path, place: str) -> None:
    assert looked_up(shop, ANSWER, [place]) == ([f"{FILE}:{LINE}: MAX_ATTEMPTS = 3"], [])


@pytest.mark.parametrize(
    "place",
    [
        f"{FILE}:900", f"{FILE}:0", "shop/none.py:3", "shop/prices.py:3", "README.md:1", f'{FILE}:{LINE} "MAX_TRIES = 3"',
        'shop/prices.py:3 "MAX_ATTEMPTS"', "../secret.py:1", "/etc/passwd:1", "somewhere", FILE, "",
    ],
)  # fmt: skip
def test_a_wrong_place_never_passes(shop: Path, place: str) -> None:
    assert looked_up(shop, ANSWER, [place]) == ([], [place])


def test_places_in_the_answer_itself_are_looked_up_too(shop: Path) -> None:
    there, gone = looked_up(shop, f"`MAX_ATTEMPTS` stands at {FILE}:{LINE} and at shop/prices.py:2.", [])
    assert there == [f"{FILE}:{LINE}: MAX_ATTEMPTS = 3"] and gone == ["shop/prices.py:2"]


def test_an_answer_without_a_name_shows_nothing_by_a_line_alone(shop: Path) -> None:
    assert looked_up(shop, "It is decided there.", [f"{FILE}:{LINE}"]) == ([], [f"{FILE}:{LINE}"])


def test_names_are_those_of_code() -> None:
    assert set(named("`Retry.run(x)` calls send() with MAX_TRIES, a_b and camelCase; the word limit is none.")) == {
        "Retry.run", "run", "send", "MAX_TRIES", "a_b", "camelCase",
    }  # fmt: skip


@patient
@given(line=st.integers(-5, 60))
def test_only_lines_near_the_name_hold(line: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("tree")
    (root / "a.py").write_text("\n" * 20 + "the_name = 1\n" + "\n" * 20)
    there, _ = looked_up(root, "It is `the_name`.", [f"a.py:{line}"])
    assert bool(there) == (abs(line - 21) <= 3)


def test_a_name_within_another_is_none(make_tree: MakeTree) -> None:
    tree = make_tree({"a.py": "target = budget\n"})
    assert looked_up(tree, "See `get` there.", ["a.py:1"]) == ([], ["a.py:1"])
