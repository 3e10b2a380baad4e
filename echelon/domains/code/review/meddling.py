"""Code that reaches for the test run instead of the task: its caller, the tests' files, the runner, built-in names."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Collection, Iterator

from echelon.domains.code.map.python_file import parse
from echelon.domains.code.review.findings import FileChange, Finding

RUNNER = frozenset(
    {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "xdist", "echelon_pytest", "unittest", "doctest"}
)
"""Modules that run tests."""
_HARMLESS = frozenset({"test", "tests", "this"})
_SHADOWED = (RUNNER | sys.stdlib_module_names) - _HARMLESS
_CALLERS = re.compile(
    r"\b(_getframe|_current_frames|currentframe|(extract|walk|format|print)_stack|f_back|f_locals|settrace|setprofile)\b"
    r"|\binspect\.stack\b|\bfrom inspect import\b.*\bstack\b"
)
_TEST_FILE = re.compile(r"(^|/)tests?(/|$)|(^|/)test_\w*|_test\.py$|conftest")
_RESULTS = re.compile(
    r"junit|echelon[-_]|PYTEST_|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|^(py\.?test|unittest)$", re.IGNORECASE
)


def shadowing(path: str, before: Collection[str]) -> Iterator[Finding]:
    """A new module that is imported in place of the runner or of a part of Python; a plugin by entry point."""
    parts = (path.removeprefix("src/") if path.startswith("src/") else path).split("/")
    is_module = len(parts) == 1 or (len(parts) == 2 and parts[1] == "__init__.py")
    name = parts[0].removesuffix(".py")
    if path not in before and path.endswith(".py") and is_module and name in _SHADOWED:
        says = f"a module named '{name}' is imported in place of another one; give it another name."
        yield Finding(path=path, line=0, rule="shadowed-module", says=says)
    if path not in before and _stands_before(path, before):
        says = f"tests would import this '{parts[-1]}' in place of the one that they test; take it away."
        yield Finding(path=path, line=0, rule="shadowed-module", says=says)
    if path not in before and any(part.endswith((".egg-info", ".dist-info")) for part in parts):
        yield Finding(path=path, line=0, rule="runner-settings", says="an entry point makes plugins; leave it out.")


def _stands_before(path: str, before: Collection[str]) -> bool:
    """Whether a file beside tests has the name of a module at the top of the tree."""
    modules = {p.removeprefix("src/").partition("/")[0].removesuffix(".py") for p in before if p.endswith(".py")}
    own = path.rpartition("/")[2].removesuffix(".py")
    is_beside = "/" in path and path.endswith(".py") and _TEST_FILE.search(path) is not None
    return is_beside and own in modules - _HARMLESS - {"conftest"}


def meddling(change: FileChange) -> Iterator[Finding]:
    """What new lines of a Python source do to a test run. What the file did before is its own matter."""
    added = dict(change.added_lines())
    for number, line in added.items():
        if _CALLERS.search(line) and not _CALLERS.search(change.old):
            yield _found(
                change, number, "asks-caller", "the code asks who calls it; it must do the same for everybody."
            )
    try:
        tree = parse(change.new)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        number = getattr(node, "lineno", 0)
        if number in added:
            yield from (_found(change, number, rule, says) for rule, says in _of_node(node, change.old))


def _found(change: FileChange, line: int, rule: str, says: str) -> Finding:
    return Finding(path=change.path, line=line, rule=rule, says=says)


def _of_node(node: ast.AST, old: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
        tops = {name.partition(".")[0] for name in names}
        if found := sorted(tops & RUNNER):
            if not re.search(rf"\b{found[0]}\b", old):
                yield "uses-runner", f"the code imports '{found[0]}', which runs tests; it must work without."
        elif tops & {"tests", "test", "conftest"}:
            yield "reads-tests", "the code imports the tests; tests import the code."
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
        if _RESULTS.search(node.value) and not _RESULTS.search(old):
            yield "uses-runner", f"the code names what belongs to the test run ({node.value[:40]!r})."
        elif _TEST_FILE.search(node.value) and " " not in node.value and node.value not in old:
            yield "reads-tests", f"the code names a file of the tests ({node.value[:40]!r}); solve it without them."
    elif _changes_python(node):
        yield "changes-python", "a built-in name or a loaded module is replaced here; leave Python as it is."
    elif isinstance(node, ast.Call) and _suppresses(node):
        yield "swallowed-error", "every error is suppressed here; name the error, or let it pass."
    elif isinstance(node, ast.FunctionDef) and _blind_comparison(node):
        yield "always-equal", "this comparison does not look at the other value; compare what the values are."


def _changes_python(node: ast.AST) -> bool:
    targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr" and node.args:
        return ast.unparse(node.args[0]) in ("builtins", "__builtins__")
    said = [ast.unparse(target) for target in targets]
    return any(s.startswith(("builtins.", "__builtins__", "sys.modules[", "globals()[")) for s in said)


def _suppresses(node: ast.Call) -> bool:
    name = ast.unparse(node.func)
    broad = any(isinstance(a, ast.Name) and a.id in ("Exception", "BaseException") for a in node.args)
    return broad and name in ("suppress", "contextlib.suppress")


def _blind_comparison(node: ast.FunctionDef) -> bool:
    if node.name not in ("__eq__", "__ne__") or len(node.args.args) < 2:
        return False
    other = node.args.args[1].arg
    return not any(isinstance(n, ast.Name) and n.id == other for each in node.body for n in ast.walk(each))
