"""JUnit's XML, as pytest and most other runners write it. Entities are refused: the file comes from behind the fence."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from echelon.domains.code.running.report import Outcome, TestCase

LONGEST_MESSAGE = 6_000
SHORT_MESSAGE = 300
LARGEST = 64 << 20


def parse_junit(data: bytes) -> list[TestCase]:
    """The test cases of a JUnit file, in order. Raises ValueError when it is none."""
    if len(data) > LARGEST or b"<!ENTITY" in data or b"<!DOCTYPE" in data:
        raise ValueError("not a JUnit result")
    try:
        root = ET.fromstring(data)
    except ET.ParseError as error:
        raise ValueError(f"not a JUnit result: {error}") from error
    if root.tag not in ("testsuites", "testsuite"):
        raise ValueError(f"not a JUnit result: <{root.tag}>")
    cases: list[TestCase] = []
    full = True
    for element in root.iter("testcase"):
        outcome, message = _outcome(element)
        bad = outcome in (Outcome.FAILED, Outcome.ERROR)
        limit = LONGEST_MESSAGE if bad and full else SHORT_MESSAGE
        full = full and not bad
        cases.append(
            TestCase(name=_name(element), outcome=outcome, message=_cut(message, limit), seconds=_seconds(element))
        )
    return cases


def _outcome(element: ET.Element) -> tuple[Outcome, str]:
    for tag, outcome in (("failure", Outcome.FAILED), ("error", Outcome.ERROR), ("skipped", Outcome.SKIPPED)):
        found = element.find(tag)
        if found is not None:
            return outcome, (found.text or "").strip() or found.get("message", "")
    return Outcome.PASSED, ""


def _name(element: ET.Element) -> str:
    """`tests/test_a.py::TestB::test_c[1]`: of `file` where the runner says it, else of the dotted class name."""
    name, owner, file = element.get("name", ""), element.get("classname", ""), element.get("file", "")
    if file and owner:
        module = file.removesuffix(".py").replace("/", ".")
        within = owner.removeprefix(module).strip(".")
        return "::".join(part for part in (file, *within.split("."), name) if part)
    return f"{owner}::{name}" if owner else name


def _seconds(element: ET.Element) -> float:
    try:
        return round(float(element.get("time", "0")), 4)
    except ValueError:
        return 0.0


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit * 2 // 3]}\n[...]\n{text[-limit // 3 :]}"
