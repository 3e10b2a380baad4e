"""Changes of calls, arguments, variables and attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from echelon.domains.code.repair.change import Change, Source, replace
from echelon.domains.code.repair.names import Names

_PAIRS = (
    ("any", "all"), ("min", "max"), ("append", "extend"), ("add", "update"), ("startswith", "endswith"),
    ("lower", "upper"), ("lstrip", "rstrip"), ("find", "rfind"), ("split", "rsplit"), ("floor", "ceil"),
    ("popleft", "pop"), ("append", "appendleft"), ("keys", "values"), ("union", "intersection"), ("sorted", "reversed"),
    ("strip", "rstrip"), ("strip", "lstrip"), ("remove", "discard"), ("index", "find"), ("isalpha", "isalnum"),
    ("isdigit", "isalnum"), ("floor", "round"), ("int", "round"), ("partition", "rpartition"), ("get", "pop"),
)  # fmt: skip
_WRAPPERS = ("len", "list", "set", "sorted", "abs", "str", "int", "reversed")


def expression_changes(source: Source, node: ast.AST, names: Names) -> Iterator[Change]:
    """Other calls, arguments, variables and attributes at `node`."""
    if isinstance(node, ast.Call):
        yield from _call(source, node, names)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from _name(source, node, names)
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield from _attribute(source, node, names)
    elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        yield from _display(source, node)
    elif isinstance(node, ast.Slice):
        yield from _slice(source, node)
    elif isinstance(node, ast.Yield) and node.value is not None:
        yield replace(source, node, f"yield from {source.of(node.value)}", "yield each", 0.5)
        if isinstance(node.value, ast.Call) and len(node.value.args) == 1:
            yield replace(source, node, f"yield {source.of(node.value.args[0])}", "drop a call", 0.5)
    elif isinstance(node, ast.YieldFrom):
        yield replace(source, node, f"yield {source.of(node.value)}", "yield it as one", 0.5)
    if isinstance(node, ast.Return | ast.Assign) and node.value is not None:
        yield from _extended(source, node.value, names)


def _call(source: Source, node: ast.Call, names: Names) -> Iterator[Change]:
    texts, function = [source.of(argument) for argument in node.args], source.of(node.func)
    rest = [source.of(keyword) for keyword in node.keywords]

    def with_(arguments: list[str], called: str = function) -> str:
        return f"{called}({', '.join([*arguments, *rest])})"

    for one in range(len(texts)):
        for two in range(one + 1, len(texts)):
            swapped = [*texts]
            swapped[one], swapped[two] = swapped[two], swapped[one]
            yield replace(source, node, with_(swapped), "swap arguments", 0.8)
    if len(texts) == 1:
        yield replace(source, node, texts[0], "drop a call", 0.6)
    if isinstance(node.func, ast.Attribute) and not texts:
        yield replace(source, node, source.of(node.func.value), "drop a call", 0.4)
    for at in range(len(texts)):
        if len(texts) > 1:
            yield replace(source, node, with_(texts[:at] + texts[at + 1 :]), "drop an argument", 0.3)
    yield from _other_function(source, node, names)


def _other_function(source: Source, node: ast.Call, names: Names) -> Iterator[Change]:
    called = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
    others = [(b if called == a else a, 0.8) for a, b in _PAIRS if called in (a, b)]
    if isinstance(node.func, ast.Name) and called in names.functions:
        others += [(name, 0.4) for name in names.functions if name != called]
    end = source.span(node.func)[1]
    for other, weight in others:
        yield Change(end - len(called.encode()), end, other, "call another function", weight, node.lineno)


def _name(source: Source, node: ast.Name, names: Names) -> Iterator[Change]:
    parent = source.parents.get(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    for other in names.variables:
        if other != node.id:
            yield replace(source, node, other, "another variable", 0.5)
    for other in names.variables:
        if other != node.id and isinstance(parent, ast.Call | ast.Compare | ast.Subscript | ast.Slice):
            for sign, weight in (("-", 0.32), ("+", 0.3)):
                yield replace(source, node, f"{node.id} {sign} {other}", "another amount", weight)
    if node.id in names.variables:
        for wrapper in _WRAPPERS:
            yield replace(source, node, f"{wrapper}({node.id})", "a missing call", 0.15)
        for function in names.functions:
            yield replace(source, node, f"{function}({node.id})", "a missing call", 0.25)
        for attribute in names.attributes[:8]:
            yield replace(source, node, f"{node.id}.{attribute}", "a missing attribute", 0.2)


def _attribute(source: Source, node: ast.Attribute, names: Names) -> Iterator[Change]:
    parent = source.parents.get(node)
    base = source.of(node.value)
    if isinstance(parent, ast.Call) and parent.func is node:
        return
    for other in names.attributes:
        if other != node.attr:
            yield replace(source, node, f"{base}.{other}", "another attribute", 0.35)
    yield replace(source, node, base, "drop an attribute", 0.3)


def _display(source: Source, node: ast.Tuple | ast.List) -> Iterator[Change]:
    texts = [source.of(each) for each in node.elts]
    opening, closing = ("[", "]") if isinstance(node, ast.List) else ("(", ")")
    if isinstance(source.parents.get(node), ast.Subscript):
        opening = closing = ""
    for one in range(len(texts) - 1):
        swapped = [*texts]
        swapped[one], swapped[one + 1] = swapped[one + 1], swapped[one]
        yield replace(source, node, f"{opening}{', '.join(swapped)}{closing}", "swap elements", 0.6)
    if isinstance(node, ast.List) and not texts:
        yield replace(source, node, "[[]]", "another start", 0.3)
    if isinstance(node, ast.List) and len(texts) == 1:
        yield replace(source, node, texts[0], "the element itself", 0.3)


def _slice(source: Source, node: ast.Slice) -> Iterator[Change]:
    lower, upper = (source.of(each) if each is not None else "" for each in (node.lower, node.upper))
    step = f":{source.of(node.step)}" if node.step is not None else ""
    variants = {f"{upper}:{lower}{step}": 0.4}
    for low in dict.fromkeys((lower, f"{lower} + 1" if lower else "1")):
        for high in dict.fromkeys((upper, f"{upper} + 1" if upper else "-1", f"{upper} - 1" if upper else "")):
            variants.setdefault(f"{low}:{high}{step}", 0.45)
    now = source.of(node)
    for text, weight in variants.items():
        if text != now:
            yield replace(source, node, text, "another slice", weight)


def _extended(source: Source, value: ast.expr, names: Names) -> Iterator[Change]:
    """A result that lacks a part: something the function knows, put before or behind."""
    text = source.of(value)
    for other in names.variables:
        if text != other:
            for sign in ("+", "-"):
                yield replace(source, value, f"{text} {sign} {other}", "a missing part", 0.25)
            yield replace(source, value, f"{other} + {text}", "a missing part", 0.3)
            yield replace(source, value, f"max({other}, {text})", "keep the larger", 0.25)
            yield replace(source, value, f"min({other}, {text})", "keep the smaller", 0.25)
