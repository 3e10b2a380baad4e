"""The coder job: a request and a repository in, a proven change out; and what it does when it cannot."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.code_cases import CHEAT_CASES, HONEST_TASKS
from benchmarks.code_cheats import run_all
from echelon.domains.code.running.fence import FenceKind, fence_state
from echelon.service.job_result import JobResult
from echelon.store.records.jobs import Said
from tests.code.conftest import commit_all
from tests.support.coders import QUICK, team
from tests.support.scripted import Script, call, register, service

pytestmark = pytest.mark.skipif(fence_state().kind is FenceKind.NONE, reason="no fence on this machine")
CODE = (
    "def clamp(value, low, high):\n    if value < low:\n        return low\n"
    "    if value < high:\n        return high\n    return value\n"
)
TESTS = (
    "from sums import clamp\n\n\ndef test_low():\n    assert clamp(-5, 0, 9) == 0\n\n\n"
    "def test_middle():\n    assert clamp(5, 0, 9) == 5\n\n\ndef test_high():\n    assert clamp(50, 0, 9) == 9\n"
)


def repository(folder: Path, code: str = CODE, tests: str = TESTS) -> Path:
    """A git repository with a module and its tests."""
    root = folder / "sums-repository"
    (root / "tests").mkdir(parents=True)
    (root / "sums.py").write_text(code)
    if tests:
        (root / "tests/test_sums.py").write_text(tests)
    (root / "README.md").write_text("# Sums\n")
    commit_all(root, "Begin")
    return root


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return repository(tmp_path)


def run_coder(tmp_path: Path, source: Path, request: str, script: Script | None = None) -> JobResult:
    """Run a job; by rules without a script, else by the script."""
    model = None
    if script is not None:
        register(script, "coder")
        model = "scripted/coder"
    with service(tmp_path) as jobs:
        return jobs.run(jobs.submit("coder", [source], request, model, QUICK))


def output(result: JobResult, name: str) -> str:
    return (Path(result.folder) / "output" / name).read_text()


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True).stdout


def test_a_fault_that_tests_show_is_repaired_without_a_model(tmp_path: Path, source: Path) -> None:
    before = {p: p.read_bytes() for p in source.rglob("*") if p.is_file()}
    result = run_coder(tmp_path, source, "clamp returns the wrong bound; see the failing tests.")
    assert result.state == "completed"
    assert result.figures["proven_by"] == ["tests/test_sums.py::test_middle", "tests/test_sums.py::test_high"]
    patch = output(result, "changes.patch")
    assert "+    if value > high:" in patch and "tests/" not in patch
    assert "passes now, failed before: tests/test_sums.py::test_high" in output(result, "summary.md")
    assert '<span class="a">+    if value &gt; high:</span>' in output(result, "report.html")
    assert {p: p.read_bytes() for p in source.rglob("*") if p.is_file()} == before
    clone = Path(result.folder) / "trace" / "clone"
    assert git(clone, "branch", "--show-current").strip() == f"echelon/{result.job}"
    assert git(clone, "log", "--format=%s").splitlines()[1:] == ["Begin"]
    (tmp_path / "p").write_text(patch)
    git(source, "apply", "--check", str(tmp_path / "p"))


def test_what_rules_cannot_do_is_handed_up_and_never_called_done(tmp_path: Path) -> None:
    source = repository(tmp_path, CODE.replace("value < high", "value > high"))
    result = run_coder(tmp_path, source, "Add an option to clamp that raises instead.")
    assert result.state == "escalated" and "language model" in output(result, "summary.md") + str(result.reason)
    assert "no change was made" in output(result, "summary.md")
    assert not (Path(result.folder) / "output" / "changes.patch").exists()


CHEATS_AS_JOBS = ("prove something else", "patch it, helped by the source", "write the results itself")


def test_honest_work_is_completed_and_lies_are_not(tmp_path: Path) -> None:
    """A handful of `benchmarks/code_cheats.py`: everybody but the Implementor says that all is well."""
    honest = [case for case in HONEST_TASKS if case.name == "rename through files"]
    lies = [case for case in CHEAT_CASES if case.name in CHEATS_AS_JOBS]
    ends = {case.name: state for case, state, *_ in run_all([*honest, *lies], tmp_path)}
    assert {ends[case.name] for case in honest} == {"completed"} and len(lies) == len(CHEATS_AS_JOBS)
    assert "completed" not in {ends[case.name] for case in lies}


NEW_TEST = """from sums import clamp


def test_same():
    assert clamp(5, 9, 9) == 9


def test_swapped():
    assert clamp(5, 9, 0) == 5
"""


def test_a_repository_without_tests_is_asked_about_and_proven_by_new_ones(tmp_path: Path) -> None:
    source = repository(tmp_path, CODE.replace("value < high", "value > high"), tests="")
    head = "def clamp(value, low, high):\n"
    steps = [
        call("create_code", path="tests/test_new.py", text=NEW_TEST),
        call("edit_code", path="sums.py", old=head, new=f"{head}    low, high = sorted((low, high))\n"),
    ]
    register(team(steps), "asked")
    with service(tmp_path) as jobs:
        job = jobs.submit("coder", [source], "clamp should take its bounds in any order.", "scripted/asked", QUICK)
        asked = jobs.run(job)
        assert asked.state == "needs_input" and "The repository has no tests" in asked.reason
        done = jobs.run(jobs.resume(job, said=Said(event="answered by a person", text="yes")))
    assert done.state == "completed" and done.figures["proven_by"] == ["tests/test_new.py::test_swapped"]
