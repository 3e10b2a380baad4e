"""Try changed files against tests, fast first and then for certain. Standard library and pytest only.

Argument: a file with {"tests": [...], "all": [...], "seconds": n, "all_seconds": n, "most": n, "plausible": n,
"mutants": [{"id": n, "path": p, "text": t}]}. Output: a JSON line for each mutant that passes `tests`, with whether it
passes `all` too, and at the end {"tried": n}.

Fast: the tests are collected once; each mutant is a fork in which the code of the changed function is swapped. What
passes there, or cannot be swapped, is tried from scratch with the file changed.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

import pytest

QUIET = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-o", "addopts=", "--no-header", "--tb=no"]
PASSED, FAILED, UNKNOWN = 0, 1, 2


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    sys.dont_write_bytecode = True
    sys.path[0] = os.getcwd()  # as `python -m pytest` has it
    sys.setrecursionlimit(900)
    end = time.monotonic() + job["most"]
    tried = found = 0
    by_id = {mutant["id"]: mutant for mutant in job["mutants"]}
    for number, verdict in first_looks(job, end):
        tried += 1
        if time.monotonic() > end or found >= job["plausible"]:
            break
        if verdict == FAILED:
            continue
        mutant = by_id[number]
        with changed(mutant["path"], mutant["text"]):
            if passes(job["tests"], job["seconds"] + 2):
                passed_all = passes(job["all"], job["all_seconds"] + 2)
                found += passed_all
                print(json.dumps({"id": number, "all": passed_all}), flush=True)
    print(json.dumps({"tried": tried}), flush=True)


def first_looks(job: dict[str, Any], end: float) -> Iterator[tuple[int, int]]:
    """(mutant, verdict) in order, from a process that has collected the tests; UNKNOWN for what it did not get to."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        silent()
        try:
            pytest.main([*QUIET, *job["tests"]], plugins=[Loop(job, writing, end)])
        finally:
            os._exit(0)
    os.close(writing)
    seen: set[int] = set()
    try:
        with os.fdopen(reading, encoding="ascii") as lines:
            for line in lines:
                number, verdict = map(int, line.split())
                seen.add(number)
                yield number, verdict
        for mutant in job["mutants"]:
            if mutant["id"] not in seen:
                yield mutant["id"], UNKNOWN
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)


class Loop:
    """In place of pytest's own loop over the tests: one round of them for each mutant."""

    def __init__(self, job: dict[str, Any], writing: int, end: float) -> None:
        self.job, self.writing, self.end = job, writing, end

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        for mutant in self.job["mutants"]:
            if time.monotonic() > self.end:
                break
            loaded(mutant["path"])  # found here, not in each child
            said = in_child(lambda mutant=mutant: self.look(session, mutant), self.job["seconds"])  # type: ignore[misc]
            verdict = said if said in (PASSED, UNKNOWN) else FAILED
            os.write(self.writing, f"{mutant['id']} {verdict}\n".encode())
        return True

    def look(self, session: Any, mutant: dict[str, Any]) -> int:
        if not swap(mutant["path"], mutant["text"]):
            return UNKNOWN
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                return FAILED
        return PASSED


def swap(path: str, text: str) -> bool:
    """Give the functions of the loaded module the code that the text has; False when that is not enough."""
    modules, old = loaded(path)
    new = dict(codes(compile(text, os.path.realpath(path), "exec", dont_inherit=True)))
    changed_names = {name for name, code in new.items() if name in old and not same(code, old[name])}
    swapped: set[str] = set()
    for module in modules:
        for function in functions(module):
            name = function.__code__.co_qualname
            if name in changed_names and len(function.__code__.co_freevars) == len(new[name].co_freevars):
                function.__code__ = new[name]
                swapped.add(name)
    return bool(swapped) and swapped == changed_names and set(new) == set(old)


@functools.cache
def loaded(path: str) -> tuple[list[ModuleType], dict[str, CodeType]]:
    """The modules that are loaded from a file, and the code of its functions as it stands there."""
    real = os.path.realpath(path)
    with open(real, encoding="utf-8") as file:
        old = dict(codes(compile(file.read(), real, "exec", dont_inherit=True)))
    there: list[object] = list(sys.modules.values())  # anything can be put there
    return [m for m in there if isinstance(m, ModuleType) and is_file(m, real)], old


def is_file(module: ModuleType, real: str) -> bool:
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and os.path.realpath(file) == real


def codes(module: CodeType) -> Iterator[tuple[str, CodeType]]:
    """Code of the functions of a module and of its classes, by qualified name; nested ones belong to what holds them."""
    for constant in module.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & 0x2:  # optimised: a function, not the body of a class
                yield constant.co_qualname, constant
            else:
                yield from codes(constant)


def same(one: CodeType, two: CodeType) -> bool:
    return (
        one.co_code == two.co_code
        and consts(one) == consts(two)
        and one.co_names == two.co_names
        and locals_of(one) == locals_of(two)
    )


def consts(code: CodeType) -> list[object]:
    return [
        (c.co_code, consts(c), c.co_names) if isinstance(c, CodeType) else (type(c), repr(c)) for c in code.co_consts
    ]


def locals_of(code: CodeType) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return code.co_varnames, code.co_freevars, code.co_cellvars


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """Functions and methods of a module, also behind decorators."""
    stack: list[Any] = list(vars(module).values())
    seen: set[int] = set()
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, FunctionType):
            yield value
            stack.append(getattr(value, "__wrapped__", None))
        elif issubclass(type(value), staticmethod | classmethod):
            stack.append(value.__func__)
        elif isinstance(value, property):
            stack += [value.fget, value.fset, value.fdel]
        elif isinstance(value, type) and value.__module__ == module.__name__:
            stack += list(vars(value).values())


@contextlib.contextmanager
def changed(path: str, text: str) -> Generator[None]:
    """The file with another text, put back afterwards."""
    with open(path, "rb") as file:
        before = file.read()
    try:
        with open(path, "wb") as file:
            file.write(text.encode("utf-8"))
        yield
    finally:
        with open(path, "wb") as file:
            file.write(before)


def passes(tests: list[str], seconds: float) -> bool:
    """Whether the tests pass, from scratch, in a child that is ended after `seconds`."""
    return in_child(lambda: int(pytest.main([*QUIET, *tests])), seconds) == 0


def in_child(work: Callable[[], int], seconds: float) -> int | None:
    """The status of a child that does `work`; None when it had to be ended. Whatever it started ends with it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        silent()
        limit = max(1, int(seconds) + 1)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        status = 70
        try:
            status = work()
        finally:
            os.write(writing, bytes([min(status, 255)]))
            os._exit(0)
    os.close(writing)
    ready = select.select([reading], [], [], seconds)[0]
    said = os.read(reading, 1) if ready else b""
    for end in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            end(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    return said[0] if said else None


def silent() -> None:
    """What tests print goes nowhere: the output of this program is read as JSON."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)


if __name__ == "__main__":
    main()
