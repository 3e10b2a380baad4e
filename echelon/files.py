"""Names of input files, the files below a folder, and writing so that a reader sees the old content or the new one."""

from __future__ import annotations

import itertools
import os
import re
import threading
import unicodedata
from collections.abc import Collection, Iterator
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write through a temporary file in the same folder and a rename. Makes missing folders. Raises OSError."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    partial = path.with_name(f".{path.name[:30]}.{os.getpid()}.{threading.get_ident()}.partial")
    try:
        try:
            partial.write_bytes(data)
        except FileNotFoundError:  # hardly ever: to ask for the folder each time takes as long as to write the file
            path.parent.mkdir(parents=True, exist_ok=True)
            partial.write_bytes(data)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def files_below(folder: str, apart: Collection[str] = (), _before: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The files below a folder, each with its path from there (forward slashes), in no order: no links, and nothing of the
    folders `apart` at its top. Nothing where there is no folder, or none that may be read.

    For folders that are looked at after each step: nothing is made of the paths that needs none.
    """
    try:
        entries = os.scandir(folder)
    except OSError:
        return
    with entries:
        for entry in entries:
            if entry.is_file(follow_symlinks=False):
                yield _before + entry.name, entry
            elif entry.is_dir(follow_symlinks=False) and (_before or entry.name not in apart):
                yield from files_below(entry.path, apart, f"{_before}{entry.name}/")


def remove_halves(root: Path, leaving: tuple[str, ...] = ()) -> None:
    """Remove what processes of this machine left half written when they were killed; not in the folders `leaving`."""
    for _, entry in list(files_below(str(root), leaving)):
        if (found := _HALF.match(entry.name)) is not None and not _lives(int(found[1])):
            Path(entry.path).unlink(missing_ok=True)


_HALF = re.compile(r"\..*\.(\d+)\.\d+\.partial$", re.DOTALL)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


BESIDE = (".txt", ".read.json")
"""Endings of the files that are made beside a copy of an input, from its name."""
MAX_STEM = 180
"""Bytes of a name before its ending: with what is made beside it, and a number, a file system takes it."""


def unique_names(inputs: list[str]) -> list[str]:
    """File names of the inputs in the workspace, each with room for what is made beside it.

    A name that comes twice, or is what another one's text is called, gets a number; blanks around it go, what cannot be
    printed becomes '_', and what is too long is cut.
    """
    out: list[str] = []
    taken: set[str] = set()
    for source in inputs:
        stem, ending = _fitting(Path(source).name)
        numbered = (f"{stem}-{count}{ending}" for count in itertools.count(2))
        name = next(n for n in itertools.chain([stem + ending], numbered) if taken.isdisjoint(_claimed(n)))
        taken |= _claimed(name)
        out.append(name)
    return out


def _fitting(name: str) -> tuple[str, str]:
    """`name` as a stem and an ending that every file system and every tool call takes."""
    path = Path("".join(c if c.isprintable() else "_" for c in name).strip() or "_")
    ending = path.suffix.rstrip() if len(path.suffix.encode()) <= 20 else ""
    stem = path.name.removesuffix(path.suffix) if ending else path.name
    return stem.encode()[:MAX_STEM].decode("utf-8", "ignore").strip() or "_", ending


def _claimed(name: str) -> set[str]:
    """The names that a copy and what is made beside it have, where upper and lower case are the same file."""
    folded = unicodedata.normalize("NFC", name).casefold()
    return {folded, *(folded + ending for ending in BESIDE)}
