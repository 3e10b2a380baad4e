"""Names that can stand at a place of a function: parameters, variables, functions of the file, attributes."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Names:
    """What a function knows, each in the order of its first use."""

    variables: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    """Of the file, besides nested ones."""
    attributes: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    """Texts of comparisons that the function makes."""


def names_of(function: Function, tree: ast.Module) -> Names:
    """Names known in `function` of the file `tree`."""
    out = Names()
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    out.variables = _once([*(a.arg for a in every if a.arg not in ("self", "cls")), *stored])
    tops = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    out.functions = _once([n.name for n in tops if not n.name.startswith("__")])
    out.attributes = _once(
        [n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)]
    )
    out.conditions = _once([ast.unparse(n) for n in ast.walk(function) if isinstance(n, ast.Compare)])
    return out


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))
