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
import importlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, ParamSpec, TypeVar, cast

from echelon.errors import EchelonError

P = ParamSpec("P")
T = TypeVar("T")

MEGABYTE = 1 << 20
MAPPED_MB = 1024
"""Address space besides the memory limit, for what is only mapped or reserved: libraries, files."""
START_SECONDS = 20
"""Processor time that starting and importing may take, on top of the work."""
PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "SYSTEMROOT")
FRUGAL = {
    "MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "RAYON_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0", "RUST_BACKTRACE": "0",
}  # fmt: skip
"""A thread more is memory more; the same input has the same cost on every machine."""
CHILD = "import sys; sys.path[:] = sys.argv[1:]; from echelon.bounded import serve; serve()"
BEGINS = b">"
"""What the child says when it has started and imported, and the work begins."""
KEPT_OF_STDERR = 4096
OUT_OF_MEMORY = ("memory allocation of", "bad_alloc", "out of memory", "MemoryError", "Cannot allocate memory")


@dataclass(frozen=True)
class Bounds:
    """Ceilings of one call. `seconds` is wall clock from when the work begins: starting the child does not count."""

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
    `imports` are imported before the time begins to count, as the function's own module is.
    """

    bounds: Bounds = field(default_factory=Bounds)
    raises: tuple[type[Exception], ...] = ()
    imports: tuple[str, ...] = ()

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`function(*args, **kwargs)`, done elsewhere. Raises OutOfBounds, ChildFailed and what `raises` names."""
        if function.__module__ == "__main__" or "<" in function.__qualname__:
            raise ValueError(f"{function.__qualname__} cannot be imported by another process")
        asked = {"module": function.__module__, "name": function.__qualname__, "args": args, "kwargs": kwargs}
        asked |= {"memory": self.bounds.memory_mb * MEGABYTE, "seconds": self.bounds.seconds, "imports": self.imports}
        said = _ask(json.dumps(asked).encode(), self.bounds)
        if "value" in said:
            return cast(T, said["value"])
        for kind in self.raises:
            if kind.__qualname__ in said["kinds"]:
                raise _again(kind, said)
        if "MemoryError" in said["kinds"]:
            raise OutOfBounds("memory", self.bounds.memory_mb)
        raise ChildFailed(said["kinds"][0], said["text"])


def _again(kind: type[Exception], said: dict[str, Any]) -> Exception:
    """An error of the child, made again without its constructor, whose arguments nobody kept."""
    error = kind.__new__(kind)
    error.args = (said["text"],)
    error.__dict__.update(said["attributes"])
    return error


def _ask(request: bytes, bounds: Bounds) -> dict[str, Any]:
    """What a new child says to `request`. Raises OutOfBounds and ChildFailed; the child has ended in any case."""
    environment = {name: os.environ[name] for name in PASSED if name in os.environ} | FRUGAL
    path = [p or str(Path.cwd()) for p in sys.path]
    process = subprocess.Popen(
        [sys.executable, "-s", "-c", CHILD, *path], env=environment, start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
    )  # fmt: skip
    talk = _Talk(process, request, bounds)
    try:
        talk.hold()
        process.wait(timeout=max(0.1, talk.left))
    except subprocess.TimeoutExpired as error:
        raise OutOfBounds("time", bounds.seconds) from error
    finally:
        _end(process)
    return talk.answer()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the child and what it started, whatever state they are in, and wait for it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        with contextlib.suppress(OSError):
            pipe.close()


class _Talk:
    """The conversation with a child: the request goes in, what it says comes out, until it ends or passes a limit."""

    def __init__(self, process: subprocess.Popen[bytes], request: bytes, bounds: Bounds) -> None:
        self._process, self._rest, self._bounds = process, memoryview(request), bounds
        self._out, self._errors = bytearray(), bytearray()
        self._deadline = time.monotonic() + START_SECONDS + bounds.seconds
        self._began = False

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


# in the child


def serve() -> None:
    """What the child runs: one request from standard input, one answer to standard output, and no more."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no answer
    _die_with_parent()
    asked = json.loads(sys.stdin.buffer.read())
    try:
        _limit(asked["memory"], asked["seconds"])
        for module in asked["imports"]:
            importlib.import_module(module)
        function: Any = importlib.import_module(asked["module"])
        for name in asked["name"].split("."):
            function = getattr(function, name)
        os.write(answers, BEGINS)
        said = json.dumps({"value": function(*asked["args"], **asked["kwargs"])})
    except Exception as error:
        kinds = [kind.__qualname__ for kind in type(error).__mro__]
        said = json.dumps({"kinds": kinds, "text": str(error)[:4000], "attributes": _plain(vars(error))})
    with os.fdopen(answers, "wb") as out:
        out.write(said.encode())
    os._exit(0)  # no thread and no handler of a library keeps it


def _plain(attributes: dict[str, Any]) -> dict[str, Any]:
    """Those of an error's attributes that are text, numbers or nothing."""
    return {k: v for k, v in attributes.items() if v is None or isinstance(v, (str, int, float, bool))}


def _limit(memory: int, seconds: float) -> None:
    """Have the kernel hold the limits; done before anything big is imported, so that allocators reserve less."""
    import resource

    processor = START_SECONDS + int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # a system that knows no such limit
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        space = memory + MAPPED_MB * MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
    with contextlib.suppress(OSError), Path("/proc/self/oom_score_adj").open("w") as score:
        score.write("1000")  # whoever runs out of memory, this is the first to go


def _die_with_parent() -> None:
    """On Linux: have the kernel end this process when the one that asked is killed."""
    if sys.platform != "linux":
        return
    import ctypes

    pr_set_pdeathsig = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
