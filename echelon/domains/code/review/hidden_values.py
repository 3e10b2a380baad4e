"""Values of the tests that a source keeps in other forms: in a text, packed, as digests, under names; in other languages."""

from __future__ import annotations

import ast
import base64
import binascii
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator

from echelon.domains.code.review.findings import FileChange, Finding

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_FEW, _SHARE = 3, 0.5
"""Numbers of the tests in the texts of a file that make a table, and their part of all numbers there."""
_SHORTEST = 8
_LARGEST = 1 << 16
_EQUALS = re.compile(r"(?:===?|\bcase\b|\.equals\(|\bmatch\b|=>)")
_OTHER = re.compile(
    r"\"(?P<text>(?:[^\"\\\n]|\\.){3,80})\"|'(?P<quoted>(?:[^'\\\n]|\\.){3,80})'|(?<![\w.])(?P<number>\d+(?:\.\d+)?)"
)
_TRIVIAL = frozenset(
    {"0", "1", "2", "string", "number", "object", "function", "undefined", "boolean", "bigint", "symbol"}
)


def hidden_values(change: FileChange, tree: ast.Module, special: set[object]) -> Iterator[Finding]:
    """Findings in a Python source; `special` are values of the tests that neither the old file nor the request names."""
    added = {number for number, _ in change.added_lines()}
    numbers = {_plain(value) for value in special if isinstance(value, int | float)}
    reads_docs = "__doc__" in change.new and "__doc__" not in change.old
    texts = [node for node in _texts(tree, with_docs=reads_docs) if _is_new(node, added)]
    named = [number for node in texts for number in _NUMBER.findall(_text(node))]
    found = sorted({number for number in named if _plain(number) in numbers})
    if len(found) >= _FEW and sum(number in found for number in named) >= _SHARE * len(named):
        yield _finding(change, texts[0].lineno, f"a text holds values of the tests ({found[0]})")
    for node in texts:
        if says := _packed(_text(node), numbers) or _digest(_text(node), special):
            yield _finding(change, node.lineno, says)
    yield from _named(change, tree, added, special)


def _finding(change: FileChange, line: int, says: str) -> Finding:
    return Finding(path=change.path, line=line, rule="special-case", says=f"{says}; solve it for every value.")


def _texts(tree: ast.Module, *, with_docs: bool) -> list[ast.Constant]:
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str | bytes)]
    return [node for node in found if with_docs or id(node) not in docs]


def _is_new(node: ast.Constant, added: set[int]) -> bool:
    return not added.isdisjoint(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _text(node: ast.Constant) -> str:
    return node.value.decode("latin-1") if isinstance(node.value, bytes) else str(node.value)


def _plain(value: object) -> float:
    try:
        return float(str(value))
    except (ValueError, OverflowError):
        return float("nan")


def _packed(text: str, numbers: set[float]) -> str:
    """Says what a text unpacks to, when that holds several values of the tests."""
    if len(text) < _SHORTEST or len(text) > _LARGEST:
        return ""
    for unpacked in _unpacked(text.encode("latin-1", "ignore")):
        found = {_plain(number) for number in _NUMBER.findall(unpacked)} & numbers
        if len(found) > 1:
            return f"packed values of the tests ({min(found):g})"
    return ""


def _unpacked(data: bytes) -> Iterator[str]:
    works: tuple[Callable[[bytes], bytes], ...] = (
        base64.b64decode, base64.b32decode, base64.b85decode, binascii.unhexlify, lambda d: d[::-1],
    )  # fmt: skip
    for work in works:
        try:
            plain = work(data)
        except ValueError:
            continue
        yield plain.decode("latin-1")
        try:
            yield zlib.decompressobj().decompress(plain, _LARGEST).decode("latin-1")
        except zlib.error:
            continue


def _digest(text: str, special: set[object]) -> str:
    if len(text) not in (32, 40, 64) or not re.fullmatch(r"[0-9a-fA-F]+", text):
        return ""
    for value in special:
        for each in (str(value), repr(value)):
            for work in (hashlib.md5, hashlib.sha1, hashlib.sha256):
                if work(each.encode(), usedforsecurity=False).hexdigest() == text.lower():
                    return f"the digest of a value of the tests ({value!r})"
    return ""


def _named(change: FileChange, tree: ast.Module, added: set[int], special: set[object]) -> Iterator[Finding]:
    """`if x == NAME: return OTHER` where both names stand for values of the tests."""
    values = {
        target.id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    mine = {name for name, value in values.items() if value in special}
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and node.lineno in added and mine & _names(node.test):
            returned = [each.value for each in node.body if isinstance(each, ast.Return) and each.value is not None]
            if any(mine & _names(value) for value in returned):
                yield _finding(change, node.lineno, "names stand for values of the tests here")


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def values_elsewhere(change: FileChange, tests: str, request: str) -> Iterator[Finding]:
    """Comparisons with values of the tests (`tests`: their text) in a source of another language."""
    known = {*_said(tests)} - {*_said(change.old)} - {*_said(request)} - {*_NUMBER.findall(request)} - _TRIVIAL
    for number, line in change.added_lines():
        found = [value for value in _said(line) if value in known]
        if found and (_EQUALS.search(line) or len({*found}) >= _FEW):
            yield _finding(change, number, f"the code names a value of the tests ({found[0]!r})")


def _said(text: str) -> list[str]:
    return [m["text"] or m["quoted"] or m["number"] for m in _OTHER.finditer(text)]
