"""Sources whose functions do nothing: a test that passes on them checks nothing."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from echelon.domains.code.map.languages import find_tests
from echelon.domains.code.map.python_file import parse

ONLY_THERE = "raise type('Hollow', (BaseException,), {})"
"""A body that cannot be called: a test that passes all the same calls nothing."""
_WITHIN = "def f():\n    {}"
ONLY_WORKS = "return object()"
"""A body that gives what nothing is equal to: a test that passes all the same looks at no result."""


def hollow(contents: Mapping[str, bytes], body: str = ONLY_THERE) -> dict[str, bytes]:
    """The files with every function of the Python sources emptied; tests stay as they are."""
    tests = find_tests(contents)
    return {p: data if p in tests or not p.endswith(".py") else _emptied(data, body) for p, data in contents.items()}


def _emptied(data: bytes, body: str) -> bytes:
    try:
        tree = parse(data.decode("utf-8", "replace"))
    except SyntaxError:
        return data
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = ast.parse(_WITHIN.format(body)).body[0].body  # type: ignore[attr-defined]
    return ast.unparse(ast.fix_missing_locations(tree)).encode()


def only_functions(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bool:
    """Whether a change of the sources is one of functions alone: all else but imports and documentation is as it was."""
    tests = find_tests([*before, *after])
    for path in {*before, *after} - tests:
        if before.get(path) == after.get(path) or path.endswith((".md", ".rst")):
            continue
        if not path.endswith(".py") or path not in after:
            return False
        try:
            sides = [_rest(parse(side.get(path, b"").decode("utf-8", "replace"))) for side in (before, after)]
        except SyntaxError:
            return False
        if sides[0] != sides[1]:
            return False
    return True


def _rest(tree: ast.Module) -> list[str]:
    """What a module holds besides functions, classes of nothing but functions, imports and texts."""
    out: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        methods = [n for n in getattr(node, "body", ()) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        if isinstance(node, ast.ClassDef) and methods:
            node.body = [n for n in node.body if n not in methods]
            if not [n for n in node.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]:
                continue
        out.append(ast.dump(node))
    return out
