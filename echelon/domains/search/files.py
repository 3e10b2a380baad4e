"""The text files of a workspace, and the pieces that they are searched in."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

MAX_BYTES = 4_000_000
"""Larger files are not indexed."""
CHUNK_CHARACTERS = 1_200
"""Length from which on a piece ends at the next blank line, or at the next line when there is none."""
IGNORED_FOLDERS = frozenset({".git", ".echelon", "__pycache__", "node_modules", ".venv"})
CODE_SUFFIXES = frozenset(
    {
        *{".py", ".pyi", ".js", ".ts", ".tsx", ".jsx", ".java", ".kt", ".go", ".rs", ".c", ".h", ".cc", ".cpp", ".hpp"},
        *{".cs", ".rb", ".php", ".swift", ".scala", ".sh", ".bash", ".sql", ".css", ".json", ".yaml", ".yml", ".toml"},
        *{".ini", ".cfg", ".xml", ".reqif", ".html", ".htm", ".csv", ".tf", ".gradle", ".cypher"},
    }
)


class Kind(StrEnum):
    """How the words of a file are found: prose by their stems, code by any three characters in a row."""

    PROSE = "prose"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file that can be searched. `path` is relative to the workspace, with `/`."""

    path: str
    sha256: str
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file: lines `first_line` to `last_line`, counted from 1, both included."""

    first_line: int
    last_line: int
    text: str


def walk(root: Path) -> Iterator[str]:
    """The paths of all regular files under `root`, in order; links and ignored folders are left out."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in IGNORED_FOLDERS)
        for name in sorted(files):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(root).as_posix()


def read_text_file(root: Path, path: str) -> TextFile | None:
    """The file at `path` below `root`; None when it is not a text file, is too large, or lies outside."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\0" in path or not path or IGNORED_FOLDERS.intersection(pure.parts):
        return None
    whole = root / pure
    try:
        inside = whole.resolve().is_relative_to(root.resolve())
        if not inside or not whole.is_file() or whole.is_symlink() or whole.stat().st_size > MAX_BYTES:
            return None
        data = whole.read_bytes()
        text = data.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    if "\0" in text:
        return None
    kind = Kind.CODE if pure.suffix.lower() in CODE_SUFFIXES else Kind.PROSE
    return TextFile(pure.as_posix(), hashlib.sha256(data).hexdigest(), kind, text)


def chunks(text: str) -> list[Chunk]:
    """`text` in pieces of whole lines, cut at blank lines where there are some; only blank pieces are left out."""
    pieces: list[Chunk] = []
    start = 0
    lines = text.split("\n")
    length = 0
    for number, line in enumerate(lines, start=1):
        length += len(line) + 1
        last = number == len(lines)
        at_gap = not line.strip() or (not last and lines[number].lstrip().startswith(("#", "def ", "class ")))
        if last or (length >= CHUNK_CHARACTERS and (at_gap or length >= 2 * CHUNK_CHARACTERS)):
            piece = "\n".join(lines[start:number])
            if piece.strip():
                pieces.append(Chunk(start + 1, number, piece))
            start, length = number, 0
    return pieces
