"""Runs of the tests on copies of the repository."""

from __future__ import annotations

import shlex
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from echelon.crews.coder.proving.canary import Canary, canary_file, without_canary
from echelon.domains.code.running.bounds import Bounds
from echelon.domains.code.running.command import Surroundings
from echelon.domains.code.running.fence import choose_fence, interpreter_folders
from echelon.domains.code.running.report import TestReport
from echelon.domains.code.running.suite import find_suite, run_suite
from echelon.settings import CodeSettings


@contextmanager
def copied(contents: Mapping[str, bytes], settings: CodeSettings, name: str = "repository") -> Generator[Surroundings]:
    """A copy of files in a folder `name`, with what commands in it may do. It is gone afterwards, and what they wrote."""
    python = settings.python or sys.executable
    read = interpreter_folders(Path(python)) if settings.python else ()
    with tempfile.TemporaryDirectory() as made:
        root = Path(made) / name
        for path, data in contents.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        environment = {"PYTHONPATH": f"{root}:{root / 'src'}"}
        bounds = Bounds(seconds=settings.seconds, cpu_seconds=int(settings.seconds) + 1, memory_mb=settings.memory_mb)
        yield Surroundings(root, choose_fence(settings.fence, read=read), bounds, environment, python)


def run_tests(
    contents: Mapping[str, bytes], settings: CodeSettings, only: list[str] | None = None
) -> TestReport | None:
    """Run the tests on a copy of files; None where there are none. Raises UserError without a fence."""
    found = run_all(contents, settings, only or [])
    return None if found is None else found[0]


def run_all(
    contents: Mapping[str, bytes], settings: CodeSettings, only: Sequence[str] = ()
) -> tuple[TestReport, Canary] | None:
    """The report, and what became of a test that must fail; it runs along whenever all tests are run."""
    canary = None if only or settings.tests else canary_file(contents)
    more = {} if canary is None else {canary[0]: canary[1]}
    with copied({**contents, **more}, settings) as where:
        suite = find_suite(where.clone, command=shlex.split(settings.tests), python=where.python)
        if suite is None:
            return None
        report = run_suite(suite, where, only=only)[0]
    return (report, Canary.ABSENT) if canary is None else without_canary(report, canary[0])
