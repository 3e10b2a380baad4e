"""The source files of a tree: those that git knows or does not ignore, or all of a plain folder, within bounds."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from echelon.errors import UserError

LARGEST_FILE = 1 << 20
"""Bytes; what is larger is data or generated, and is not read."""
MOST_FILES = 50_000
_OURS = ".echelon/"
"""State of ours that a tree may hold: it is never a part of it."""
_SKIPPED = frozenset(
    [
        ".git",
        ".hg",
        ".svn",
        ".tox",
        ".nox",
        ".venv",
        "venv",
        "env",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".echelon",
        "build",
        "dist",
        ".eggs",
        "target",
        "site-packages",
    ]
)


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A file of a tree, with what tells whether it has changed."""

    path: str
    size: int
    mtime_ns: int


def is_repository(root: Path) -> bool:
    """Whether `root` is the top of a git work tree."""
    return (root / ".git").exists()


def tree_files(root: Path) -> list[TreeFile]:
    """Regular files below `root` in order of their paths; no links, no folders of submodules, no large files.

    Raises UserError when there is no such folder or more than `MOST_FILES` files.
    """
    if not root.is_dir():
        raise UserError(f"'{root}' is no folder; name a git repository or a folder with source files.")
    found: list[TreeFile] = []
    for path in sorted(set(_git_paths(root) if is_repository(root) else walked(root))):
        if path.startswith(_OURS):
            continue
        try:
            status = os.lstat(root / path)
        except OSError:
            continue  # deleted in the work tree, or a name that cannot be used here
        if (status.st_mode & 0o170000) == 0o100000 and status.st_size <= LARGEST_FILE:
            found.append(TreeFile(path, status.st_size, status.st_mtime_ns))
    if len(found) > MOST_FILES:
        raise UserError(f"'{root}' has {len(found)} files, more than {MOST_FILES}; name a folder within it.")
    return found


def read_source(path: Path) -> str:
    """The text of a file; bytes that are not UTF-8 become U+FFFD. Raises OSError."""
    return path.read_bytes().decode("utf-8", "replace")


def git(root: Path, *arguments: str, check: bool = True, stdin: bytes | None = None) -> bytes:
    """What git says in `root`. Hooks and configured helpers do not run. Raises UserError when git fails."""
    safe = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"]
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *safe, "-C", str(root), *arguments], input=stdin, capture_output=True, env=environment, check=False
        )
    except FileNotFoundError as error:
        raise UserError("git is not on the path; install it.") from error
    if check and done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise UserError(f"git {arguments[0]} failed in '{root}': {said[-1] if said else done.returncode}")
    return done.stdout


def _git_paths(root: Path) -> list[str]:
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [path.decode("utf-8", "surrogateescape") for path in listed.split(b"\0") if path]


def walked(root: Path) -> Iterator[str]:
    """Paths of a plain folder, without what is installed or built."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.endswith(".egg-info"))
        below = Path(folder).relative_to(root)
        for name in files:
            yield (below / name).as_posix()
