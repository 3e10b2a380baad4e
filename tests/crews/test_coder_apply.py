"""`echelon apply`: a branch for a git repository, files for a plain folder, and nothing where the lines have moved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from echelon.crews.coder import tree
from echelon.crews.coder.apply import apply_change
from echelon.crews.coder.branch import make_branch
from echelon.engine.toolbox import ToolContext
from echelon.errors import UserError
from tests.cli.command import Shell
from tests.code.conftest import SHOP, commit_all, run_git
from tests.support.coders import context_on, put

NEW = SHOP["shop/prices.py"].replace("VAT_RATE = 0.19", "VAT_RATE = 0.07")


@contextmanager
def changed(source: Path, folder: Path) -> Iterator[ToolContext]:
    """A job's workspace that took `source` in and changed one line."""
    with context_on(folder / "job", "The rate is 7 percent.") as context:
        context.workspace.commit("Take the inputs in")
        tree.take_in(context.workspace, source, 10)
        context.workspace.commit("Take the repository in")
        put(context, {"shop/prices.py": NEW})
        context.workspace.commit("Round 1: change the rate")
        make_branch(context.workspace, "coder-1")
        yield context


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = tmp_path / "shop-repository"
    for path, text in SHOP.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def test_a_repository_gets_a_branch_and_its_files_stay(source: Path, tmp_path: Path) -> None:
    commit_all(source, "Begin")
    with changed(source, tmp_path) as context:
        assert "echelon/coder-1" in apply_change(context.workspace, "coder-1")
        assert "echelon/coder-1" in apply_change(context.workspace, "coder-1"), "again it is the same"
    assert (source / "shop/prices.py").read_text() == SHOP["shop/prices.py"]
    assert run_git(source, "show", "echelon/coder-1:shop/prices.py") == NEW.strip()
    assert run_git(source, "log", "--format=%s", "echelon/coder-1").splitlines() == ["change the rate", "Begin"]


def test_a_tree_that_moved_elsewhere_takes_the_change(source: Path, tmp_path: Path) -> None:
    commit_all(source, "Begin")
    with changed(source, tmp_path) as context:
        (source / "shop/basket.py").write_text("x = 1\n")
        commit_all(source, "Change something else")
        assert "git merge" in apply_change(context.workspace, "coder-1")


def test_a_tree_that_moved_under_the_same_lines_is_refused_and_left_alone(source: Path, tmp_path: Path) -> None:
    commit_all(source, "Begin")
    with changed(source, tmp_path) as context:
        (source / "shop/prices.py").write_text(SHOP["shop/prices.py"].replace("0.19", "0.2"))
        commit_all(source, "Change the rate")
        with pytest.raises(UserError, match=r"under the same lines since the job began \(.*shop/prices.py"):
            apply_change(context.workspace, "coder-1")
    assert run_git(source, "branch", "--list", "echelon/*") == ""


def test_a_plain_folder_gets_the_files_all_or_none(source: Path, tmp_path: Path) -> None:
    with changed(source, tmp_path) as context:
        assert apply_change(context.workspace, "coder-1").startswith("The change is in")
        assert (source / "shop/prices.py").read_text() == NEW
        with pytest.raises(UserError, match="is not what it was when the job began"):
            apply_change(context.workspace, "coder-1")


def test_what_changed_nothing_has_nothing_to_apply(source: Path, tmp_path: Path) -> None:
    with context_on(tmp_path / "job", "x") as context:
        with pytest.raises(UserError, match="has no repository"):
            apply_change(context.workspace, "coder-1")
        tree.take_in(context.workspace, source, 10)
        with pytest.raises(UserError, match="has changed nothing"):
            apply_change(context.workspace, "coder-1")


def test_only_coder_jobs_are_applied_and_requests_come_from_files(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (shell.folder / "a.md").write_text("# A\n\n1 Keys shall be kept.\n")
    outcome = shell.echelon("run", "creator", "a.md", "--apply")
    assert outcome.code == 2 and "--apply is for coder jobs" in outcome.err
    missing = shell.echelon("run", "creator", "a.md", "--request", "@none.md")
    assert (
        missing.code == 2
        and missing.err.strip() == "echelon: none.md cannot be read as text: No such file or directory."
    )
