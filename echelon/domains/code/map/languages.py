"""Languages by the ending of a file's name, and which files are tests, generated or vendored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

_ENDINGS = {
    "python": ".py .pyi",
    "javascript": ".js .jsx .mjs .cjs",
    "typescript": ".ts .mts .cts",
    "tsx": ".tsx",
    "go": ".go",
    "java": ".java",
    "rust": ".rs",
    "c": ".c .h",
    "cpp": ".cc .cpp .cxx .hh .hpp .hxx",
}
LANGUAGE_OF = {ending: language for language, endings in _ENDINGS.items() for ending in endings.split()}
"""Ending of a file's name, with its dot, to the language."""

_TEST_NAME = re.compile(
    r"^test_[^/]*\.py$|_tests?\.(py|go|rs|c|cc|cpp)$|^conftest\.py$|\.(test|spec)\.[cm]?[jt]sx?$|^Test[A-Z]\w*\.java$|Tests?\.java$"
)
_TEST_FOLDERS = frozenset({"test", "tests", "testing", "__tests__"})
_GENERATED = re.compile(
    r"\.min\.(js|css)$|_pb2(_grpc)?\.py$|\.pb\.go$|\.generated\.|(^|/)(vendor|third_party|node_modules)/"
)


def language_of(path: str) -> str | None:
    """The language of a file by its name, None when it is no source file that we know."""
    return LANGUAGE_OF.get(PurePosixPath(path).suffix.lower())


def is_test_name(path: str) -> bool:
    """Whether the name of the file alone says that it is a test."""
    return _TEST_NAME.search(PurePosixPath(path).name) is not None


def is_generated(path: str) -> bool:
    """Whether the file is made by a tool or copied from elsewhere, by its path."""
    return _GENERATED.search(path) is not None


def find_tests(paths: Iterable[str]) -> frozenset[str]:
    """The tests among `paths`: by name, and all below a folder of tests.

    A folder called `test` counts when at least one file below it is named like a test: a package `test` that offers
    help for testing is code like any other.
    """
    every = list(paths)
    named = {path for path in every if is_test_name(path)}
    folders = {folder for path in named for folder in _folders(path)}
    return frozenset(path for path in every if path in named or not folders.isdisjoint(_folders(path)))


def _folders(path: str) -> list[str]:
    """The folders of tests that hold `path`, as paths."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: at + 1]) for at, part in enumerate(parts) if part.lower() in _TEST_FOLDERS]
