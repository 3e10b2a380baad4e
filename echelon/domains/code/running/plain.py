"""What runners without a JUnit file print: unittest, go test, cargo test, TAP (node --test and others)."""

from __future__ import annotations

import re

from echelon.domains.code.running.report import Outcome, TestCase

_UNITTEST = re.compile(
    r"^(\w+) \(([\w.]+)\)(?:\n.*?)?? \.\.\. (ok|FAIL|ERROR|skipped.*|expected failure|unexpected success)$", re.M
)
_GO = re.compile(r"^\s*--- (PASS|FAIL|SKIP): (\S+) \(([\d.]+)s\)$", re.M)
_CARGO = re.compile(r"^test (\S+) \.\.\. (ok|FAILED|ignored)", re.M)
_TAP = re.compile(r"^\s*(not )?ok \d+ -? ?(.*?)(?: # (SKIP|TODO).*)?$", re.M)
_WORDS = {
    "ok": Outcome.PASSED,
    "PASS": Outcome.PASSED,
    "expected failure": Outcome.PASSED,
    "FAIL": Outcome.FAILED,
    "FAILED": Outcome.FAILED,
    "unexpected success": Outcome.FAILED,
    "ERROR": Outcome.ERROR,
    "SKIP": Outcome.SKIPPED,
    "ignored": Outcome.SKIPPED,
}
LONGEST_MESSAGE = 6_000


def parse_plain(output: str) -> list[TestCase]:
    """The test cases that `output` names, in order; empty when no known runner wrote it.

    The message of the first failure is the end of the output.
    """
    for parse in (_unittest, _go, _cargo, _tap):
        cases = parse(output)
        if cases:
            return _with_message(cases, output)
    return []


def _unittest(output: str) -> list[TestCase]:
    return [
        TestCase(name=f"{m[2]}.{m[1]}" if not m[2].endswith("." + m[1]) else m[2], outcome=_outcome(m[3]))
        for m in _UNITTEST.finditer(output)
    ]


def _go(output: str) -> list[TestCase]:
    return [TestCase(name=m[2], outcome=_WORDS[m[1]], seconds=float(m[3])) for m in _GO.finditer(output)]


def _cargo(output: str) -> list[TestCase]:
    return [TestCase(name=m[1], outcome=_WORDS[m[2]]) for m in _CARGO.finditer(output)]


def _tap(output: str) -> list[TestCase]:
    if not re.search(r"^(TAP version \d+|1\.\.\d+)", output, re.M):
        return []
    return [
        TestCase(name=m[2].strip(), outcome=Outcome.SKIPPED if m[3] else Outcome.FAILED if m[1] else Outcome.PASSED)
        for m in _TAP.finditer(output)
    ]


def _outcome(word: str) -> Outcome:
    return Outcome.SKIPPED if word.startswith("skipped") else _WORDS[word]


def _with_message(cases: list[TestCase], output: str) -> list[TestCase]:
    for at, case in enumerate(cases):
        if case.outcome in (Outcome.FAILED, Outcome.ERROR):
            return [*cases[:at], case.model_copy(update={"message": output[-LONGEST_MESSAGE:]}), *cases[at + 1 :]]
    return cases
