"""A small change of a file: a span of its bytes and what stands there instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Change:
    """One edit. `weight` is how likely changes of its kind are right; `line` is where it is, from 1."""

    start: int
    end: int
    text: str
    kind: str
    weight: float
    line: int


class Source:
    """A Python file with its tree, and the way from nodes to bytes."""

    def __init__(self, text: str) -> None:
        from echelon.domains.code.map.python_file import parse

        self.text = text
        self.data = text.encode("utf-8")
        self.tree = parse(text)
        self._starts = [0]
        for line in self.data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def span(self, node: ast.AST) -> tuple[int, int]:
        """First and behind-the-last byte of a node."""
        at = int(self._starts[node.lineno - 1] + node.col_offset)  # type: ignore[attr-defined]
        end = int(self._starts[node.end_lineno - 1] + node.end_col_offset)  # type: ignore[attr-defined]
        return at, end

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.data[start:end].decode("utf-8")

    def line_start(self, line: int) -> int:
        """First byte of a line (from 1)."""
        return self._starts[min(line - 1, len(self._starts) - 1)]

    def indentation(self, node: ast.stmt) -> str:
        """What stands before a statement on its line."""
        return " " * node.col_offset

    def changed(self, change: Change) -> str:
        """The text with the change made."""
        return (self.data[: change.start] + change.text.encode("utf-8") + self.data[change.end :]).decode("utf-8")

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """All functions, outer ones first."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def owner(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The innermost function that holds a node."""
        at: ast.AST | None = node
        while at is not None and not isinstance(at, ast.FunctionDef | ast.AsyncFunctionDef):
            at = self.parents.get(at)
        return at


def replace(source: Source, node: ast.AST, text: str, kind: str, weight: float) -> Change:
    """A change of one expression or statement; what may bind looser than its surroundings gets parentheses."""
    start, end = source.span(node)
    if isinstance(
        source.parents.get(node), ast.BinOp | ast.BoolOp | ast.UnaryOp | ast.Compare | ast.Attribute
    ) and _loose(text):
        text = f"({text})"
    return Change(start, end, text, kind, weight, node.lineno)  # type: ignore[attr-defined]


def _loose(text: str) -> bool:
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return False
    return isinstance(tree, ast.BinOp | ast.BoolOp | ast.Compare | ast.IfExp | ast.Lambda | ast.UnaryOp)
