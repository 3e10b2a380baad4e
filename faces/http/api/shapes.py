"""What goes in and comes out over HTTP."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from echelon.errors import UserError
from echelon.service.listing import Listed

Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=20_000)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:/@-]+$", max_length=200)]
UploadId = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{24}$")]
Setting = Annotated[str, StringConstraints(pattern=r"^[a-z_]+(\.[a-z_]+)*=[^\x00]*$", max_length=2_000)]
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s\x00]+$", max_length=2_000)]
State = Literal[
    "submitted", "running", "interrupted", "parked", "completed", "needs_input", "escalated", "limit", "cancelled",
    "rejected", "failed",
]  # fmt: skip
WAITING: tuple[State, ...] = ("needs_input", "escalated")
OVER: tuple[State, ...] = ("completed", "cancelled", "rejected")


class _In(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NewJob(_In):
    """A job to be made. Its files were uploaded before (`POST /uploads`), or come with it as multipart/form-data."""

    type: Name = Field(description="type of job, such as creator", examples=["creator"])
    request: Text | None = Field(None, description="what is asked for, in a sentence")
    model: Name | None = Field(None, description="playbook, or openai/<name>")
    uploads: list[UploadId] = Field(default_factory=list, max_length=50, description="ids of files uploaded before")
    set: list[Setting] = Field(default_factory=list, max_length=50, description="settings, each as KEY=VALUE")
    webhook: Url | None = Field(None, description="who is told when the job ends or waits for a person")


class GoOn(_In):
    """What changes when a job goes on."""

    set: list[Setting] = Field(default_factory=list, max_length=50, description="settings, each as KEY=VALUE")


class AnswerText(_In):
    """An answer of a person."""

    text: Annotated[str, StringConstraints(pattern=r"^[^\x00]*[^\s\x00][^\x00]*$", max_length=20_000)]


class Upload(BaseModel):
    """A file that a job may be made with."""

    id: str
    name: str
    bytes: int
    sha256: str


class Uploaded(BaseModel):
    """Files that were taken in."""

    uploads: list[Upload]


class JobSummary(BaseModel):
    """A job in a list. `cost` is in US dollars."""

    job: str
    type: str
    state: State
    reason: str
    request: str
    inputs: list[str]
    model: str
    rounds: int
    calls: int
    tokens: int
    cost: float
    created: datetime.datetime
    updated: datetime.datetime
    asks_approval: bool


class JobPage(BaseModel):
    """A page of the list of jobs, the latest first."""

    jobs: list[JobSummary]
    next: str | None = Field(description="the `after` of the next page; null at the end")


class JobDetail(JobSummary):
    """Everything that is known of a job but its steps and events."""

    figures: dict[str, Any]
    outputs: list[str]
    warnings: list[str]
    questions: list[str]
    accepted: list[dict[str, Any]]
    escalations: list[dict[str, Any]]
    milestones: list[dict[str, Any]]
    open_findings: list[dict[str, Any]]
    dropped: list[dict[str, Any]] = []
    ending: str = ""
    answered_by: dict[str, int] = {}
    complete: dict[str, Any] | None
    unfinished: dict[str, Any] | None
    spent: dict[str, Any]
    model_steps: dict[str, int]


class JobFile(BaseModel):
    """A file of a job."""

    path: str
    bytes: int
    modified: datetime.datetime


class JobFiles(BaseModel):
    """The files of a job that may be fetched."""

    files: list[JobFile]


class Sums(BaseModel):
    """What something used: `cost` in US dollars."""

    calls: float
    tokens: float
    thinking: float = 0
    cost: float
    seconds: float


class JobCost(BaseModel):
    """Where the money went."""

    job: str
    total: Sums
    by: dict[str, dict[str, Sums]]


class StepRow(BaseModel):
    """A step of the ledger."""

    number: int
    kind: str
    name: str
    role: str
    phase: str
    round: int
    milestone: int
    ok: bool | None
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    thinking_tokens: int = 0
    cost: float
    model: str = ""
    milliseconds: float
    starts: int
    started: float


class JobSteps(BaseModel):
    """A part of the ledger."""

    steps: list[StepRow]
    next: int | None = Field(description="the `after` of the next part; null at the end")


class StepDetail(StepRow):
    """A step with what the role saw, its tools, and the answer."""

    messages: list[dict[str, Any]]
    tools: list[str]
    answer: Any


class Effects(BaseModel):
    """Tool calls that must not run twice, and how far each got."""

    effects: list[dict[str, Any]]


def summary(row: Listed) -> JobSummary:
    """A job of a list."""
    return JobSummary.model_validate({
        **{name: getattr(row, name) for name in JobSummary.model_fields}, "created": time_of(row.created),
        "updated": time_of(row.updated),
    })  # fmt: skip


def time_of(seconds: float) -> datetime.datetime:
    """A time as people write it, to the second."""
    return datetime.datetime.fromtimestamp(int(seconds), tz=datetime.UTC)


def overrides_of(given: list[str]) -> dict[str, Any]:
    """Settings by dotted key. Raises UserError."""
    from echelon.settings import parse_override

    overrides = dict(parse_override(text) for text in given)
    if any(not part for key in overrides for part in key.split(".")):
        raise UserError("A setting has an empty name; write it as budget.cost=2.")
    return overrides
