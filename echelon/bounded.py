"""A function in a process of its own, within limits on time, memory and output: for what strangers can make expensive.

Parsers of foreign files and queries that a model wrote run here. Whatever happens to the child (it hangs, eats memory,
is killed by the kernel, crashes in native code), the process that asked goes on and gets a typed error.

    child = Child(Bounds(seconds=10, memory_mb=512), raises=(ReadError,))
    pages = child.call(read_pages, "/path/of/a.pdf")

The function stands at the top of a module; its arguments and its result are what JSON can say (a tuple comes back as a
list). No variable of the environment reaches the child but those of `PASSED`: no key can leak through it.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, ParamSpec, TypeVar, cast

from echelon.bounded_child import BEGINS, IDLE_SECONDS, MEGABYTE, START_SECONDS
from echelon.errors import EchelonError
from echelon.waiting import Waiting, end

P = ParamSpec("P")
T = TypeVar("T")

PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT")
FRUGAL = {
    "MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0", "RUST_BACKTRACE": "0", "PYDANTIC_DISABLE_PLUGINS": "__all__",
}  # fmt: skip
"""A thread more is memory more; the same input has the same cost everywhere. Plugins are looked for in all packages."""
CHILD = "import sys; sys.path[:] = sys.argv[1:]; from echelon.bounded_child import serve; serve()"
KEPT_OF_STDERR = 4096
OUT_OF_MEMORY = ("memory allocation of", "bad_alloc", "out of memory", "MemoryError", "Cannot allocate memory")


@dataclass(frozen=True)
class Bounds:
    """Ceilings of one call. `seconds` is wall clock from when the work begins: starting the child does not count.

    Of a warm child it is wall clock from when it is asked, so that a call takes no longer whatever the machine does.
    """

    seconds: float = 60.0
    memory_mb: int = 1024
    output_mb: float = 64.0


Limit = Literal["time", "memory", "output"]


class OutOfBounds(EchelonError):
    """The child was ended: it reached `limit`, whose value is `ceiling` (seconds or megabytes)."""

    def __init__(self, limit: Limit, ceiling: float) -> None:
        said: dict[Limit, str] = {
            "time": f"it took longer than {ceiling:g} seconds",
            "memory": f"it needed more than {ceiling:g} MB of memory",
            "output": f"its result has more than {ceiling:g} MB",
        }
        super().__init__(said[limit])
        self.limit, self.ceiling = limit, ceiling


class ChildFailed(EchelonError):
    """The function raised what nobody expected of it, or the child died. `kind` is the error's type or the signal."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind, self.text = kind, text


@dataclass(frozen=True)
class Child:
    """How to call functions in a child.

    An error of a type in `raises` is raised here, with its text and attributes; the first that fits. The modules of
    `imports` are imported before the time begins to count, as the function's own module is. After a `warm` child the
    next one is started at once and waits, imports done; one that nobody asks ends after some minutes.
    """

    bounds: Bounds = field(default_factory=Bounds)
    raises: tuple[type[Exception], ...] = ()
    imports: tuple[str, ...] = ()
    warm: bool = False

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`function(*args, **kwargs)`, done elsewhere. Raises OutOfBounds, ChildFailed and what `raises` names."""
        if function.__module__ == "__main__" or "<" in function.__qualname__:
            raise ValueError(f"{function.__qualname__} cannot be imported by another process")
        request = {"name": function.__qualname__, "args": args, "kwargs": kwargs}
        said = self._ask(function.__module__, json.dumps(request).encode())
        if "value" in said:
            return cast(T, said["value"])
        for kind in self.raises:
            if kind.__qualname__ in said["kinds"]:
                raise _again(kind, said)
        if "MemoryError" in said["kinds"]:
            raise OutOfBounds("memory", self.bounds.memory_mb)
        raise ChildFailed(said["kinds"][0], said["text"])

    def _ask(self, module: str, request: bytes) -> dict[str, Any]:
        """What a child says to `request`. Raises OutOfBounds and ChildFailed; that child has ended in any case."""
        how = self._how(module)
        process = (_spare.take(how, IDLE_SECONDS / 2) if self.warm else None) or _started(how)
        talk = _Talk(process, request, self.bounds, counts_start=self.warm)
        try:
            talk.hold()
            process.wait(timeout=max(0.1, talk.left))
        except subprocess.TimeoutExpired as error:
            raise OutOfBounds("time", self.bounds.seconds) from error
        finally:
            end(process)
            if self.warm:
                _make_ready(how)
        return talk.answer()

    def _how(self, module: str) -> _How:
        path = tuple(p or str(Path.cwd()) for p in sys.path)
        prepared = {"memory": self.bounds.memory_mb * MEGABYTE, "seconds": self.bounds.seconds}
        preparation = json.dumps(prepared | {"imports": self.imports, "module": module})
        environment = {name: os.environ[name] for name in PASSED if name in os.environ} | FRUGAL
        return _How(str(Path.cwd()), path, tuple(environment.items()), preparation)


def _again(kind: type[Exception], said: dict[str, Any]) -> Exception:
    """An error of the child, made again without its constructor, whose arguments nobody kept."""
    error = kind.__new__(kind)
    error.args = (said["text"],)
    error.__dict__.update(said["attributes"])
    return error


class _How(NamedTuple):
    """All that a child depends on before it is asked."""

    folder: str
    path: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    preparation: str


def _started(how: _How) -> subprocess.Popen[bytes]:
    """A new child that prepares itself and then waits for its request."""
    process = subprocess.Popen(
        [sys.executable, "-s", "-c", CHILD, *how.path], env=dict(how.environment), start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(how.preparation.encode() + b"\n")  # shorter than what any pipe takes at once
    return process


_spare: Waiting[_How] = Waiting()
"""The next child of the latest kind that was asked"""
_starter = ThreadPoolExecutor(1, "start a child")
"""The kernel ends a child with the *thread* that started it, so those that wait are started by one that stays."""


def _make_ready(how: _How) -> None:
    """Have a child of this kind start and wait, unless one waits already."""
    with contextlib.suppress(RuntimeError, OSError):  # no new thread or process: the next call makes its own
        _spare.keep(how, lambda: _starter.submit(_started, how).result())


class _Talk:
    """The conversation with a child: the request goes in, what it says comes out, until it ends or passes a limit."""

    def __init__(self, process: subprocess.Popen[bytes], request: bytes, bounds: Bounds, *, counts_start: bool) -> None:
        self._process, self._rest, self._bounds = process, memoryview(request), bounds
        self._out, self._errors = bytearray(), bytearray()
        self._deadline = time.monotonic() + bounds.seconds + (0 if counts_start else START_SECONDS)
        self._began = counts_start

    @property
    def left(self) -> float:
        """Seconds that the child has left."""
        return self._deadline - time.monotonic()

    def hold(self) -> None:
        """Talk until the child closes its end. Raises OutOfBounds."""
        process = self._process
        assert process.stdin and process.stdout and process.stderr
        with selectors.DefaultSelector() as selector:
            for pipe, event in (
                (process.stdin, selectors.EVENT_WRITE),
                (process.stdout, selectors.EVENT_READ),
                (process.stderr, selectors.EVENT_READ),
            ):
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, event)
            while not process.stdout.closed:
                ready = selector.select(timeout=max(0.0, self.left))
                if not ready:
                    raise OutOfBounds("time", self._bounds.seconds)
                for key, _ in ready:
                    pipe = cast(IO[bytes], key.fileobj)
                    open_ = self._write(pipe) if pipe is process.stdin else self._read(pipe, pipe is process.stdout)
                    if not open_:
                        selector.unregister(pipe)
                        pipe.close()

    def _write(self, pipe: IO[bytes]) -> bool:
        """Hand over more of the request; whether there is more to hand over."""
        try:
            self._rest = self._rest[os.write(pipe.fileno(), self._rest[:65536]) :]
        except BlockingIOError:
            return True
        except OSError:  # it died before it read everything
            return False
        return len(self._rest) > 0

    def _read(self, pipe: IO[bytes], is_result: bool) -> bool:
        """Take what the child said; whether it may say more. Raises OutOfBounds."""
        try:
            chunk = os.read(pipe.fileno(), 65536)
        except BlockingIOError:
            return True
        if not is_result:
            self._errors = (self._errors + chunk)[-KEPT_OF_STDERR:]
            return bool(chunk)
        if chunk and not self._began:
            self._began = True
            self._deadline = time.monotonic() + self._bounds.seconds
        self._out += chunk
        if len(self._out) > self._bounds.output_mb * MEGABYTE:
            raise OutOfBounds("output", self._bounds.output_mb)
        return bool(chunk)

    def answer(self) -> dict[str, Any]:
        """What the child said when it had ended. Raises OutOfBounds and ChildFailed."""
        status, errors = self._process.returncode, self._errors.decode("utf-8", "replace").strip()
        try:
            said: dict[str, Any] = json.loads(bytes(self._out).removeprefix(BEGINS))
            return said
        except (ValueError, RecursionError):
            pass  # half an answer, or none
        if status == -signal.SIGXCPU:
            raise OutOfBounds("time", self._bounds.seconds)
        if any(words in errors for words in OUT_OF_MEMORY):
            raise OutOfBounds("memory", self._bounds.memory_mb)
        kind = signal.Signals(-status).name if status < 0 else f"exit status {status}"
        raise ChildFailed(kind, (errors.splitlines() or [""])[-1][:300])
