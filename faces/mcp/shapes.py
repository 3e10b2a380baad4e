"""What the tools of `echelon mcp` take and return."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Key = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,200}$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\\x00]{1,200}$")]
Setting = str | int | float | bool


class Document(BaseModel):
    """A document that comes with the order, as text."""

    model_config = ConfigDict(extra="forbid")

    name: FileName = Field(description="file name with its ending, such as policy.md or notes.txt")
    text: str = Field(max_length=5_000_000)


class Submitted(BaseModel):
    """A job that was ordered."""

    job: str
    is_new: bool = Field(description="False where this key ordered the same job before")
    state: str


class Status(BaseModel):
    """How a job stands."""

    job: str
    type: str
    state: str = Field(
        description="submitted, running, interrupted, completed, needs_input, escalated, limit, cancelled, rejected, failed"
    )
    is_over: bool = Field(description="whether nothing more happens unless somebody acts")
    reason: str = ""
    questions: list[str] = Field(default_factory=list, description="what it needs to hear; see the tool answer")
    asks_approval: bool = Field(default=False, description="a person has to approve or reject; no tool here does that")
    rounds: int = 0
    model_calls: int = 0
    tokens: int = 0
    cost: float = Field(default=0.0, description="US dollars")
    figures: dict[str, str] = Field(default_factory=dict, description="figures of the result, by name")
    outputs: list[str] = Field(default_factory=list, description="paths of results, for job_files")


class JobFile(BaseModel):
    """A file of a job; its content is the resource of this address."""

    path: str
    bytes: int
    uri: str
    media: str


class Files(BaseModel):
    """The files of a job that may be read: results, inputs, plan."""

    job: str
    files: list[JobFile]
