"""Comparisons that come out the same whatever they are given: by a method, a lambda, or a class that is made by a call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from echelon.domains.code.review.findings import FileChange, Finding

_NAMES = ("__eq__", "__ne__")
_KINDS = ("isinstance", "issubclass", "type", "hasattr", "callable", "id")


def blind_comparisons(change: FileChange, tree: ast.Module) -> Iterator[Finding]:
    """New `__eq__` and `__ne__` that do not relate their two values, in a Python source."""
    added = {number for number, _ in change.added_lines()}
    for node in ast.walk(tree):
        for function in _comparisons(node):
            lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
            if not added.isdisjoint(lines) and not _relates(function):
                says = "this comparison does not hold the two values against each other; compare what they are."
                yield Finding(path=change.path, line=function.lineno, rule="always-equal", says=says)


def _comparisons(node: ast.AST) -> Iterator[ast.FunctionDef | ast.Lambda]:
    """Functions that a node makes a comparison."""
    if isinstance(node, ast.FunctionDef) and node.name in _NAMES:
        yield node
    pairs: list[tuple[ast.expr | None, ast.expr]] = []
    if isinstance(node, ast.Assign):
        pairs = [(target, node.value) for target in node.targets]
    elif isinstance(node, ast.Dict):
        pairs = list(zip(node.keys, node.values, strict=True))
    elif isinstance(node, ast.Call) and len(node.args) == 3:
        pairs = [(node.args[1], node.args[2])]
    for name, value in pairs:
        said = name.value if isinstance(name, ast.Constant) else getattr(name, "id", getattr(name, "attr", ""))
        if said in _NAMES and isinstance(value, ast.Lambda):
            yield value


def _relates(function: ast.FunctionDef | ast.Lambda) -> bool:
    """Whether both values are looked at, besides their kinds and whether they are there."""
    names = [argument.arg for argument in function.args.args]
    if len(names) < 2:
        return True
    body = function.body if isinstance(function.body, list) else [function.body]
    found = {name for each in body for name in _looked_at(each)}
    return names[1] in found and (names[0] in found or "super" in found)


def _looked_at(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _KINDS:
        return
    if isinstance(node, ast.Compare) and _says_nothing(node):
        return
    if isinstance(node, ast.Name):
        yield node.id
    for each in ast.iter_child_nodes(node):
        yield from _looked_at(each)


def _says_nothing(node: ast.Compare) -> bool:
    """`x is y`, `x is not None`, `x == x`."""
    same = ast.unparse(node.left) == ast.unparse(node.comparators[0])
    return same or all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
