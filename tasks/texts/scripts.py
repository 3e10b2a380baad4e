"""Does a program do anything? One of comments, or of functions without a body, does not; nor does prose."""

from __future__ import annotations

import ast
import re
from pathlib import PurePosixPath

_HASH, _SLASHES = r"#[^\n]*", r"//[^\n]*|/\*.*?\*/"
COMMENTS = {
    ".sql": r"--[^\n]*|/\*.*?\*/", ".sh": _HASH, ".toml": _HASH, ".ini": r"[#;][^\n]*", ".tex": r"%[^\n]*",
    ".r": _HASH, ".rb": _HASH,
    **dict.fromkeys((".js", ".ts", ".java", ".c", ".cpp", ".go", ".rs", ".php", ".css"), _SLASHES),
}  # fmt: skip
"""What is a comment in programs, by their endings."""
_CODE = re.compile(r"[=(){}\[\]@#]|:\s*$|^\s*(?:import|from|return|pass)\b", re.MULTILINE)


def comments_alone(suffix: str, text: str) -> bool:
    """Whether a program has nothing but comments."""
    return suffix in COMMENTS and not re.sub(COMMENTS[suffix], "", text, flags=re.DOTALL).strip()


def stubs(path: str, text: str) -> str:
    """Why a script in Python does nothing; '' when it does something, and for what is no Python of this version."""
    if PurePosixPath(path).name == "__init__.py":
        return ""
    try:
        module = ast.parse(text)
    except SyntaxError:
        return "" if _CODE.search(text) else "is no Python"
    except (ValueError, RecursionError):
        return ""
    done = [node for node in module.body if not _is_said(node)]
    if not done:
        return "holds nothing but comments"
    functions = [n for n in ast.walk(module) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
    if functions and all(isinstance(n, defined) for n in done) and all(_is_stub(f) for f in functions):
        return f"has no function with a body: '{functions[0].name}' does nothing"
    return ""


def _is_said(node: ast.stmt) -> bool:
    """Words, an ellipsis, or `pass`: nothing that does anything."""
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _is_stub(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return all(_is_said(node) or _is_refusal(node) for node in function.body)


def _is_refusal(node: ast.stmt) -> bool:
    return isinstance(node, ast.Raise) and node.exc is not None and "NotImplemented" in ast.dump(node.exc)
