"""`GET /jobs/{job}/events`: what happens in a job, as it happens, over server-sent events.

The number of an event is its SSE id: a reader that comes back with `Last-Event-ID` misses and repeats nothing. The events
are in the database, so it may come back to another server as well.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse

from echelon.faces.http.api.looking import JobId
from echelon.faces.http.api.shapes import OVER
from echelon.faces.http.desk import Desk, asked_of, desk_of
from echelon.faces.http.problems import RESPONSES
from echelon.faces.http.watches import Watch, apart, standing
from echelon.service.listing import known_job
from echelon.store.records.events import EventRow

router = APIRouter(tags=["events"], responses=RESPONSES)

QUIET = 10.0
"""Seconds after which a comment shows that the stream lives"""
LONGEST = 3600.0
"""Seconds of one stream; a reader comes back by itself"""
BATCH = 500
_MESSAGE = {"type": "object", "properties": {name: {"type": "string"} for name in ("id", "event", "data")}}
_SSE: dict[int | str, dict[str, Any]] = {
    200: {"description": "A stream of events", "content": {"text/event-stream": {"schema": _MESSAGE}}}
}


@router.get("/jobs/{job}/events", response_class=Response, responses=_SSE)
async def events(
    request: Request,
    job: JobId,
    last_event_id: Annotated[
        str, Header(pattern=r"^[0-9]{0,9}$", description="the id of the last event that was read")
    ] = "",
    after: Annotated[int, Query(ge=0, le=2**31 - 1, description="the same as a parameter")] = 0,
    follow: Annotated[bool, Query(description="false: end after the events that there are")] = True,
) -> Response:
    """What happens in a job, from its first event on or from the one after `Last-Event-ID`, until it is over."""
    desk = desk_of(request)
    await apart(lambda: known_job(desk.service.store, job))
    number = int(last_event_id) if last_event_id else after
    client = asked_of(request).client
    desk.streams.check(client)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    stream = _stream(desk, job, number, follow, client)
    return StreamingResponse(stream, headers=headers, media_type="text/event-stream")


async def _stream(desk: Desk, job: str, number: int, follow: bool, client: str) -> AsyncIterator[str]:
    with desk.streams.one(client):
        watch = await desk.watches.begin(job)
        try:
            async for text in _told(desk, job, number, follow, watch):
                yield text
        finally:
            desk.watches.end(job, watch)


async def _told(desk: Desk, job: str, number: int, follow: bool, watch: Watch) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    told_state, end = "", time.monotonic() + LONGEST
    while True:
        latest, state = (
            (watch.latest, watch.state) if follow else await apart(lambda: standing(desk.service.store, job))
        )
        while number < latest:
            rows = await apart(lambda after=number: desk.service.store.events(job, after, BATCH))  # type: ignore[misc]
            if not rows:
                break
            yield "".join(map(event_text, rows))
            number = rows[-1].number
        if state != told_state:
            told_state = state
            yield f"event: state\ndata: {json.dumps({'job': job, 'state': state})}\n\n"
        if state in (*OVER, "gone") or not follow:
            yield f"event: end\ndata: {json.dumps({'job': job, 'state': state})}\n\n"
            return
        if desk.closing.is_set() or time.monotonic() > end:
            return
        if not await _something_new(desk, watch, number, told_state):
            yield ": still here\n\n"


async def _something_new(desk: Desk, watch: Watch, number: int, state: str) -> bool:
    """Wait until the job has a later event or another state; False where nothing happened for a while."""
    end = asyncio.get_running_loop().time() + QUIET
    while not (watch.latest > number or watch.state != state or desk.closing.is_set()):
        try:
            async with asyncio.timeout_at(end):
                await watch.changed.wait()
        except TimeoutError:
            return False
    return True


def event_text(row: EventRow) -> str:
    """An event as a stream has it."""
    data = {"number": row.number, "at": row.at, **row.event.model_dump(mode="json")}
    return f"id: {row.number}\nevent: {row.event.kind}\ndata: {json.dumps(data, ensure_ascii=True)}\n\n"
