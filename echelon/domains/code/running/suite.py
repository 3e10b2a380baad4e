"""Find out how a tree's tests are run, and run them."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from echelon.domains.code.map.languages import find_tests
from echelon.domains.code.map.walking import tree_files
from echelon.domains.code.running.command import CommandResult, Surroundings, run_command
from echelon.domains.code.running.junit import parse_junit
from echelon.domains.code.running.plain import parse_plain
from echelon.domains.code.running.report import TestCase, TestReport

INSIDE = Path(__file__).parents[1] / "inside"
"""Programs of ours that run behind the fence."""
MOST_TEST_SECONDS = 60.0
"""Time that one test may take: one that hangs must not keep the others from being run."""
MARK = "echelon-noted "
"""How a line of `inside/echelon_watch.py` begins."""
MOST_NOTED = 200
_NOTED = TypeAdapter(dict[str, str])
_COLLECTED_NOTHING = 5
"""pytest's exit status when it found no test."""


class Suite(BaseModel):
    """How the tests of a tree are run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    runner: str = Field(description="pytest, unittest, go, cargo, npm, or command for one that was set")
    command: tuple[str, ...]
    junit: bool = Field(default=False, description="whether the runner takes pytest's --junitxml")


def find_suite(root: Path, *, command: Sequence[str] = (), python: str = "") -> Suite | None:
    """The way to run the tests below `root`; `command` overrides it. None when there are no tests."""
    if command:
        is_pytest = any("pytest" in word for word in command)
        return Suite(runner="command", command=tuple(command), junit=is_pytest)
    paths = [file.path for file in tree_files(root)]
    tests = find_tests(paths)
    interpreter = python or sys.executable
    if any(path.endswith(".py") for path in tests):
        options = ("-q", "-p", "no:cacheprovider", "-o", "addopts=")
        return Suite(runner="pytest", command=(interpreter, "-m", "pytest", *options), junit=True)
    there = set(paths)
    if "go.mod" in there and any(path.endswith("_test.go") for path in tests):
        return Suite(runner="go", command=("go", "test", "-v", "./..."))
    if "Cargo.toml" in there:
        return Suite(runner="cargo", command=("cargo", "test", "--offline"))
    if "package.json" in there and tests:
        return Suite(runner="npm", command=("node", "--test", "--test-reporter=tap"))
    return None


def run_suite(suite: Suite, where: Surroundings, *, only: Sequence[str] = ()) -> tuple[TestReport, CommandResult]:
    """Run the tests, all or those named in `only`, and read the result."""
    with tempfile.TemporaryDirectory(prefix="echelon-tests-") as made:
        results = Path(made)
        extra, variables = _for_pytest(results, where) if suite.junit else ([], {})
        done = run_command(
            [*suite.command, *extra, *only], where, write=[results], read=[INSIDE], environment=variables
        )
        done, meddled, data = watched(done)
        report = read_report(
            done, _read(results / "junit.xml") if suite.junit else None, plain=suite.runner != "pytest"
        )
        return report.model_copy(update={"meddled": meddled, "data": data}), done


def watched(done: CommandResult) -> tuple[CommandResult, tuple[str, ...], tuple[str, ...]]:
    """The result without what our watch said in it; what sources opened that they may not; data that tests read."""
    meddled: dict[str, None] = {}
    data: dict[str, None] = {}
    lines: list[str] = []
    for line in done.output.splitlines():
        said = _noted(line)
        if said is None:
            lines.append(line)
        elif "opened" in said:
            meddled[f"{said.get('by', '')} opens {said['opened']}"] = None
        elif "read" in said:
            data[said["read"]] = None
    if not meddled and not data:
        return done, (), ()
    return done.model_copy(update={"output": "\n".join(lines)}), tuple(meddled)[:MOST_NOTED], tuple(data)[:MOST_NOTED]


def _noted(line: str) -> dict[str, str] | None:
    try:
        return _NOTED.validate_json(line.removeprefix(MARK)) if line.startswith(MARK) else None
    except ValueError:
        return None


def _for_pytest(results: Path, where: Surroundings) -> tuple[list[str], dict[str, str]]:
    """Options that give a JUnit file, end a test that hangs, so that the others are still run, and watch what is opened."""
    options = [f"--junitxml={results / 'junit.xml'}", "-o", "junit_family=xunit1", "-p", "echelon_pytest"]
    path = os.pathsep.join(filter(None, [str(INSIDE), (where.environment or {}).get("PYTHONPATH", "")]))
    return options, {
        "PYTHONPATH": path,
        "ECHELON_TEST_SECONDS": str(min(MOST_TEST_SECONDS, where.bounds.seconds / 4)),
        "ECHELON_WATCH_ROOT": str(where.clone.resolve()),
        "ECHELON_WATCH_RESULTS": str(results.resolve()),
    }


def read_report(done: CommandResult, junit: bytes | None, *, plain: bool = True) -> TestReport:
    """The report of a run: of its JUnit file if it wrote one, else (`plain`) of what it printed."""
    cases: list[TestCase] = []
    trouble = f"the run was ended: {done.stopped}" if done.stopped else ""
    if junit is not None:
        try:
            cases = parse_junit(junit)
        except ValueError as error:
            trouble = trouble or str(error)
    if not cases and plain:
        cases = parse_plain(done.output)
    if not cases and not trouble and done.exit_status not in (0, _COLLECTED_NOTHING):
        trouble = f"no test was run (exit status {done.exit_status}): {_last_line(done.output)}"
    return TestReport(cases=tuple(cases), trouble=trouble, exit_status=done.exit_status, output_hash=done.output_hash)


def _read(file: Path) -> bytes | None:
    """What a command left there, if that is a plain file of sane size: it may have put anything in its place."""
    if file.is_symlink() or not file.is_file() or file.stat().st_size > 64 << 20:
        return None
    return file.read_bytes()


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1][:300] if lines else "it said nothing"
