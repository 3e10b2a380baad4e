"""Tests write into memory where that is a good place, and elsewhere where it is none."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support.scratch import MEMORY, in_memory

REPOSITORY = Path(__file__).parents[2]


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


def test_this_run_writes_there(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """What is tested above is what the run did, for its own processes and for those that tests start."""
    folder = Path(os.environ.get("TMPDIR", ""))
    if not folder.name.startswith("echelon-tests-") or any(
        "basetemp" in a for a in pytestconfig.invocation_params.args
    ):
        pytest.skip("the tests of this run write elsewhere")
    assert folder.parent == MEMORY and folder in tmp_path.parents and Path(tempfile.gettempdir()) == folder


def test_a_run_that_passes_leaves_nothing_in_memory_and_one_that_fails_does(tmp_path: Path) -> None:
    """In runs of their own, with this repository's `conftest.py` and a folder that stands for the memory."""
    (tmp_path / "conftest.py").write_text(
        f"""
from pathlib import Path
from tests.support.scratch import Scratch
from tests import conftest

conftest.scratch = Scratch.made(Path({str(tmp_path / "memory")!r}))
pytest_sessionfinish = conftest.pytest_sessionfinish
"""
    )
    (tmp_path / "test_one.py").write_text(
        """
import atexit, os, pathlib, subprocess, sys

def at_the_end():
    pathlib.Path("was_there").write_text(str(os.path.isdir(os.environ["TMPDIR"])))

def test_one(tmp_path):
    left = "import tempfile; tempfile.mkdtemp()"
    subprocess.run([sys.executable, "-c", left], check=True)
    atexit.register(at_the_end)  # as a server of the tests is stopped
    assert os.environ["TMPDIR"] in str(tmp_path) and "fails" not in os.environ
"""
    )
    memory = tmp_path / "memory"
    memory.mkdir()
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(tmp_path),
    ]
    around = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def run(**more: str) -> int:
        return subprocess.run(command, cwd=tmp_path, env=around | more, capture_output=True, check=False).returncode

    assert run() == 0 and list(memory.iterdir()) == []
    assert (tmp_path / "was_there").read_text() == "True", "it went before what still ends there"
    assert run(fails="yes") == 1 and len(list(memory.iterdir())) == 1
