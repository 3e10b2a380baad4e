"""A child process that has nothing to do and waits for the next request."""

from __future__ import annotations

import atexit
import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

K = TypeVar("K")


class _Kept(NamedTuple, Generic[K]):
    kind: K
    parent: int
    since: float
    process: subprocess.Popen[bytes]


class Waiting(Generic[K]):
    """At most one child, and its kind: all that a request must have in common with it. It ends with this process."""

    def __init__(self) -> None:
        self._kept: _Kept[K] | None = None
        self._one_at_a_time = threading.Lock()
        atexit.register(self.let_go)

    @property
    def process(self) -> subprocess.Popen[bytes] | None:
        """The child that waits."""
        return self._kept.process if self._kept else None

    def take(self, kind: K, seconds: float) -> subprocess.Popen[bytes] | None:
        """The child, if it is of this kind, lives, and has not waited longer than that; another one is ended."""
        kept = self._own()
        if kept is None:
            return None
        if kept.kind == kind and time.monotonic() - kept.since < seconds and kept.process.poll() is None:
            return kept.process
        end(kept.process)
        return None

    def keep(self, kind: K, made: Callable[[], subprocess.Popen[bytes]]) -> bool:
        """Have the child that is `made` wait, unless one waits already; whether it does."""
        with self._one_at_a_time:
            if self._kept is not None:
                return False
            process = made()
            self._kept = _Kept(kind, os.getpid(), time.monotonic(), process)
        return True

    def let_go(self) -> None:
        """End the child that waits, if there is one."""
        if kept := self._own():
            end(kept.process)

    def _own(self) -> _Kept[K] | None:
        """What waits, which does so no longer; a fork of the process that kept it has none."""
        with self._one_at_a_time:
            kept, self._kept = self._kept, None
        return kept if kept is not None and kept.parent == os.getpid() else None


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill a child that leads a session of its own, and what it started, whatever state they are in; wait for it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
