"""New lines of test files that make other tests pass: they patch the code, take tests away, or load plugins."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from echelon.domains.code.review.findings import FileChange, Finding


def patches(change: FileChange, old: ast.Module, new: ast.Module) -> Iterator[Finding]:
    """Findings on the level of the module, and fixtures that every test gets without asking."""
    added = {number for number, _ in change.added_lines()}
    imported = {alias.asname or alias.name.partition(".")[0] for node in ast.walk(new) for alias in _aliases(node)}
    own = imported | {n.name for n in old.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    for node in new.body:
        if node.lineno in added and (says := _on_top(node, own)):
            yield Finding(path=change.path, line=node.lineno, rule="patches-tests", says=says)
        if isinstance(node, ast.FunctionDef) and node.lineno in added and _for_every_test(node):
            says = "this fixture changes every test without being asked for; let the tests that need it name it."
            yield Finding(path=change.path, line=node.lineno, rule="patches-tests", says=says)


def _aliases(node: ast.AST) -> list[ast.alias]:
    return node.names if isinstance(node, ast.Import | ast.ImportFrom) else []


def _on_top(node: ast.stmt, own: set[str]) -> str:
    """What a statement of the module does to others, '' when nothing."""
    if isinstance(node, ast.Delete):
        return "a name is deleted here, and a test with it perhaps; leave the tests as they are."
    targets = node.targets if isinstance(node, ast.Assign) else []
    for target in targets:
        if isinstance(target, ast.Attribute):
            return f"'{ast.unparse(target)}' is set for all tests; test the code as it is."
        if isinstance(target, ast.Name) and target.id in own:
            return f"'{target.id}' is bound to something else; test the code as it is."
        if isinstance(target, ast.Name) and target.id == "pytest_plugins":
            return "plugins decide what tests do; leave the runner as it is."
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = ast.unparse(node.value.func)
        if called == "setattr" or called.endswith((".start", ".setattr", ".setitem")):
            return "something is patched for all tests; test the code as it is."
    return ""


def _for_every_test(node: ast.FunctionDef) -> bool:
    return any(
        isinstance(d, ast.Call)
        and any(k.arg == "autouse" and isinstance(k.value, ast.Constant) and k.value.value is True for k in d.keywords)
        for d in node.decorator_list
    )
