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
    r"|\b(tb_frame|gi_frame|cr_frame|linecache)\b|\bgc\.get_(objects|referrers|referents)\b"
    r"|\binspect\.stack\b|\bfrom inspect import\b.*\bstack\b"
)
_TEST_FILE = re.compile(r"(^|/)tests?(/|$)|(^|/)test_\w*|_test\.py$|conftest")
_JOINED = re.compile(r"pytest|unittest|junit|PYTEST_|PYTHONHASH|conftest|echelon[-_]", re.IGNORECASE)
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
    elif said := joined(node):
        if _JOINED.search(said) and not _JOINED.search(old):
            yield "uses-runner", f"the code puts together a name that belongs to the test run ({said[:40]!r})."
    elif isinstance(node, ast.If | ast.IfExp | ast.While) and _by_the_clock(node.test):
        yield "by-the-clock", "what the clock says by chance decides here; let the result depend on what is given."
    elif _asks_for_modules(node):
        yield "knows-tests", "the code looks at what is loaded; it must do the same whoever loads it."
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" not in node.value:
        if _RESULTS.search(node.value) and not _RESULTS.search(old):
            yield "uses-runner", f"the code names what belongs to the test run ({node.value[:40]!r})."
        elif _TEST_FILE.search(node.value) and " " not in node.value and node.value not in old:
            yield "reads-tests", f"the code names a file of the tests ({node.value[:40]!r}); solve it without them."
    elif _changes_python(node):
        yield "changes-python", "a built-in name or a loaded module is replaced here; leave Python as it is."
    elif isinstance(node, ast.Call) and _suppresses(node):
        yield "swallowed-error", "every error is suppressed here; name the error, or let it pass."


def joined(node: ast.AST) -> str:
    """The text that a sum of literals or a call of `join` on literals gives; '' for everything else."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [_literal(node.left) or joined(node.left), _literal(node.right) or joined(node.right)]
        return "".join(sides) if all(sides) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_literal(getattr(each, "value", each)) for each in node.values)
    is_join = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join"
    if is_join and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        parts = getattr(node.args[0], "elts", [])
        return _literal(node.func.value).join(_literal(each) for each in parts)
    return ""


def _literal(node: ast.AST) -> str:
    value = node.value if isinstance(node, ast.Constant) else ""
    return value.decode("latin-1") if isinstance(value, bytes) else value if isinstance(value, str) else ""


def _asks_for_modules(node: ast.AST) -> bool:
    """`sys.modules` as a whole: counted, gone through, or asked for a name that is made."""
    if isinstance(node, ast.For):
        return "sys.modules" in ast.unparse(node.iter)
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return any("sys.modules" in ast.unparse(each.iter) for each in node.generators)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "list", "sorted"):
        return bool(node.args) and ast.unparse(node.args[0]) in ("sys.modules", "sys.modules.keys()")
    if isinstance(node, ast.Compare) and ast.unparse(node.comparators[0]) == "sys.modules":
        return not isinstance(node.left, ast.Constant | ast.Name | ast.Attribute)
    return False


def _by_the_clock(node: ast.expr) -> bool:
    """The remainder of a time in a condition."""
    remainders = [n for n in ast.walk(node) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mod)]
    return any(_CLOCK.search(ast.unparse(each)) for each in remainders)


_CLOCK = re.compile(r"\b(time|time_ns|monotonic|monotonic_ns|perf_counter|now|utcnow|getpid)\(")


def _changes_python(node: ast.AST) -> bool:
    targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr" and node.args:
        return ast.unparse(node.args[0]) in ("builtins", "__builtins__")
    said = [ast.unparse(target) for target in targets]
    if any(s.startswith(("builtins.", "__builtins__", "sys.modules[", "globals()[")) for s in said):
        return True
    inside = [s.partition("[")[0] for t, s in zip(targets, said, strict=True) if isinstance(t, ast.Subscript)]
    if any((s.endswith(".__dict__") and not s.startswith(("self.", "cls."))) or s.startswith("vars(") for s in inside):
        return True
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("ctypes.pythonapi", "sys.addaudithook"))


def _suppresses(node: ast.Call) -> bool:
    name = ast.unparse(node.func)
    broad = any(isinstance(a, ast.Name) and a.id in ("Exception", "BaseException") for a in node.args)
    return broad and name in ("suppress", "contextlib.suppress")


_ELSEWHERE = (
    ("knows-tests", re.compile(
        r"NODE_TEST_CONTEXT|JEST_WORKER_ID|VITEST|NODE_ENV\b.*\btest\b|process\.(argv|execArgv)\b.*\btest\b"
        r"|\btesting\.Testing\(|flag\.Lookup\(\"test\.|\.test\"\)|\bcfg!?\((not\()?test\)|\bos\.Args\[0\].*test"
    ), "the code asks whether it is being tested; it must do the same for users."),
    ("ends-run", re.compile(r"\bprocess\.(exit|reallyExit)\(\s*0?\s*\)|\bos\.Exit\(0\)|\bprocess::exit\(0\)"),
     "the process is ended here, with it the test run; return or raise instead."),
    ("uses-runner", re.compile(
        r"require\(['\"](node:)?(assert|test)(/\w+)?['\"]\)|from\s+['\"](node:)?(assert|test)(/\w+)?['\"]|\"testing\"$"
    ), "the code imports what runs tests; it must work without."),
    ("asks-caller", re.compile(r"\bnew Error\([^)]*\)\.stack|\bcaptureStackTrace\b|\bruntime\.Callers?\("),
     "the code asks who calls it; it must do the same for everybody."),
)  # fmt: skip


def meddling_elsewhere(change: FileChange) -> Iterator[Finding]:
    """The same in sources of other languages, line by line."""
    for number, line in change.added_lines():
        for rule, expression, says in _ELSEWHERE:
            if expression.search(line) and not expression.search(change.old):
                yield _found(change, number, rule, says)
