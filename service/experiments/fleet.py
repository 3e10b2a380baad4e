"""The workers of an experiment: one in this process, the others in processes of their own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

from echelon.engine import durable
from echelon.errors import UserError
from echelon.service.service import Service
from echelon.service.worker import Worker
from echelon.store import leases
from echelon.store.store import this_process

HELPER = "echelon.service.experiments.helper"
AHEAD = 1
"""Trials that are given out beside those that run, so that no worker waits. A worker without helpers holds them itself, so
that one of a second need not wait for a look into the queue; with helpers it would keep them from one that is idle."""
DEATHS = 20
"""Helpers that may die before it is given up to start new ones"""
PATIENCE = 5.0
"""Seconds that a thread or a process is given to end"""


class Fleet:
    """Workers on the queue of jobs while the block runs. A helper that dies is replaced; what it ran goes on elsewhere."""

    def __init__(self, service: Service, workers: int) -> None:
        self._service, self._helpers, self._deaths = service, workers - 1, 0
        self._processes: list[subprocess.Popen[bytes]] = []
        self._stop, self._news = threading.Event(), threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="experiment-worker", daemon=True)

    def __enter__(self) -> Fleet:
        self._thread.start()
        self._processes = [self._helper() for _ in range(self._helpers)]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stop.set()
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            if process.poll() is None:
                process.kill()
                process.wait()
        if kind is None:
            self._thread.join()
            durable.shut_down()
        else:  # interrupted in the middle of a job: whoever goes on with it need not wait
            leases.expire(self._service.store.engine, this_process())

    def wait(self, seconds: float) -> None:
        """Wait until a job of this process ends, at most for so long: those of the helpers say nothing here."""
        self._news.wait(seconds)
        self._news.clear()

    def _heard(self, kind: str, _: dict[str, Any]) -> None:
        if kind != "started":
            self._news.set()

    def check(self) -> None:
        """Replace helpers that have died. Raises what stopped the worker of this process."""
        if self._error is not None:
            raise self._error
        for place, process in enumerate(self._processes):
            if process.poll() is not None:
                self._deaths += 1
                if self._deaths > DEATHS:
                    raise UserError(f"{self._deaths} workers have died; see what stops them with 'echelon worker'.")
                self._processes[place] = self._helper()

    @property
    def helpers(self) -> list[int]:
        """Process ids of the helpers."""
        return [p.pid for p in self._processes]

    def _work(self) -> None:
        try:
            worker = Worker(self._service, report=self._heard, stop=self._stop, ahead=0 if self._helpers else AHEAD)
            if not worker.run():
                self._error = UserError(
                    "This process slept for too long and its job went to others; go on with --resume."
                )
        except BaseException as error:  # whatever it was, the coordinator says it
            self._error = error

    def _helper(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", HELPER, str(os.getpid())], env=environment_of(self._service),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


def environment_of(service: Service) -> Mapping[str, str]:
    """The environment for a process that works on the same home and database."""
    given = service.environment
    return {
        **os.environ, **given.values, "ECHELON_HOME": str(given.home), "ECHELON_DATABASE_URL": given.database_url,
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }  # fmt: skip
