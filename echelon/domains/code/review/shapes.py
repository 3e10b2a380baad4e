"""Whether code is the same but for names that were changed throughout, and for what was added to lists of cases."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from echelon.json_text import is_list

_NAMED = {"Name": "id", "Attribute": "attr", "arg": "arg", "keyword": "arg", "alias": "name", "ImportFrom": "module"}


@dataclass
class Renames:
    """Names that may stand for each other: gone ones and new ones; each old name has one new name."""

    gone: frozenset[str] = frozenset()
    came: frozenset[str] = frozenset()
    used: dict[str, str] = field(default_factory=dict)

    def fits(self, old: str | None, new: str | None) -> bool:
        """Whether `new` may stand where `old` stood. Dotted names are compared part by part."""
        if old == new:
            return True
        if old is None or new is None:
            return False
        ones, twos = old.split("."), new.split(".")
        return len(ones) == len(twos) and all(self._part(one, two) for one, two in zip(ones, twos, strict=True))

    def _part(self, old: str, new: str) -> bool:
        if old == new:
            return old not in self.gone or not self.came
        if old not in self.gone or new not in self.came:
            return False
        return self.used.setdefault(old, new) == new


def same_shape(old: ast.AST | None, new: ast.AST | None, renames: Renames, *, cases: bool = False) -> bool:
    """Whether two trees are equal but for renamed names; within decorators (`cases`) lists may have become longer."""
    if type(old) is not type(new) or old is None or new is None:
        return old is None and new is None
    if cases and isinstance(old, ast.List | ast.Tuple) and isinstance(new, ast.List | ast.Tuple):
        pairs = zip(old.elts, new.elts, strict=False)
        return len(old.elts) <= len(new.elts) and all(same_shape(a, b, renames, cases=cases) for a, b in pairs)
    named = _NAMED.get(type(old).__name__)
    for name, one in ast.iter_fields(old):
        two = getattr(new, name, None)
        if name in ("ctx", "type_comment", "kind"):
            continue
        if name == named and isinstance(one, str | None) and isinstance(two, str | None):
            if not renames.fits(one, two):
                return False
        elif not _same_field(one, two, renames, cases=cases or name == "decorator_list"):
            return False
    return True


def _same_field(one: object, two: object, renames: Renames, *, cases: bool) -> bool:
    if is_list(one) and is_list(two):
        return len(one) == len(two) and all(
            _same_field(a, b, renames, cases=cases) for a, b in zip(one, two, strict=True)
        )
    if isinstance(one, ast.AST) and isinstance(two, ast.AST):
        return same_shape(one, two, renames, cases=cases)
    return type(one) is type(two) and one == two


def defined_names(texts: Mapping[str, str], skip: Iterable[str] = ()) -> frozenset[str]:
    """Names that files define: functions, classes, variables, parameters, attributes, modules; none where syntax is bad."""
    from echelon.domains.code.map.python_file import parse

    left_out = set(skip)
    found: set[str] = set()
    for path, text in texts.items():
        if path in left_out or not path.endswith(".py"):
            continue
        found |= {part.removesuffix(".py") for part in path.split("/")}
        try:
            tree = parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                found.add(node.attr)
    return frozenset(found)
