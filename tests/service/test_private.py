"""Everything in a home is for its user alone, whatever the umask, and copies of inputs are no more readable than them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.private import keep_private
from tests.support.scripted import run_plain, service, willing


@pytest.fixture(autouse=True)
def open_to_all() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def open_ones(folder: Path) -> list[str]:
    """What others may do something with."""
    paths = [p for p in (folder, *folder.rglob("*")) if not p.is_symlink()]
    return [str(p.relative_to(folder)) for p in paths if p.stat().st_mode & 0o077]


def test_a_new_home_is_closed(tmp_path: Path) -> None:
    keep_private(tmp_path / "state" / "home")
    assert open_ones(tmp_path / "state" / "home") == []


def test_a_home_with_a_job_in_it_is_closed(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, willing)
    assert result.state == "completed"
    home = tmp_path / "home"
    assert [p for p in open_ones(home) if p not in (".", "input.md")] == []  # the test made these
    assert (home / "jobs" / result.job / "documents").is_dir()


def test_a_home_of_an_older_version_is_closed(tmp_path: Path) -> None:
    home = tmp_path / ".echelon"
    (home / "jobs").mkdir(parents=True)
    (home / "echelon.sqlite").write_text("")
    keep_private(home)
    assert open_ones(home) == []


def test_a_folder_of_the_users_own_keeps_its_mode(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    (shared / "jobs").mkdir(parents=True)
    (shared / "theirs.txt").write_text("")
    (shared / "echelon.sqlite-wal").write_text("")
    keep_private(shared)
    assert sorted(open_ones(shared)) == [".", "theirs.txt"]
