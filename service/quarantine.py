"""Jobs that kill who runs them: the second worker that dies at the same step was the last one."""

from __future__ import annotations

from echelon.engine import durable
from echelon.errors import Quarantined
from echelon.service.service import Service
from echelon.store import leases
from echelon.store.records.jobs import Deaths, Result
from echelon.store.records.steps import Step

MOST_DEATHS = 2
"""Workers that may die at one step of a job. A machine that is switched off twice at the same step looks the same."""


def note_deaths(service: Service, owner: str) -> list[str]:
    """Write down that the worker `owner` died in the middle of its jobs; returns those that no other may take.

    A worker that was told to end is none of these, and no job that it held and had not begun. Noted twice, a death
    counts once.
    """
    held: list[str] = []
    begun = leases.names(service.store.engine, owner)
    for job, segment in durable.running(service.store, owner):
        if job not in begun:
            continue
        row, step = service.store.job(job), last_step(service, job)
        noted = with_death(row.end, step.number if step else 0, owner)
        service.store.set_job(job, result=noted)
        dead = noted.deaths
        if dead is not None and len(dead.owners) >= MOST_DEATHS:
            durable.cancel(service.store, job, segment)
            name = step.name if step else ""
            service.stopped(row, Quarantined(job, dead.step, name, len(dead.owners)))
            held.append(job)
    return held


def with_death(result: Result, step: int, owner: str) -> Result:
    """`result` with one death more, or with the first one where the job has come further since the last."""
    before = result.deaths
    owners = before.owners if before is not None and before.step == step else ()
    return result.model_copy(update={"deaths": Deaths(step=step, owners=tuple(sorted({*owners, owner})))})


def last_step(service: Service, job: str) -> Step | None:
    """The step that a job began last, None before the first."""
    steps = service.store.steps(job)
    return steps[-1] if steps else None
