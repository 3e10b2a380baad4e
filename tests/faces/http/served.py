"""A real server on the loopback: in this process for most tests, as the `echelon serve` command for the others."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from echelon.faces.http.app import make_app
from echelon.faces.http.desk import Desk, Options, open_desk
from echelon.faces.http.guard.front import Patience
from echelon.faces.http.serving import Server, listening, uvicorn_config
from echelon.service.service import CONFIGS, Service
from echelon.settings import Environment, load_config
from echelon.store.records.events import EventRow, event_of
from echelon.store.records.jobs import Result, Settings
from echelon.store.store import Store
from tests.cli.command import SHORT_SAMPLE, Shell

ADMIN, OPERATOR, READER = "admin-token-of-the-tests", "operator-token-of-the-tests", "reader-token-of-the-tests"
TOKENS = {"ECHELON_TOKEN": ADMIN, "ECHELON_OPERATOR_TOKEN": OPERATOR, "ECHELON_READER_TOKEN": READER}


def client_of(url: str, headers: Mapping[str, str] | None = None) -> httpx.Client:
    """A client for a server on the loopback, where there is no TLS: to read this machine's certificates takes long."""
    return httpx.Client(base_url=url, headers=headers, timeout=60, trust_env=False, verify=False)


@dataclass(frozen=True)
class Served:
    """A server that runs in this process."""

    url: str
    desk: Desk

    @property
    def store(self) -> Store:
        return self.desk.service.store

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def client(self, token: str | None = None, **headers: str) -> httpx.Client:
        """A client, perhaps with a token."""
        more = {"Authorization": f"Bearer {token}"} if token else {}
        return client_of(self.url, {**more, **headers})


@contextmanager
def served(
    home: Path, variables: dict[str, str] | None = None, patience: Patience | None = None, **options: Any
) -> Iterator[Served]:
    """A server without workers on a home of its own."""
    environment = Environment({"ECHELON_HOME": str(home), **(variables or {})})
    given = Options(**{"port": 0, "workers": 0, "rate": 10_000.0, **options})
    desk = open_desk(Service(environment), given)
    sock = listening("127.0.0.1", 0)
    began = threading.Event()
    server = Server(uvicorn_config(make_app(desk, patience), desk), desk, began.set)
    thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
    thread.start()
    try:
        assert began.wait(60), "the server did not start"
        yield Served(f"http://127.0.0.1:{sock.getsockname()[1]}", desk)
    finally:
        server.should_exit = True
        thread.join(20)
        sock.close()
        desk.service.close()


@dataclass
class Command:
    """`echelon serve` as a process."""

    process: subprocess.Popen[str]
    url: str

    def client(self) -> httpx.Client:
        return client_of(self.url)

    def kill(self) -> None:
        """As a power switch does."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def command(shell: Shell, *arguments: str, port: int = 0) -> Iterator[Command]:
    """The command, started; ended in order unless it was killed before."""
    process = shell.start("serve", "--json", "--port", str(port), *arguments)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate()
        yield Command(process, json.loads(line)["url"])
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()


def add_job(store: Store, job: str, state: str = "submitted", events: int = 0, result: Result | None = None) -> None:
    """A job that nobody runs, with its first events."""
    config = load_config(CONFIGS, "creator").model_dump(mode="json")
    settings = Settings(config=config, inputs=("/somewhere/policy.pdf",))
    store.add_job(job, "creator", "Find every requirement.", settings, f"jobs/{job}")
    if state != "submitted" or result is not None:
        store.set_job(job, state=state, **({"result": result} if result is not None else {}))
    add_events(store, job, 1, events)


def add_events(store: Store, job: str, first: int, last: int) -> None:
    """Events with numbers from `first` to `last`."""
    told = [
        EventRow(n, time.time(), event_of("tool", {"role": "QA", "tool": f"t{n}", "ok": True}))
        for n in range(first, last + 1)
    ]
    store.add_events(job, told)


def sse(lines: Sequence[str] | Iterator[str]) -> Iterator[dict[str, str]]:
    """The messages of a stream of events."""
    message: dict[str, str] = {}
    for line in lines:
        if not line:
            if message:
                yield message
            message = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            message[name] = value.removeprefix(" ")


def wait_for(client: httpx.Client, job: str, states: Sequence[str], seconds: float = 150.0) -> dict[str, Any]:
    """The job, once it is in one of some states."""
    end = time.monotonic() + seconds
    while True:
        found: dict[str, Any] = client.get(f"/jobs/{job}").json()
        if found["state"] in states:
            return found
        assert time.monotonic() < end, found
        time.sleep(0.3)


def upload(path: Path = SHORT_SAMPLE) -> dict[str, Any]:
    """A file as a form sends it."""
    return {"files": (path.name, path.read_bytes(), "application/pdf")}
