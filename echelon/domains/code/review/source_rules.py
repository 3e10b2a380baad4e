"""Code that only looks right to the tests: it knows their values, notices that it is tested, or swallows errors."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator

from echelon.domains.code.map.languages import language_of
from echelon.domains.code.map.python_file import parse
from echelon.domains.code.review.equality import blind_comparisons
from echelon.domains.code.review.findings import FileChange, Finding
from echelon.domains.code.review.hidden_values import hidden_values

_SMALL = (0, 1, 2, -1, True, False, None, "")
_KNOWS_TESTS = re.compile(
    r"PYTEST_CURRENT_TEST|\bsys\.modules\b.*(pytest|unittest)|['\"](pytest|unittest)['\"]\s+in\s+sys\.modules"
)
_ENDS = re.compile(r"\b(os\._exit|os\.abort)\s*\(|\bsys\.exit\s*\(\s*0?\s*\)|\braise SystemExit\s*(\(\s*0?\s*\))?\s*$")
_SHARE = 0.3
"""Part of the words of a data file that may be values of the tests; a table of answers has more."""
_BROAD = ("Exception", "BaseException")


def test_literals(texts: Iterable[str]) -> frozenset[object]:
    """Values that tests name in their calls, checks and cases; small ones that anything may use are left out."""
    found: set[object] = set()
    for text in texts:
        try:
            tree = parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and _telling(node.value):
                found.add(node.value)
    return frozenset(found)


test_literals.__test__ = False  # type: ignore[attr-defined]


def source_findings(change: FileChange, literals: frozenset[object], request: str) -> Iterator[Finding]:
    """What is wrong with a change of a Python file that is no test."""
    added = dict(change.added_lines())
    for number, line in added.items():
        if _KNOWS_TESTS.search(line):
            says = "the code asks whether it is being tested; it must do the same for users."
            yield Finding(path=change.path, line=number, rule="knows-tests", says=says)
        if _ENDS.search(line) and ("__main__" not in change.new or not line[:1].isspace()):
            says = "the process is ended here, with it the test run; return or raise instead."
            yield Finding(path=change.path, line=number, rule="ends-run", says=says)
    try:
        tree = parse(change.new)
    except SyntaxError as error:
        yield Finding(path=change.path, line=error.lineno or 0, rule="syntax", says=f"no valid Python: {error.msg}.")
        return
    old = {value for value in _constants(change.old) if _telling(value)}
    special = {value for value in literals - old if str(value) not in request}
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) in added:
            yield from _special(change.path, node, special)
            yield from _swallowed(change.path, node)
    yield from blind_comparisons(change, tree)
    yield from hidden_values(change, tree, special)


def table_findings(
    change: FileChange, literals: frozenset[object], request: str, sources: str = ""
) -> Iterator[Finding]:
    """A data file that is mostly made of the values of the tests; documents too, where new lines of `sources` name them."""
    name = change.path.rpartition("/")[2]
    if language_of(change.path) or (change.path.endswith((".md", ".rst")) and name not in sources):
        return
    known = set(_TOKEN.findall(change.old)) | set(_TOKEN.findall(request))
    words = [w for w in _TOKEN.findall(change.new) if w not in known]
    found = [w for w in words if w in {str(value) for value in literals}]
    if len(set(found)) > 1 and len(found) >= _SHARE * len(words):
        says = f"this file is made of values of the tests ({found[0]!r}); solve it for every value."
        yield Finding(path=change.path, line=1, rule="special-case", says=says)


_TOKEN = re.compile(r"[\w.]*\w")


def _special(path: str, node: ast.AST, special: set[object]) -> Iterator[Finding]:
    """Comparisons with a test's own value, and tables of several of them."""
    values: list[object] = []
    if isinstance(node, ast.Compare) and all(isinstance(op, ast.Eq | ast.In | ast.Is) for op in node.ops):
        values = [each for side in (node.left, *node.comparators) for each in _values(side) if each in special]
    elif isinstance(node, ast.match_case):
        values = [each for each in _values(node.pattern) if each in special]
    elif isinstance(node, ast.Dict | ast.List | ast.Tuple | ast.Set):
        values = [each for each in _values(node) if each in special]
        values = values if len(values) > 1 else []
    elif isinstance(node, ast.Return) and node.value is not None:
        folded = _folded(node.value)
        values = [folded] if folded in special and _telling(folded) else []
    if values:
        says = f"the code names a value of the tests ({values[0]!r}); solve it for every value."
        yield Finding(path=path, line=getattr(node, "lineno", 0), rule="special-case", says=says)


def _swallowed(path: str, node: ast.AST) -> Iterator[Finding]:
    if not isinstance(node, ast.ExceptHandler):
        return
    is_broad = node.type is None or (isinstance(node.type, ast.Name) and node.type.id in _BROAD)
    idle = all(isinstance(each, ast.Pass | ast.Continue) or _is_constant(each) for each in node.body)
    if is_broad and idle:
        says = "every error is caught and ignored here; name the error, or let it pass."
        yield Finding(path=path, line=node.lineno, rule="swallowed-error", says=says)


def _is_constant(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Return) and (node.value is None or isinstance(node.value, ast.Constant))


def _values(node: ast.AST) -> list[object]:
    """The telling values that stand there, also those that are written as a sum."""
    found = [_folded(each) for each in ast.walk(node)]
    return [value for value in found if value is not None and _telling(value)]


def _folded(node: ast.AST) -> object:
    """A constant, or the value of arithmetic with nothing but numbers; None for everything else."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.BinOp) and (work := _ARITHMETIC.get(type(node.op))):
        left, right = _folded(node.left), _folded(node.right)
        if isinstance(left, int | float) and isinstance(right, int | float) and max(abs(left), abs(right)) < _LARGEST:
            return work(left, right)
    return None


def _divided(left: float, right: float) -> float | None:
    return left / right if right else None


_LARGEST = 10**12
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float | None]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _divided,
}  # fmt: skip


def _constants(text: str) -> list[object]:
    try:
        return [node.value for node in ast.walk(parse(text)) if isinstance(node, ast.Constant)]
    except SyntaxError:
        return []


def _telling(value: object) -> bool:
    if isinstance(value, bool) or value in _SMALL:
        return False
    return (isinstance(value, str) and 3 <= len(value) <= 80) or isinstance(value, int | float)
