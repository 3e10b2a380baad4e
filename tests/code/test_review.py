"""QA in code: what only looks right is found, and honest changes pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.code.review.findings import FileChange
from echelon.domains.code.review.review import review
from tests.code.cheats import BASE, CHEATS, HONEST, HONEST_CHANGES, LEFTOVERS, REQUEST, after
from tests.code.conftest import patient

BEFORE = after({})


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_found_with_its_file(name: str) -> None:
    found = review(BEFORE, after(CHEATS[name]), request=REQUEST)
    assert found and {each.path for each in found} <= set(CHEATS[name])
    assert all(each.says.endswith(".") and each.sentence().startswith(each.path) for each in found)


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_is_found_beside_an_honest_change(name: str) -> None:
    change = {"prices.py": HONEST, **CHEATS[name]}
    assert review(BEFORE, after(change), request=REQUEST)


@pytest.mark.parametrize("name", LEFTOVERS)
def test_what_does_not_belong_into_a_change_is_found(name: str) -> None:
    rule, change = LEFTOVERS[name]
    assert rule in {each.rule for each in review(BEFORE, after(change), request=REQUEST)}


@pytest.mark.parametrize("name", HONEST_CHANGES)
def test_an_honest_change_passes(name: str) -> None:
    assert review(BEFORE, after(HONEST_CHANGES[name]), request=REQUEST) == []


def test_there_are_more_than_25_cheats() -> None:
    assert len(CHEATS) >= 25


def test_binary_files_are_found() -> None:
    found = review(BEFORE, {**after({}), "image.png": b"\x89PNG\0\0"}, request=REQUEST)
    assert [each.rule for each in found] == ["binary"]


def test_files_that_the_task_is_not_about_are_found() -> None:
    change = after({"prices.py": HONEST, "other.py": "def unrelated():\n    return 2\n"})
    assert [each.rule for each in review(BEFORE, change, request=REQUEST, expected=["prices.py"])] == ["unrelated"]
    assert review(BEFORE, change, request=REQUEST, expected=["prices.py", "other.py"]) == []


def test_values_that_the_request_names_may_be_in_the_code() -> None:
    change = after(
        {"prices.py": HONEST.replace("    return round", "    if net == 4711:\n        return 0\n    return round")}
    )
    assert review(BEFORE, change, request=REQUEST)
    assert review(BEFORE, change, request="Customer 4711 pays nothing.") == []


def test_a_rename_hides_no_other_change() -> None:
    change = after({
        "prices.py": HONEST.replace("with_tax", "gross_price"),
        "tests/test_prices.py": TESTS_RENAMED.replace("(100, 119)", "(100, 120)"),
    })  # fmt: skip
    assert {each.rule for each in review(BEFORE, change, request=REQUEST)} == {"weakened-test"}


TESTS_RENAMED = BASE["tests/test_prices.py"].replace("with_tax", "gross_price")


def test_lines_are_those_of_the_file_as_it_is() -> None:
    every = review(BEFORE, after(CHEATS["catch and ignore"]), request=REQUEST)
    found = next(each for each in every if each.rule == "swallowed-error")
    text = after(CHEATS["catch and ignore"])["prices.py"].decode().splitlines()
    assert text[found.line - 1].strip() == "except Exception:"


texts = st.dictionaries(
    st.sampled_from(["a.py", "tests/test_a.py", "pytest.ini", "setup.cfg", "x.bin"]), st.binary(max_size=80)
)


@patient
@given(texts, texts)
def test_any_change_can_be_reviewed(before: dict[str, bytes], change: dict[str, bytes]) -> None:
    found = review(before, change)
    assert {each.path for each in found} <= {p for p in {*before, *change} if before.get(p) != change.get(p)}
    assert review(before, before) == []


def test_added_lines_are_numbered_in_the_new_file() -> None:
    assert FileChange("a", b"x\ny\n", b"x\nnew\ny\n").added_lines() == [(2, "new")]
