"""Which file imports which, as far as the names of modules and paths say."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_QUOTED = re.compile(r"""["'<]([^"'<>]+)["'>]""")


def modules_of(paths: list[str]) -> dict[str, list[int]]:
    """Dotted names, whole and without leading folders, to the numbers of the files that may bear them."""
    out: dict[str, list[int]] = {}
    for number, path in enumerate(paths):
        if path.endswith((".py", ".pyi")):
            parts = package_parts(path)
            for at in range(len(parts)):
                out.setdefault(".".join(parts[at:]), []).append(number)
    return out


def package_parts(path: str) -> list[str]:
    """`a/b/__init__.py` -> [a, b]; `a/b.py` -> [a, b]."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    return parts[:-1] if parts[-1:] == ["__init__"] else parts


def import_edges(paths: list[str], imports: list[list[str]]) -> list[tuple[int, int]]:
    """(file, imported file), each once, in order. Imports of what lies outside the tree are left out."""
    modules, by_path = modules_of(paths), {path: number for number, path in enumerate(paths)}
    edges: dict[tuple[int, int], None] = {}
    for number, (path, names) in enumerate(zip(paths, imports, strict=True)):
        for name in names:
            found = _python(path, name, modules) if path.endswith(".py") else _by_path(path, name, by_path)
            if found is not None and found != number:
                edges[(number, found)] = None
    return list(edges)


def _python(path: str, name: str, modules: dict[str, list[int]]) -> int | None:
    dots = len(name) - len(name.lstrip("."))
    if dots:
        package = list(PurePosixPath(path).with_suffix("").parts)[:-dots]
        name = ".".join([*package, *([name[dots:]] if name[dots:] else [])])
    return modules.get(name, [None])[0]


def _by_path(path: str, statement: str, by_path: dict[str, int]) -> int | None:
    """The file that a quoted path in an import statement means: beside the importing file, or below the tree."""
    quoted = _QUOTED.search(statement)
    if quoted is None:
        return None
    suffix = PurePosixPath(path).suffix
    for base in (PurePosixPath(path).parent, PurePosixPath()):
        plain = _folded(base / quoted[1])
        for candidate in (plain, plain + suffix, f"{plain}/index{suffix}"):
            if candidate in by_path:
                return by_path[candidate]
    return None


def _folded(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", ".."):
            parts.append(part)
    return "/".join(parts)
