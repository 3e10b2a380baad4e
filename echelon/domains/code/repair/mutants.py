"""All small changes of a file's suspicious functions, the likeliest first."""

from __future__ import annotations

import ast
import random
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from echelon.domains.code.repair.change import Change, Source
from echelon.domains.code.repair.expressions import expression_changes
from echelon.domains.code.repair.names import Names, names_of
from echelon.domains.code.repair.operators import operator_changes
from echelon.domains.code.repair.spectrum import Suspicion
from echelon.domains.code.repair.statements import statement_changes


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file with one change."""

    path: str
    line: int
    kind: str
    score: float
    text: str


def mutants(texts: Mapping[str, str], suspicions: Iterable[Suspicion], *, most: int, seed: int = 1) -> list[Mutant]:
    """At most `most` changed files, by suspicion of the line times likeliness of the change; `seed` orders equals.

    `texts` are the files that may be changed; each mutant is valid Python and differs from the file.
    """
    by_file: dict[str, dict[int, float]] = {}
    for each in suspicions:
        if each.path in texts:
            by_file.setdefault(each.path, {})[each.line] = each.score
    found: list[tuple[float, float, str, Change, Source]] = []
    shuffle = random.Random(seed)
    for path, lines in by_file.items():
        try:
            source = Source(texts[path])
        except SyntaxError:
            continue
        seen: set[tuple[int, int, str]] = set()
        for change in changes(source, lines):
            key = (change.start, change.end, change.text)
            if key not in seen:
                seen.add(key)
                found.append((-change.weight * _suspicion(change, lines), shuffle.random(), path, change, source))
    found.sort(key=lambda each: each[:3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(_valid(found, most))


def changes(source: Source, lines: Mapping[int, float]) -> Iterator[Change]:
    """Changes of the nodes that lie on `lines`."""
    known: dict[ast.AST, Names] = {}
    for node in ast.walk(source.tree):
        function = source.owner(node)
        number = getattr(node, "lineno", None)
        if number is None and isinstance(node, ast.comprehension):
            number = node.target.lineno
        if function is None or number is None or not _touches(node, number, lines):
            continue
        names = known.setdefault(function, names_of(function, source.tree))
        yield from operator_changes(source, node)
        yield from expression_changes(source, node, names)
        yield from statement_changes(source, node, names, function)


def _touches(node: ast.AST, first: int, lines: Mapping[int, float]) -> bool:
    """Whether a suspicious line is the node's first, or, of an expression, any of its lines."""
    if first in lines:
        return True
    last = getattr(node, "end_lineno", first) or first
    return isinstance(node, ast.expr) and any(line in lines for line in range(first, last + 1))


def _suspicion(change: Change, lines: Mapping[int, float]) -> float:
    """The line's own; of an expression over several lines, the nearest suspicious line above."""
    if change.line in lines:
        return lines[change.line]
    above = [line for line in lines if line <= change.line]
    return lines[max(above)] if above else max(lines.values())


def _valid(found: list[tuple[float, float, str, Change, Source]], most: int) -> Iterator[Mutant]:
    kept = 0
    seen: set[tuple[str, str]] = set()
    for score, _, path, change, source in found:
        if kept >= most:
            return
        text = source.changed(change)
        if (path, text) in seen or text == source.text or not _parses(text):
            continue
        seen.add((path, text))
        kept += 1
        yield Mutant(path, change.line, change.kind, round(-score, 6), text)


def _parses(text: str) -> bool:
    try:
        compile(text, "<mutant>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True
