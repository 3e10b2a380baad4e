"""Tests that were deleted, skipped or weakened. What stood in a test file must still stand there, the same.

New tests, new helpers, new imports and more cases are welcome; names that the change renamed throughout may follow.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from echelon.domains.code.map.python_file import parse
from echelon.domains.code.review.findings import FileChange, Finding
from echelon.domains.code.review.shapes import Renames, same_shape
from echelon.domains.code.review.test_patches import bound_names, patches, statements

_SKIPS = ("skip", "skipif", "xfail", "skipIf", "skipUnless", "SkipTest", "importorskip", "expectedFailure")
_HOOKS = ("collect_ignore", "collect_ignore_glob")


def test_findings(change: FileChange, renames: Renames) -> Iterator[Finding]:
    """What is wrong with a change of a test file, or of data beside tests."""
    if change.before is not None and change.after is None:
        yield Finding(path=change.path, line=0, rule="deleted-test", says="a test file was deleted; bring it back.")
    elif change.before is not None and not change.path.endswith(".py"):
        yield Finding(
            path=change.path, line=1, rule="changed-test-data", says="data of tests was changed; put it back."
        )
    elif change.path.endswith(".py"):
        yield from _python(change, renames)


test_findings.__test__ = False  # type: ignore[attr-defined]


def _python(change: FileChange, renames: Renames) -> Iterator[Finding]:
    try:
        old, new = parse(change.old), parse(change.new)
    except SyntaxError as error:
        yield Finding(
            path=change.path, line=error.lineno or 0, rule="broken-test", says="it is no valid Python any more."
        )
        return
    yield from _lost(change, old.body, new.body, renames, "")
    yield from _skipped(change, new)
    yield from patches(change, old, new, renames)
    if change.path.endswith("conftest.py"):
        yield from _hooks(change, old, new)


def _lost(
    change: FileChange, old: list[ast.stmt], new: list[ast.stmt], renames: Renames, within: str
) -> Iterator[Finding]:
    """Statements of the old file that the new one does not have, or has otherwise."""
    by_name = {_name(node): node for node in new if _name(node)}
    for node in old:
        name = _name(node)
        if isinstance(node, ast.ClassDef) and isinstance(by_name.get(name), ast.ClassDef):
            twin = by_name[name]
            assert isinstance(twin, ast.ClassDef)
            yield from _lost(change, node.body, twin.body, renames, f"{name}.")
        elif name and name in by_name:
            if not same_shape(node, by_name[name], renames):
                says = f"'{within}{name}' was changed: its checks must stay as they are; add another test instead."
                yield Finding(path=change.path, line=by_name[name].lineno, rule="weakened-test", says=says)
        elif name:
            says = f"'{within}{name}' is gone; bring it back."
            yield Finding(path=change.path, line=node.lineno, rule="deleted-test", says=says)
        elif not _is_text(node) and not any(_covers(node, each, renames) for each in new):
            says = "a line of the tests was changed or taken away; put it back."
            yield Finding(path=change.path, line=node.lineno, rule="weakened-test", says=says)
    yield from _added_before(change, old, new)


def _added_before(change: FileChange, old: list[ast.stmt], new: list[ast.stmt]) -> Iterator[Finding]:
    """The same name given again: the later one wins, so a test can be replaced without being touched."""
    names = [_name(node) for node in new if _name(node)]
    known = {_name(node) for node in old}
    for node in new:
        if _name(node) in known and names.count(_name(node)) > 1:
            says = f"'{_name(node)}' is defined twice; the later one replaces the test."
            yield Finding(path=change.path, line=node.lineno, rule="replaced-test", says=says)
            return


def _covers(old: ast.stmt, new: ast.stmt, renames: Renames) -> bool:
    """Whether a statement is still there; an import may have got more names."""
    if isinstance(old, ast.ImportFrom) and isinstance(new, ast.ImportFrom) and renames.fits(old.module, new.module):
        return all(any(renames.fits(a.name, b.name) and a.asname == b.asname for b in new.names) for a in old.names)
    return same_shape(old, new, renames)


def _name(node: ast.stmt) -> str:
    return node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else ""


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _skipped(change: FileChange, new: ast.Module) -> Iterator[Finding]:
    """Marks and calls that keep a test from running, on lines that are new."""
    added = {number for number, _ in change.added_lines()}
    for node in ast.walk(new):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name in _SKIPS and isinstance(node, ast.expr) and node.lineno in added:
            says = f"'{name}' keeps a test from running; let it run."
            yield Finding(path=change.path, line=node.lineno, rule="skipped-test", says=says)


def _hooks(change: FileChange, old: ast.Module, new: ast.Module) -> Iterator[Finding]:
    """Hooks and lists in `conftest.py` that decide which tests run, or what they are said to have done."""
    known = {name for node in statements(old) for name in bound_names(node)}
    for node in statements(new):
        for name in bound_names(node):
            if name not in known and (name.startswith("pytest_") or name in _HOOKS):
                says = f"'{name}' decides what tests do or say; leave the runner as it is."
                yield Finding(path=change.path, line=node.lineno, rule="runner-settings", says=says)
