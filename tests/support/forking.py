"""The process that `tests.support.forked` forks from: imports what commands need, and then forks on demand.

It ends when it is sent nothing, or when the process that started it is gone.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import struct
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from typing import Any

from echelon.garbage import seldom_collecting

NEEDED = (
    "echelon.faces.cli.main", "echelon.faces.cli.commands", "echelon.faces.cli.display", "echelon.service.service",
    "echelon.service.failures", "echelon.service.workflow", "crewai", "crewai.tools", "dbos", "dbos._sys_db_sqlite",
    *(f"echelon.crews.{name}.job_type" for name in ("coder", "creator", "plain", "planner", "validator")),
    *(f"echelon.crews.{name}.playbook" for name in ("coder", "creator", "planner", "validator")),
    "openpyxl", "reqif.parser", "rapidfuzz", "lxml.etree", "tiktoken", "tiktoken_ext.openai_public", "pypdf",
    "langchain_openai", "mcp.server.fastmcp", "echelon.faces.http.app", "echelon.service.experiments.run",
    "echelon.experiments.analysis.analyse",
)  # fmt: skip
MOST = 1 << 20
"""Bytes of one wish"""


def serve() -> Any:
    """Import, then fork for every wish that comes through the socket whose number is the first argument.

    The second argument is the process that started this one, which may be gone before everything is imported.

    Returns in the forks only: the compiled program that is to be run at the top, so that the interpreter ends as always.
    """
    with seldom_collecting():
        for name in NEEDED:
            importlib.import_module(name)
        make_ready()
    assert threading.active_count() == 1, "a thread would be missing in the forks"
    gc.collect()
    gc.freeze()
    program = _Server(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])).forked()
    if program is None:
        os._exit(0)
    return program


def make_ready() -> None:
    """Make what a process makes when it first needs it: half of the time of the first job of each fork."""
    from echelon.agents import made_once
    from echelon.engine.toolbox import Arguments
    from echelon.service.service import Service
    from echelon.settings import Environment
    from echelon.store.records.jobs import Result, Settings
    from echelon.store.records.steps import Begun, Ended
    from echelon.tasks import prompts
    from echelon.tokens import count_tokens
    from tests.support.scripted import new_database

    count_tokens("")  # reads the table of tokens
    made_once.agent_class()
    made_once.tool("name", "description", Arguments)
    templates = prompts._environment("")  # pyright: ignore[reportPrivateUsage]  # keeps them compiled
    for name in templates.list_templates():
        templates.get_template(name)
    new_database()
    with tempfile.TemporaryDirectory() as folder:  # its statements are compiled for every database
        store = Service(Environment({"ECHELON_HOME": folder})).store
        store.add_job("job", "plain", "", Settings(), "jobs/job")
        for values in ({"state": "running"}, {"result": Result()}):
            store.set_job("job", **values)
        store.begin_step("job", 1, Begun("model", "model"))
        store.end_step("job", 1, Ended(True))
        for look in (store.job, store.steps, store.events):
            look("job")
        store.all_jobs()
        store.engine.dispose()


@dataclass
class _Server:
    control: socket.socket
    parent: int
    statuses: dict[int, int] = field(default_factory=dict)
    """Where to tell how a fork ended, by its process id"""

    def forked(self) -> Any:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the forks
        signal.signal(signal.SIGCHLD, lambda *_: self._reap())
        self.control.settimeout(1.0)
        while True:
            try:
                data, descriptors, _flags, _address = socket.recv_fds(self.control, MOST, 4)
            except TimeoutError:
                if os.getppid() == self.parent:
                    continue
                return None
            if not data:
                return None
            if program := self._fork(json.loads(data), descriptors):
                return program

    def _reap(self) -> None:
        for pid in list(self.statuses):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                told = self.statuses.pop(pid)
                with contextlib.suppress(BrokenPipeError):  # nobody waits any more
                    os.write(told, struct.pack("i", status))
                os.close(told)

    def _fork(self, wish: dict[str, Any], descriptors: list[int]) -> Any:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # until the process is known
        pid = os.fork()
        if pid:
            *streams, self.statuses[pid] = descriptors
            for one in streams:
                os.close(one)
            os.write(self.statuses[pid], struct.pack("i", pid))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            return None
        self.control.close()
        for one in self.statuses.values():
            os.close(one)
        return _become(wish, descriptors)


def _become(wish: dict[str, Any], descriptors: list[int]) -> Any:
    """Make this fork what was wished for; the program that it is to run."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    if wish["session"]:
        os.setsid()
    for number, one in enumerate(descriptors[:3]):
        os.dup2(one, number)
    for one in descriptors:
        os.close(one)
    os.chdir(wish["folder"])
    os.environ.clear()
    os.environ.update(wish["environment"])
    _streams()
    sys.argv = ["-c", *wish["arguments"]]
    return compile(wish["program"], "<string>", "exec")


def _streams() -> None:
    """Python's own streams, as at a start: an interactive one is written out at each line."""
    modes = (("stdin", "r", "strict"), ("stdout", "w", "strict"), ("stderr", "w", "backslashreplace"))
    for number, (name, mode, errors) in enumerate(modes):
        is_at_once = mode == "w" and (name == "stderr" or os.isatty(number))
        stream = open(number, mode, buffering=1 if is_at_once else -1, errors=errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
