"""Runs of commands as evidence, milestones that each prove something new, and what is said of odd repositories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.crews.coder import tree
from echelon.crews.coder.job_type import JOB_TYPE
from echelon.crews.coder.proving import milestones_met, proof
from echelon.crews.coder.searching import SEARCH, SearchRecord, unsettled
from echelon.domains.code.running.fence import FenceKind, fence_state
from echelon.domains.code.running.report import Outcome, TestCase, TestReport
from echelon.engine.toolbox import ToolContext
from echelon.errors import ModelFault, UserError
from echelon.tasks.contracts import Evidence, EvidenceKind
from echelon.tasks.evidence import evidence_of, looked_at_again
from tests.code.conftest import SHOP, commit_all, run_git
from tests.support.coders import context_on, made_repository, put, use

pytestmark = pytest.mark.skipif(fence_state().kind is FenceKind.NONE, reason="no fence on this machine")
NEW = SHOP["shop/prices.py"] + "\n\nLIMIT = 3\n"


@pytest.fixture
def job(tmp_path: Path) -> Iterator[ToolContext]:
    """A workspace with a repository in it."""
    source = made_repository(tmp_path / "source", SHOP)
    with context_on(tmp_path / "job", "Add a limit.") as context:
        context.workspace.commit("Take the inputs in")
        tree.take_in(context.workspace, source, 10)
        context.workspace.commit("Take the repository in")
        yield context


def states(context: ToolContext, *refs: str) -> list[str]:
    return [str(e["state"]) for e in evidence_of(context, list(refs))]


def test_a_run_is_evidence_until_a_file_changes(job: ToolContext) -> None:
    assert use(job, "run_command", command=["python", "-c", "print(1)"]).startswith("run-1: exit status 0")
    assert use(job, "run_command", command=["python", "-c", "raise SystemExit(3)"]).startswith("run-2: exit status 3")
    assert states(job, "run-1", "run 1", "run-2", "run-9") == ["verified", "verified", "claimed", "claimed"]
    assert JOB_TYPE.has_run(job.workspace, "python -c 'print(1)'") is True
    (kept,) = evidence_of(job, ["run-1"])
    put(job, {"shop/prices.py": NEW})
    assert states(job, "run-1") == ["stale"] and JOB_TYPE.has_run(job.workspace, "python -c 'print(1)'") is False

    (again,) = looked_at_again(job.workspace, [Evidence.model_validate(kept)], vouched=True)
    assert again.kind is EvidenceKind.COMMAND and again.state == "stale", "nobody can vouch for a run on other files"


def test_the_same_command_on_the_same_files_is_the_same_run(job: ToolContext) -> None:
    for _ in range(2):
        assert use(job, "run_command", command=["python", "-c", "print(1)"]).startswith("run-1:")
    assert JOB_TYPE.has_run(job.workspace, "python -c 'print(2)'") is False
    assert JOB_TYPE.has_run(job.workspace, "no 'closing quote") is False


def ran(context: ToolContext, **passed: bool) -> None:
    """Let the records say that these tests passed, or not, on the files as they are."""
    cases = tuple(TestCase(name=n, outcome=Outcome.PASSED if ok else Outcome.FAILED) for n, ok in passed.items())
    now = tree.fingerprint(tree.manifest(context.workspace))
    made = proof.SuiteRun(tree=now, ran=True, report=TestReport(cases=cases))
    path = proof.AFTER if (context.workspace.root / proof.BEFORE).is_file() else proof.BEFORE
    (context.workspace.root / path).write_text(made.model_dump_json())


def test_each_milestone_has_to_prove_something_new(job: ToolContext) -> None:
    ran(job, one=False, two=False)
    put(job, {"shop/prices.py": NEW})
    ran(job, one=True, two=False)
    assert milestones_met.nothing_new(job.run, job.workspace, 0) == ""
    assert "nothing was changed" in milestones_met.nothing_new(job.run, job.workspace, 1)
    put(job, {"shop/prices.py": NEW + "X = 1\n"})
    ran(job, one=True, two=False)
    assert "no test proves more" in milestones_met.nothing_new(job.run, job.workspace, 1)
    ran(job, one=True, two=True)
    assert milestones_met.nothing_new(job.run, job.workspace, 1) == ""
    assert milestones_met.nothing_new(job.run, job.workspace, 1) == "", "asked again it is the same"


def test_a_repair_that_only_some_behave_like_is_not_settled_by_the_tests(job: ToolContext) -> None:
    found = SearchRecord(path="shop/prices.py", plausible=4, disputed=True, text=NEW)
    (job.workspace.root / SEARCH).write_text(found.model_dump_json())
    assert unsettled(job.workspace) == "", "it is not there"
    put(job, {"shop/prices.py": NEW})
    assert unsettled(job.workspace).startswith("4 small changes make the tests pass and behave differently")
    put(job, {"tests/test_limit.py": "def test_limit():\n    pass\n"})
    assert unsettled(job.workspace) == "", "a test came with it, and what it proves is looked at"
    (job.workspace.root / SEARCH).write_text(found.model_copy(update={"disputed": False}).model_dump_json())
    (tree.root_of(job.workspace) / "tests/test_limit.py").unlink()
    assert unsettled(job.workspace) == ""


def test_odd_repositories_are_taken_and_what_is_odd_is_said(tmp_path: Path) -> None:
    inner = made_repository(tmp_path / "inner", {"lib.py": "x = 1\n"})
    source = made_repository(
        tmp_path / "source", {**SHOP, "big.bin": "version https://git-lfs.github.com/spec/v1\noid 1\n"}
    )
    run_git(source, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor")
    (source / "latin.py").write_bytes(b"name = 'caf\xe9'\n")
    (source / "shop" / "link.py").symlink_to("prices.py")
    commit_all(source, "Add odd things")
    with context_on(tmp_path / "job", "x") as context:
        taken = tree.take_in(context.workspace, source, 10)
        said = " ".join(taken.warnings)
        assert "submodules are not taken in" in said and "Git LFS" in said and "1 links are left out" in said
        with pytest.raises(ModelFault, match="is not UTF-8 text"):
            use(context, "read_code", path="latin.py")
        with pytest.raises(UserError, match=r"files of \d+ MB; the most is 20000 files and 0 MB"):
            tree.take_in(context.workspace, source, 0)


def test_a_suite_that_hangs_is_said_and_ended(tmp_path: Path) -> None:
    source = made_repository(tmp_path / "source", {"tests/test_a.py": "import time\n\ntime.sleep(60)\n"})
    with context_on(tmp_path / "job", "x") as context:
        config = context.run.config.model_copy(
            update={"code": context.run.config.code.model_copy(update={"seconds": 2.0})}
        )
        context.run.config = config
        taken = JOB_TYPE.take_in(context.run, context.workspace, [str(source)])
    assert any("could not be run to their end" in warning for warning in taken.documents[0].warnings)
