"""Sources whose functions do nothing: a test that passes on them checks nothing."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from echelon.domains.code.map.languages import find_tests
from echelon.domains.code.map.python_file import parse

_BODY = "raise RuntimeError('hollow')"


def hollow(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with every function of the Python sources emptied; tests stay as they are."""
    tests = find_tests(contents)
    return {p: data if p in tests or not p.endswith(".py") else _emptied(data) for p, data in contents.items()}


def _emptied(data: bytes) -> bytes:
    try:
        tree = parse(data.decode("utf-8", "replace"))
    except SyntaxError:
        return data
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = ast.parse(_BODY).body
    return ast.unparse(ast.fix_missing_locations(tree)).encode()
