"""A worker: takes jobs from the queue until it is stopped, and sees to the jobs of workers that are gone.

The queue, who takes what, and that no finished step runs twice are DBOS's. What is ours is noticing that a worker
died: each one renews a lease; whoever sees one run out has DBOS put the jobs of that worker back into the queue. A
worker that was frozen for so long that its own lease is gone ends: its jobs are somebody else's now, and DBOS records
no step of it.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from echelon.engine import durable
from echelon.errors import RunEnded
from echelon.json_text import is_list
from echelon.service.quarantine import note_deaths
from echelon.service.service import Service
from echelon.shown import visible
from echelon.store import leases
from echelon.store.store import LEASE_SECONDS, this_process

PREFIX = "worker:"
"""Leases with this prefix are workers, not jobs."""
BEAT = 1.0
"""Seconds between two looks at the other workers."""

FIRST_LOOK = 0.15
"""Seconds after which a worker that found nothing to begin with looks into the queue at its usual pace"""

Report = Callable[[str, dict[str, Any]], None]
"""(kind, data): `started`, `ended` and `stopped` with a job, `recovered` with a worker and its segments"""


class Worker:
    """Runs queued jobs in this process, up to `concurrency` at once, and holds `ahead` more, so that when one ends the
    next begins without a look into the queue.

    How many jobs a worker takes is a setting of the queue: the worker that started last sets it for all.
    """

    def __init__(
        self,
        service: Service,
        concurrency: int = 1,
        report: Report = lambda _kind, _data: None,
        stop: threading.Event | None = None,
        ahead: int = 0,
    ) -> None:
        self._service, self._report = service, report
        self._stop = stop or threading.Event()
        self._taken, self._room = concurrency + ahead, threading.BoundedSemaphore(concurrency)
        self._patient_until = 0.0
        self._begun = threading.Event()

    def run(self, *, drain: bool = False) -> bool:
        """Work until the process is told to stop or `stop` is set, or with `drain` until every queued job has ended.

        Returns False when this worker was taken for dead and must not go on. Raises UserError for a database that
        cannot be used. On KeyboardInterrupt what it ran is free for others at once.
        """
        store = self._service.store
        with durable.Lease(store, f"{PREFIX}{this_process()}") as lease:
            durable.launch(store, self._segment, self._taken)
            self._begun.wait(FIRST_LOOK)
            durable.look_less_often(store, self._taken)
            try:
                while not lease.lost:
                    self._look_after_others()
                    if drain and durable.waiting_or_running(store) == 0:
                        return True
                    if self._stop.wait(BEAT):
                        return True
            except KeyboardInterrupt:
                lease.abandon()
                raise
        return False

    def _look_after_others(self) -> None:
        """`recover_lost`, unless the database was away: then all leases are old, and their owners renew them first."""
        if time.monotonic() < self._patient_until:
            return
        began = time.monotonic()
        try:
            self.recover_lost()
        except SQLAlchemyError:
            began = 0.0
        if time.monotonic() - began > LEASE_SECONDS / 3:
            self._patient_until = time.monotonic() + LEASE_SECONDS

    def recover_lost(self) -> None:
        """Have the jobs of workers that are gone put back into the queue."""
        store = self._service.store
        for owner in leases.gone(store.engine, PREFIX):
            if owner != this_process():
                if not leases.gave_up(store.engine, owner):
                    for job in note_deaths(self._service, owner):
                        self._report("quarantined", {"job": job, "why": self._service.result(job).reason})
                segments = durable.recover(owner)
                durable.look_less_often(store, self._taken)  # it may have died before it did
                leases.clear(store.engine, owner)  # only now: whoever dies in between leaves it to the next one
                self._report("recovered", {"worker": owner, "segments": segments})

    def _segment(self, job: str, segment: int, given: dict[str, Any]) -> dict[str, Any]:
        store = self._service.store
        self._begun.set()
        with self._room, durable.Lease(store, job, taken=True):
            self._report("started", {"job": job})
            try:
                ended = self._service.segment(job, segment, given)
            except BaseException as error:
                stopped = durable.what_stopped(error)
                self._service.stopped(store.job(job), stopped)
                if not isinstance(stopped, RunEnded):
                    durable.cancel(store, job, segment)  # a failed job waits for a person, not for the next recovery
                self._report("stopped", {"job": job, "why": str(stopped)})
                raise
        self._report("ended", {"job": job, "state": store.job(job).state})
        return ended


def work(service: Service, concurrency: int, drain: bool, as_json: bool) -> int:
    """`echelon worker`: says what happens, a line or a JSON object each; returns the exit code."""

    def say(kind: str, data: dict[str, Any]) -> None:
        told = " · ".join(", ".join(v) if is_list(v) else str(v) for v in data.values() if v)
        print(json.dumps({"event": kind, **data}) if as_json else f"{kind:<10} {visible(told)}", flush=True)

    say("worker", {"name": this_process(), "concurrency": concurrency, "database": service.store.where})
    if Worker(service, concurrency, say).run(drain=drain):
        return 0
    print("echelon: this worker slept for too long and its jobs went to others; start it again", file=sys.stderr)
    return 1
