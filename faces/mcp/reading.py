"""The files of a job as resources: `echelon://jobs/JOB/files/PATH`."""

from __future__ import annotations

import mimetypes
import os
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from echelon.errors import UserError
from echelon.faces.mcp.shapes import Files, JobFile
from echelon.service.fetching import fetchable, opened

if TYPE_CHECKING:
    from echelon.service.service import Service

MOST_FILES = 5_000
MOST_BYTES = 20_000_000
"""Of one file; larger ones are read where the job is"""
_START = "echelon://jobs/"


def uri_of(job: str, path: str) -> str:
    """The address of a file of a job."""
    return f"{_START}{job}/files/{path}"


def files_of(service: Service, job: str) -> Files:
    """The files of a job that may be read. Raises UnknownName."""
    folder = service.store.job(job).folder
    service.bring(job)
    found = [
        JobFile(path=path, bytes=kept.st_size, uri=uri_of(job, quote(path)), media=media_of(path))
        for path, kept in islice(fetchable(folder), MOST_FILES)
    ]
    return Files(job=job, files=found)


def read(service: Service, uri: str) -> tuple[str | bytes, str]:
    """The content of a resource and its media type; text where it is text. Raises UserError."""
    job, joint, path = uri.removeprefix(_START).partition("/files/")
    if not uri.startswith(_START) or not joint:
        raise UserError(f"'{uri[:200]}' is no address of a file of a job; job_files names them.")
    path, job = unquote(path), unquote(job)
    service.bring(job)
    with opened(service.store.job(job).folder, path) as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise UserError(f"{path} has more than {MOST_BYTES // 1_000_000} MB; read it in the folder of the job.")
        content = file.read()
    media = media_of(path)
    try:
        return content.decode("utf-8"), media
    except UnicodeDecodeError:
        return content, media


def media_of(path: str) -> str:
    """The media type of a file by its ending."""
    if path.endswith(".md"):
        return "text/markdown"
    return mimetypes.guess_type(path)[0] or "application/octet-stream"
