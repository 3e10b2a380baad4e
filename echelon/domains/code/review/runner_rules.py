"""Settings of the test runner: a change may not decide anew which tests run."""

from __future__ import annotations

import configparser
import json
import re
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
    scripts = {name: line for name, line in value.get("scripts", {}).items() if "test" in name or "check" in name}
    return [scripts, *(value.get(name) for name in ("jest", "mocha", "ava", "vitest", "type", "imports"))]


_TARGET = re.compile(r"^(\.DEFAULT_GOAL|[\w.-]*(?:test|check)[\w.-]*(?:\s+[\w.-]+)*)\s*::?(?!=)", re.IGNORECASE)


def _make(text: str) -> object:
    """Targets whose names speak of tests, with their lines."""
    out: list[str] = []
    within = False
    for line in text.splitlines():
        if line.strip() and not line.startswith(("\t", " ", "#")):
            within = _TARGET.match(line) is not None
        if within and line.strip():
            out.append(line.rstrip())
    return out


def _go(text: str) -> object:
    return [line.strip() for line in text.splitlines() if "=>" in line or line.startswith("replace")]


def _cargo(text: str) -> object:
    found = tomllib.loads(text)
    return {name: found.get(name) for name in ("lib", "test", "patch")}


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
    "Makefile": _make,
    "makefile": _make,
    "GNUmakefile": _make,
    "justfile": _make,
    "go.mod": _go,
    "Cargo.toml": _cargo,
    **dict.fromkeys(("noxfile.py", ".mocharc.json", ".mocharc.js", ".mocharc.yml", "vitest.config.js"), _whole),
    **dict.fromkeys(("vitest.config.ts", "jest.config.ts", "jest.config.json", ".pytest.toml", ".npmrc"), _whole),
    "jest.config.js": _whole,
    "sitecustomize.py": _whole,
    "usercustomize.py": _whole,
}
