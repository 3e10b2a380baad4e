"""Where tests write: a thousand jobs are some hundred thousand small files, each synchronised, and a disk takes its time."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 4 << 30
"""Bytes that have to be free there, several times what a run leaves at its end"""


def in_memory(folder: Path = MEMORY, around: Mapping[str, str] = os.environ, enough: int = ENOUGH) -> Path | None:
    """The folder in memory, None where there is none, it is small, programs cannot be started there (a container's), or
    somebody has said by TMPDIR where temporary files go."""
    if "TMPDIR" in around or not os.access(folder, os.W_OK | os.X_OK):
        return None
    there = os.statvfs(folder)
    is_large = there.f_bavail * there.f_frsize >= enough
    return folder if is_large and not there.f_flag & os.ST_NOEXEC else None
