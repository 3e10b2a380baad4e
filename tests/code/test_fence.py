"""Ways out of the fence: none of them may work. Each is tried for real; what it would reach is checked from outside."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from echelon.domains.code.running.bounds import Bounds
from echelon.domains.code.running.command import CommandResult, Surroundings, run_command
from echelon.domains.code.running.fence import Fence, FenceKind, NoFence, choose_fence, fence_state
from tests.code.conftest import commit_all

pytestmark = pytest.mark.skipif(
    fence_state().kind is FenceKind.NONE, reason=f"no fence on this machine: {fence_state().why}"
)
TIGHT = Bounds(seconds=8, cpu_seconds=5, memory_mb=512, file_mb=16, disk_mb=200, processes=40, output_kb=64)
OUT = "GOT OUT"


@dataclass(frozen=True)
class Outside:
    """What lies outside and must stay as it is."""

    secret: Path
    folder: Path
    port: int
    unix: Path
    process: int


@contextmanager
def outside(folder: Path) -> Iterator[Outside]:
    """A secret, servers that answer, and a process: all within reach of this user, none within the fence."""
    folder.mkdir()
    secret = folder / "id_rsa"
    secret.write_text("SECRET KEY")
    server, unix = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)
    short = Path(f"/tmp/.echelon-{os.getpid()}-{threading.get_ident()}.sock")
    unix.bind(str(short))
    unix.listen()
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
    try:
        yield Outside(secret, folder, server.getsockname()[1], short, sleeper.pid)
        assert sleeper.poll() is None, "the process outside was ended"
    finally:
        sleeper.kill()
        sleeper.wait()
        server.close()
        unix.close()
        short.unlink()


PRELUDE = f"""
import ctypes, os, pathlib, resource, shutil, signal, socket, subprocess, sys, time
GOT = {OUT!r}
"""
READS = {
    "a key by its path": "print(GOT if 'SECRET' in pathlib.Path(SECRET).read_text() else '')",
    "a key over a link": "os.symlink(SECRET, 'l'); print(GOT if 'SECRET' in open('l').read() else '')",
    "a key over /proc/1/root": "print(GOT if 'SECRET' in open('/proc/1/root' + SECRET).read() else '')",
    "a key over the parent's root": "print(GOT if 'SECRET' in open(f'/proc/{PROCESS}/root' + SECRET).read() else '')",
    "the folder that holds the key": "print(GOT, os.listdir(os.path.dirname(SECRET)))",
    "a key over ..": "os.chdir('../' * 30); print(GOT if os.path.exists('.' + SECRET) else '')",
    "a key by a hard link": "os.link(SECRET, 'hard'); print(GOT if 'SECRET' in open('hard').read() else '')",
    "a variable of the caller": "print(GOT if 'SECRET_TOKEN' in os.environ else '')",
    "the caller's environment over /proc": "print(GOT if b'SECRET_TOKEN' in open('/proc/1/environ','rb').read() "
    "else '')",
    "the names of users": "print(GOT if os.path.exists('/etc/passwd') or os.path.exists('/etc/shadow') else '')",
    "the home of the caller": "print(GOT if os.path.exists(CALLER + '/.ssh') or os.path.exists(CALLER "
    "+ '/.bashrc') else '')",
    "other processes": "print(GOT if len([p for p in os.listdir('/proc') if p.isdigit()]) > 8 else '')",
}
REACHES = {
    "a server on loopback": "s = socket.create_connection(('127.0.0.1', PORT), 2); print(GOT)",
    "a server by name": "print(GOT, socket.getaddrinfo('example.com', 443))",
    "an address outside": "s = socket.create_connection(('1.1.1.1', 53), 2); print(GOT)",
    "a socket in the file system": "s = socket.socket(socket.AF_UNIX); s.connect(UNIX); print(GOT)",
    "a raw socket": "s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); s.sendto(b'x' "
    "* 8, ('127.0.0.1', 0)); print(GOT)",
    "a process outside by a signal": "os.kill(PROCESS, signal.SIGKILL); print(GOT)",
    "all processes by a signal": "os.kill(-1, signal.SIGTERM)",
    "a namespace of its own with the host's": "print(GOT if ctypes.CDLL(None).setns(os.open('/proc/1/ns/net', "
    "0), 0) == 0 and "
    "socket.create_connection(('127.0.0.1', PORT), 2) else '')",
    "a mount": "print(GOT if ctypes.CDLL(None).mount(b'none', b'/usr', b'tmpfs', 0, None) == 0 else '')",
    "a program with another user's rights": "shutil.copy('/bin/sh', 'sh'); os.chown('sh', 0, 0); os.chmod('sh', "
    "0o4755); "
    "print(GOT if open('/proc/self/status').read().split('NoNewPrivs:')[1].split()[0] != '1' else '')",
    "a device": "os.mknod('disk', 0o60600, os.makedev(8, 0)); open('disk', 'rb').read(1); print(GOT)",
    "higher limits": "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40)); print(GOT)",
}
WRITES = {
    "a file beside the key": "pathlib.Path(FOLDER, 'written').write_text('x')",
    "a system file": "pathlib.Path('/usr/written').write_text('x'); print(GOT)",
    "the interpreter's packages": "p = pathlib.Path(sys.prefix, 'written'); p.write_text('x'); print(GOT)",
    "a hook of git": "pathlib.Path('.git/hooks/pre-commit').write_text('#!/bin/sh\\n'); print(GOT)",
    "git's settings": "open('.git/config', 'a').write('[core]\\nfsmonitor = sh'); print(GOT)",
    "git's folder, moved away": "os.rename('.git', 'other'); print(GOT)",
    "a link to the outside": "os.symlink(FOLDER, 'way'); pathlib.Path('way/written').write_text('x')",
}
TAKES = {
    "a large file": "f = open('large', 'wb')\nfor n in range(10_000): f.write(b'x' * (1 << 20))",
    "many files": "for n in range(60):\n    open(f'f{n}', 'wb').write(b'x' * (15 << 20))",
    "memory": "x = b'x' * (4 << 30)",
    "memory of many processes": "for n in range(30):\n    if not os.fork():\n        x = b'x' * "
    "(100 << 20); time.sleep(60)\ntime.sleep(60)",
    "processes": "while True: os.fork()",
    "time": "time.sleep(600)",
    "the processor": "while True: pass",
    "the temporary folder": "f = open('/tmp/large', 'wb')\nfor k in range(60):\n    open(f'/tmp/{k}', "
    "'wb').write(b'x' * (15 << 20))\nprint(GOT)",
}


def attempt(code: str, clone: Path, there: Outside, bounds: Bounds = TIGHT) -> CommandResult:
    """Run an escape behind the fence."""
    names = (
        f"SECRET, FOLDER, PORT, UNIX, PROCESS, CALLER = {str(there.secret)!r}, {str(there.folder)!r}, {there.port}, "
        f"{str(there.unix)!r}, {there.process}, {str(Path.home())!r}\n"
    )
    where = Surroundings(clone, choose_fence(), bounds)
    return run_command([sys.executable, "-c", PRELUDE + names + code], where)


@pytest.fixture
def clone(shop: Path) -> Path:
    commit_all(shop, "Begin")
    return shop


@pytest.mark.parametrize("code", [*READS.values(), *REACHES.values()], ids=[*READS, *REACHES])
def test_nothing_outside_is_read_or_reached(
    code: str, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "sk-123")
    with outside(tmp_path / "outside") as there:
        done = attempt(code, clone, there)
    assert OUT not in done.output and "SECRET KEY" not in done.output, done.output


@pytest.mark.parametrize("code", WRITES.values(), ids=WRITES)
def test_nothing_outside_is_written(code: str, clone: Path, tmp_path: Path) -> None:
    before = sorted(path.name for path in (clone / ".git").rglob("*"))
    with outside(tmp_path / "outside") as there:
        done = attempt(code, clone, there)
        assert sorted(path.name for path in there.folder.iterdir()) == ["id_rsa"]
    assert OUT not in done.output, done.output
    assert sorted(path.name for path in (clone / ".git").rglob("*")) == before


@pytest.mark.parametrize("code", TAKES.values(), ids=TAKES)
def test_nothing_is_taken_beyond_the_bounds(code: str, clone: Path, tmp_path: Path) -> None:
    started = time.monotonic()
    with outside(tmp_path / "outside") as there:
        done = attempt(code, clone, there)
    assert not done.ok and OUT not in done.output, done
    assert time.monotonic() - started < 30
    assert sum(path.stat().st_size for path in clone.rglob("*") if path.is_file()) < 500 << 20


def test_a_background_process_does_not_outlive_its_command(clone: Path, tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time, pathlib; time.sleep(2); pathlib.Path(\"late\").touch()'], "
        "start_new_session=True)\n"
    )
    with outside(tmp_path / "outside") as there:
        assert attempt(code, clone, there).ok
    time.sleep(3)
    assert not (clone / "late").exists()


def test_the_work_itself_is_possible(clone: Path, tmp_path: Path) -> None:
    """What a fence must let through: read and write the clone, run the interpreter with its packages, use /tmp."""
    code = "import pytest; pathlib.Path('made').write_text('x'); pathlib.Path('/tmp/t').touch(); "
    code += "print(open('README.md').read())"
    with outside(tmp_path / "outside") as there:
        done = attempt(code, clone, there)
    assert done.ok and "# Shop" in done.output and (clone / "made").read_text() == "x"


def test_the_same_escapes_work_without_the_fence(clone: Path, tmp_path: Path) -> None:
    """The control: what is tried above would succeed when nothing held it."""
    with outside(tmp_path / "outside") as there:
        names = f"SECRET, PORT, UNIX = {str(there.secret)!r}, {there.port}, {str(there.unix)!r}\n"
        where = Surroundings(clone, Fence(FenceKind.NONE), TIGHT)
        for name in ("a key by its path", "a server on loopback", "a socket in the file system", "other processes"):
            code = {**READS, **REACHES}[name]
            assert OUT in run_command([sys.executable, "-c", PRELUDE + names + code], where).output, name


def test_no_fence_says_how_to_get_one() -> None:
    with pytest.raises(NoFence, match="install bubblewrap"):
        raise NoFence("nothing found")
