"""The events of a job, by their class."""

from __future__ import annotations

from typing import TypeVar

from echelon.service.service import Service
from echelon.store.records.events import Event

E = TypeVar("E", bound=Event)


def events(jobs: Service, job: str) -> list[Event]:
    """All events of a job, in their order."""
    return [row.event for row in jobs.store.events(job)]


def of_kind(jobs: Service, job: str, kind: type[E]) -> list[E]:
    """Those of one class."""
    return [event for event in events(jobs, job) if isinstance(event, kind)]
