"""What does not belong into a change: secrets, debug output, conflict marks, binary or generated files, mere layout."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from echelon.domains.code.map.languages import is_generated
from echelon.domains.code.map.python_file import parse
from echelon.domains.code.review.findings import FileChange, Finding

_SECRETS = re.compile(
    r"AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{30,}|sk-[A-Za-z0-9_-]{20,}|xox[baprs]-[A-Za-z0-9-]{10,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----|AIza[0-9A-Za-z_-]{35}|eyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}"
    r"|(?i:password|passwd|secret|api_?key|token)\s*[:=]\s*['\"](?=[^'\"]*\d)[^'\"\s{}$<>]{12,}['\"]"
)
_DEBUG = re.compile(
    r"\bbreakpoint\(\)|\b(i?pdb|pudb)\.set_trace\(|^\s*import i?pdb\b|\bconsole\.log\(|^\s*debugger;?\s*$|\bdbg!\("
)
_PRINT = re.compile(r"^\s*print\(")
_CONFLICT = re.compile(r"^(<{7} |={7}$|>{7} )")
LARGEST = 1 << 20


def leftover_findings(change: FileChange, request: str) -> Iterator[Finding]:
    """What does not belong there, by lines that are new."""
    if change.after is None:
        return
    if b"\0" in change.after[:8192] or len(change.after) > LARGEST:
        yield Finding(
            path=change.path, line=0, rule="binary", says="a binary or very large file does not belong into a change."
        )
        return
    if (
        is_generated(change.path)
        or change.path.endswith((".pyc", ".orig", ".rej", ".log"))
        or "__pycache__/" in change.path
    ):
        yield Finding(
            path=change.path, line=0, rule="generated", says="a generated or copied file was changed; leave it out."
        )
    for number, line in change.added_lines():
        for rule, expression, says in _LINES:
            if expression.search(line) and not (rule == "debug-output" and _may_print(change, line, request)):
                yield Finding(path=change.path, line=number, rule=rule, says=says)
    yield from _outlines(change)
    if _only_layout(change):
        yield Finding(path=change.path, line=0, rule="only-layout", says="only its layout was changed; put it back.")


def _outlines(change: FileChange) -> Iterator[Finding]:
    """New functions of a module that nobody has written yet."""
    try:
        old, new = (parse(text).body if change.path.endswith(".py") else [] for text in (change.old, change.new))
    except SyntaxError:
        return
    known = {node.name for node in old if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for node in new:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name in known or node.decorator_list:
            continue
        if all(_is_idle(each) for each in node.body):
            says = f"'{node.name}' is only an outline; write what it does."
            yield Finding(path=change.path, line=node.lineno, rule="outline", says=says)


def _is_idle(node: ast.stmt) -> bool:
    if isinstance(node, ast.Raise) and node.exc is not None:
        return "NotImplementedError" in ast.unparse(node.exc)
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


_LINES = (
    ("secret", _SECRETS, "this looks like a secret; take it out and read it from the environment."),
    ("conflict", _CONFLICT, "a mark of a merge conflict is left."),
    ("debug-output", _DEBUG, "debugging is left in; take it out."),
    ("debug-output", _PRINT, "a print is left in; take it out."),
)


def _may_print(change: FileChange, line: str, request: str) -> bool:
    """Prints belong where the file prints already, into programs, and where they are asked for."""
    if not _PRINT.search(line):
        return False
    asked = re.search(r"\b(print|output|show|log|display|command|script|cli|say)", request, re.I)
    is_program = "__main__" in change.new or re.search(
        r"(^|/)(cli|__main__|main|scripts?|examples?|tools?|docs?)(/|\.py$)", change.path
    )
    return bool(asked or is_program or re.search(r"^\s*print\(", change.old, re.M) or not change.path.endswith(".py"))


def _only_layout(change: FileChange) -> bool:
    """The same program with other blanks: noise in a diff. Comments count as a change."""
    if change.before is None or not change.path.endswith(".py") or change.old == change.new:
        return False
    if [line.strip() for line in change.old.splitlines() if "#" in line] != [
        line.strip() for line in change.new.splitlines() if "#" in line
    ]:
        return False
    try:
        return ast.dump(parse(change.old)) == ast.dump(parse(change.new))
    except SyntaxError:
        return False
