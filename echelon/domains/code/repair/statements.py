"""Changes of conditions and of whole statements: dropped, moved, copied, guarded."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator

from echelon.domains.code.repair.change import Change, Source, replace
from echelon.domains.code.repair.names import Function, Names

_SIMPLE = ast.Assign | ast.AugAssign | ast.Expr | ast.Return | ast.Delete
LONGEST_COPY = 200


def statement_changes(source: Source, node: ast.AST, names: Names, function: Function) -> Iterator[Change]:
    """Other conditions and statements at `node`."""
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield from _condition(source, node.test, names)
    if isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield from _condition(source, test, names)
    if isinstance(node, ast.If | ast.While):
        yield from _keyword(source, node)
    if isinstance(node, ast.Assign):
        yield from _assign(source, node)
    if isinstance(node, ast.Break | ast.Continue):
        other = "continue" if isinstance(node, ast.Break) else "break"
        yield replace(source, node, other, "leave or go on", 0.4)
    if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield from _dropped(source, node)
        yield from _inserted(source, node, function)


def _condition(source: Source, test: ast.expr, names: Names) -> Iterator[Change]:
    text = source.of(test)
    closed = f"({text})" if isinstance(test, ast.BoolOp | ast.IfExp | ast.Lambda) else text
    yield replace(source, test, f"not {closed}", "the opposite condition", 0.6)
    for value in ("True", "False"):
        if text != value:
            yield replace(source, test, value, "a fixed condition", 0.3)
    for name in names.variables:
        if text != name:
            yield replace(source, test, name, "another condition", 0.4)
            yield replace(source, test, f"not {name}", "another condition", 0.3)
            for more in (
                f"{closed} and {name}",
                f"{name} and {closed}",
                f"{closed} or {name}",
                f"{closed} or not {name}",
            ):
                yield replace(source, test, more, "one more condition", 0.3)
            yield replace(source, test, f"{name} is None or {closed}", "a guard", 0.35)
            yield replace(source, test, f"{name} is not None and {closed}", "a guard", 0.35)
    for other in names.conditions:
        if other != text:
            yield replace(source, test, f"{closed} and {other}", "one more condition", 0.25)
            yield replace(source, test, f"{closed} or {other}", "one more condition", 0.25)
            yield replace(source, test, other, "another condition", 0.3)


def _keyword(source: Source, node: ast.If | ast.While) -> Iterator[Change]:
    start, _ = source.span(node)
    now = "if" if isinstance(node, ast.If) else "while"
    if source.data[start : start + len(now)] == now.encode():
        other = "while" if now == "if" else "if"
        if not (now == "if" and node.orelse):
            yield Change(start, start + len(now), other, "once or as long as", 0.25, node.lineno)


def _assign(source: Source, node: ast.Assign) -> Iterator[Change]:
    if len(node.targets) != 1:
        return
    target, value = source.of(node.targets[0]), source.of(node.value)
    for sign in ("+", "-"):
        yield replace(source, node, f"{target} {sign}= {value}", "add instead", 0.3)
    if isinstance(node.targets[0], ast.Name | ast.Subscript | ast.Attribute):
        yield replace(source, node, f"{target} = max({target}, {value})", "keep the larger", 0.4)
        yield replace(source, node, f"{target} = min({target}, {value})", "keep the smaller", 0.4)


def _dropped(source: Source, node: ast.stmt) -> Iterator[Change]:
    if isinstance(node, _SIMPLE | ast.Break | ast.Continue | ast.Raise | ast.If | ast.For | ast.While):
        yield replace(source, node, "pass", "drop a statement", 0.25)


def _inserted(source: Source, node: ast.stmt, function: Function) -> Iterator[Change]:
    """Copies of the function's statements, before and behind this one, at its depth; and behind the loop it ends."""
    for text, weight in _copies(source, function):
        if text.strip() == source.of(node).strip():
            continue
        indentation = source.indentation(node)
        block = textwrap.indent(text, indentation) + "\n"
        before = source.line_start(node.lineno)
        yield Change(before, before, block, "a missing statement", weight, node.lineno)
        end = source.line_start((node.end_lineno or node.lineno) + 1)
        lead = "" if source.data[:end].endswith(b"\n") else "\n"
        yield Change(end, end, lead + block, "a missing statement", weight, node.end_lineno or node.lineno)


def _copies(source: Source, function: Function) -> list[tuple[str, float]]:
    """Simple statements of the function as they stand, and calls made in it on one of its variables."""
    out: dict[str, float] = {}
    for node in ast.walk(function):
        if not isinstance(node, _SIMPLE) or _is_doc(node):
            continue
        text = source.of(node)
        if len(text) <= LONGEST_COPY and "\n" not in text:
            out.setdefault(text, 0.3 if isinstance(node, ast.Expr | ast.AugAssign) else 0.2)
    return list(out.items())


def _is_doc(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
