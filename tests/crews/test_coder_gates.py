"""The gates of the coder job: no cheat gets through to COMPLETED, and honest changes of every kind do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.crews.coder import results, tree
from echelon.crews.coder.job_type import JOB_TYPE
from echelon.crews.coder.proving import proof
from echelon.crews.coder.searching import SEARCH, SearchRecord
from echelon.domains.code.evidence.tree_hash import tree_hash
from echelon.domains.code.running.fence import FenceKind, fence_state
from echelon.engine.toolbox import ToolContext
from echelon.errors import ModelFault
from tests.code.cheats import BASE, HONEST, REQUEST
from tests.code.conftest import commit_all
from tests.support.coders import context_on, made_repository, put, use

pytestmark = pytest.mark.skipif(fence_state().kind is FenceKind.NONE, reason="no fence on this machine")


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job that has taken the repository in, ranked its places and run its tests: tests copy it."""
    folder = tmp_path_factory.mktemp("taken")
    source = made_repository(folder / "prices-repository", BASE)
    with context_on(folder / "job", REQUEST) as context:
        assert JOB_TYPE.take_in(context.run, context.workspace, [str(source)]).problems == ()
        context.workspace.commit("Take the inputs in")
    return folder / "job"


@pytest.fixture
def job(taken: Path, tmp_path: Path) -> Iterator[ToolContext]:
    shutil.copytree(taken, tmp_path / "job", symlinks=True)
    with context_on(tmp_path / "job", REQUEST) as context:
        yield context


def is_open(context: ToolContext) -> bool:
    """Whether code sees something open, so that no model can claim the milestone."""
    return bool(JOB_TYPE.survey(context.run, context.workspace, 0, 1).open)


def test_claiming_without_a_change_is_not_done(job: ToolContext) -> None:
    assert JOB_TYPE.check_delivery(job.run, job.workspace) == [
        "Nothing in the repository was changed.",
    ]
    assert is_open(job)


def test_forged_results_do_not_count(job: ToolContext) -> None:
    """Records of earlier runs are of other files; the tests are run again."""
    put(job, {"prices.py": HONEST})
    assert JOB_TYPE.check_delivery(job.run, job.workspace) == []
    put(job, {"prices.py": HONEST.replace("2)", "1)").replace("int(text)", "int(text) + 1")})
    assert any("passed before and does not pass now" in p for p in JOB_TYPE.check_delivery(job.run, job.workspace))


def test_what_is_proven_is_written_and_nothing_is_open(job: ToolContext) -> None:
    put(job, {"prices.py": HONEST})
    assert JOB_TYPE.check_delivery(job.run, job.workspace) == []
    assert not is_open(job)
    assert (job.workspace.root / results.PATCH).read_text() == tree.diff(job.workspace)


def ask_for(context: ToolContext, request: str) -> None:
    """Let the job have another request."""
    (context.workspace.root / "instructions.md").write_text(f"# Instructions\n\n{request}\n", encoding="utf-8")


def test_a_change_that_no_test_shows_is_not_proven(job: ToolContext) -> None:
    put(job, {"other.py": "def unrelated():\n    return 2\n"})
    found = JOB_TYPE.check_delivery(job.run, job.workspace)
    assert found and all("the request asks for its repair" in problem for problem in found)
    ask_for(job, "unrelated has to return two.")
    assert any("add one that shows" in p for p in JOB_TYPE.check_delivery(job.run, job.workspace))


def test_tests_that_were_red_before_are_known_and_stay_uncounted(job: ToolContext) -> None:
    put(job, {"prices.py": HONEST.replace("round(net * (1 + VAT_RATE), 2)", "net - VAT_RATE")})
    found = JOB_TYPE.check_delivery(job.run, job.workspace)
    assert found and not any("passed before" in p for p in found), (
        "all that is red was red before, and nothing is shown"
    )
    put(job, {"prices.py": HONEST.replace("round(net * (1 + VAT_RATE), 2)", "net * 1.19 if net == 0 else net")})
    found = JOB_TYPE.check_delivery(job.run, job.workspace)
    assert not any("passed before" in p for p in found), "what was red before is known, and one of it is repaired"


def test_tools_edit_read_and_search(job: ToolContext) -> None:
    assert "return net + VAT_RATE" in use(job, "read_code", path="prices.py")
    assert use(job, "search_code", pattern="VAT_RATE =").startswith("prices.py:3")
    edit = {"path": "prices.py", "old": "return net + VAT_RATE", "new": "return round(net * (1 + VAT_RATE), 2)"}
    assert "+    return round" in use(job, "edit_code", **edit)
    assert "already" in use(job, "edit_code", **edit)
    assert "4 passed" in use(job, "run_tests")
    patch = "--- a/other.py\n+++ b/other.py\n@@ -1,2 +1,2 @@\n def unrelated():\n-    return 1\n+    return 3\n"
    assert "Changed other.py" in use(job, "apply_patch", patch=patch)
    assert "already" in use(job, "apply_patch", patch=patch)
    assert "exit status 0" in use(job, "run_command", command=["python", "-c", "print(1)"])
    use(job, "move_code", path="other.py", to="lib/other.py")
    use(job, "delete_code", path="lib/other.py")
    assert tree.changed_paths(job.workspace, tree.base_of(job.workspace)) == ["other.py", "prices.py"]


def test_a_test_that_is_not_there_is_answered_with_how_tests_are_named(job: ToolContext) -> None:
    assert "1 passed" in use(job, "run_tests", only=["tests/test_prices.py::test_parse"])
    with pytest.raises(
        ModelFault, match=r"no test ran.*Without 'only' all tests are run, and one is named like 'tests/"
    ):
        use(job, "run_tests", only=["test_prices"])


def test_commands_change_only_a_copy(job: ToolContext) -> None:
    before = tree_hash(tree.root_of(job.workspace))
    use(job, "run_command", command=["python", "-c", "open('prices.py', 'w').write('x')"])
    assert tree_hash(tree.root_of(job.workspace)) == before


def test_a_repair_is_written_again_by_the_same_call(job: ToolContext) -> None:
    said = use(job, "search_repair")
    text = (tree.root_of(job.workspace) / "prices.py").read_text()
    assert use(job, "search_repair") == said and (tree.root_of(job.workspace) / "prices.py").read_text() == text
    assert json.loads((job.workspace.root / SEARCH).read_text())["tried"] > 10


def test_a_search_outlasts_a_task_that_is_taken_back(job: ToolContext) -> None:
    """The same search finds the same again: what is open then is to write it, or what it could not tell."""
    began = job.workspace.commit("Begin")
    record = SearchRecord(path="prices.py", tried=3, plausible=1, text=HONEST, says="With a small change they pass.")
    (job.workspace.root / SEARCH).write_text(record.model_dump_json())
    said = use(job, "search_repair")
    assert said == record.says
    results.write(job.run, job.workspace)
    assert said in (job.workspace.root / results.SUMMARY).read_text()
    job.workspace.reset(began)
    assert not tree.changed_paths(job.workspace, tree.base_of(job.workspace))
    assert [w.id for w in JOB_TYPE.survey(job.run, job.workspace, 0, 1).open] == ["change", "repair"]
    put(job, {"prices.py": f"{HONEST}X = 1\n"})
    results.write(job.run, job.workspace)
    assert said not in (job.workspace.root / results.SUMMARY).read_text(), "another change stands there"
    job.workspace.reset(began)
    for doubt in ({"disputed": True, "says": "Two ways."}, {"path": "", "says": "Nothing found."}):
        (job.workspace.root / SEARCH).write_text(record.model_copy(update=doubt).model_dump_json())
        (work,) = JOB_TYPE.survey(job.run, job.workspace, 0, 1).open
        assert work.id == "change" and work.says.endswith(str(doubt["says"]))


def test_what_cannot_be_taken_in_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with context_on(tmp_path / "job", "x") as context:
        for inputs, says in (
            ([str(tmp_path / "empty")], "has no files"),
            ([str(tmp_path / "empty"), str(tmp_path)], "works on one folder"),
            ([__file__], "works on one folder"),
        ):
            (problem,) = JOB_TYPE.take_in(context.run, context.workspace, inputs).problems
            assert says in problem and problem.endswith(".")


def test_a_dirty_tree_is_taken_and_said(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.py").write_text("x = 1\n")
    commit_all(source, "Begin")
    (source / "a.py").write_text("x = 2\n")
    (source / "latin.txt").write_bytes(b"caf\xe9")
    with context_on(tmp_path / "job", "x") as context:
        taken = JOB_TYPE.take_in(context.run, context.workspace, [str(source)])
        assert any("not committed" in warning for warning in taken.documents[0].warnings)
        assert (tree.root_of(context.workspace) / "a.py").read_text() == "x = 2\n"
        assert not proof.run_before(context.run, context.workspace).ran
