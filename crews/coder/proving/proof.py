"""Runs of the tests on copies of the repository, and what they prove of the change."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from echelon.crews.coder import tree
from echelon.crews.coder.proving.again import by_old_tests, old_tests_on, second_look
from echelon.crews.coder.proving.asked import asks_for_tests, asks_for_words, repairs_asked_for, words_missing
from echelon.crews.coder.proving.canary import Canary
from echelon.crews.coder.proving.hollow import ONLY_THERE, ONLY_WORKS, hollow, only_functions
from echelon.crews.coder.proving.runs import run_all, run_tests
from echelon.digest import digest
from echelon.domains.code.map.languages import find_tests
from echelon.domains.code.map.python_file import parse
from echelon.domains.code.running.report import Outcome, TestReport, compare
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.files import write_atomically
from echelon.settings import CodeSettings
from echelon.tasks.results import request_of

BEFORE, AFTER, AGAIN = "code/before.json", "code/after.json", "code/again.json"


class SuiteRun(BaseModel):
    """A run of all tests on files with a fingerprint. `ran` is False where there are no tests."""

    model_config = ConfigDict(extra="forbid")

    version: int = 2
    tree: str
    ran: bool
    report: TestReport
    canary: Canary = Field(default=Canary.ABSENT, description="what became of a test of ours that must fail")
    fails_without: tuple[str, ...] = Field(default=(), description="tests that pass now and fail on the old sources")
    tests_changed: bool = Field(default=False, description="whether tests are others than they were")
    hollow: tuple[str, ...] = Field(
        default=(), description="new tests that pass even when no function does anything; looked at for tests alone"
    )


class Again(BaseModel):
    """What a second look at the proof of files with a fingerprint found."""

    model_config = ConfigDict(extra="forbid")

    version: int = 1
    tree: str
    asked: tuple[str, ...]
    faults: tuple[str, ...]


def run_before(run: Run, workspace: Workspace) -> SuiteRun:
    """The tests on the files as they were taken in; run once."""
    known = _known(workspace, BEFORE)
    if known is not None:
        return known
    base = tree.base_of(workspace)
    before, _ = tree.contents(workspace)
    return _kept(workspace, BEFORE, _ran(tree.fingerprint(base.files), run_all(before, run.config.code)))


def run_after(run: Run, workspace: Workspace) -> SuiteRun:
    """The tests on the files as they are now; run once for each state of them."""
    now, known = tree.fingerprint(tree.manifest(workspace)), _known(workspace, AFTER)
    if known is not None and known.tree == now:
        return known
    before, after = tree.contents(workspace)
    settings = run.config.code
    made = _ran(now, run_all(after, settings))
    if made.ran:
        made.tests_changed = _sides_differ(before, after, tests=True)
        if made.tests_changed:
            made.fails_without = _fails_without(before, after, made.report, settings)
            if not _sides_differ(before, after, tests=False):
                made.hollow = _hollow(run_before(run, workspace).report, after, made.report, settings)
    return _kept(workspace, AFTER, made)


def known_of_tests(run: Run, workspace: Workspace) -> tuple[frozenset[str], frozenset[str]]:
    """Files in which the run before found tests, and files that only tests opened in it."""
    report = run_before(run, workspace).report
    files = {case.name.partition("::")[0] for case in report.cases if "::" in case.name}
    return frozenset(files), frozenset(report.data)


def _ran(fingerprint: str, found: tuple[TestReport, Canary] | None) -> SuiteRun:
    """Times and the like are left out: the same tests on the same files are the same record."""
    if found is None:
        return SuiteRun(tree=fingerprint, ran=False, report=TestReport())
    report, canary = found
    cases = tuple(case.model_copy(update={"seconds": 0.0}) for case in report.cases)
    said = digest([[case.name, case.outcome.value] for case in cases])
    plain = report.model_copy(update={"cases": cases, "output_hash": said})
    return SuiteRun(tree=fingerprint, ran=True, report=plain, canary=canary)


def proven_by(before: SuiteRun, after: SuiteRun) -> tuple[str, ...]:
    """Tests that pass now and fail without the change: on the files as they were, or with the new tests on the old sources.

    Where tests were changed only the second counts: it tells what the sources do from what the tests were made to say.
    """
    if after.tests_changed:
        return after.fails_without
    return compare(before.report, after.report).repaired


def faults(run: Run, workspace: Workspace) -> list[str]:
    """What keeps the change from being proven, one sentence each; empty when it is."""
    if not tree.changed_paths(workspace, tree.base_of(workspace)):
        return ["Nothing in the repository was changed."]
    request = request_of(workspace)
    before, after = run_before(run, workspace), run_after(run, workspace)
    found = compare(before.report, after.report)
    out = [f"{name} passed before and does not pass now." for name in (*found.broken, *found.new_failing)[:5]]
    out += _not_run(before.report, after.report)
    if after.ran and after.report.trouble:
        out.append(f"The tests could not be run to their end: {after.report.trouble}.")
    if before.canary is Canary.FAILED and after.canary is not Canary.FAILED:
        out.append(
            "A test that must fail did not fail in this run: the change keeps the runner from saying what is so."
        )
    asked = repairs_asked_for(request, before.report.failed)
    out += [f"{name} fails, and the request asks for its repair." for name in asked if name not in after.report.passed][
        :5
    ]
    out += [
        f"{name} passes without a change of the sources: what was changed beside the tests makes it pass."
        for name in asked
        if after.tests_changed and name in after.report.passed and name not in after.fails_without
    ][:5]
    out += [
        f"{each}, which the change made it do: solve it without."
        for each in after.report.meddled
        if each not in before.report.meddled
    ][:3]
    return out or _unproven(workspace, request, before, after) or _again(run, workspace, asked, before, after)


def _again(run: Run, workspace: Workspace, asked: list[str], before: SuiteRun, after: SuiteRun) -> list[str]:
    """What a second look finds; looked once for each state of the files."""
    file = workspace.root / AGAIN
    if file.is_file():
        known = Again.model_validate_json(file.read_bytes())
        if known.tree == after.tree and known.asked == tuple(asked):
            return list(known.faults)
    old, new = tree.contents(workspace)
    proven = proven_by(before, after)
    faults = _of_old_tests(old, new, asked, before, after, run.config.code)
    faults = faults or _of_hollow(old, new, before, proven, run.config.code)
    faults = faults or second_look(new, dict.fromkeys([*asked, *proven]), run.config.code)
    write_atomically(file, Again(tree=after.tree, asked=tuple(asked), faults=tuple(faults)).model_dump_json())
    return faults


def _of_old_tests(
    old: Mapping[str, bytes],
    new: Mapping[str, bytes],
    asked: list[str],
    before: SuiteRun,
    after: SuiteRun,
    settings: CodeSettings,
) -> list[str]:
    """Tests that were there and are proof now have to pass as they were, too."""
    proven = proven_by(before, after)
    names = asked or [name for name in proven if name in before.report.failed]
    if not after.tests_changed or not names:
        return []
    bad = by_old_tests(names, run_tests(old_tests_on(old, new), settings))
    if not asked and set(bad) != set(proven):
        return []
    return [
        f"{name} passes only with the tests as they were changed; leave them, and change the sources."
        for name in bad[:5]
    ]


def _of_hollow(
    old: Mapping[str, bytes],
    new: Mapping[str, bytes],
    before: SuiteRun,
    proven: tuple[str, ...],
    settings: CodeSettings,
) -> list[str]:
    """New tests that are the whole proof of changed functions have to run one of them."""
    known = {case.name for case in before.report.cases}
    if not proven or any(name in known for name in proven) or not only_functions(old, new):
        return []
    emptied = run_tests(hollow(new, ONLY_THERE), settings)
    if emptied is None or not {*proven} <= {*emptied.passed}:
        return []
    return [f"{name} passes even when no function does anything; let it check what they do." for name in proven[:5]]


def _not_run(before: TestReport, after: TestReport) -> list[str]:
    """Tests that failed before and are gone or skipped now: that is no repair."""
    now = {case.name: case.outcome for case in after.cases}
    hidden = [n for n in before.failed if now.get(n, Outcome.SKIPPED) is Outcome.SKIPPED]
    return [f"{name} failed before and is not run any more; let it run." for name in hidden[:5]]


def _unproven(workspace: Workspace, request: str, before: SuiteRun, after: SuiteRun) -> list[str]:
    if proven_by(before, after):
        return []
    if _same_program(workspace):
        if asks_for_words(request):
            lacks = words_missing(request, *tree.contents(workspace))
            return [lacks] if lacks else []
        return ["Only words were changed (documentation, comments), and the request asks for more than that."]
    old, new = tree.contents(workspace)
    if asks_for_tests(request) and not _sides_differ(old, new, tests=False):
        return _of_tests_alone(before, after)
    return ["No test fails without the change and passes with it: add one that shows what was asked for."]


def _of_tests_alone(before: SuiteRun, after: SuiteRun) -> list[str]:
    """New tests have to pass, and to fail when the functions that they call do nothing."""
    if after.hollow:
        return [
            f"{name} passes even when no function does anything; let it check something." for name in after.hollow[:5]
        ]
    known = {case.name for case in before.report.cases}
    return [] if any(name not in known for name in after.report.passed) else ["No new test runs and passes."]


def _sides_differ(before: Mapping[str, bytes], after: Mapping[str, bytes], *, tests: bool) -> bool:
    """Whether the tests (with what lies beside them), or all other files, are others than before."""
    mine = find_tests([*before, *after])
    paths = [p for p in {*before, *after} if (p in mine) is tests]
    return any(before.get(path) != after.get(path) for path in paths)


def _fails_without(
    before: Mapping[str, bytes], after: Mapping[str, bytes], now: TestReport, settings: CodeSettings
) -> tuple[str, ...]:
    """Tests as they are now, on the sources as they were: those that fail there prove the change."""
    tests = find_tests([*before, *after])
    mixed = {path: data for path, data in before.items() if path not in tests}
    mixed |= {path: data for path, data in after.items() if path in tests}
    old = run_tests(mixed, settings)
    passed: set[str] = set(old.names(Outcome.PASSED)) if old is not None else set()
    return tuple(name for name in now.passed if name not in passed)


def _hollow(before: TestReport, after: Mapping[str, bytes], now: TestReport, settings: CodeSettings) -> tuple[str, ...]:
    known = {case.name for case in before.cases}
    passed: set[str] = set()
    for body in (ONLY_THERE, ONLY_WORKS):
        emptied = run_tests(hollow(after, body), settings)
        passed |= set(emptied.passed) if emptied is not None else set()
    return tuple(name for name in now.passed if name not in known and name in passed)


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


def _kept(workspace: Workspace, path: str, made: SuiteRun) -> SuiteRun:
    write_atomically(workspace.root / path, made.model_dump_json())
    return made
