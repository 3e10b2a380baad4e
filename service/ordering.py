"""Jobs that others order: one job for one key, whatever dies in between, and going on with one through the queue.

An order is written down before its job is made, and again when the job is in the queue. Whoever finds it half done
(the same request again, or the next start) does the rest.
"""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from echelon.crews.hierarchy.vocabulary import OVER
from echelon.digest import digest
from echelon.engine import durable
from echelon.errors import UnknownName, UserError
from echelon.service.service import CONFIGS, Service
from echelon.settings import config_names
from echelon.store import tables as t
from echelon.store.records.jobs import Said

UPLOADS = "uploads"
"""Folder of the home that holds what was sent, until the jobs that read it are over"""
KEPT_SECONDS = 24 * 3600.0
"""How long a file is kept that no job reads"""


NAME = re.compile(r"[A-Za-z0-9_-]+")


class OtherOrder(UserError):
    """A key that was used for something else."""


@dataclass(frozen=True)
class Order:
    """What is asked for. `files` are (name, path, SHA-256); `overrides` are settings by dotted key."""

    type: str
    request: str | None = None
    model: str | None = None
    overrides: dict[str, Any] = field(default_factory=dict)
    files: tuple[tuple[str, Path, str], ...] = ()
    webhook: str | None = None

    @property
    def digest(self) -> str:
        """A hash of what is asked for, wherever the files lie."""
        files = [(name, sha) for name, _, sha in self.files]
        return digest([self.type, self.request, self.model, self.overrides, files, self.webhook])


def order(service: Service, key: str | None, wanted: Order) -> tuple[str, bool]:
    """The job of this order, in the queue, and whether this call made it. Raises UserError; then nothing is made.

    Raises OtherOrder for a key that was used for something else.
    """
    check_type(wanted.type)
    key = key if key is not None else f"none:{secrets.token_hex(12)}"
    job, is_new = _reserved(service, key, wanted)
    try:
        if not _exists(service, job):
            service.submit(
                wanted.type, [path for _, path, _ in wanted.files], wanted.request, wanted.model, wanted.overrides, job
            )
    except IntegrityError:  # the same order at the same time made the job of this key
        pass
    except BaseException:
        if is_new:
            with service.store.engine.begin() as c:
                c.execute(t.orders.delete().where(t.orders.c.key == key))
        raise
    _queue(service, key, job)
    return job, is_new


def check_type(name: str) -> None:
    """Raises UnknownName for a path. A file of settings says everything, what is refused to whoever orders included."""
    if not NAME.fullmatch(name):
        raise UnknownName("job type", name, config_names(CONFIGS))


def finish_orders(service: Service) -> list[str]:
    """Put into the queue what was ordered and made, and did not come that far; returns those jobs."""
    with service.store.engine.connect() as c:
        open_ = c.execute(sa.select(t.orders.c.key, t.orders.c.job).where(t.orders.c.queued.is_(False))).all()
    there = [(key, job) for key, job in open_ if _exists(service, job)]
    for key, job in there:
        _queue(service, key, job)
    return [job for _, job in there]


def _reserved(service: Service, key: str, wanted: Order) -> tuple[str, bool]:
    """The id of the job of this key, a new one or that of before."""
    name = wanted.type if wanted.type.isidentifier() else "job"
    row = {"key": key, "digest": wanted.digest, "job": f"{name}-{secrets.token_hex(4)}", "queued": False}
    with service.store.engine.connect() as c:
        before = c.execute(sa.select(t.orders).where(t.orders.c.key == key)).first()
    if before is None:
        try:
            with service.store.engine.begin() as c:
                c.execute(t.orders.insert().values(**row, at=time.time()))
            return str(row["job"]), True
        except IntegrityError:  # at the same time
            return _reserved(service, key, wanted)
    if before.digest != row["digest"]:
        raise OtherOrder(f"The key '{key}' was used for another request before; take a new one.")
    return str(before.job), False


def _exists(service: Service, job: str) -> bool:
    with service.store.engine.connect() as c:
        return c.execute(sa.select(t.jobs.c.id).where(t.jobs.c.id == job)).first() is not None


def _queue(service: Service, key: str, job: str) -> None:
    with service.store.engine.connect() as c:
        queued = c.execute(sa.select(t.orders.c.queued).where(t.orders.c.key == key)).scalar()
    if not queued:
        if service.store.job(job).state == "submitted":
            service.enqueue(job)
        with service.store.engine.begin() as c:
            c.execute(t.orders.update().where(t.orders.c.key == key).values(queued=True))


def go_on(service: Service, job: str, overrides: dict[str, Any] | None = None, said: Said | None = None) -> None:
    """Put a job that waits, was interrupted or reached a limit back into the queue, with what was said to it.

    Raises UserError where there is nothing to go on with, also for a job that runs or waits in the queue already.
    """
    store = service.store
    row = store.job(job)
    if (holder := store.holder(job)) is not None:
        from echelon.errors import JobBusy

        raise JobBusy(job, f"process {holder.replace('@', ' on ')}")
    if row.state == "submitted" and said is None and durable.is_queued(store, job, row.segment):
        raise UserError(f"Job {job} waits in the queue already.")
    service.resume(job, overrides, said)
    row = store.job(job)
    version = durable.version_of(store, job, row.segment)
    if version is not None and version != durable.APPLICATION_VERSION:  # begun by a version whose steps are others
        row, version = service.begun_again(row), None
    if version is None:
        durable.enqueue(store, job, row.segment, {})
    else:
        durable.requeue(store, job, row.segment)


def remove_old_uploads(service: Service, now: Callable[[], float] = time.time) -> int:
    """Remove what was sent for jobs that are over, or for none; returns how many folders went."""
    folder = service.environment.home / UPLOADS
    if not folder.is_dir():
        return 0
    with service.store.engine.connect() as c:
        query = sa.select(t.jobs.c.config["inputs"]).where(t.jobs.c.state.notin_([state.value for state in OVER]))
        needed = {Path(str(p)).parent.name for inputs in c.execute(query).scalars() for p in inputs or ()}
    old = [p for p in folder.iterdir() if p.name not in needed and now() - p.stat().st_mtime > KEPT_SECONDS]
    for path in old:
        shutil.rmtree(path, ignore_errors=True)
    return len(old)
