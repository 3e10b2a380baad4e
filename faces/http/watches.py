"""The jobs that somebody watches: each is looked at once for all of its readers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from echelon.service.views import state_of
from echelon.store import tables as t
from echelon.store.store import Store

T = TypeVar("T")
BEAT = 0.3
"""Seconds between two looks at a job that somebody watches"""


async def apart(work: Callable[[], T]) -> T:
    """The result of `work`, done in a thread so that the others are answered meanwhile."""
    from anyio import to_thread

    return await to_thread.run_sync(work)


@dataclass
class Watch:
    """The number of the latest event of a job, and its state, as they were seen last."""

    latest: int = -1
    state: str = ""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with the next change, when another one takes its place: readers that go away at any moment hold nothing"""
    readers: int = 0
    task: asyncio.Task[None] | None = None


class Watches:
    """All watches of a server."""

    def __init__(self, store: Store, closing: asyncio.Event) -> None:
        """Readers are woken when `closing` is set as well."""
        self._store, self._closing, self._of = store, closing, dict[str, Watch]()

    async def begin(self, job: str) -> Watch:
        """Watch a job."""
        watch = self._of.setdefault(job, Watch())
        watch.readers += 1
        try:
            if watch.latest < 0:
                latest, state = await apart(lambda: standing(self._store, job))
                if watch.latest < 0:
                    watch.latest, watch.state = latest, state
                    watch.task = asyncio.create_task(self._look(job, watch))
        except BaseException:  # who waited for it may be gone
            self.end(job, watch)
            raise
        return watch

    def end(self, job: str, watch: Watch) -> None:
        """One reader less."""
        watch.readers -= 1
        if not watch.readers:
            if self._of.get(job) is watch:
                del self._of[job]
            if watch.task is not None:
                watch.task.cancel()

    async def _look(self, job: str, watch: Watch) -> None:
        while True:
            await asyncio.sleep(BEAT)
            try:
                latest, state = await apart(lambda: standing(self._store, job))
            except SQLAlchemyError:  # the database is away for a moment; readers wait
                continue
            if (latest, state) != (watch.latest, watch.state) or self._closing.is_set():
                watch.latest, watch.state = latest, state
                told, watch.changed = watch.changed, asyncio.Event()
                told.set()


def standing(store: Store, job: str) -> tuple[int, str]:
    """The number of the latest event of a job, and its state: 'gone' for one that was removed."""
    with store.engine.connect() as c:
        state = c.execute(sa.select(t.jobs.c.state).where(t.jobs.c.id == job)).scalar()
        latest = c.execute(sa.select(sa.func.max(t.events.c.number)).where(t.events.c.job == job)).scalar()
    if state == "running":
        state = state_of(store, store.job(job))
    return latest or 0, state or "gone"
