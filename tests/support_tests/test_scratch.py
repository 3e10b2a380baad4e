"""Tests write into memory where that is a good place, and elsewhere where it is none."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from tests.support.scratch import MEMORY, in_memory


def test_a_folder_with_room_is_taken(tmp_path: Path) -> None:
    assert in_memory(tmp_path, {}, enough=1) == tmp_path


def test_what_somebody_says_counts(tmp_path: Path) -> None:
    assert in_memory(tmp_path, {"TMPDIR": "/elsewhere"}, enough=1) is None


def test_a_folder_that_is_not_there_or_too_small_is_none(tmp_path: Path) -> None:
    assert in_memory(tmp_path / "none", {}, enough=1) is None
    assert in_memory(tmp_path, {}, enough=1 << 60) is None


def test_where_no_program_can_be_started_is_none() -> None:
    table = Path("/proc/self/mounts")
    mounts = [line.split() for line in table.read_text().splitlines()] if table.exists() else []
    shut = [Path(m[1]) for m in mounts if "noexec" in m[3].split(",") and os.access(m[1], os.W_OK | os.X_OK)]
    if not shut:
        pytest.skip("no file system of this machine forbids that")
    assert in_memory(shut[0], {}, enough=0) is None


def test_this_run_writes_there() -> None:
    """What is tested above is what the run did, for its own processes and for those that tests start."""
    wanted = in_memory(MEMORY, {k: v for k, v in os.environ.items() if k != "TMPDIR"})
    if wanted is None or os.environ.get("TMPDIR") != str(wanted):
        pytest.skip("the tests of this run write elsewhere")
    assert Path(tempfile.gettempdir()) == wanted
