"""A test that must fail, put among the others: where it does not, the run says what somebody made it say."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from enum import StrEnum

from echelon.domains.code.map.languages import find_tests, is_test_name
from echelon.domains.code.running.report import Outcome, TestReport

MARK = "echelon_canary_"


class Canary(StrEnum):
    """What became of it. `absent`: the runner did not collect it."""

    FAILED = "failed"
    PASSED = "passed"
    ABSENT = "absent"


def canary_file(paths: Iterable[str]) -> tuple[str, bytes] | None:
    """Path and content of a failing test beside the others; its name is another one each time. None without tests.

    It is written at run time and never shown, so no change can know its name.
    """
    tests = sorted(p for p in find_tests(paths) if p.endswith(".py") and is_test_name(p) and "conftest" not in p)
    if not tests:
        return None
    folder, _, name = tests[0].rpartition("/")
    token = MARK + secrets.token_hex(6)
    file = f"test_{token}.py" if name.startswith("test_") else f"{token}_test.py"
    content = f"def test_{token}():\n    one, two = 1, 2\n    assert one == two\n"
    return (f"{folder}/{file}" if folder else file), content.encode()


def without_canary(report: TestReport, path: str) -> tuple[TestReport, Canary]:
    """The report of the other tests, and what became of the one that must fail."""
    stem = path.rpartition("/")[2].removesuffix(".py")
    own = [c for c in report.cases if stem in c.name]
    cases = tuple(c for c in report.cases if stem not in c.name)
    rest = report.model_copy(update={"cases": cases})
    only_it = report.exit_status == 1 and not rest.failed
    rest = rest.model_copy(update={"exit_status": 0}) if only_it and own else rest
    if not own:
        return rest, Canary.ABSENT
    bad = all(c.outcome in (Outcome.FAILED, Outcome.ERROR) for c in own)
    return rest, Canary.FAILED if bad else Canary.PASSED
