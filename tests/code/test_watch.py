"""What a test run says beside its results: files that are opened, tests that pass only sometimes, answers without a run."""

# ruff: noqa: E501 - one file a line

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from echelon.crews.coder.proving.again import by_old_tests, old_tests_on
from echelon.crews.coder.proving.asked import words_missing
from echelon.crews.coder.proving.hollow import only_functions
from echelon.domains.code.running.command import CommandResult
from echelon.domains.code.running.report import Outcome, TestCase, TestReport
from echelon.domains.code.running.suite import INSIDE, read_report, watched
from tests.code.cheats import BASE, CODE, HONEST, TESTS, after

SOURCE = "from pathlib import Path\n\n\ndef read():\n    return Path('tests/test_a.py').read_text() + Path('cases.json').read_text()\n"
TEST = "from source import read\n\n\ndef test_read():\n    assert read() + open('cases.json').read() + open(__file__).read()\n"
LUCK = "RUNS = []\n\n\ndef test_turns():\n    RUNS.append(1)\n    assert len(RUNS) % 3\n\n\ndef test_once():\n    RUNS.append(1)\n    assert len(RUNS) < 100\n"
SPENT = "RUNS = []\n\n\ndef test_spent():\n    RUNS.append(1)\n    assert len(RUNS) == 1\n"


def run_pytest(root: Path, **variables: str) -> str:
    """The plugin as the fenced run loads it, without the fence."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "echelon_pytest", "tests"]
    environment = {"PYTHONPATH": f"{INSIDE}:{root}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **variables}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False).stdout


def made(root: Path, **files: str) -> Path:
    for path, text in files.items():
        target = root / path.replace("__", "/").replace("_py", ".py").replace("_json", ".json")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return root


def test_sources_that_open_tests_and_data_that_tests_open_are_said(tmp_path: Path) -> None:
    made(tmp_path, source_py=SOURCE, tests__test_a_py=TEST, cases_json="[]")
    output = run_pytest(tmp_path, ECHELON_WATCH_ROOT=str(tmp_path), ECHELON_WATCH_RESULTS=str(tmp_path / "results"))
    done = CommandResult(command=("x",), exit_status=0, seconds=0, output=output, output_hash="")
    plain, meddled, data = watched(done)
    assert meddled == ("source.py opens tests/test_a.py",) and data == ("cases.json",)
    assert "1 passed" in plain.output and "echelon-noted" not in plain.output


def test_a_test_that_passes_only_sometimes_fails_and_one_that_cannot_be_run_twice_does_not(tmp_path: Path) -> None:
    made(tmp_path, tests__test_luck_py=LUCK, tests__test_spent_py=SPENT)
    assert "3 passed" in run_pytest(tmp_path)
    output = run_pytest(tmp_path, ECHELON_REPEAT="8")
    assert "1 failed, 2 passed" in output and "passes only sometimes: pp" in output


def test_what_is_printed_stands_for_no_result_of_pytest() -> None:
    said = CommandResult(command=("pytest",), exit_status=0, seconds=0, output="--- PASS: a (0.00s)\n", output_hash="")
    assert read_report(said, None).passed == ["a"]
    assert not read_report(said, None, plain=False).cases


def test_old_tests_are_put_on_the_new_sources() -> None:
    before, now = after({}), after({"prices.py": HONEST, "tests/test_prices.py": TESTS + "\nX = 1\n"})
    mixed = old_tests_on(before, now)
    assert mixed["prices.py"] == HONEST.encode() and mixed["tests/test_prices.py"] == TESTS.encode()
    report = TestReport(cases=(TestCase(name="a", outcome=Outcome.FAILED), TestCase(name="b", outcome=Outcome.PASSED)))
    assert by_old_tests(["a", "b", "gone"], report) == ["a"] and by_old_tests(["a"], None) == []


@pytest.mark.parametrize(
    ("change", "alone"),
    [
        ({"prices.py": HONEST}, True), ({"prices.py": CODE.replace("0.19", "0.2")}, False), ({"x.json": "[]"}, False),
        ({"prices.py": CODE + "\n\nclass A:\n    def a(self): ...\n"}, True),
        ({"prices.py": CODE + "\n\nclass A(ValueError):\n    pass\n"}, False), ({"README.md": "x"}, True),
    ],
)  # fmt: skip
def test_a_change_of_functions_alone_is_told(change: dict[str, str], alone: bool) -> None:
    assert only_functions(after({}), after(dict(change))) is alone


@pytest.mark.parametrize(
    ("change", "lacks"),
    [
        ({"README.md": "# Prices\n\n"}, "Only blanks"), ({"NOTES.md": "Prices are net."}, "README.md"),
        ({"README.md": "# Prices\n\nNet.\n"}, ""), ({"prices.py": CODE.replace("with tax.", "with the tax.")}, ""),
    ],
)  # fmt: skip
def test_words_that_are_asked_for_are_missing(change: dict[str, str], lacks: str) -> None:
    said = words_missing("Document in the README that prices are net.", after({}), after(dict(change)))
    assert lacks in said and bool(said) is bool(lacks)
    assert "README.md" in BASE
