"""How the server does: /health, /ready, /status, /metrics."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from echelon.faces.http.desk import desk_of
from echelon.faces.http.problems import RESPONSES
from echelon.faces.http.watches import apart
from echelon.service.standing import Standing, ready, standing

router = APIRouter(tags=["server"], responses=RESPONSES)


class Health(BaseModel):
    """The server is alive."""

    status: Literal["ok"] = "ok"


class Ready(BaseModel):
    """Whether jobs can be taken and run: each part that is needed."""

    ready: bool
    database: bool
    queue: bool
    workers: bool


class WorkerRow(BaseModel):
    """A worker that lives."""

    name: str
    lease_seconds: float


class Status(BaseModel):
    """What the server does."""

    workers: list[WorkerRow]
    running: int
    waiting_in_queue: int
    waiting_for_a_person: int
    streams: int
    versions: dict[str, str]


@router.get("/health", response_model=Health)
async def health() -> Health:
    """Whether the server is alive. Needs no token."""
    return Health()


@router.get("/ready", response_model=Ready, responses={503: {"model": Ready, "description": "Not ready"}})
async def is_ready(request: Request) -> JSONResponse:
    """Whether the database, the queue and a worker are there. Needs no token."""
    found = await apart(lambda: ready(desk_of(request).service.store))
    whole = {"ready": all(found.values()), **found}
    return JSONResponse(whole, 200 if whole["ready"] else 503)


@router.get("/status", response_model=Status)
async def status(request: Request) -> Status:
    """Workers, jobs that run and wait, versions."""
    desk = desk_of(request)
    found: Standing = await apart(lambda: standing(desk.service.store))
    return Status(
        workers=[WorkerRow(name=name, lease_seconds=left) for name, left in found.workers], running=found.running,
        waiting_in_queue=found.queued, waiting_for_a_person=found.waiting, streams=desk.streams.count,
        versions=versions(),
    )  # fmt: skip


def versions() -> dict[str, str]:
    """Versions of Echelon and of what it stands on."""
    import platform
    from importlib.metadata import version

    from echelon import __version__
    from echelon.engine.durable import APPLICATION_VERSION

    known: dict[str, Any] = {"echelon": __version__, "steps": APPLICATION_VERSION, "python": platform.python_version()}
    return {**known, **{name: version(name) for name in ("crewai", "dbos", "sqlalchemy")}}


@router.get("/metrics", response_class=Response, responses={
    200: {"description": "Prometheus text", "content": {"text/plain": {"schema": {"type": "string"}}}},
})  # fmt: skip
async def metrics(request: Request) -> Response:
    """Jobs, steps, tokens, cost, waiting and step times, refusals and escalations, for Prometheus."""
    from echelon.faces.http.metrics import exposition

    body, media = await apart(lambda: exposition(desk_of(request)))
    return Response(body, media_type=media)
