"""The files of a job that may be fetched: its results, its inputs, its plan; shown so that nothing in them acts."""

from __future__ import annotations

import mimetypes
import os
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import IO, Annotated
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi import Path as PathParameter
from fastapi.responses import Response, StreamingResponse

from echelon.faces.http.api.looking import JobId
from echelon.faces.http.api.shapes import JobFile, JobFiles, time_of
from echelon.faces.http.desk import Desk, desk_of
from echelon.faces.http.problems import RESPONSES
from echelon.faces.http.watches import apart
from echelon.service.fetching import fetchable, opened
from echelon.service.listing import known_job

router = APIRouter(tags=["files"], responses=RESPONSES)

MOST = 5_000
PIECE = 1 << 18
AT_ONCE = 4_000_000
"""Bytes of a file that is read at once"""
SHOWN = {
    ".html": "text/html",
    ".md": "text/plain",
    ".txt": "text/plain",
    ".csv": "text/plain",
    ".json": "application/json",
}
"""What a browser shows; all else is a download"""


@router.get("/jobs/{job}/files", response_model=JobFiles)
async def files(request: Request, job: JobId) -> JobFiles:
    """The files of a job that may be fetched: results, inputs, plan."""
    return JobFiles(files=await apart(lambda: files_of(desk_of(request), job)))


def files_of(desk: Desk, job: str) -> list[JobFile]:
    """The files of a job that may be fetched. Raises UnknownName."""
    folder = known_job(desk.service.store, job).folder
    desk.service.bring(job)
    there = fetchable(folder)
    return [
        JobFile(path=path, bytes=kept.st_size, modified=time_of(kept.st_mtime)) for path, kept in islice(there, MOST)
    ]


def _brought(desk: Desk, job: str, path: str) -> IO[bytes]:
    """A file of a job, which may have run on another machine. Raises UnknownName, Refusal."""
    folder = known_job(desk.service.store, job).folder
    desk.service.bring(job)
    return opened(folder, path)


@router.get("/jobs/{job}/files/{path:path}", response_class=Response, responses={
    200: {"description": "The file", "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}}},
})  # fmt: skip
async def file(
    request: Request,
    job: JobId,
    path: Annotated[str, PathParameter(min_length=1, max_length=1_000, description="such as output/report.html")],
) -> Response:
    """A file of a job. A report is shown without a right to anything; what a browser does not show is a download."""
    found = await apart(lambda: _brought(desk_of(request), job, path))
    size = os.fstat(found.fileno()).st_size
    name, ending = Path(path).name, Path(path).suffix.lower()
    shown = SHOWN.get(ending)
    media = shown or mimetypes.guess_type(name)[0] or "application/octet-stream"
    headers = {
        "Content-Length": str(size),
        "Content-Disposition": f"{'inline' if shown else 'attachment'}; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Security-Policy": policy(ending),
        "X-Frame-Options": "SAMEORIGIN",
    }
    media += "; charset=utf-8" if media.startswith("text/") else ""
    if size <= AT_ONCE:
        return Response(await apart(lambda: b"".join(_pieces(found))), headers=headers, media_type=media)
    return StreamingResponse(_pieces(found), headers=headers, media_type=media)


def policy(ending: str) -> str:
    """What a file may do in a browser: a page of ours may run the one script of our reports, by its hash; else nothing."""
    nothing = "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    if ending != ".html":
        return nothing
    return (
        f"sandbox allow-scripts; default-src 'none'; script-src '{_script_hash()}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    )


@cache
def _script_hash() -> str:
    from echelon.domains.requirements.exports.html import script_hash

    return script_hash()


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(PIECE):
            yield piece
