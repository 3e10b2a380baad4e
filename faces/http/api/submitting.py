"""Making jobs: `POST /uploads` and `POST /jobs`."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile

from echelon.faces.http import uploads
from echelon.faces.http.api.looking import detail
from echelon.faces.http.api.shapes import JobDetail, NewJob, Upload, Uploaded, overrides_of
from echelon.faces.http.desk import Desk, asked_of, desk_of
from echelon.faces.http.guard.settings import check_settings
from echelon.faces.http.guard.who import Role
from echelon.faces.http.problems import RESPONSES, Refusal
from echelon.faces.http.watches import apart
from echelon.service.ordering import Order, OtherOrder, order

router = APIRouter(tags=["jobs"], responses=RESPONSES)

FORM_FIELDS = 200
FORM_BYTES = 100_000
_FILES = {"type": "array", "items": {"type": "string", "format": "binary"}, "minItems": 1, "maxItems": 20}
_UPLOAD_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"files": _FILES},
                    "required": ["files"],
                    "additionalProperties": False,
                },
            }
        },
    }
}


def _job_body() -> dict[str, Any]:
    """The body of POST /jobs: JSON, or the same fields with files in a form."""
    schema = {"$ref": "#/components/schemas/NewJob"}
    form = NewJob.model_json_schema()
    for name, field in form["properties"].items():  # a form has no null: what is not said is left out
        form["properties"][name] = field["anyOf"][0] if "anyOf" in field else field
    form["properties"]["files"] = {**_FILES, "minItems": 0}
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schema}, "multipart/form-data": {"schema": form}},
        }
    }


@router.post("/uploads", status_code=201, response_model=Uploaded, openapi_extra=_UPLOAD_BODY)
async def upload(request: Request) -> Uploaded:
    """Take files in, for jobs that are made later. They are kept for a day where no job reads them."""
    desk = desk_of(request)
    async with _form(request, desk) as (fields, files):
        if not files or fields:
            raise Refusal(422, "Send the files in fields called 'files', and nothing else.")
        kept = await uploads.keep(desk, files)
    return Uploaded(uploads=[Upload(id=k.id, name=k.name, bytes=k.bytes, sha256=k.sha256) for k in kept])


@router.post("/jobs", status_code=201, response_model=JobDetail, openapi_extra=_job_body(), responses={
    200: {"model": JobDetail, "description": "The job that this key made before"},
})  # fmt: skip
async def submit(
    request: Request,
    response: Response,
    idempotency_key: Annotated[
        str | None,
        Header(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$", description="the same key makes one job"),
    ] = None,
) -> JobDetail:
    """Make a job and put it into the queue that workers take jobs from."""
    desk = desk_of(request)
    wanted, kept, sent = await _wanted(request, desk)
    job, is_new = await apart(lambda: submit_order(desk, asked_of(request).role, idempotency_key, wanted, kept, sent))
    response.status_code = 201 if is_new else 200
    response.headers["Location"] = f"/jobs/{job}"
    return await apart(lambda: detail(desk, job))


def submit_order(
    desk: Desk,
    role: Role | None,
    key: str | None,
    wanted: NewJob,
    kept: list[uploads.Kept],
    sent: list[uploads.Kept],
) -> tuple[str, bool]:
    """The job of an order, and whether it was made now. Of the files, `sent` came with it and go with it."""
    from echelon.faces.http.hooks import check_address, subscribe

    job = None
    try:
        overrides = overrides_of(wanted.set)
        check_settings(overrides, role or Role.READER)
        if wanted.webhook is not None:
            check_address(desk, wanted.webhook)
        files = tuple((one.name, one.path, one.sha256) for one in kept)
        asked = Order(wanted.type, wanted.request, wanted.model, overrides, files, wanted.webhook)
        job, is_new = order(desk.service, key, asked)
        if wanted.webhook is not None:
            subscribe(desk.service.store, job, wanted.webhook)
        return job, is_new
    except OtherOrder as error:
        raise Refusal(409, str(error)) from error
    finally:
        _drop_unread(desk, job, sent)


def _drop_unread(desk: Desk, job: str | None, sent: list[uploads.Kept]) -> None:
    """Remove what came with a request that made no job, or none of its own."""
    read = set(desk.service.store.job(job).config.inputs if job else ())
    uploads.drop([one for one in sent if str(one.path.resolve()) not in read])


async def _wanted(request: Request, desk: Desk) -> tuple[NewJob, list[uploads.Kept], list[uploads.Kept]]:
    """What is asked for, all of its files, and those of them that came with it."""
    media = (request.headers.get("content-type") or "").partition(";")[0].strip().lower()
    if media == "application/json":
        wanted = validated(await request.body())
        return wanted, await apart(lambda: uploads.found(desk, wanted.uploads)), []
    if media != "multipart/form-data":
        raise Refusal(415, "Send application/json, or multipart/form-data with files.")
    async with _form(request, desk) as (fields, files):
        wanted = validated(fields)
        before = await apart(lambda: uploads.found(desk, wanted.uploads))
        sent = await uploads.keep(desk, files)
    return wanted, [*before, *sent], sent


def validated(given: bytes | dict[str, Any]) -> NewJob:
    """A request for a job. Raises Refusal."""
    from fastapi.exceptions import RequestValidationError

    try:
        return NewJob.model_validate_json(given) if isinstance(given, bytes) else NewJob.model_validate(given)
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False, include_context=False)) from error


@contextlib.asynccontextmanager
async def _form(request: Request, desk: Desk) -> AsyncGenerator[tuple[dict[str, Any], list[UploadFile]]]:
    """Fields and files of a form: lists where a field may come several times. Raises Refusal."""
    from starlette.exceptions import HTTPException

    try:
        form = await request.form(max_files=desk.options.files, max_fields=FORM_FIELDS, max_part_size=FORM_BYTES)
    except HTTPException as error:
        raise asked_of(request).refused or Refusal(422, f"The form cannot be read: {error.detail}.") from error
    try:
        yield fields_and_files(form)
    finally:
        await form.close()


def fields_and_files(form: FormData) -> tuple[dict[str, Any], list[UploadFile]]:
    """What a form holds. Raises Refusal for a file in another field than `files`."""
    fields: dict[str, Any] = {}
    files: list[UploadFile] = []
    for name, value in form.multi_items():
        if isinstance(value, UploadFile):
            if name != "files":
                raise Refusal(422, f"A file came in the field '{name[:40]}'; files belong into 'files'.")
            files.append(value)
        elif name == "files":
            if value:
                raise Refusal(422, "The field 'files' holds text; it needs files, each with its name.")
        elif name in ("uploads", "set"):
            fields.setdefault(name, []).extend(part for part in [value] if part)
        elif value or name not in ("request", "model", "webhook"):
            fields[name] = value
    return fields, files
