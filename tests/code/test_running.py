"""Commands within bounds, what tests said in one shape, and runs as evidence."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.code.evidence.citations import LineCitation, citation_fault
from echelon.domains.code.evidence.runs import RunLog, Standing
from echelon.domains.code.evidence.tree_hash import tree_hash
from echelon.domains.code.running.bounds import Bounds
from echelon.domains.code.running.command import Surroundings, base_environment, known_program, run_command
from echelon.domains.code.running.fence import Fence, FenceKind, choose_fence
from echelon.domains.code.running.junit import parse_junit
from echelon.domains.code.running.plain import parse_plain
from echelon.domains.code.running.report import Outcome, TestCase, TestReport, compare
from echelon.domains.code.running.suite import find_suite, run_suite
from tests.code.conftest import MakeTree, patient

OPEN = Fence(FenceKind.NONE)


def within(root: Path, **bounds: float) -> Surroundings:
    return Surroundings(root, OPEN, Bounds.model_validate(bounds))


def python(*words: str) -> list[str]:
    return [sys.executable, "-c", *words]


def test_a_command_says_its_status_and_output(shop: Path) -> None:
    done = run_command(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"), within(shop))
    assert (done.exit_status, done.output, done.stopped, done.ok) == (3, "out\nerr\n", "", False)
    assert run_command(["true"], within(shop)).ok


def test_the_environment_is_empty_but_for_what_is_named(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    where = Surroundings(shop, OPEN, environment={"NAMED": "yes"})
    said = run_command(python("import os; print(sorted(os.environ))"), where).output
    assert "NAMED" in said and "OPENAI_API_KEY" not in said
    assert set(base_environment()) <= set(said.replace("'", " ").replace(",", " ").split())


def test_a_command_that_hangs_is_ended_with_its_children(shop: Path) -> None:
    late = "import time,pathlib; time.sleep(3); pathlib.Path('late').touch()"
    code = f"import subprocess,sys,time; subprocess.Popen([sys.executable, '-c', {late!r}]); time.sleep(60)"
    done = run_command(python(code), within(shop, seconds=1))
    assert "longer than 1 s" in done.stopped and not done.ok and done.seconds < 10
    time.sleep(3)
    assert not (shop / "late").exists()


def test_what_stays_in_the_background_is_ended(shop: Path) -> None:
    code = "import subprocess,sys; subprocess.Popen([sys.executable,'-c','import time; time.sleep(60)']); print('gone')"
    started = time.monotonic()
    assert run_command(python(code), within(shop, seconds=20)).output == "gone\n"
    assert time.monotonic() - started < 15


def test_long_output_keeps_its_ends_and_a_hash_of_all(shop: Path) -> None:
    first = run_command(python("print('A' + 'x' * 300_000 + 'Z')"), within(shop, output_kb=8))
    other = run_command(python("print('A' + 'x' * 300_001 + 'Z')"), within(shop, output_kb=8))
    assert first.output.startswith("Ax") and first.output.endswith("Z\n") and "bytes left out" in first.output
    assert len(first.output) < 9_000 and first.output_hash != other.output_hash


def test_memory_is_bounded(shop: Path) -> None:
    done = run_command(python("x = bytearray(900 << 20)"), within(shop, memory_mb=256))
    assert done.exit_status != 0 and "MemoryError" in done.output


def test_processes_are_bounded_together(shop: Path) -> None:
    code = "import os,time\nfor n in range(400):\n    if os.fork() == 0:\n        time.sleep(30)\ntime.sleep(30)"
    done = run_command(python(code), within(shop, processes=40, seconds=20))
    assert "more than 40 processes" in done.stopped


def test_a_program_that_is_not_there_is_a_result(shop: Path) -> None:
    done = run_command(["no-such-program"], within(shop))
    assert done.exit_status == 127 and "no-such-program" in done.output


def test_the_allow_list_goes_by_bare_names() -> None:
    assert known_program("pytest", ["pytest"]) and not known_program("./pytest", ["pytest"])
    assert not known_program("/tmp/pytest", ["/tmp/pytest"]) and not known_program("curl", ["pytest"])


JUNIT = b"""<?xml version="1.0"?><testsuites><testsuite name="pytest">
<testcase classname="tests.test_a.TestB" file="tests/test_a.py" name="test_c[1]" time="0.01"/>
<testcase classname="tests.test_a" file="tests/test_a.py" name="test_d">
<failure message="assert 1 == 2">long text</failure></testcase>
<testcase classname="tests.test_a" file="tests/test_a.py" name="test_e"><error message="boom">setup</error></testcase>
<testcase classname="x.Y" name="test_f"><skipped message="later"/></testcase></testsuite></testsuites>"""


def test_junit_is_read() -> None:
    cases = parse_junit(JUNIT)
    assert [(c.name, c.outcome) for c in cases] == [
        ("tests/test_a.py::TestB::test_c[1]", Outcome.PASSED),
        ("tests/test_a.py::test_d", Outcome.FAILED),
        ("tests/test_a.py::test_e", Outcome.ERROR),
        ("x.Y::test_f", Outcome.SKIPPED),
    ]
    assert cases[1].message == "long text"


@pytest.mark.parametrize("data", [b"", b"<html/>", b"<testsuite", b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>'])
def test_what_is_no_junit_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a JUnit"):
        parse_junit(data)


@pytest.mark.parametrize(
    ("output", "passed", "failed"),
    [
        ("test_a (m.T.test_a) ... ok\ntest_b (m.T.test_b)\nDoc line. ... FAIL\n", ["m.T.test_a"], ["m.T.test_b"]),
        ("--- PASS: TestA (0.00s)\n    --- FAIL: TestB/x (0.10s)\n", ["TestA"], ["TestB/x"]),
        ("test a::b ... ok\ntest c ... FAILED\n", ["a::b"], ["c"]),
        ("TAP version 13\nok 1 - first\nnot ok 2 - second\n", ["first"], ["second"]),
        ("everything is ok 1 time\n", [], []),
    ],
)
def test_plain_runners_are_read(output: str, passed: list[str], failed: list[str]) -> None:
    report = TestReport(cases=tuple(parse_plain(output)))
    assert (report.passed, report.failed) == (passed, failed)
    assert report.first_failure is None or report.first_failure.message == output


def test_a_suite_is_found_and_run(shop: Path) -> None:
    suite = find_suite(shop)
    assert suite is not None and suite.runner == "pytest"
    report, done = run_suite(suite, within(shop))
    assert report.ok and report.passed == ["tests/test_prices.py::test_tax", "tests/test_prices.py::test_discount"]
    assert done.ok and report.sentence() == "2 passed"


def test_one_failure_is_told_in_full(shop: Path) -> None:
    (shop / "shop/prices.py").write_text((shop / "shop/prices.py").read_text().replace("0.19", "0.2"))
    suite = find_suite(shop)
    assert suite is not None
    report, _ = run_suite(suite, within(shop))
    failure = report.first_failure
    assert not report.ok and failure is not None
    assert failure.name == "tests/test_prices.py::test_tax" and "120" in failure.message and "assert" in failure.message
    one, _ = run_suite(suite, within(shop), only=["tests/test_prices.py::test_discount"])
    assert one.ok and len(one.cases) == 1


def test_a_file_that_cannot_be_collected_is_no_success(make_tree: MakeTree) -> None:
    root = make_tree({"test_a.py": "import nothing_of_the_kind\n"})
    suite = find_suite(root)
    assert suite is not None
    report, _ = run_suite(suite, within(root))
    assert not report.ok and (report.failed or report.trouble)


def test_tests_that_hang_are_ended_and_said(make_tree: MakeTree) -> None:
    root = make_tree({"test_a.py": "import time\ndef test_a():\n    time.sleep(60)\n"})
    suite = find_suite(root)
    assert suite is not None
    report, _ = run_suite(suite, within(root, seconds=3))
    assert not report.ok and "longer than" in f"{report.trouble} {report.cases}"


def test_many_that_hang_leave_time_for_the_others(make_tree: MakeTree) -> None:
    """Each may take a quarter of the run: five of them would take more than all of it."""
    hangs = "".join(f"def test_{n}():\n    time.sleep(60)\n" for n in range(5))
    root = make_tree({"test_a.py": f"import time\n{hangs}def test_last():\n    time.sleep(0.2)\n"})
    suite = find_suite(root)
    assert suite is not None
    report, _ = run_suite(suite, within(root, seconds=12))
    assert len(report.failed) == 5 and report.passed == ["test_a.py::test_last"] and not report.trouble


def test_without_tests_there_is_no_suite(make_tree: MakeTree) -> None:
    assert find_suite(make_tree({"a.py": "x = 1\n"})) is None
    go = find_suite(make_tree({"go.mod": "module a\n", "a_test.go": "package a\n"}))
    assert go is not None and go.command[:2] == ("go", "test")


outcomes = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(list(Outcome)))


@patient
@given(outcomes, outcomes)
def test_a_comparison_is_proven_only_when_nothing_that_passed_is_lost(
    before: dict[str, Outcome], after: dict[str, Outcome]
) -> None:
    one, two = (
        TestReport(cases=tuple(TestCase(name=n, outcome=o) for n, o in each.items())) for each in (before, after)
    )
    found = compare(one, two)
    assert set(found.broken) == set(one.passed) - set(two.passed)
    assert not set(found.repaired) & set(one.passed)
    if found.proven:
        assert found.repaired and set(one.passed) <= set(two.passed)


def test_evidence_is_stale_as_soon_as_a_file_changes(shop: Path) -> None:
    log, done = RunLog(), run_command(["true"], within(shop))
    record = log.add(shop, done)
    assert log.standing("run-1", shop) is Standing.VERIFIED and record.ok
    assert log.standing("run-2", shop) is Standing.UNKNOWN
    file = shop / "shop/prices.py"
    text = file.read_text()
    file.write_text(text + "\n")
    assert log.standing("run-1", shop) is Standing.STALE
    file.write_text(text)
    assert log.standing("run-1", shop) is Standing.VERIFIED
    assert RunLog.model_validate_json(log.model_dump_json()) == log


def test_a_run_with_failing_tests_is_no_success_whatever_its_status(shop: Path) -> None:
    log, done = RunLog(), run_command(["true"], within(shop))
    failing = TestReport(cases=(TestCase(name="a", outcome=Outcome.FAILED),))
    assert not log.add(shop, done, failing).ok and not log.add(shop, done, TestReport()).ok


def test_names_modes_and_contents_are_in_the_hash(shop: Path) -> None:
    seen = {tree_hash(shop)}
    (shop / "README.md").chmod(0o755)
    seen.add(tree_hash(shop))
    (shop / "README.md").rename(shop / "LIESMICH.md")
    seen.add(tree_hash(shop))
    (shop / "empty").touch()
    seen.add(tree_hash(shop))
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("place", "words", "says"),
    [
        ("shop/prices.py:3", "VAT_RATE = 0.19", None),
        ("shop/prices.py:5", "VAT_RATE  =  0.19", None),
        ("shop/prices.py:6-8", "", None),
        ("shop/prices.py:999", "", "there is no line 999"),
        ("shop/none.py:1", "", "There is no file"),
        ("shop/prices.py:3", "VAT_RATE = 0.07", "not 'VAT_RATE = 0.07'"),
        ("somewhere", "", "is no place"),
        ("../up.py:1", "", "leads out"),
    ],
)
def test_a_citation_is_looked_up(shop: Path, place: str, words: str, says: str | None) -> None:
    fault = citation_fault(shop, LineCitation(place=place, words=words))
    assert fault is None if says is None else fault is not None and says in fault


def test_no_fence_is_chosen_only_when_somebody_says_so() -> None:
    assert choose_fence("none").kind is FenceKind.NONE
    assert choose_fence("none").around(["a"], Path("/x"), environment={}) == ["a"]
