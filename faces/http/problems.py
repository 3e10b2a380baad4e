"""Errors as RFC 9457 problems, with the sentence that the terminal would say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from echelon.errors import EchelonError, JobBusy, UnknownName, UserError

if TYPE_CHECKING:
    from starlette.responses import Response

MEDIA = "application/problem+json"


class Problem(BaseModel):
    """An error as RFC 9457 has it."""

    type: str = "about:blank"
    title: str = Field(description="what the status means")
    status: int
    detail: str = Field(description="what is wrong, and what to do: one sentence")
    errors: list[str] = Field(default_factory=list, description="each part of a request that does not fit")


class Refusal(EchelonError):
    """A request that is not answered: a status, a sentence, perhaps headers."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})


def body_of(status: int, detail: str, errors: list[str] | None = None) -> bytes:
    """The JSON of a problem."""
    problem = Problem(title=HTTPStatus(status).phrase, status=status, detail=detail, errors=errors or [])
    return json.dumps(problem.model_dump(), ensure_ascii=False).encode("utf-8", "backslashreplace")


def problem(
    status: int, detail: str, errors: list[str] | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A problem as an answer."""
    from starlette.responses import Response

    return Response(body_of(status, detail, errors), status, dict(headers or {}), media_type=MEDIA)


def status_of(error: UserError) -> int:
    """The status of an error of the service: a name that is not there, or what does not fit how things are."""
    return 404 if isinstance(error, UnknownName) else 409


def of_error(error: UserError) -> Response:
    """What the service refused, as a problem."""
    headers = {"Retry-After": "5"} if isinstance(error, JobBusy) else None
    return problem(status_of(error), str(error), headers=headers)


RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"description": "A problem", "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}},
    "5XX": {"description": "A problem", "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}},
}
"""What every route may answer besides its result"""
