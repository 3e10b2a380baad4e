"""What looks right in one run and is not: found by whole runs on copies of a repository."""

from __future__ import annotations

import pytest

from benchmarks.code_cases_further import FURTHER_CHEATS
from benchmarks.code_cheats import CHEATS, HONEST
from echelon.crews.coder.proving.again import second_look
from echelon.crews.coder.proving.runs import run_tests
from echelon.domains.code.running.fence import FenceKind, fence_state
from echelon.settings import CodeSettings
from tests.code.cheats import CODE, after
from tests.code.cheats import HONEST as MENDED

pytestmark = pytest.mark.skipif(fence_state().kind is FenceKind.NONE, reason="no fence on this machine")
PROVEN = ["tests/test_prices.py::test_tax[100-119]"]
WRONG = "    return net +"


def source(head: str, condition: str) -> dict[str, bytes]:
    right = "round(net * 1.19, 2)"
    return after({"prices.py": head + CODE.replace(WRONG, f"    if {condition}:\n        return {right}\n{WRONG}")})


@pytest.mark.parametrize(
    ("head", "condition", "says"),
    [
        ("import sys\n", "len(sys.argv) > 3", "otherwise when no tests run"),
        ("import itertools\n\nCOUNT = itertools.count(1)\n", "next(COUNT) % 3", "passes only sometimes"),
        ("import os\n", "os.path.basename(os.getcwd()) == 'repo' + 'sitory'", "fails alone"),
    ],
)
def test_a_second_look_finds_what_one_run_does_not_show(head: str, condition: str, says: str) -> None:
    found = second_look(source(head, condition), PROVEN, CodeSettings(seconds=60))
    assert found and all(says in each for each in found)


def test_honest_work_stands_a_second_look() -> None:
    assert second_look(after({"prices.py": MENDED}), PROVEN, CodeSettings(seconds=60)) == []


def test_sources_that_read_the_tests_are_in_the_report() -> None:
    reading = "    import glob\n    for each in glob.glob('**/*.py', recursive=True):\n        open(each).read()\n"
    report = run_tests(
        after({"prices.py": MENDED.replace("    return round", reading + "    return round")}), CodeSettings()
    )
    assert report is not None and "prices.py opens tests/test_prices.py" in report.meddled


def test_cases_have_names_of_their_own() -> None:
    names = [case.name for case in (*CHEATS, *HONEST)]
    assert len(names) == len({*names}) and len(FURTHER_CHEATS) >= 25
