"""Runs of the tests on copies of the repository, and what they prove of the change."""

from __future__ import annotations

import ast
import shlex
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from echelon.crews.coder import tree
from echelon.domains.code.map.languages import find_tests
from echelon.domains.code.map.python_file import parse
from echelon.domains.code.running.bounds import Bounds
from echelon.domains.code.running.command import Surroundings
from echelon.domains.code.running.fence import choose_fence, interpreter_folders
from echelon.domains.code.running.report import Outcome, TestReport, compare
from echelon.domains.code.running.suite import find_suite, run_suite
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically
from echelon.settings import CodeSettings

BEFORE, AFTER = "code/before.json", "code/after.json"


class SuiteRun(BaseModel):
    """A run of all tests on files with a fingerprint. `ran` is False where there are no tests."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    tree: str
    ran: bool
    report: TestReport
    fails_without: tuple[str, ...] = Field(default=(), description="tests that pass now and fail on the old sources")


@contextmanager
def copied(contents: Mapping[str, bytes], settings: CodeSettings) -> Generator[Surroundings]:
    """A copy of files, with what commands in it may do. It is gone afterwards, and with it what they wrote."""
    python = settings.python or sys.executable
    read = interpreter_folders(Path(python)) if settings.python else ()
    with tempfile.TemporaryDirectory(prefix="echelon-copy-") as made:
        root = Path(made) / "repository"
        for path, data in contents.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        environment = {"PYTHONPATH": f"{root}:{root / 'src'}"}
        bounds = Bounds(seconds=settings.seconds, cpu_seconds=int(settings.seconds) + 1, memory_mb=settings.memory_mb)
        yield Surroundings(root, choose_fence(settings.fence, read=read), bounds, environment, python)


def run_tests(
    contents: Mapping[str, bytes], settings: CodeSettings, only: list[str] | None = None
) -> TestReport | None:
    """Run the tests on a copy of files; None where there are none. Raises UserError without a fence."""
    with copied(contents, settings) as where:
        suite = find_suite(where.clone, command=shlex.split(settings.tests), python=where.python)
        return None if suite is None else run_suite(suite, where, only=only or ())[0]


def run_before(run: Run, workspace: Workspace) -> SuiteRun:
    """The tests on the files as they were taken in; run once."""
    known = _known(workspace, BEFORE)
    if known is not None:
        return known
    base = tree.base_of(workspace)
    before, _ = tree.contents(workspace)
    return _kept(workspace, BEFORE, tree.fingerprint(base.files), run_tests(before, run.config.code))


def run_after(run: Run, workspace: Workspace) -> SuiteRun:
    """The tests on the files as they are now; run once for each state of them."""
    now, known = tree.fingerprint(tree.manifest(workspace)), _known(workspace, AFTER)
    if known is not None and known.tree == now:
        return known
    before, after = tree.contents(workspace)
    report = run_tests(after, run.config.code)
    fails = _fails_without(before, after, report, run.config.code) if report is not None else ()
    return _kept(workspace, AFTER, now, report, fails)


def faults(run: Run, workspace: Workspace) -> list[str]:
    """What keeps the change from being proven, one sentence each; empty when it is."""
    if not tree.changed_paths(workspace, tree.base_of(workspace)):
        return ["Nothing in the repository was changed."]
    before, after = run_before(run, workspace), run_after(run, workspace)
    found = compare(before.report, after.report)
    out = [f"{name} passed before and does not pass now." for name in (*found.broken, *found.new_failing)[:5]]
    if after.ran and after.report.trouble:
        out.append(f"The tests could not be run to their end: {after.report.trouble}.")
    if not out and not found.repaired and not after.fails_without and not _same_program(workspace):
        out.append("No test fails without the change and passes with it: add one that shows what was asked for.")
    return out


def _fails_without(
    before: Mapping[str, bytes], after: Mapping[str, bytes], now: TestReport, settings: CodeSettings
) -> tuple[str, ...]:
    """Tests as they are now, on the sources as they were: those that fail there prove the change."""
    tests = find_tests([*before, *after])
    if all(before.get(path) == after.get(path) for path in tests):
        return ()
    mixed = {path: data for path, data in before.items() if path not in tests}
    mixed |= {path: data for path, data in after.items() if path in tests}
    old = run_tests(mixed, settings)
    passed: set[str] = set(old.names(Outcome.PASSED)) if old is not None else set()
    return tuple(name for name in now.passed if name not in passed)


def _same_program(workspace: Workspace) -> bool:
    """Whether only documentation was changed: the programs have the same syntax trees without docstrings."""
    before, after = tree.contents(workspace)
    for path in tree.changed_paths(workspace, tree.base_of(workspace)):
        if path.endswith((".md", ".rst", ".txt")):
            continue
        if not path.endswith(".py") or path not in before or path not in after:
            return False
        try:
            trees = [parse(side[path].decode("utf-8", "replace")) for side in (before, after)]
        except SyntaxError:
            return False
        if ast.dump(_without_docs(trees[0])) != ast.dump(_without_docs(trees[1])):
            return False
    return True


def _without_docs(tree_: ast.Module) -> ast.Module:
    for node in ast.walk(tree_):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            node.body = body[1:] or [ast.Pass()]  # type: ignore[attr-defined]
    return tree_


def _known(workspace: Workspace, path: str) -> SuiteRun | None:
    file = workspace.root / path
    return SuiteRun.model_validate_json(file.read_bytes()) if file.is_file() else None


def _kept(
    workspace: Workspace, path: str, fingerprint: str, report: TestReport | None, fails: tuple[str, ...] = ()
) -> SuiteRun:
    made = SuiteRun(tree=fingerprint, ran=report is not None, report=report or TestReport(), fails_without=fails)
    write_atomically(workspace.root / path, made.model_dump_json())
    return made
