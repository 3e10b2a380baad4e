"""Telling a job something: cancel, resume, approve, reject, answer."""

from __future__ import annotations

from fastapi import APIRouter, Request

from echelon.crews.hierarchy.states import Event
from echelon.faces.http.api.looking import JobId, detail
from echelon.faces.http.api.shapes import AnswerText, GoOn, JobDetail, overrides_of
from echelon.faces.http.desk import Desk, asked_of, desk_of
from echelon.faces.http.guard.settings import check_settings
from echelon.faces.http.guard.who import Role
from echelon.faces.http.problems import RESPONSES
from echelon.faces.http.watches import apart
from echelon.service.listing import known_job
from echelon.service.ordering import go_on
from echelon.store.records.jobs import Said

router = APIRouter(tags=["jobs"], responses=RESPONSES)

ANSWERED, APPROVED, REFUSED = (event.value for event in (Event.ANSWERED, Event.APPROVED, Event.REFUSED))


@router.post("/jobs/{job}/cancel", response_model=JobDetail)
async def cancel(request: Request, job: JobId) -> JobDetail:
    """Stop a job for good, in whichever process it runs."""
    return await apart(lambda: stop(desk_of(request), job))


@router.post("/jobs/{job}/resume", response_model=JobDetail)
async def resume(request: Request, job: JobId, change: GoOn | None = None) -> JobDetail:
    """Go on with a job that was interrupted or reached a limit, perhaps with more granted."""
    desk, role, settings = desk_of(request), asked_of(request).role, change.set if change else []
    return await apart(lambda: resumed(desk, job, settings, role))


@router.post("/jobs/{job}/approve", response_model=JobDetail)
async def approve(request: Request, job: JobId) -> JobDetail:
    """Approve what a job asks about."""
    return await apart(lambda: tell(desk_of(request), job, Said(event=APPROVED)))


@router.post("/jobs/{job}/reject", response_model=JobDetail)
async def reject(request: Request, job: JobId) -> JobDetail:
    """Refuse what a job asks about, which ends it."""
    return await apart(lambda: tell(desk_of(request), job, Said(event=REFUSED)))


@router.post("/jobs/{job}/answer", response_model=JobDetail)
async def answer(request: Request, job: JobId, given: AnswerText) -> JobDetail:
    """Answer a job that waits for a person; where it asks for an approval, this asks for changes."""
    return await apart(lambda: tell(desk_of(request), job, Said(event=ANSWERED, text=given.text)))


def stop(desk: Desk, job: str) -> JobDetail:
    """Cancel a job. Raises UserError."""
    known_job(desk.service.store, job)
    desk.service.cancel(job)
    return detail(desk, job)


def resumed(desk: Desk, job: str, settings: list[str], role: Role | None) -> JobDetail:
    """Put a job back into the queue, perhaps with other settings. Raises UserError, Refusal."""
    known_job(desk.service.store, job)
    overrides = overrides_of(settings)
    check_settings(overrides, role or Role.READER)
    go_on(desk.service, job, overrides)
    return detail(desk, job)


def tell(desk: Desk, job: str, said: Said) -> JobDetail:
    """Say something to a job that waits, and put it back into the queue. Raises UserError."""
    known_job(desk.service.store, job)
    go_on(desk.service, job, said=said)
    return detail(desk, job)
