"""Changes of operators, constants and bounds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from echelon.domains.code.repair.change import Change, Source, replace

COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_TWINS = (("<", "<="), (">", ">="), ("==", "!="), ("is", "is not"), ("in", "not in"))
_NEAR = {one: two for pair in _TWINS for one, two in (pair, pair[::-1])}
_ORDER = ("<", "<=", ">", ">=", "==", "!=")
_GROUPS = (("+", "-"), ("*", "/", "//", "%"), ("&", "|", "^"), ("<<", ">>"), ("*", "**"))


def operator_changes(source: Source, node: ast.AST) -> Iterator[Change]:
    """Other operators, constants and bounds at `node`."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield from _compare(source, node)
    elif isinstance(node, ast.BinOp):
        yield from _arithmetic(source, node)
    elif isinstance(node, ast.AugAssign):
        yield from _in_place(source, node)
    elif isinstance(node, ast.BoolOp):
        yield from _bool(source, node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield replace(source, node, source.of(node.operand), "drop the sign", 0.5)
    elif isinstance(node, ast.Constant):
        yield from _constant(source, node)
    if isinstance(node, ast.expr):
        yield from _bounds(source, node)


def _compare(source: Source, node: ast.Compare) -> Iterator[Change]:
    left, right, now = source.of(node.left), source.of(node.comparators[0]), COMPARE[type(node.ops[0])]
    others = [sign for sign in _ORDER if sign != now] if now in _ORDER else [_NEAR[now]]
    for sign in others:
        yield replace(source, node, f"{left} {sign} {right}", "compare otherwise", 1.0 if sign == _NEAR[now] else 0.8)
    for side, by in ((node.left, -1), (node.left, 1), (node.comparators[0], 1), (node.comparators[0], -1)):
        if isinstance(side, ast.Constant) and type(side.value) is int:
            for sign in others:
                moved = str(side.value + by)
                pair = (moved, right) if side is node.left else (left, moved)
                yield replace(source, node, f"{pair[0]} {sign} {pair[1]}", "another bound", 0.45)
    if now not in ("==", "!=", "is", "is not"):
        yield replace(source, node, f"{right} {now} {left}", "swap the sides", 0.5)


def _arithmetic(source: Source, node: ast.BinOp) -> Iterator[Change]:
    left, right, now = source.of(node.left), source.of(node.right), ARITHMETIC.get(type(node.op), "")
    for group in _GROUPS:
        for sign in group if now in group else ():
            if sign != now:
                yield replace(source, node, f"{left} {sign} {right}", "calculate otherwise", 0.8)
    near = {sign for group in _GROUPS if now in group for sign in group}
    for sign in ("+", "-", "*", "//"):
        if now and sign not in near:
            yield replace(source, node, f"{left} {sign} {right}", "calculate otherwise", 0.35)
    if now not in ("+", "*", "&", "|", "^"):
        yield replace(source, node, f"{right} {now} {left}", "swap the operands", 0.5)
    yield replace(source, node, left, "drop an operand", 0.3)
    yield replace(source, node, right, "drop an operand", 0.3)


def _in_place(source: Source, node: ast.AugAssign) -> Iterator[Change]:
    now, target, value = ARITHMETIC.get(type(node.op), ""), source.of(node.target), source.of(node.value)
    for group in _GROUPS:
        for sign in group if now in group else ():
            if sign != now:
                yield replace(source, node, f"{target} {sign}= {value}", "calculate otherwise", 0.8)
    yield replace(source, node, f"{target} = {value}", "assign instead", 0.4)


def _bool(source: Source, node: ast.BoolOp) -> Iterator[Change]:
    parts = [f"({source.of(v)})" if isinstance(v, ast.BoolOp | ast.IfExp) else source.of(v) for v in node.values]
    now, other = (" and ", " or ") if isinstance(node.op, ast.And) else (" or ", " and ")
    yield replace(source, node, other.join(parts), "and for or", 0.8)
    for at in range(len(parts)):
        yield replace(source, node, now.join(parts[:at] + parts[at + 1 :]), "drop a condition", 0.55)
        negated = [*parts[:at], f"not {parts[at]}", *parts[at + 1 :]]
        yield replace(source, node, now.join(negated), "negate a condition", 0.5)


def _constant(source: Source, node: ast.Constant) -> Iterator[Change]:
    if isinstance(node.value, bool):
        yield replace(source, node, str(not node.value), "the other truth", 0.8)
    elif isinstance(node.value, int):
        for value in dict.fromkeys((node.value + 1, node.value - 1, 0, 1, -node.value)):
            if value != node.value:
                near = abs(value - node.value) == 1
                yield replace(source, node, str(value), "another number", 0.8 if near else 0.5)


def _bounds(source: Source, node: ast.expr) -> Iterator[Change]:
    """One more, one less, where an expression may be a position or a count."""
    if not isinstance(node, ast.Name | ast.BinOp | ast.Call | ast.Subscript | ast.Attribute) or not _is_amount(
        source, node
    ):
        return
    text = source.of(node)
    for sign in ("+", "-"):
        yield replace(source, node, f"{text} {sign} 1", "off by one", 0.7)


def _is_amount(source: Source, node: ast.expr) -> bool:
    parent = source.parents.get(node)
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return False
    if isinstance(parent, ast.Tuple):
        return isinstance(source.parents.get(parent), ast.Subscript)
    if isinstance(parent, ast.Call):
        return node in parent.args
    if isinstance(parent, ast.BinOp):
        return isinstance(parent.op, ast.Mult | ast.FloorDiv | ast.Mod) or isinstance(node, ast.Call)
    if isinstance(parent, ast.Subscript):
        return node is parent.slice
    return isinstance(parent, ast.Slice | ast.Compare | ast.Return | ast.Assign | ast.AugAssign)
