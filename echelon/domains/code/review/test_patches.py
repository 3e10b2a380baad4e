"""New lines of test files that make other tests pass: they patch the code, take tests away, or load plugins."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from echelon.domains.code.review.findings import FileChange, Finding
from echelon.domains.code.review.shapes import Renames


def patches(change: FileChange, old: ast.Module, new: ast.Module, renames: Renames) -> Iterator[Finding]:
    """Findings on the level of the module, fixtures that every test gets, and set-ups of tests that were there."""
    added = {number for number, _ in change.added_lines()}
    imported = {alias.asname or alias.name.partition(".")[0] for node in ast.walk(new) for alias in _aliases(node)}
    own = imported | {n.name for n in old.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    for node in statements(new):
        if node.lineno in added and (says := _on_top(node, own)):
            yield Finding(path=change.path, line=node.lineno, rule="patches-tests", says=says)
    for each in ast.walk(new):
        if isinstance(each, ast.Call) and _is_for_every_test(each, change, added):
            says = "this fixture changes every test without being asked for; let the tests that need it name it."
            yield Finding(path=change.path, line=each.lineno, rule="patches-tests", says=says)
    yield from _bound_anew(change, old, new, added, renames)
    yield from _set_ups(change, old.body, new.body)


def statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported: those on top, and those below conditions, loops and the like."""
    waiting = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
            handlers = getattr(node, "handlers", [])
            waiting += [each for handler in handlers for each in handler.body]


def bound_names(node: ast.stmt) -> list[str]:
    """Names that a statement binds in its module."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    skip = {id(n) for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt) for n in ast.walk(each)}
    names = [
        n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in skip
    ]
    return [n.id for n in names]


def _bound_anew(
    change: FileChange, old: ast.Module, new: ast.Module, added: set[int], renames: Renames
) -> Iterator[Finding]:
    """A name that the tests of the file import or Python has, bound to something else by a new statement."""
    if change.before is None:
        return
    was = {name for node in statements(old) for name in bound_names(node)}
    first: set[str] = set()
    for node in statements(new):
        for name in bound_names(node):
            again = name in first and name in was
            if node.lineno in added and name not in _MARKS and (again or (name in _BUILT_IN and name not in was)):
                says = f"'{name}' is bound to something else; test the code as it is."
                yield Finding(path=change.path, line=node.lineno, rule="patches-tests", says=says)
            first.add(name)
        if isinstance(node, ast.ImportFrom) and node.lineno in added:
            for alias in node.names:
                if alias.asname and alias.asname in was and not renames.fits(alias.asname, alias.name):
                    says = f"'{alias.name}' is imported as '{alias.asname}'; test the code as it is."
                    yield Finding(path=change.path, line=node.lineno, rule="patches-tests", says=says)


def _set_ups(change: FileChange, old: list[ast.stmt], new: list[ast.stmt]) -> Iterator[Finding]:
    """New set-ups that are run before tests that were there."""
    defined = {node.name: node for node in old if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    has_tests = any(name.lower().startswith("test") for name in defined)
    for node in new:
        if isinstance(node, ast.ClassDef) and isinstance(twin := defined.get(node.name), ast.ClassDef):
            yield from _set_ups(change, twin.body, node.body)
        elif has_tests and not isinstance(node, ast.ClassDef) and _changes_all(node, old):
            says = f"'{bound_names(node)[0]}' decides about tests that were there; leave them as they are."
            yield Finding(path=change.path, line=node.lineno, rule="patches-tests", says=says)
        elif has_tests and isinstance(node, ast.FunctionDef) and node.name in _SET_UPS and node.name not in defined:
            says = f"'{node.name}' is run before tests that were there; put it beside new tests of their own."
            yield Finding(path=change.path, line=node.lineno, rule="patches-tests", says=says)


def _changes_all(node: ast.stmt, old: list[ast.stmt]) -> bool:
    names = {*bound_names(node)} & {"__test__", "pytestmark"}
    return bool(names) and not any(names & {*bound_names(each)} for each in old)


_SET_UPS = frozenset(
    f"{when}{what}" for when in ("setup", "teardown") for what in ("", "_module", "_function", "_class", "_method")
) | {
    "setUp",
    "tearDown",
    "setUpClass",
    "tearDownClass",
    "setUpModule",
    "tearDownModule",
    "asyncSetUp",
    "run",
    "__init__",
}
_BUILT_IN = frozenset(name for name in dir(builtins) if not name.startswith("_"))
_MARKS = frozenset({"copyright", "credits", "license", "exit", "quit"})


_REACHES = re.compile(r"\bsys\.modules\b|\b(vars|globals)\(|__dict__|^sys\.meta_path|^builtins\b|^exec$")


def _aliases(node: ast.AST) -> list[ast.alias]:
    return node.names if isinstance(node, ast.Import | ast.ImportFrom) else []


def _on_top(node: ast.stmt, own: set[str]) -> str:
    """What a statement of the module does to others, '' when nothing."""
    if isinstance(node, ast.Delete):
        return "a name is deleted here, and a test with it perhaps; leave the tests as they are."
    targets = node.targets if isinstance(node, ast.Assign) else []
    targets = [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign) else targets
    for target in targets:
        if isinstance(target, ast.Attribute):
            return f"'{ast.unparse(target)}' is set for all tests; test the code as it is."
        if isinstance(target, ast.Subscript) and _REACHES.search(ast.unparse(target.value)):
            return f"'{ast.unparse(target)}' is set for all tests; test the code as it is."
        if isinstance(target, ast.Name) and target.id in own:
            return f"'{target.id}' is bound to something else; test the code as it is."
        if isinstance(target, ast.Name) and target.id == "pytest_plugins":
            return "plugins decide what tests do; leave the runner as it is."
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = ast.unparse(node.value.func)
        if called == "setattr" or called.endswith((".start", ".setattr", ".setitem")) or _REACHES.search(called):
            return "something is patched for all tests; test the code as it is."
    return ""


def _is_for_every_test(node: ast.Call, change: FileChange, added: set[int]) -> bool:
    """A call of `fixture` with `autouse`, in whatever words, on new lines; or one whose options are not said."""
    if not added & set(range(node.lineno, (node.end_lineno or node.lineno) + 1)):
        return False
    if not ast.unparse(node.func).endswith("fixture"):
        return False
    off = [k for k in node.keywords if isinstance(k.value, ast.Constant) and k.value.value is False]
    return any(k.arg is None or (k.arg == "autouse" and k not in off) for k in node.keywords)
