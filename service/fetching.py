"""The files of a job that may be fetched: its results, its inputs, its plan. Nothing leads out of its folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from echelon.errors import UnknownName

OPEN = ("output", "documents")
"""Folders that may be looked into"""
PLAN = "plan.md"


def fetchable(folder: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Path in the job and facts of each file that may be fetched; links are none."""
    for path in (*(p for name in OPEN for p in _below(folder / name)), folder / PLAN):
        kept = path.lstat() if path.exists() else None
        if kept is not None and stat.S_ISREG(kept.st_mode):
            yield path.relative_to(folder).as_posix(), kept


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(f for f in folders if not (Path(here) / f).is_symlink())
        yield from (Path(here) / name for name in sorted(names))


def opened(folder: Path, path: str) -> IO[bytes]:
    """A file of a job, open for reading. Raises UnknownName for what is not there or may not be fetched.

    Each part of the path is opened from the one before and no link is followed, so nothing leads out of the folder.
    """
    parts = path.split("/")
    allowed = parts == [PLAN] or (parts[0] in OPEN and len(parts) > 1)
    if not allowed or any(part in ("", ".", "..") or "\0" in part or "\\" in part for part in parts):
        raise UnknownName("file", path[:200], [])
    here = -1
    try:
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        for part in parts[:-1]:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        last = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=here)
    except (OSError, ValueError):
        raise UnknownName("file", path[:200], []) from None
    finally:
        if here >= 0:
            os.close(here)
    if not stat.S_ISREG(os.fstat(last).st_mode):
        os.close(last)
        raise UnknownName("file", path[:200], [])
    return os.fdopen(last, "rb")
