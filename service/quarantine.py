"""Jobs that kill who runs them: the second worker that dies at the same step was the last one."""

from __future__ import annotations

from typing import Any

from echelon.engine import durable
from echelon.errors import Quarantined
from echelon.service.service import DEATHS, Service
from echelon.store.records.steps import Step

MOST_DEATHS = 2
"""Workers that may die at one step of a job. A machine that is switched off twice at the same step looks the same."""


def note_deaths(service: Service, owner: str) -> list[str]:
    """Write down that the worker `owner` died in the middle of its jobs; returns those that no other may take.

    A worker that was told to end is none of these. Noted twice, a death counts once.
    """
    held: list[str] = []
    for job, segment in durable.running(service.store, owner):
        row, step = service.store.job(job), last_step(service, job)
        noted = with_death(row["result"], step.number if step else 0, owner)
        service.store.set_job(job, result=noted)
        if len(noted[DEATHS]["owners"]) >= MOST_DEATHS:
            durable.cancel(service.store, job, segment)
            dead = noted[DEATHS]
            name = step.name if step else ""
            service.stopped(row, Quarantined(job, dead["step"], name, len(dead["owners"])))
            held.append(job)
    return held


def with_death(result: dict[str, Any] | None, step: int, owner: str) -> dict[str, Any]:
    """`result` with one death more, or with the first one where the job has come further since the last."""
    kept = dict(result or {})
    before: dict[str, Any] = kept.get(DEATHS) or {}
    owners: list[str] = before.get("owners", []) if before.get("step") == step else []
    return kept | {DEATHS: {"step": step, "owners": sorted({*owners, owner})}}


def last_step(service: Service, job: str) -> Step | None:
    """The step that a job began last, None before the first."""
    steps = service.store.steps(job)
    return steps[-1] if steps else None
