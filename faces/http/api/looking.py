"""Looking at jobs: the list, one job, its steps and its cost."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from echelon.faces.http.api.shapes import (
    Effects,
    JobCost,
    JobDetail,
    JobPage,
    JobSteps,
    Name,
    State,
    StepDetail,
    StepRow,
    summary,
    time_of,
)
from echelon.faces.http.desk import Desk, desk_of
from echelon.faces.http.problems import RESPONSES, Refusal
from echelon.faces.http.watches import apart
from echelon.service.listing import known_job, page_of_jobs
from echelon.service.views import details_of, effect_rows, step_details
from echelon.store.records.jobs import JobRow
from echelon.store.records.steps import Step
from echelon.store.store import Store

router = APIRouter(tags=["jobs"], responses=RESPONSES)

JobId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]+$", max_length=200, description="id of a job")]
MOST_STEPS = 500


@router.get("/jobs", response_model=JobPage)
async def jobs(
    request: Request,
    state: Annotated[list[State] | None, Query(description="only jobs in these states", max_length=20)] = None,
    type: Annotated[Name | None, Query(description="only jobs of this type")] = None,
    after: Annotated[
        str | None, Query(description="the `next` of the page before", pattern=r"^[A-Za-z0-9_-]+$", max_length=400)
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200, description="jobs of one page")] = 50,
) -> JobPage:
    """The jobs, the latest first, a page at a time."""
    store = desk_of(request).service.store
    page = await apart(lambda: page_of_jobs(store, states=state or (), type_=type, after=after, limit=limit))
    return JobPage(jobs=[summary(row) for row in page.jobs], next=page.after)


@router.get("/jobs/{job}", response_model=JobDetail)
async def job(request: Request, job: JobId) -> JobDetail:
    """One job: how it stands, what it found, what it asks."""
    return await apart(lambda: detail(desk_of(request), job))


def detail(desk: Desk, job: str) -> JobDetail:
    """Everything that is known of a job but its steps. Raises UnknownName."""
    store = desk.service.store
    return detail_of(store, known_job(store, job), store.steps(job))


def detail_of(store: Store, row: JobRow, steps: list[Step]) -> JobDetail:
    """What is known of a job whose row and steps were read."""
    known = details_of(store, row, steps)
    given = {name: known[name] for name in JobDetail.model_fields if name in known}
    more = {
        "created": time_of(row.created), "updated": time_of(row.updated), "calls": sum(known["model_steps"].values()),
        "tokens": sum(s.prompt_tokens + s.completion_tokens for s in steps),
    }  # fmt: skip
    return JobDetail.model_validate({**given, **more})


@router.get("/jobs/{job}/steps", response_model=JobSteps)
async def steps(
    request: Request,
    job: JobId,
    after: Annotated[int, Query(ge=0, le=2**31 - 1, description="the `next` of the part before")] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_STEPS, description="steps of one part")] = 200,
) -> JobSteps:
    """The ledger of a job: each model call, tool call and piece of code, and what it used."""
    rows = await apart(lambda: _steps(desk_of(request), job))
    later = [row for row in rows if row.number > after]
    shown = later[:limit]
    return JobSteps(steps=shown, next=shown[-1].number if len(later) > limit else None)


def _steps(desk: Desk, job: str) -> list[StepRow]:
    known_job(desk.service.store, job)
    rows = desk.service.store.steps(job)
    return [StepRow.model_validate({name: getattr(row, name) for name in StepRow.model_fields}) for row in rows]


@router.get("/jobs/{job}/steps/{number}", response_model=StepDetail)
async def step(request: Request, job: JobId, number: Annotated[int, Path(ge=1, le=2**31 - 1)]) -> StepDetail:
    """One step: what the role saw, its tools, the answer."""
    found = await apart(lambda: step_of(desk_of(request), job, number))
    return StepDetail.model_validate({name: found[name] for name in StepDetail.model_fields})


def step_of(desk: Desk, job: str, number: int) -> dict[str, Any]:
    """One step, as `echelon show JOB --step N` has it. Raises UnknownName."""
    from echelon.errors import UserError

    known_job(desk.service.store, job)
    try:
        return step_details(desk.service.store, job, number)
    except UserError as error:
        raise Refusal(404, str(error)) from error


@router.get("/jobs/{job}/cost", response_model=JobCost)
async def cost(request: Request, job: JobId) -> JobCost:
    """What a job cost and what for: by use, milestone, task, tier, role, phase and attempt."""
    return await apart(lambda: _cost(desk_of(request), job))


def _cost(desk: Desk, job: str) -> JobCost:
    from echelon.service.cost import cost_of

    known_job(desk.service.store, job)
    return JobCost.model_validate(cost_of(desk.service.store, job))


@router.get("/jobs/{job}/effects", response_model=Effects)
async def effects(request: Request, job: JobId) -> Effects:
    """The calls of a job that must not be made twice, and how far each got."""
    store = desk_of(request).service.store
    return Effects(effects=await apart(lambda: (known_job(store, job), effect_rows(store, job))[1]))
