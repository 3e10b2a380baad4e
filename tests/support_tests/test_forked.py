"""Processes that begin with everything imported are forks of one that ends with whoever started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.forked import ran

REPOSITORY = Path(__file__).parents[2]
PARENT = "import os; print(os.getppid())"
STARTER = """
import os, socket, subprocess, sys, time
SET = "from tests.support import forking; forking.NEEDED, forking.make_ready = (), int"
PROGRAM = f"import sys; {SET}; exec(forking.serve())"
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as theirs:
    theirs.bind(sys.argv[1])
    command = [sys.executable, "-c", PROGRAM, str(theirs.fileno()), str(os.getpid())]
    child = subprocess.Popen(command, pass_fds=[theirs.fileno()])
print(child.pid, flush=True)
time.sleep(60)
"""


def test_processes_that_share_it_fork_from_the_same_one() -> None:
    mine = int(ran(PARENT).stdout)
    assert mine != os.getpid() and int(ran(PARENT).stdout) == mine
    of_another = subprocess.run(
        [sys.executable, "-c", f"from tests.support.forked import ran; print(ran({PARENT!r}).stdout)"],
        cwd=REPOSITORY, env={**os.environ, forked.SHARED: forked._address()},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(of_another.stdout) == mine


def test_what_the_first_job_of_a_process_would_make_is_there() -> None:
    said = ran(
        "from echelon.agents import made_once; from echelon.store.engines import _of_all_sqlite\n"
        "print(made_once.agent_class.cache_info().currsize, len(_of_all_sqlite()[1]) > 9)"
    )
    assert said.stdout.split() == ["1", "True"]


def test_a_run_of_everything_has_workers_that_are_forks() -> None:
    if forked.SHARED not in os.environ:
        pytest.skip("some of the tests were asked for, or xdist does not run them")
    assert os.getppid() == int(ran(PARENT).stdout)


def test_it_ends_when_whoever_started_it_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", STARTER, str(tmp_path / "socket")]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        starter.kill()
    deadline = time.monotonic() + 60
    while runs(pid):
        assert time.monotonic() < deadline, "it outlives its starter"
        time.sleep(0.1)


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended; one that nobody waits for may stay in the table."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:  # another system, or it went in this moment
        return True
