"""Look at what a running command takes where the kernel does not count: all its processes together, and the disk.

The kernel's limit on processes does not hold for root, and its limit on memory holds for one process only.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from echelon.domains.code.running.bounds import MEGABYTE, Bounds

EVERY = 0.1
"""Seconds between two looks at all processes."""
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Watch:
    """The processes that a command started, and the disk that it writes to."""

    def __init__(self, leader: int, clone: Path, bounds: Bounds) -> None:
        self._leader, self._clone, self._bounds = leader, clone, bounds
        self._free = _free(clone)
        self._next = 0.0
        self._seen: set[int] = set()

    def trouble(self) -> str:
        """Why the command must be ended; empty while it need not."""
        now = time.monotonic()
        if now < self._next:
            return ""
        self._next = now + EVERY
        found = self._processes()
        if sum(threads for threads, _ in found.values()) > self._bounds.processes:
            return f"it ran more than {self._bounds.processes} processes"
        if sum(pages for _, pages in found.values()) * _PAGE > self._bounds.memory_mb * MEGABYTE:
            return f"it took more than {self._bounds.memory_mb} MB of memory"
        if self._free - _free(self._clone) > self._bounds.disk_mb * MEGABYTE:
            return f"it wrote more than {self._bounds.disk_mb} MB"
        return ""

    def end_all(self) -> None:
        """Kill the command and what it left behind, also what went into another session.

        Behind the fence the first signal is enough: its processes end with the first of them.
        """
        left = list(self._processes())
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._leader, signal.SIGKILL)
        for _ in range(20):
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            left = [pid for pid in self._processes() if pid != self._leader]
            if not left:
                return

    def _processes(self) -> dict[int, tuple[int, int]]:
        """Process id to (threads, resident pages) of the leader's descendants, as far as they are still linked to it."""
        parents = {pid: status for pid in _all() if (status := _status(pid)) is not None}
        children: dict[int, list[int]] = {}
        for pid, (parent, _, _) in parents.items():
            children.setdefault(parent, []).append(pid)
        self._seen &= parents.keys()
        stack, found = [self._leader, *self._seen], dict[int, tuple[int, int]]()
        while stack:
            pid = stack.pop()
            if pid in parents and pid not in found:
                found[pid] = parents[pid][1:]
                stack += children.get(pid, [])
        self._seen = set(found) - {self._leader}
        return found


def _all() -> list[int]:
    with contextlib.suppress(OSError):
        return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    return []


def _status(pid: int) -> tuple[int, int, int] | None:
    """(parent, threads, resident pages); None for a process that is gone or only waits to be collected."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else (int(fields[1]), int(fields[17]), int(fields[21]))


def _free(folder: Path) -> int:
    try:
        status = os.statvfs(folder)
    except OSError:
        return 0
    return status.f_bavail * status.f_frsize
