"""A check that is a Python function of the user."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from echelon.experiments.definition.checks import PythonCheck
from echelon.experiments.scoring.finished import CheckResult, Finished, broken, passed
from echelon.json_text import is_sequence

Scorer = Callable[[Finished], Any]


def python(check: PythonCheck, trial: Finished) -> CheckResult:
    """What the function says; see `PythonCheck`. One that raises leaves the trial without a result."""
    try:
        with searched(trial.task):
            value = function_of(check.function)(trial)
    except Exception as error:  # the function is the user's; whatever it raises says that nothing is known
        return broken("python", f"{check.function} raised {type(error).__name__}: {error}")
    return _result(check, value)


def _result(check: PythonCheck, value: Any) -> CheckResult:
    if is_sequence(value) and isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], bool):
        good, score = value
    elif isinstance(value, bool):
        good, score = value, float(value)
    else:
        good, score = None, value
    if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
        return broken(
            "python", f"{check.function} returned {value!r}; a bool, a score from 0 to 1, or both are asked for"
        )
    return passed("python", score >= check.at_least if good is None else good, f"score {score:.3f}", float(score))


@contextmanager
def searched(folder: Path) -> Generator[None]:
    """Modules are looked for in `folder` and the folder above first while the block runs."""
    places = [str(folder), str(folder.parent)]
    sys.path[:0] = places
    try:
        yield
    finally:
        for place in places:
            sys.path.remove(place)


def function_of(name: str) -> Scorer:
    """The function that `module:name` names. Raises ImportError, AttributeError, and what the module raises.

    A module of the same name that came from another task's folder is loaded anew.
    """
    module_name, _, attribute = name.partition(":")
    head = module_name.split(".")[0]
    mine = _found(head)
    if mine is not None and head in sys.modules and mine not in _places(sys.modules[head]):
        for known in [m for m in sys.modules if m == head or m.startswith(f"{head}.")]:
            del sys.modules[known]
    importlib.invalidate_caches()
    function = getattr(importlib.import_module(module_name), attribute)
    if not callable(function):
        raise AttributeError(f"{name} is no function")
    return function  # type: ignore[no-any-return]


def _found(head: str) -> Path | None:
    """Where the two folders that are searched first have this module, None where neither has it."""
    places = (Path(folder) / name for folder in sys.path[:2] for name in (head, f"{head}.py"))
    return next((p.resolve() for p in places if p.is_file() or (p.is_dir() and any(p.glob("*.py")))), None)


def _places(module: ModuleType) -> list[Path]:
    """The file that a module was loaded from, and the folders of a package."""
    file = getattr(module, "__file__", None)
    return [Path(p).resolve() for p in (*getattr(module, "__path__", ()), *([file] if file else []))]
