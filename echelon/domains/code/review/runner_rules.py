"""Settings of the test runner: a change may not decide anew which tests run."""

from __future__ import annotations

import configparser
import json
import tomllib
from collections.abc import Callable, Iterator

from echelon.domains.code.review.findings import FileChange, Finding


def runner_findings(change: FileChange) -> Iterator[Finding]:
    """A finding when the part of the file that speaks to a test runner is not what it was."""
    read = _READERS.get(change.path.rpartition("/")[2])
    if read is None:
        return
    old, new = (_settings(read, text) if text is not None else None for text in (change.before, change.after))
    if old != new and not (change.before is None and not new):
        says = "settings of the test runner were changed; leave them as they are."
        yield Finding(path=change.path, line=0, rule="runner-settings", says=says)


def _settings(read: Callable[[str], object], data: bytes) -> object:
    text = data.decode("utf-8", "replace")
    try:
        return read(text)
    except (ValueError, configparser.Error, KeyError):
        return text


def _toml(text: str) -> object:
    return tomllib.loads(text).get("tool", {}).get("pytest")


def _ini(text: str) -> object:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    return {name: dict(parser[name]) for name in parser.sections() if "pytest" in name or name == "testenv"}


def _package(text: str) -> object:
    value = json.loads(text)
    return [value.get("scripts", {}).get("test"), value.get("jest"), value.get("mocha"), value.get("ava")]


def _whole(text: str) -> object:
    return text


_READERS: dict[str, Callable[[str], object]] = {
    "pyproject.toml": _toml,
    "pytest.toml": _whole,
    "pytest.ini": _whole,
    ".pytest.ini": _whole,
    "setup.cfg": _ini,
    "tox.ini": _ini,
    "package.json": _package,
    "jest.config.js": _whole,
    "sitecustomize.py": _whole,
    "usercustomize.py": _whole,
}
