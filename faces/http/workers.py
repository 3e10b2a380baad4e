"""The workers of a server: processes of their own, started with it, replaced when they die, told to end with it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time

from echelon.service.experiments.fleet import environment_of
from echelon.service.service import Service

MODULE = "echelon.faces.http.worker"
BEAT = 0.5
PATIENCE = 8.0
"""Seconds that a worker has to let go of its jobs"""
PAUSES = (0.0, 1.0, 5.0, 30.0)
"""Seconds before a worker that died is replaced; longer each time that it dies again soon"""
LIVED = 60.0
"""Seconds after which a worker counts as one that lives"""


class Workers:
    """`count` workers while the block runs."""

    def __init__(self, service: Service, count: int, concurrency: int = 1) -> None:
        self._service, self._count, self._concurrency = service, count, concurrency
        self._processes: list[subprocess.Popen[bytes]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="workers", daemon=True)

    def __enter__(self) -> Workers:
        self._processes = [self._start() for _ in range(self._count)]
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        for process in self._processes:
            process.terminate()
        end = time.monotonic() + PATIENCE
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, end - time.monotonic()))
            if process.poll() is None:
                process.kill()
                process.wait()

    @property
    def ids(self) -> list[int]:
        """Process ids."""
        return [process.pid for process in self._processes]

    def _watch(self) -> None:
        deaths, began = [0] * self._count, [time.monotonic()] * self._count
        due: dict[int, float] = {}
        while not self._stop.wait(BEAT):
            for place, process in enumerate(self._processes):
                if process.poll() is None:
                    continue
                now = time.monotonic()
                if place not in due:
                    deaths[place] = 1 if now - began[place] > LIVED else deaths[place] + 1
                    due[place] = now + PAUSES[min(deaths[place], len(PAUSES)) - 1]
                if now >= due[place]:
                    del due[place]
                    self._processes[place], began[place] = self._start(), now

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", MODULE, str(os.getpid()), str(self._concurrency)],
            env=environment_of(self._service), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
