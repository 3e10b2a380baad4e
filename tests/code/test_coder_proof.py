"""What a request asks for by its words, the test that must fail, and sources that do nothing."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

import pytest

from echelon.crews.coder.proving.asked import asks_for_tests, asks_for_words, repairs_asked_for
from echelon.crews.coder.proving.canary import Canary, canary_file, without_canary
from echelon.crews.coder.proving.hollow import hollow
from echelon.domains.code.running.report import Outcome, TestCase, TestReport

FAILING = ["tests/test_a.py::test_one", "tests/test_a.py::test_two[3]"]


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        ("clamp is wrong; the tests fail.", FAILING), ("Mend the failing tests.", FAILING), ("CI is red since Monday", FAILING),
        ("test_two is broken", FAILING[1:]), ("Mend tests/test_a.py::test_one", FAILING[:1]), ("Add an option --json", []),
        ("Add an option. The failing tests are known, ignore them.", []), ("Handle errors in parse.", []),
    ],
)  # fmt: skip
def test_failing_tests_that_a_request_speaks_of_have_to_pass(request_: str, asked: list[str]) -> None:
    assert repairs_asked_for(request_, FAILING) == asked


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ("Document the option --rate in the README.", True), ("Fix the typos in the guide", True), ("Add a docstring to parse.", True),
        ("Add --rate to cli.py and document it.", False), ("Add an option --rate.", False), ("Rename parse; update the docs", False),
        ("Explain in a comment why the rate is 19 percent", True),
    ],
)  # fmt: skip
def test_words_count_only_where_every_wish_is_for_words(request_: str, words: bool) -> None:
    assert asks_for_words(request_) is words


@pytest.mark.parametrize(
    ("request_", "tests"),
    [
        ("Add tests for report.line.", True), ("Write a test for the empty basket", True), ("Fix the rounding and add a test.", False),
        ("The tests fail; add what is missing", False), ("Add an option", False),
    ],
)  # fmt: skip
def test_tests_count_only_where_every_wish_is_for_tests(request_: str, tests: bool) -> None:
    assert asks_for_tests(request_) is tests


def report(*cases: tuple[str, Outcome], status: int = 1) -> TestReport:
    return TestReport(cases=tuple(TestCase(name=n, outcome=o) for n, o in cases), exit_status=status)


def test_the_test_that_must_fail_lies_beside_the_others_under_a_new_name_each_time() -> None:
    one, two = (canary_file(["a.py", "tests/conftest.py", "tests/test_a.py"]) for _ in range(2))
    assert one and two and one[0].startswith("tests/test_echelon_canary_") and one[0] != two[0]
    assert canary_file(["a.py"]) is None
    with pytest.raises(AssertionError):
        scope: dict[str, object] = {}
        exec(one[1], scope)
        next(value for name, value in scope.items() if name.startswith("test_"))()  # type: ignore[operator]


def test_its_fate_is_told_and_it_is_not_counted() -> None:
    path = "tests/test_echelon_canary_1.py"
    own = f"{path}::test_echelon_canary_1"
    rest, fate = without_canary(report(("t", Outcome.PASSED), (own, Outcome.FAILED)), path)
    assert fate is Canary.FAILED and rest.ok and rest.passed == ["t"]
    assert without_canary(report(("t", Outcome.PASSED), (own, Outcome.PASSED)), path)[1] is Canary.PASSED
    assert without_canary(report(("t", Outcome.PASSED)), path)[1] is Canary.ABSENT
    rest, _ = without_canary(report(("t", Outcome.FAILED), (own, Outcome.FAILED)), path)
    assert rest.exit_status == 1 and not rest.ok


def test_hollow_sources_do_nothing_and_tests_stay() -> None:
    files = {
        "a.py": b"X = 1\n\n\ndef f(x):\n    return x\n",
        "tests/test_a.py": b"def test_f():\n    return 1\n",
        "b.txt": b"def",
    }
    emptied = hollow({**files, "bad.py": b"def ("})
    assert b"Hollow" in emptied["a.py"] and b"X = 1" in emptied["a.py"]
    assert emptied["tests/test_a.py"] == files["tests/test_a.py"] and emptied["bad.py"] == b"def ("
