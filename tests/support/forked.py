"""Real processes that begin with everything imported.

To import crewai takes seconds of processor time, many times what most commands take themselves. So tests that start
processes by the dozen start them as forks of one process that has imported what they need and has done nothing else.
Apart from that each is a process of its own: its pid, environment, folder, streams, signals, exit code, and the end of
the interpreter.

Forks share the seed of hashes and the interpreter's options (`-W ignore`). A test of the start itself, of other
options, or of something that must be the same under every seed starts the interpreter by itself.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
PATIENCE = 200.0
"""Seconds that a process may take on a busy machine."""
STATUS = struct.Struct("i")
SHARED = "TESTS_FORK_FROM"
"""The variable that says the address of the process that forks, where several share one"""
OF_THE_START = ("PYTHON", "LC_", "LANG", "CREWAI_", "LD_")
"""Beginnings of variables that are read when an interpreter starts, or when crewai is imported."""


class Forked(subprocess.Popen[str]):
    """`python -c PROGRAM ARGUMENTS...`, as a fork. Used like any `subprocess.Popen` in text mode."""

    def __init__(self, program: str, *arguments: str, **options: Any) -> None:
        super().__init__([sys.executable, "-c", program, *arguments], text=True, **options)

    def _execute_child(
        self, args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any, env: Any,
        startupinfo: Any, creationflags: Any, shell: Any, p2cread: int, p2cwrite: int, c2pread: int, c2pwrite: int,
        errread: int, errwrite: int, restore_signals: Any, gid: Any, gids: Any, uid: Any, umask: Any,
        start_new_session: bool, *_: Any,
    ) -> None:  # fmt: skip
        streams = [given if given != -1 else own for own, given in enumerate((p2cread, c2pwrite, errwrite))]
        wish = {
            "program": args[2], "arguments": args[3:], "folder": str(cwd or Path.cwd()),
            "environment": dict(os.environ if env is None else env), "session": start_new_session,
        }  # fmt: skip
        self._status, told = os.pipe()
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as asking:
                asking.connect(_address())
                socket.send_fds(asking, [json.dumps(wish).encode()], [*streams, told])
        finally:
            os.close(told)
            self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]
        self.pid = self._told()
        self._child_created = True

    def _told(self) -> int:
        told = os.read(self._status, STATUS.size)
        assert told, "the process that forks is gone"
        return int(STATUS.unpack(told)[0])

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._status], [], [], 0)[0]:
            return 0, 0
        try:
            return self.pid, self._told()
        finally:
            os.close(self._status)

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


def started(
    program: str, *arguments: str, env: Mapping[str, str] | None = None, cwd: Path = REPOSITORY, **options: Any
) -> subprocess.Popen[str]:
    """A fork; a start of its own where the environment differs in what is read at the start."""
    env = _environment() if env is None else env
    if _of_the_start(env) != _of_the_start(_environment()):
        command = [sys.executable, "-W", "ignore", "-c", program, *arguments]
        return subprocess.Popen(command, env=env, cwd=cwd, text=True, **options)
    return Forked(program, *arguments, env=env, cwd=cwd, **options)


def ran(program: str, *arguments: str, timeout: float = PATIENCE, **options: Any) -> subprocess.CompletedProcess[str]:
    """How a fork ended, and what it said; killed when it takes too long."""
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started(program, *arguments, **{**silent, **options}) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def killed(program: str, *arguments: str) -> str:
    """What a fork said before it was killed by SIGKILL, as it has to be."""
    done = ran(program, *arguments)
    assert done.returncode == -signal.SIGKILL, done.stderr[-500:]
    return done.stdout


def _of_the_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(OF_THE_START) and name not in ("PYTHONPATH", "PYTHONWARNINGS")
    }


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY)}


class Server:
    """The process that forks. It ends with this one at the latest."""

    def __init__(self) -> None:
        self.address = str(Path(tempfile.mkdtemp(prefix="forks-")) / "socket")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as theirs:
            theirs.bind(self.address)  # before it has imported anything, so that it can be asked at once
            self._asking = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._asking.connect(self.address)
            self._process = subprocess.Popen(
                [sys.executable, "-W", "ignore", "-c", "from tests.support.forking import serve; exec(serve())",
                 str(theirs.fileno()), str(os.getpid())],
                cwd=REPOSITORY, env=_environment(), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            )  # fmt: skip
        atexit.register(self.close)

    def close(self) -> None:
        with self._asking, contextlib.suppress(OSError):  # it is gone already
            self._asking.send(b"")
        self._process.wait()
        shutil.rmtree(Path(self.address).parent, ignore_errors=True)


def share() -> None:
    """Have this process and those that it starts fork from one and the same."""
    os.environ[SHARED] = Server().address


@cache
def _address() -> str:
    return os.environ.get(SHARED) or Server().address
