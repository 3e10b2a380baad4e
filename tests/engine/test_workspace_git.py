"""The repository of a workspace: commits, rewinds, and what a kill leaves behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.workspace import FOLDERS, Workspace
from echelon.errors import UserError

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def w(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path / "job")
    workspace.create()
    return workspace


def log(w: Workspace) -> list[str]:
    """Subjects of all commits, the latest first."""
    done = subprocess.run(
        ["git", "-C", str(w.root), "log", "--format=%s"], capture_output=True, text=True, check=True
    )  # fmt: skip
    return done.stdout.splitlines()


def committed(w: Workspace) -> list[str]:
    """Files of the latest commit."""
    done = subprocess.run(
        ["git", "-C", str(w.root), "ls-tree", "-r", "-z", "--name-only", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    return sorted(filter(None, done.stdout.split("\0")))


def test_a_workspace_has_its_folders_and_an_empty_repository(w: Workspace) -> None:
    assert all((w.root / name).is_dir() for name in FOLDERS)
    assert w.files() == []


def test_creating_again_changes_nothing(w: Workspace) -> None:
    w.write("notes/a.md", "one")
    first = w.commit("First")
    w.create()
    assert w.head() == first
    assert w.read("notes/a.md") == "one"


def test_a_repository_that_was_cut_off_while_it_was_made_is_mended(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "job")
    (workspace.root / ".git" / "objects").mkdir(parents=True)
    workspace.create()
    assert workspace.commit("First")


def test_a_commit_holds_everything_but_the_trace(w: Workspace) -> None:
    w.write("notes/Prüfung.md", "x")
    (w.root / "trace" / "00001.json").write_text("{}")
    (w.root / "output" / ".a.md.1.2.partial").write_text("half")
    w.commit("First")
    assert committed(w) == [".gitignore", "notes/Prüfung.md"]
    assert w.files() == ["notes/Prüfung.md"]


def test_the_same_commit_again_is_the_commit_that_is_there(w: Workspace) -> None:
    w.write("output/a.md", "one")
    first = w.commit("Round 1: write a")
    assert w.commit("Round 1: write a") == first
    assert log(w) == ["Round 1: write a"]


def test_a_commit_without_changes_is_still_a_commit(w: Workspace) -> None:
    first = w.commit("Round 1")
    second = w.commit("Round 2")
    assert first != second
    assert log(w) == ["Round 2", "Round 1"]


def test_new_work_under_an_old_message_is_a_new_commit(w: Workspace) -> None:
    first = w.commit("Round 1")
    w.write("output/a.md", "one")
    assert w.commit("Round 1") != first


@pytest.mark.parametrize(
    "message",
    [
        "Round 1:  two\n\nlines ",
        "# no comment",
        "-m x",
        "a\0b",
        "half \ud800",
        "Prüfung ✓",
        "quotes \" and ' and $HOME",
    ],
)
def test_any_text_is_a_message_and_is_recognised_again(w: Workspace, message: str) -> None:
    w.write("output/a.md", "one")
    first = w.commit(message)
    assert w.commit(message) == first
    assert len(log(w)) == 1


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock", "config.lock"])
def test_locks_that_a_killed_git_left_do_not_stop_the_next_one(w: Workspace, lock: str) -> None:
    first = w.commit("First")
    w.write("output/a.md", "one")
    (w.root / ".git" / lock).write_text("")
    assert w.commit("Second") != first
    (w.root / ".git" / lock).write_text("")
    w.reset(first)
    assert w.head() == first


def test_a_rewind_takes_back_work_and_keeps_what_was_learnt(w: Workspace) -> None:
    w.write("output/a.md", "accepted")
    w.write("output/b.md", "accepted")
    w.write("notes/a.md", "first note")
    accepted = w.commit("Round 1")
    w.write("output/a.md", "wrong")
    (w.root / "output" / "b.md").unlink()
    w.write("output/new/c.md", "wrong")
    w.write("x.md", "wrong")
    w.write("notes/a.md", "first note\nwhat went wrong")
    w.write("notes/b.md", "second note")
    w.write("archive/round-002-failed.md", "failed")
    (w.root / "trace" / "00001.json").write_text("{}")
    w.reset(accepted)
    assert w.files() == [
        "archive/round-002-failed.md", "notes/a.md", "notes/b.md", "output/a.md", "output/b.md",
    ]  # fmt: skip
    assert w.read("output/a.md") == w.read("output/b.md") == "accepted"
    assert w.read("notes/a.md").endswith("what went wrong")
    assert (w.root / "trace" / "00001.json").exists()
    assert w.head() == accepted


def test_a_rewind_over_a_commit_takes_its_work_back_too(w: Workspace) -> None:
    w.write("output/a.md", "accepted")
    accepted = w.commit("Round 1")
    w.write("output/a.md", "later")
    w.write("output/b.md", "later")
    w.write("notes/n.md", "learnt")
    w.commit("Round 2")
    w.reset(accepted)
    assert w.files() == ["notes/n.md", "output/a.md"]
    assert w.read("output/a.md") == "accepted"
    w.commit("Round 3")
    assert log(w) == ["Round 3", "Round 1"]
    assert committed(w) == [".gitignore", "notes/n.md", "output/a.md"]


def test_a_rewind_can_run_again(w: Workspace) -> None:
    accepted = w.commit("Round 1")
    w.write("output/a.md", "wrong")
    w.write("notes/n.md", "learnt")
    w.reset(accepted)
    w.reset(accepted)
    assert w.files() == ["notes/n.md"]


def test_a_rewind_that_is_killed_loses_no_note_and_ends_the_same_when_it_runs_again(w: Workspace) -> None:
    for n in range(300):
        w.write(f"output/{n}.md", "accepted")
    accepted = w.commit("Round 1")
    code = (
        "from pathlib import Path; from echelon.engine.workspace import Workspace; print(1, flush=True)\n"
        f"Workspace(Path({str(w.root)!r})).reset({accepted!r})"
    )
    for n in range(5):
        for m in range(300):
            w.write(f"output/{m}.md", f"wrong {n}")
        w.write("notes/n.md", f"learnt {n}")
        child = subprocess.Popen(
            [sys.executable, "-c", code], cwd=REPOSITORY, stdout=subprocess.PIPE, start_new_session=True
        )  # fmt: skip
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(0.008 * n)
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
        w.reset(accepted)
        assert w.read("notes/n.md") == f"learnt {n}"
        assert {w.read(f"output/{m}.md") for m in range(300)} == {"accepted"}


def test_what_files_said_at_a_commit(w: Workspace) -> None:
    w.write("output/a.md", "one")
    w.write("output/größer als ▸ zwei.md", "two\n")
    w.write("output/empty.md", "")
    (w.root / "output" / "b.bin").write_bytes(b"\xff\x00 \xc3")
    (w.root / "output" / "link.md").symlink_to("a.md")
    then = w.commit("Round 1")
    w.write("output/a.md", "other")
    w.write("output/new.md", "new")
    w.commit("Round 2")
    asked = ["output/new.md", "output/a.md", "output", "", "output/größer als ▸ zwei.md", "x blob 3", "output/empty.md"]
    assert w.texts_at(then, [*asked, "a\nb", "output/b.bin", "output/link.md", "output/a.md"]) == {
        "output/new.md": "", "output/a.md": "one", "output": "", "": "", "output/größer als ▸ zwei.md": "two\n",
        "x blob 3": "", "output/empty.md": "", "a\nb": "", "output/b.bin": "\0 ", "output/link.md": "a.md",
    }  # fmt: skip


@given(
    st.dictionaries(
        st.text("ab .-:%{}\"'\\é", min_size=1, max_size=12).filter(lambda name: name.strip(" .") == name),
        st.text("ab\n \0é", max_size=40) | st.sampled_from([f"{'a' * 40} blob 3\nabc\n", "x missing\n"]),
        max_size=5,
    )
)
def test_files_of_any_name_and_text_are_told_apart_at_a_commit(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str]
) -> None:
    w = Workspace(tmp_path_factory.mktemp("job"))
    w.create()
    texts = {w.write(f"output/{name}", text): text for name, text in files.items()}
    commit = w.commit("Round 1")
    assert w.texts_at(commit, [*texts, "output/none"]) == texts | {"output/none": ""}


def test_before_a_commit_and_without_a_repository_nothing_was_said(w: Workspace) -> None:
    w.write("output/a.md", "one")
    then = w.commit("Round 1")
    assert w.texts_at("", ["output/a.md"]) == w.texts_at("0" * 40, ["output/a.md"]) == {"output/a.md": ""}
    assert w.texts_at(then, []) == {}
    shutil.rmtree(w.root / ".git")
    assert w.texts_at(then, ["output/a.md"]) == {"output/a.md": ""}


def test_where_the_history_began_anew_its_first_commit_stands_for_those_before(w: Workspace) -> None:
    w.write("output/a.md", "lost")
    lost = w.commit("Round 1")
    w.write("output/a.md", "kept")
    w.begin_anew()
    w.write("output/a.md", "later")
    later = w.commit("Round 2")
    assert w.texts_at(lost, ["output/a.md"]) == {"output/a.md": "kept"}
    assert w.texts_at(later, ["output/a.md"]) == {"output/a.md": "later"}
    w.reset(lost)
    assert w.read("output/a.md") == "kept"


def test_git_never_works_on_a_repository_around_the_job(tmp_path: Path) -> None:
    """A job inside somebody's repository, started from one of its hooks, whose own repository is broken."""
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / "theirs.txt").write_text("theirs")
    workspace = Workspace(tmp_path / ".echelon" / "job")
    workspace.create()
    workspace.commit("First")
    shutil.rmtree(workspace.root / ".git")
    with pytest.raises(OSError, match="git add failed"):
        workspace.commit("Second")
    status = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain"], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert "?? theirs.txt" in status.stdout


def test_settings_and_variables_of_the_user_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    (tmp_path / "ignored").write_text("*.md\n")
    (tmp_path / "config").write_text(
        f"[core]\n\texcludesFile = {tmp_path}/ignored\n[commit]\n\tgpgsign = true\n[init]\n\tdefaultBranch = trunk\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    workspace = Workspace(tmp_path / "job")
    workspace.create()
    workspace.write("output/a.md", "one")
    workspace.commit("First")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name)
    assert committed(workspace) == [".gitignore", "output/a.md"]
    assert not (other / "index").exists()


def test_without_git_a_person_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="needs git"):
        Workspace(tmp_path / "job").create()


def test_a_commit_that_is_not_there_is_an_error_of_the_surroundings(w: Workspace) -> None:
    w.commit("First")
    with pytest.raises(OSError, match="git reset failed"):
        w.reset("0" * 40)
