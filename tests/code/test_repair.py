"""Repair by search: suspicion, changes of the syntax tree, and repairs that the tests prove."""

from __future__ import annotations

import ast
import functools
import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.code.evidence.tree_hash import tree_hash
from echelon.domains.code.repair import search
from echelon.domains.code.repair.change import Source
from echelon.domains.code.repair.mutants import mutants
from echelon.domains.code.repair.search import SearchBounds, record_spectrum, search_repair
from echelon.domains.code.repair.spectrum import Coverage, Suspicion, ochiai
from echelon.domains.code.running.bounds import Bounds
from echelon.domains.code.running.command import Surroundings
from echelon.domains.code.running.fence import Fence, FenceKind
from tests.code.conftest import MakeTree, patient

INSIDE = Path(search.__file__).parents[1] / "inside"
QUICK = SearchBounds(mutants=400, seconds=60, test_seconds=2, plausible=3)
BODY = """def f(items, limit, start=0):
    total = start
    for item in items:
        if item < limit and item > 0:
            total += item
    values = [total, limit]
    while total > 10:
        total = min(total, limit)
        break
    return g(total, limit) + items[0:limit][-1]


def g(one, two):
    yield one
    return one - two
"""


def where(root: Path, seconds: float = 60) -> Surroundings:
    return Surroundings(root, Fence(FenceKind.NONE), Bounds(seconds=seconds))


def all_lines(text: str, path: str = "m.py") -> list[Suspicion]:
    return [Suspicion(path=path, line=n, score=1.0) for n in range(1, len(text.splitlines()) + 1)]


def test_ochiai_is_one_where_only_failing_tests_run() -> None:
    spectrum = [
        Coverage(test="a", passed=False, lines={"m.py": [1, 2, 3]}),
        Coverage(test="b", passed=True, lines={"m.py": [1, 2]}),
        Coverage(test="c", passed=True, lines={"m.py": [1], "n.py": [9]}),
    ]
    scores = {(s.path, s.line): s.score for s in ochiai(spectrum)}
    assert scores == {("m.py", 3): 1.0, ("m.py", 2): round(0.5**0.5, 6), ("m.py", 1): round(1 / 3**0.5, 6)}
    assert ochiai([]) == [] and ochiai(spectrum[1:]) == []


coverages = st.lists(
    st.builds(
        Coverage,
        test=st.just("t"),
        passed=st.booleans(),
        lines=st.dictionaries(st.sampled_from(["a", "b"]), st.lists(st.integers(1, 5))),
    ),
    max_size=6,
)


@patient
@given(coverages)
def test_suspicions_lie_between_0_and_1_in_order(spectrum: list[Coverage]) -> None:
    scores = [s.score for s in ochiai(spectrum)]
    assert all(0 < score <= 1 for score in scores) and scores == sorted(scores, reverse=True)


def test_every_mutant_is_valid_differs_and_comes_once() -> None:
    found = mutants({"m.py": BODY}, all_lines(BODY), most=5_000)
    assert len(found) > 300 and len({m.text for m in found}) == len(found)
    for mutant in found:
        ast.parse(mutant.text)
        assert mutant.text != BODY and mutant.path == "m.py"
    assert [m.score for m in found] == sorted((m.score for m in found), reverse=True)


@functools.cache
def shapes_of_all_mutants() -> set[str]:
    return {ast.dump(ast.parse(m.text)) for m in mutants({"m.py": BODY}, all_lines(BODY), most=10_000)}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("item < limit", "item <= limit"),
        ("total += item", "total -= item"),
        ("item > 0", "item > 1"),
        ("and item > 0", "or item > 0"),
        ("g(total, limit)", "g(limit, total)"),
        ("min(total, limit)", "max(total, limit)"),
        ("items[0:limit]", "items[1:limit]"),
        ("[total, limit]", "[limit, total]"),
        ("while total > 10", "while limit"),
        ("while total > 10", "while not total > 10"),
        ("        break\n", "        continue\n"),
        ("one - two", "two - one"),
        ("one - two", "one + two"),
        ("yield one", "yield from one"),
        ("total += item\n    values", "total += item\n    total += item\n    values"),
        ("            total += item\n", "            pass\n"),
        ("return g(", "return total + g("),
        ("while total > 10", "while limit and total > 10"),
        ("total = start", "total = start + 1"),
    ],
)
def test_the_changes_that_mend_common_faults_are_among_them(before: str, after: str) -> None:
    wanted = BODY.replace(before, after, 1)
    assert ast.dump(ast.parse(wanted)) in shapes_of_all_mutants()


def test_suspicious_lines_come_first_and_others_not_at_all() -> None:
    found = mutants(
        {"m.py": BODY},
        [Suspicion(path="m.py", line=5, score=0.2), Suspicion(path="m.py", line=15, score=0.9)],
        most=999,
    )
    assert found[0].line == 15 and {m.line for m in found} <= {5, 15}


def test_the_same_seed_gives_the_same_order() -> None:
    one, two, other = (mutants({"m.py": BODY}, all_lines(BODY), most=50, seed=seed) for seed in (3, 3, 4))
    assert one == two and one != other


def test_positions_are_bytes_so_that_other_letters_do_no_harm() -> None:
    text = 'def f(größe):\n    return "ä" * größe < 3\n'
    assert 'return "ä" * größe <= 3' in mutants({"m.py": text}, all_lines(text, "m.py"), most=1)[0].text
    assert Source(text).functions()


FAULTY = {
    "calc/__init__.py": "",
    "calc/sums.py": (
        "def clamp(value, low, high):\n    if value < low:\n        return low\n    if value < high:\n        return high\n"
        "    return value\n\n\ndef last(items):\n    return items[len(items)]\n"
    ),
    "tests/test_sums.py": (
        "from calc.sums import clamp\n\n\ndef test_low():\n    assert clamp(-5, 0, 9) == 0\n\n\n"
        "def test_middle():\n    assert clamp(5, 0, 9) == 5\n\n\ndef test_high():\n    assert clamp(50, 0, 9) == 9\n"
    ),
}
TESTS = ["tests/test_sums.py::test_middle", "tests/test_sums.py::test_high"]


def test_lines_are_recorded_for_each_test(make_tree: MakeTree) -> None:
    spectrum = {
        c.test: c for c in record_spectrum(where(make_tree(FAULTY)), [*TESTS, "tests/test_sums.py::test_low"], QUICK)
    }
    assert spectrum["tests/test_sums.py::test_low"].passed and not spectrum[TESTS[0]].passed
    assert spectrum["tests/test_sums.py::test_low"].lines == {"calc/sums.py": [2, 3]}
    assert spectrum[TESTS[0]].lines == {"calc/sums.py": [2, 4, 5]}


def test_a_fault_is_repaired_and_the_tree_left_alone(make_tree: MakeTree) -> None:
    root = make_tree(FAULTY)
    before = tree_hash(root)
    found = search_repair(where(root), TESTS, ["tests/test_sums.py::test_low"], QUICK)
    assert "value > high" in found.repairs[0].text and found.repairs[0].line == 4
    assert found.repairs[0].diff.startswith("--- a/calc/sums.py")
    assert tree_hash(root) == before
    assert found.suspicions[0].line in (4, 5)


def module_at(path: str) -> Any:
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_mutant_is_compared_with_the_file_as_it_was_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one is tried from scratch, the file holds its text, or half of it."""
    (tmp_path / "subject.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return 2\n")
    path = str(tmp_path / "subject.py")
    runner, subject = module_at(str(INSIDE / "mutant_runner.py")), module_at(path)
    monkeypatch.setitem(sys.modules, "subject_of_mutants", subject)
    runner.loaded(path)
    (tmp_path / "subject.py").write_text("def one():\n    ret")
    assert runner.swap(path, "def one():\n    return 1\n\n\ndef two():\n    return 3\n")
    assert (subject.one(), subject.two()) == (1, 3)
    assert not runner.swap(path, "def one():\n    return 1\n"), "another set of functions is tried from scratch"


def test_what_breaks_another_test_is_no_repair(make_tree: MakeTree) -> None:
    """Returning `low` always would mend the one test: the ones that pass hold it back."""
    root = make_tree({
        **FAULTY,
        "tests/test_sums.py": "from calc.sums import clamp\n\n\n"
        "def test_a():\n    assert clamp(5, 0, 9) == 5\n    assert clamp(50, 0, 9) == 50\n\n\n"
        "def test_b():\n    assert clamp(50, 0, 9) == 9\n",
    })  # fmt: skip
    found = search_repair(where(root), ["tests/test_sums.py::test_a"], ["tests/test_sums.py::test_b"], QUICK)
    assert found.repairs == () and found.tried > 10 and "without breaking others" in found.why


def test_a_test_that_hangs_is_a_failure_with_lines(make_tree: MakeTree) -> None:
    root = make_tree({
        "m.py": "def count(n):\n    found = 0\n    while n > 0:\n        found += 1\n        n = n + 1\n    return found\n",
        "test_m.py": "from m import count\ndef test_two():\n    assert count(2) == 2\n"
        "def test_none():\n    assert count(0) == 0\n",
    })  # fmt: skip
    soon = QUICK.model_copy(update={"test_seconds": 0.7, "plausible": 1})  # many of the changes hang, each for so long
    found = search_repair(where(root, seconds=16), ["test_m.py::test_two"], ["test_m.py::test_none"], soon)
    assert found.repairs and "n - 1" in found.repairs[0].text


def test_examples_in_the_documentation_choose_between_repairs(make_tree: MakeTree) -> None:
    code = 'def add(a, b):\n    """The sum.\n\n    >>> add(2, 3)\n    5\n    """\n    return a - b\n'
    root = make_tree({"m.py": code, "test_m.py": "from m import add\ndef test_two():\n    assert add(2, 2) == 4\n"})
    found = search_repair(where(root), ["test_m.py::test_two"], [], QUICK)
    assert len(found.repairs) > 1 and "a + b" in found.repairs[0].text and found.repairs[0].examples == 1


@pytest.mark.parametrize(
    ("files", "failing", "why"),
    [
        (FAULTY, [], "no test fails"),
        ({"test_m.py": "def test_a():\n    assert False\n"}, ["test_m.py::test_a"], "no line of the repository"),
    ],
)
def test_a_search_that_cannot_begin_says_why(
    make_tree: MakeTree, files: dict[str, str], failing: list[str], why: str
) -> None:
    assert why in search_repair(where(make_tree(files)), failing, [], QUICK).why
