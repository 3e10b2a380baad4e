"""Checks that run a command: its exit code, or the JUnit file that it writes."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from echelon.domains.code.running.fence import NoFence, choose_fence
from echelon.experiments.definition.checks import Bounded, CommandCheck, JUnitCheck
from echelon.experiments.scoring.finished import CheckResult, Finished, broken, passed

HANGING = 3_600.0
"""Seconds after which a command that uses no processor time, and so passes no limit, is given up."""
TAIL = 300
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT")
"""A graded program sees these alone of the environment: no key, no address."""


def command(check: CommandCheck, trial: Finished) -> CheckResult:
    """Exit code 0 is a pass; see `CommandCheck`."""
    same = unchanged(check.must_change, trial)
    if same is not None:
        return passed("command", False, same)
    done = _run(check.run, check, trial)
    if isinstance(done, str):
        return broken("command", done)
    score = _score_said(done.stdout)
    good = done.returncode == 0
    return passed("command", good, _ended(done), score if score is not None else float(good))


def junit(check: JUnitCheck, trial: Finished) -> CheckResult:
    """Every test of the file passes; see `JUnitCheck`. A file that was there before the command is not its result."""
    same = unchanged(check.must_change, trial)
    if same is not None:
        return passed("junit", False, same)
    path, ended = trial.output / check.file, ""
    if check.run:
        path.unlink(missing_ok=True)
        done = _run(check.run, check, trial)
        if isinstance(done, str):
            return broken("junit", done)
        ended = _ended(done)
    return _counted(path, check.file, ended)


def _counted(path: Path, name: str, ended: str) -> CheckResult:
    try:
        cases = list(ElementTree.fromstring(path.read_bytes()).iter("testcase"))
    except FileNotFoundError:
        return passed("junit", False, f"{name} was not written; {ended}" if ended else f"there is no {name}")
    except ElementTree.ParseError as error:
        return passed("junit", False, f"{name} is no XML: {error}")
    wrong = [c for c in cases if c.find("failure") is not None or c.find("error") is not None]
    ran = [c for c in cases if c.find("skipped") is None]
    good = len(ran) - len(wrong)
    says = f"{good} of {len(ran)} tests pass"
    first = f"; first: {wrong[0].get('classname', '')}.{wrong[0].get('name', '')}" if wrong else ""
    return passed("junit", bool(ran) and not wrong, says + first, good / len(ran) if ran else 0.0)


def unchanged(names: tuple[str, ...], trial: Finished) -> str | None:
    """A sentence about the first file that was to change and is still the input, None when all have changed."""
    for name in names:
        for path, before in _then_and_now(Path(name), trial):
            if before.is_file() and path.is_file() and path.read_bytes() == before.read_bytes():
                return f"{name} is unchanged"
    return None


def _then_and_now(name: Path, trial: Finished) -> Iterator[tuple[Path, Path]]:
    """A result and the input that it was made from: a file of the same name, or a file of a folder that was an input,
    whose place is in the workspace (`repository/a/b.py` of a coder job is `a/b.py` of its input)."""
    for source in trial.inputs:
        if source.is_dir():
            yield trial.workspace / name, source.joinpath(*name.parts[1:])
        elif source.name == name.name:
            yield trial.output / name, source


def _run(command_line: tuple[str, ...], bounds: Bounded, trial: Finished) -> subprocess.CompletedProcess[str] | str:
    """The ended command, or a sentence why it could not be run."""
    places = {"task": trial.task, "output": trial.output, "workspace": trial.workspace, "python": sys.executable}
    arguments = [filled(part, places) for part in command_line]
    environment = {k: v for k, v in os.environ.items() if k in KEPT_VARIABLES}
    environment |= {"HOME": str(trial.workspace), "PYTHONDONTWRITEBYTECODE": "1"}
    program = _program(arguments[0], trial)
    if program is None:
        return f"{arguments[0]} cannot be run: there is no such program"
    try:
        fence = choose_fence(bounds.fence, read=[trial.task, program.resolve().parent.parent])
        fenced = fence.around(arguments, trial.workspace, environment=environment, folder=trial.output)
        return subprocess.run(
            fenced, cwd=trial.output, env=environment, capture_output=True, text=True, errors="replace",
            timeout=HANGING, stdin=subprocess.DEVNULL, preexec_fn=_limits(bounds), check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{arguments[0]} did not end within {HANGING:.0f} s"
    except NoFence as error:
        return str(error)
    except OSError as error:
        return f"{arguments[0]} cannot be run: {error.strerror}"


def _program(name: str, trial: Finished) -> Path | None:
    """The program of a command; a path is looked for from the output, as the command would."""
    path = trial.output / name
    if "/" in name:
        return path if os.access(path, os.X_OK) else None
    found = shutil.which(name)
    return Path(found) if found else None


def filled(text: str, places: dict[str, Any]) -> str:
    """The text with the placeholders that are known filled in; other braces stay."""
    for name, value in places.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _limits(bounds: Bounded) -> Callable[[], None]:
    def limit() -> None:
        os.setpgrp()
        resource.setrlimit(resource.RLIMIT_CPU, (bounds.cpu_seconds, bounds.cpu_seconds + 1))
        size = bounds.memory_megabytes * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return limit


def program_exists(command_line: tuple[str, ...]) -> bool:
    """Whether the program of a command is there; one inside of a placeholder is only known later."""
    return "{" in command_line[0] or shutil.which(command_line[0]) is not None


def _score_said(text: str) -> float | None:
    """The score of the last line, when that is a JSON object with one from 0 to 1."""
    lines = text.strip().splitlines()
    try:
        value = json.loads(lines[-1])["score"] if lines else None
    except (ValueError, KeyError, TypeError):
        return None
    return float(value) if isinstance(value, (int, float)) and 0 <= value <= 1 else None


def _ended(done: subprocess.CompletedProcess[str]) -> str:
    status = done.returncode if done.returncode <= 128 else 128 - done.returncode  # as a shell and the fence say it
    code = f"exit code {status}" if status >= 0 else f"ended by signal {-status}"
    said = " ".join((done.stdout + " " + done.stderr).split())
    return f"{code}: {said[-TAIL:]}" if said else code
