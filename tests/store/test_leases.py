"""A lease has one holder: a living process, until it lets go, dies, or stays away too long."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from echelon.errors import JobBusy
from echelon.store import tables as t
from echelon.store.store import LEASE_SECONDS, Store, this_process
from tests.support.forked import ran, started

REPOSITORY = Path(__file__).parents[2]
HERE = this_process()
THERE = "4711.1@another-host"
HOLD = (
    "import sys; from echelon.store.engines import *; from echelon.store.store import *\n"
    "s = Store(open_engine(sys.argv[1])); s.lease('reader-1', this_process()); print(this_process(), flush=True)\n"
    "sys.stdin.readline()"
)
CONTEND = (
    "import sys; from echelon.store.engines import *; from echelon.store.store import *\n"
    "from echelon.errors import JobBusy\n"
    "s = Store(open_engine(sys.argv[1])); s.holder('x'); print('ready', flush=True); sys.stdin.readline()\n"
    "try: s.lease('reader-1', this_process()); print('mine', flush=True)\n"
    "except JobBusy as busy: print(busy.holder, flush=True)\n"
    "sys.stdin.readline()"
)


def start(code: str, url: str) -> subprocess.Popen[str]:
    return started(code, url, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def expire(store: Store, seconds: float = LEASE_SECONDS + 1) -> None:
    """As if so much time had passed."""
    with store.engine.begin() as c:
        c.execute(t.leases.update().values(expires=t.leases.c.expires - seconds))


def test_a_lease_is_taken_renewed_and_let_go(store: Store) -> None:
    assert store.holder("reader-1") is None
    store.lease("reader-1", HERE)
    store.lease("reader-1", HERE)
    assert store.holder("reader-1") == HERE
    store.release("reader-1", HERE)
    assert store.holder("reader-1") is None


def test_another_host_waits_until_the_lease_runs_out(store: Store) -> None:
    store.lease("reader-1", THERE)
    with pytest.raises(JobBusy) as caught:
        store.lease("reader-1", HERE)
    assert caught.value.job == "reader-1"
    assert "process 4711.1 on another-host" in str(caught.value)
    expire(store, LEASE_SECONDS - 2)
    with pytest.raises(JobBusy):
        store.lease("reader-1", HERE)
    assert store.holder("reader-1") == THERE
    expire(store, 3)
    assert store.holder("reader-1") is None
    store.lease("reader-1", HERE)
    assert store.holder("reader-1") == HERE
    with pytest.raises(JobBusy):
        store.lease("reader-1", THERE)


def test_renewing_puts_the_end_off(store: Store) -> None:
    store.lease("reader-1", THERE)
    expire(store, LEASE_SECONDS - 2)
    store.lease("reader-1", THERE)
    expire(store, LEASE_SECONDS - 2)
    assert store.holder("reader-1") == THERE


def test_only_the_holder_lets_go(store: Store) -> None:
    store.lease("reader-1", THERE)
    store.release("reader-1", HERE)
    assert store.holder("reader-1") == THERE


def test_leases_of_different_jobs_have_nothing_to_do_with_each_other(store: Store) -> None:
    store.lease("reader-1", THERE)
    store.lease("reader-2", HERE)
    assert (store.holder("reader-1"), store.holder("reader-2")) == (THERE, HERE)


def test_a_living_process_keeps_its_lease_and_a_killed_one_loses_it_at_once(store: Store, url: str) -> None:
    command = [sys.executable, "-c", HOLD, url]  # a child of this process, so that it can stay unreaped
    holder = subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    name = line_of(holder)
    assert store.holder("reader-1") == name
    with pytest.raises(JobBusy) as caught:
        store.lease("reader-1", HERE)
    assert str(holder.pid) in str(caught.value)
    holder.send_signal(signal.SIGKILL)
    _until_dead(holder)
    assert store.holder("reader-1") is None, "not even reaped, and dead all the same"
    store.lease("reader-1", HERE)
    assert store.holder("reader-1") == HERE
    holder.communicate()


def _until_dead(process: subprocess.Popen[str]) -> None:
    """Wait until it has ended, without reaping it."""
    import os

    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)


def test_a_process_that_got_the_number_of_a_dead_one_is_another_process(store: Store, url: str) -> None:
    holder = start(HOLD, url)
    number, since = re.match(r"(\d+)\.(\d+)@", line_of(holder)).groups()  # type: ignore[union-attr]
    earlier = f"{number}.{int(since) - 1}@{socket.gethostname()}"
    with store.engine.begin() as c:
        c.execute(t.leases.update().values(owner=earlier))
    assert store.holder("reader-1") is None
    store.lease("reader-1", HERE)
    go(holder)
    holder.communicate()


def test_of_processes_that_ask_together_one_gets_the_lease(store: Store, url: str) -> None:
    asking = [start(CONTEND, url) for _ in range(4)]
    assert [line_of(process) for process in asking] == ["ready"] * 4
    for process in asking:
        go(process)
    answers = [line_of(process) for process in asking]
    winner = asking[answers.index("mine")]
    assert answers.count("mine") == 1
    assert all(str(winner.pid) in answer for answer in answers if answer != "mine"), "the others are told who has it"
    for process in asking:
        go(process)
        process.communicate()


def test_the_name_of_a_process_is_its_own() -> None:
    other = ran("from echelon.store.store import this_process as t; print(t())").stdout.strip()
    assert this_process() == HERE != other
    assert re.fullmatch(r"\d+\.\d+@.+", HERE) and re.fullmatch(r"\d+\.\d+@.+", other)


def test_one_row_a_lease(store: Store) -> None:
    for owner in (THERE, HERE, THERE):
        expire(store)
        store.lease("reader-1", owner)
    with store.engine.connect() as c:
        assert c.execute(sa.select(sa.func.count()).select_from(t.leases)).scalar() == 1
