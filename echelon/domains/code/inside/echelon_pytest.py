"""A pytest plugin: ends a test that takes too long, and writes which lines of the tree each test runs, and what it calls.

Standard library only. Asked by variables: ECHELON_TEST_SECONDS (a test may take so long), ECHELON_SPECTRUM_FILE (where
JSON lines go; without it nothing is recorded), ECHELON_SPECTRUM_ROOT (the tree), ECHELON_REPEAT (run each test that passes
so often, as long as it is quick, and fail it when it passes only sometimes).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import echelon_watch  # type: ignore[import-not-found]
import pytest

ROOT = os.path.realpath(os.environ.get("ECHELON_SPECTRUM_ROOT", ".")) + os.sep
FILE = os.environ.get("ECHELON_SPECTRUM_FILE", "")
SECONDS = float(os.environ.get("ECHELON_TEST_SECONDS", "0"))
REPEAT = int(os.environ.get("ECHELON_REPEAT", "1"))
REPEAT_SECONDS = 2.0
"""Time after which a test is not repeated any more."""
MOST_CALLS, LONGEST_CALL = 20, 2_000
"""Calls of one test that are kept, and characters of the arguments of each."""
MOST_EVENTS = 300_000
"""Lines run in one test, after which recording stops: they are known by then, and tracing costs time."""


echelon_watch.install()


class TookTooLong(Exception):
    """A test ran longer than it may."""


class Recorder:
    """Lines run by one test, through `sys.settrace`."""

    def __init__(self) -> None:
        self.lines: dict[str, set[int]] = {}
        self.calls: list[tuple[str, str, str]] = []
        self.events = 0
        self._known: dict[str, str | None] = {}

    def path(self, file: str) -> str | None:
        """The path relative to the tree; None for a file outside of it, a test, or a part of an environment."""
        if file not in self._known:
            real = os.path.realpath(file)
            inside = real.startswith(ROOT) and "site-packages" not in real
            name = os.path.basename(real)
            is_test = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
            self._known[file] = real[len(ROOT) :] if inside and not is_test else None
        return self._known[file]

    def called(self, path: str, frame: FrameType) -> None:
        """Keep a call from outside of the tree's sources: the function and its arguments, where JSON can say them."""
        back, code = frame.f_back, frame.f_code
        if (
            len(self.calls) >= MOST_CALLS
            or code.co_name.startswith("<")
            or code.co_kwonlyargcount
            or code.co_flags & 0x0C
        ):
            return
        if back is None or self.path(back.f_code.co_filename) is not None:
            return
        try:
            said = json.dumps([frame.f_locals[name] for name in code.co_varnames[: code.co_argcount]])
        except (TypeError, ValueError, KeyError, RecursionError):
            return
        if len(said) <= LONGEST_CALL:
            self.calls.append((path, code.co_name, said))

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        path = self.path(frame.f_code.co_filename)
        if path is None or self.events > MOST_EVENTS:
            return None
        lines = self.lines.setdefault(path, set())
        self.called(path, frame)

        def each(frame: FrameType, event: str, argument: Any) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
                self.events += 1
                if self.events > MOST_EVENTS:
                    sys.settrace(None)
                    return None
            return each

        return each


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Generator[None, object, object]:
    recorder = Recorder()
    passed = False
    try:
        with limited(), recorded(recorder):
            result = yield
        passed = True
        return result
    finally:
        if FILE:
            lines = {path: sorted(numbers) for path, numbers in recorder.lines.items()}
            with open(FILE, "a", encoding="utf-8") as file:
                found = {"test": item.nodeid, "passed": passed, "lines": lines, "calls": recorder.calls}
                file.write(json.dumps(found) + "\n")


def wavers(ends: str) -> bool:
    """Whether a test passed and failed in turns: once 'p' and then only 'f' is a test that cannot be run twice."""
    return "f" in ends and ends.strip("f") != "" and ends != "p" + "f" * (len(ends) - 1)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> object:
    """Repeat a test that passes. The first failure alone says nothing: some tests use something up."""
    if REPEAT < 2:
        return None
    from _pytest.runner import runtestprotocol

    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    began, ends, first = time.monotonic(), "", None
    while len(ends) < REPEAT and (not ends or time.monotonic() - began < REPEAT_SECONDS):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        first = first or reports
        if any(each.skipped for each in reports):
            break
        ends += "f" if any(each.failed for each in reports) else "p"
        if ends.startswith("f"):
            break
    for each in first or ():
        if each.when == "call" and wavers(ends):
            each.outcome = "failed"
            each.longrepr = f"it passes only sometimes: {ends} (p: passed, f: failed)"
        item.ihook.pytest_runtest_logreport(report=each)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@contextmanager
def recorded(recorder: Recorder) -> Generator[None]:
    if FILE:
        sys.settrace(recorder.trace)
        threading.settrace(recorder.trace)
    try:
        yield
    finally:
        if FILE:
            sys.settrace(None)
            threading.settrace(None)


LEAST_SECONDS = 1.0


class Limit:
    """How long a test may take: half as long after each that took too long, so that many that hang leave time for all."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def was_reached(self) -> None:
        self.seconds = max(min(LEAST_SECONDS, self.seconds), self.seconds / 2)


LIMIT = Limit(SECONDS)


@contextmanager
def limited(limit: Limit = LIMIT) -> Generator[None]:
    """Raise in the main thread when the time is over, and again each second: code may swallow the first one."""
    if not limit.seconds:
        yield
        return
    fired: list[int] = []

    def late(number: int, frame: FrameType | None) -> None:
        fired.append(number)
        raise TookTooLong(f"the test took longer than {limit.seconds:g} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, limit.seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if fired:
            limit.was_reached()
