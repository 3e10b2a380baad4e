"""A second look at what proves a change: the same tests alone and several times, old tests, and calls without a test run.

What only looks right to one run is found here: results by luck or by count, tests that others prepare, sources that do
otherwise when tests run. Done once for each state of the files, and only when nothing else is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from echelon.crews.coder.proving.runs import copied
from echelon.domains.code.map.languages import find_tests
from echelon.domains.code.repair.spectrum import Coverage
from echelon.domains.code.running.command import Surroundings, run_command
from echelon.domains.code.running.report import Outcome, TestReport
from echelon.domains.code.running.suite import INSIDE, Suite, find_suite, run_suite
from echelon.settings import CodeSettings

REPEATS, MOST_TESTS, MOST_CALLS, SECONDS = 20, 30, 60, 1.0
_FOLDER = "echelon_replay"
_TEST = "def test_replay():\n    import replay_runner\n\n    replay_runner.main({job!r})\n"
_OWN = ("!SystemExit|", "!OSError|", "!EOFError|", "!TookTooLong|")
"""Ends that the surroundings alone explain: a command line, an input, a busy machine."""
_ELSEWHERE = {"HOME": "/home/user", "PYTHONDONTWRITEBYTECODE": "", "PYTHONUNBUFFERED": "", "PYTHONWARNINGS": ""}


def second_look(after: Mapping[str, bytes], proven: Iterable[str], settings: CodeSettings) -> list[str]:
    """What is wrong with the proof by the tests `proven`, one sentence each. Only pytest's tests are looked at."""
    names = list(proven)[:MOST_TESTS]
    if settings.tests or not names:
        return []
    with copied(after, settings, name="clone") as where:
        suite = find_suite(where.clone, python=where.python)
        if suite is None or suite.runner != "pytest":
            return []
        report, calls = _alone(suite, where, names)
    passed = {*report.passed}
    out = [f"{name} {_why(report, name)}" for name in names if name not in passed]
    return out[:5] or _otherwise(calls, after, settings)


def _why(report: TestReport, name: str) -> str:
    case = next((case for case in report.cases if case.name == name), None)
    if case is None:
        return "does not run alone: something else prepares it; let it stand by itself."
    if "passes only sometimes" in case.message:
        return "passes only sometimes: let the result depend on nothing but what the test gives."
    return "passes beside other tests and fails alone: let it stand by itself."


def _alone(suite: Suite, where: Surroundings, names: Sequence[str]) -> tuple[TestReport, list[tuple[str, str, str]]]:
    """The tests by themselves, each several times, and the calls that they make."""
    spectrum = where.clone / ".echelon-calls.jsonl"
    variables = {
        **(where.environment or {}),
        "ECHELON_REPEAT": str(REPEATS),
        "ECHELON_SPECTRUM_FILE": str(spectrum),
        "ECHELON_SPECTRUM_ROOT": str(where.clone.resolve()),
    }
    asked = Surroundings(where.clone, where.fence, where.bounds, variables, where.python)
    report, _ = run_suite(suite, asked, only=names)
    return report, _calls(spectrum)


def _calls(file: Path) -> list[tuple[str, str, str]]:
    if file.is_symlink() or not file.is_file():
        return []
    found: dict[tuple[str, str, str], None] = {}
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            found |= dict.fromkeys(Coverage.model_validate_json(line).calls)
        except ValueError:
            continue
    return [*found][:MOST_CALLS]


def _otherwise(calls: Sequence[tuple[str, str, str]], after: Mapping[str, bytes], settings: CodeSettings) -> list[str]:
    """Functions that answer the same call otherwise within a test run than without one."""
    if not calls:
        return []
    tested = _replayed(calls, after, settings, within=True)
    plain = _replayed(calls, after, settings, within=False)
    out: dict[str, None] = {}
    for (path, name, said), one, two in zip(calls, tested, plain, strict=False):
        is_steady = len(set(one)) == 1
        if is_steady and set(one) != set(two) and not any(w.startswith(_OWN) for w in (*one, *two)):
            says = f"'{name}' of {path} answers {said[:60]} otherwise when no tests run; it must do the same for everybody."
            out[says] = None
    return [*out][:3]


def _replayed(
    calls: Sequence[tuple[str, str, str]], after: Mapping[str, bytes], settings: CodeSettings, *, within: bool
) -> list[list[str]]:
    """Two words for each call, from a run of pytest (`within`) or of Python alone."""
    with copied(after, settings, name="repository" if within else "elsewhere") as where:
        folder = where.clone / _FOLDER
        folder.mkdir(exist_ok=True)
        job, said = folder / "job.json", folder / "said.json"
        every = [[path, name, json.loads(arguments)] for path, name, arguments in calls]
        job.write_text(json.dumps({"calls": every, "seconds": SECONDS, "said": str(said)}), encoding="utf-8")
        if within:
            (folder / "test_replay.py").write_text(_TEST.format(job=str(job)), encoding="utf-8")
            suite = find_suite(where.clone, python=where.python)
            assert suite is not None
            quiet = suite.model_copy(update={"command": (*suite.command, "--noconftest", "-p", "no:warnings")})
            run_suite(quiet, where, only=[str(folder / "test_replay.py")])
        else:
            path = f"{INSIDE}:{(where.environment or {}).get('PYTHONPATH', '')}"
            variables = {**_ELSEWHERE, "PYTHONPATH": path}
            run_command(
                [where.python, str(INSIDE / "replay_runner.py"), str(job)], where, read=[INSIDE], environment=variables
            )
        return _words(said, len(calls))


class _Words(BaseModel):
    model_config = ConfigDict(extra="forbid")

    words: list[list[str]]


def _words(file: Path, count: int) -> list[list[str]]:
    """What the runner wrote; nothing when it is not what it should be."""
    if file.is_symlink() or not file.is_file():
        return []
    try:
        found = _Words.model_validate({"words": json.loads(file.read_bytes())}).words
    except ValueError:
        return []
    return found if len(found) == count and all(found) else []


def by_old_tests(names: Sequence[str], report: TestReport | None) -> list[str]:
    """Those of `names` that the tests as they were do not let pass on the sources as they are.

    `report` is of the old tests on the new sources. A test that could not be collected says nothing: names were changed.
    """
    if report is None:
        return []
    failing = {*report.names(Outcome.FAILED, Outcome.ERROR)}
    return [name for name in names if name in failing]


def old_tests_on(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> dict[str, bytes]:
    """The sources as they are, with the tests as they were."""
    tests = find_tests([*before, *after])
    mixed = {path: data for path, data in after.items() if path not in tests}
    return mixed | {path: data for path, data in before.items() if path in tests}
