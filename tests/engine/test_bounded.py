"""A function in a child within limits: what it says comes back, and whatever it does, the caller lives."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon import bounded
from echelon.bounded import Bounds, Child, ChildFailed, OutOfBounds
from echelon.domains.documents.types import ReadError
from echelon.errors import UnknownName, UserError

REPOSITORY = Path(__file__).parents[2]
SMALL = Bounds(seconds=1, memory_mb=200, output_mb=1)


def echo(value: Any) -> Any:
    return value


def environment() -> dict[str, str]:
    return dict(os.environ)


def print_and_return() -> str:
    print("what a library prints")
    os.system("echo what its program prints")
    return "the answer"


def sleep() -> None:
    time.sleep(60)


def spin() -> None:
    while True:
        pass


def deaf_to_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
        signal.signal(number, signal.SIG_IGN)
    spin()


def eat() -> int:
    return len(bytes(400 << 20))


def eat_in_native_code() -> None:
    ctypes.CDLL(None).abort()


def eat_as_rust_does() -> None:
    os.write(2, b"memory allocation of 1073741824 bytes failed\n")
    os.abort()


def speak() -> str:
    return "x" * (2 << 20)


def whisper_for_ever() -> None:
    while True:
        os.write(2, b"y" * 65536)


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def leave() -> None:
    os._exit(7)


def start_another() -> int:
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]).pid


def fail(what: str) -> None:
    if what == "known":
        raise ReadError("a.pdf", "it is encrypted")
    if what == "kind of known":
        raise UnknownName("document", "polcy", ["policy"])
    raise KeyError(what)


def deep() -> Any:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


class Room:
    @staticmethod
    def inside(a: int, *, b: int) -> int:
        return a + b


def test_a_result_comes_back_with_positional_and_named_arguments() -> None:
    assert Child(SMALL).call(Room.inside, 1, b=2) == 3


@settings(max_examples=3, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_all_that_json_can_say_comes_back_as_it_was(value: Any) -> None:
    assert Child(SMALL).call(echo, value) == value


def test_half_a_surrogate_pair_and_a_long_text_come_back() -> None:
    text = "\ud800" + "ä" * 300_000
    assert Child(Bounds(seconds=5)).call(echo, text) == text


def test_imports_do_not_count_as_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_to_import.py").write_text("import time; time.sleep(1.5)")
    monkeypatch.syspath_prepend(tmp_path)
    assert Child(SMALL, imports=("slow_to_import",)).call(echo, 1) == 1


def test_what_is_printed_is_no_answer() -> None:
    assert Child(SMALL).call(print_and_return) == "the answer"


def test_no_key_reaches_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key")
    assert "a key" not in Child(SMALL).call(environment).values()


@pytest.mark.parametrize("function", [sleep, spin, deaf_to_signals, whisper_for_ever])
def test_the_time_is_bounded(function: Any) -> None:
    began = time.monotonic()
    with pytest.raises(OutOfBounds, match="longer than 1 seconds") as caught:
        Child(SMALL).call(function)
    assert (caught.value.limit, caught.value.ceiling) == ("time", 1)
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("function", [eat, eat_as_rust_does])
def test_the_memory_is_bounded(function: Any) -> None:
    largest_before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # kilobytes, of any child of the process
    with pytest.raises(OutOfBounds, match="more than 200 MB of memory"):
        Child(SMALL).call(function)
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert largest <= max(largest_before, 1 << 20) or function is eat_as_rust_does


def test_more_memory_is_a_setting() -> None:
    assert Child(Bounds(memory_mb=700)).call(eat) == 400 << 20


def test_the_output_is_bounded() -> None:
    with pytest.raises(OutOfBounds, match="more than 1 MB") as caught:
        Child(SMALL).call(speak)
    assert caught.value.limit == "output"


@pytest.mark.parametrize(
    ("function", "kind"), [(crash, "SIGSEGV"), (eat_in_native_code, "SIGABRT"), (leave, "exit status 7")]
)
def test_a_child_that_dies_says_of_what(function: Any, kind: str) -> None:
    with pytest.raises(ChildFailed) as caught:
        Child(SMALL).call(function)
    assert caught.value.kind == kind


def test_a_result_that_json_cannot_say_is_a_failure_of_the_function() -> None:
    with pytest.raises(ChildFailed, match="TypeError"):
        Child(SMALL).call(os.urandom, 3)
    with pytest.raises(ChildFailed):
        Child(SMALL).call(deep)


def test_errors_that_are_expected_keep_their_type_text_and_attributes() -> None:
    with pytest.raises(ReadError) as caught:
        Child(SMALL, raises=(ReadError,)).call(fail, "known")
    assert (str(caught.value), caught.value.file) == (str(ReadError("a.pdf", "it is encrypted")), "a.pdf")
    with pytest.raises(UserError, match="did you mean"):
        Child(SMALL, raises=(UserError,)).call(fail, "kind of known")


def test_errors_that_nobody_expects_are_a_failure_of_the_child() -> None:
    with pytest.raises(ChildFailed) as caught:
        Child(SMALL).call(fail, "unknown")
    assert caught.value.kind == "KeyError"


def test_what_the_child_started_ends_with_it() -> None:
    process = Child(SMALL).call(start_another)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{process}").exists() and _is_running(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


ASKING = """
import sys, time
from echelon.bounded import Bounds, Child
from tests.engine.test_bounded import tell_and_sleep
Child(Bounds(seconds=60)).call(tell_and_sleep, sys.argv[1])
"""


def tell_and_sleep(path: str) -> None:
    Path(path).write_text(str(os.getpid()))
    time.sleep(60)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends orphans on Linux alone")
def test_a_child_ends_with_a_killed_parent(tmp_path: Path) -> None:
    told = tmp_path / "child.txt"
    parent = subprocess.Popen([sys.executable, "-c", ASKING, str(told)], cwd=REPOSITORY)
    deadline = time.monotonic() + 30
    while not (told.exists() and told.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    parent.kill()
    parent.wait()
    while _is_running(int(told.read_text())):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_what_another_process_cannot_import_is_refused_before_it_starts() -> None:
    with pytest.raises(ValueError, match="cannot be imported"):
        Child(SMALL).call(lambda: 1)


def waits() -> subprocess.Popen[bytes]:
    """The child that waits."""
    found = bounded._spare.process
    assert found is not None
    return found


def test_a_warm_child_is_there_before_it_is_asked_and_serves_once() -> None:
    warm = Child(Bounds(seconds=30), imports=("json",), warm=True)
    first = warm.call(os.getpid)
    waiting = waits().pid
    assert first != waiting
    assert warm.call(os.getpid) == waiting
    assert Child(Bounds(seconds=20), warm=True).call(os.getpid) != waits().pid, "another kind is not served by it"


def test_the_time_of_a_warm_child_counts_from_when_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_to_start.py").write_text("import time; time.sleep(30)")
    monkeypatch.syspath_prepend(tmp_path)
    began = time.monotonic()
    with pytest.raises(OutOfBounds, match="longer than 1 seconds"):
        Child(SMALL, imports=("slow_to_start",), warm=True).call(echo, 1)
    assert time.monotonic() - began < 10
    bounded._spare.let_go()


def test_a_warm_child_that_was_killed_or_that_waits_too_long_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    warm = Child(Bounds(seconds=30), warm=True)
    assert warm.call(echo, 1) == 1
    os.kill(waits().pid, signal.SIGKILL)
    waits().wait()
    assert warm.call(echo, 2) == 2
    waiting = waits()
    monkeypatch.setattr(bounded, "IDLE_SECONDS", 0)
    assert warm.call(os.getpid) != waiting.pid and waiting.poll() is not None


def test_a_warm_child_survives_the_thread_that_asked_before() -> None:
    asking = threading.Thread(target=lambda: Child(Bounds(seconds=30), warm=True).call(echo, 1))
    asking.start()
    asking.join()
    time.sleep(0.3)
    assert waits().poll() is None


def test_a_child_that_waits_ends_with_its_parent() -> None:
    script = (
        "import os; from echelon import bounded; bounded.Child(warm=True).call(os.getpid); "
        "print(bounded._spare.process.pid)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert not _is_running(int(run.stdout)) and not run.stderr
