"""Where tests write: a thousand jobs are some hundred thousand small files, each synchronised, and a disk takes its time."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass
class Scratch:
    """A run's own folder for temporary files, in memory: what processes that were killed leave there goes with it."""

    folder: Path
    is_needed: bool = True
    """Whether it stays when this process ends"""

    @classmethod
    def made(cls, memory: Path | None = None) -> Scratch | None:
        """The folder, which from now on is that of this process and of those that it starts. None on a disk."""
        memory = memory or in_memory()
        if memory is None:
            return None
        made = cls(Path(tempfile.mkdtemp(prefix="echelon-tests-", dir=memory)))
        atexit.register(made.leave)  # before all that still writes there as it ends, which therefore ends first
        os.environ["TMPDIR"] = str(made.folder)
        tempfile.tempdir = None  # pytest has asked before where temporary files go
        return made

    def leave(self) -> None:
        """Remove it, unless it is needed."""
        if not self.is_needed:
            shutil.rmtree(self.folder, ignore_errors=True)
