"""Run one command behind the fence, within its bounds, and say what came of it."""

from __future__ import annotations

import hashlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pydantic import BaseModel, ConfigDict, Field

from echelon.domains.code.running.bounds import Bounds, apply_limits
from echelon.domains.code.running.fence import HOME, Fence, FenceKind
from echelon.domains.code.running.watch import Watch

STEP = 0.05
"""Seconds between two looks at what a command does."""


class CommandResult(BaseModel):
    """What came of a command."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: tuple[str, ...]
    exit_status: int = Field(description="0: success; negative: the signal that ended it")
    seconds: float
    output: str = Field(description="standard output and error as they came; the middle is left out when it is long")
    output_hash: str = Field(description="SHA-256 over all of the output")
    stopped: str = Field(default="", description="why it was ended from outside; empty when it ended by itself")

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with status 0."""
        return self.exit_status == 0 and not self.stopped


@dataclass(frozen=True)
class Surroundings:
    """Where and how commands run."""

    clone: Path
    fence: Fence
    bounds: Bounds = field(default_factory=Bounds)
    environment: Mapping[str, str] | None = None
    """Variables that commands see, besides PATH, HOME and what keeps Python quiet and repeatable."""
    python: str = sys.executable
    """The interpreter that runs Python tests."""


def run_command(
    command: Sequence[str],
    where: Surroundings,
    *,
    folder: Path | None = None,
    write: Sequence[Path] = (),
    read: Sequence[Path] = (),
    environment: Mapping[str, str] | None = None,
) -> CommandResult:
    """Run `command` (a list of words, no shell) in the clone. Never raises for what the command does.

    `write` and `read` are folders besides the clone that it may write or read.
    """
    variables = {**base_environment(where.python), **(where.environment or {}), **(environment or {})}
    line = where.fence.around(
        command, where.clone, environment=variables, write=write, read=read, folder=folder or where.clone
    )
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            line,
            cwd=folder or where.clone,
            env=variables if where.fence.kind is FenceKind.NONE else {},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=apply_limits(where.bounds),
            start_new_session=True,
        )
    except OSError as error:
        return _result(command, 127, time.monotonic() - started, _Kept(where.bounds, str(error).encode()), "")
    watch = Watch(process.pid, where.clone, where.bounds)
    kept, stopped = _follow(process, watch, where.bounds, started)
    return _result(command, process.returncode, time.monotonic() - started, kept, stopped)


def base_environment(python: str = sys.executable) -> dict[str, str]:
    """What every command sees: no variable of this process passes.

    pytest's plugins of Echelon's own interpreter are not the repository's, so they are not loaded by themselves.
    """
    path = os.pathsep.join(dict.fromkeys([str(Path(python).parent), "/usr/local/bin", "/usr/bin", "/bin"]))
    own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"} if python == sys.executable else {}
    return {
        **own,
        "PATH": path,
        "HOME": HOME,
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
        "PYTHONWARNINGS": "",
    }


def known_program(name: str, allowed: Sequence[str]) -> bool:
    """Whether the allow list names the program: by its bare name, never by a path."""
    return "/" not in name and name in allowed


class _Kept:
    """The beginning and the end of what was put out, and a hash over all."""

    def __init__(self, bounds: Bounds, data: bytes = b"") -> None:
        self._half = bounds.output_kb * 512
        self._head, self._tail, self._cut = b"", b"", 0
        self._hash = hashlib.sha256()
        self.add(data)

    def add(self, data: bytes) -> None:
        self._hash.update(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:] if room > 0 else data
        if len(self._tail) > self._half:
            self._cut += len(self._tail) - self._half
            self._tail = self._tail[-self._half :]

    def text(self) -> str:
        middle = f"\n[... {self._cut} bytes left out ...]\n".encode() if self._cut else b""
        return (self._head + middle + self._tail).decode("utf-8", "replace")

    def digest(self) -> str:
        return self._hash.hexdigest()


def _follow(process: subprocess.Popen[bytes], watch: Watch, bounds: Bounds, started: float) -> tuple[_Kept, str]:
    """Read until the command has ended or is ended; its whole group goes with it."""
    kept, stopped, pipe = _Kept(bounds), "", process.stdout
    assert pipe is not None
    os.set_blocking(pipe.fileno(), False)
    try:
        while not stopped:
            ended = process.poll() is not None
            _drain(pipe, kept, 0.0 if ended else STEP)
            if ended:
                break
            if time.monotonic() - started > bounds.seconds:
                stopped = f"it took longer than {bounds.seconds:g} s"
            else:
                stopped = watch.trouble()
    finally:
        watch.end_all()
        process.wait()
        _drain(pipe, kept, 0.0)
        pipe.close()
    return kept, stopped


def _drain(pipe: IO[bytes], kept: _Kept, wait: float) -> None:
    if not select.select([pipe], [], [], wait)[0]:
        return
    while True:
        data = pipe.read(1 << 16)
        if not data:
            if data == b"":
                time.sleep(wait)  # the writers are gone, the command is not yet
            return
        kept.add(data)


def _result(command: Sequence[str], status: int, seconds: float, kept: _Kept, stopped: str) -> CommandResult:
    return CommandResult(
        command=tuple(command),
        exit_status=status,
        seconds=round(seconds, 3),
        output=kept.text(),
        output_hash=kept.digest(),
        stopped=stopped,
    )
