"""The row of a job: what it was asked, with which settings, how far it is, and how it stands. Version 1."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Json = dict[str, Any]
"""A JSON object whose own type is known further up: a configuration, a contract between roles, the control state."""


class Said(BaseModel):
    """What a person said to a job that waited: an event of the transition table, perhaps with words."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    event: str
    text: str | None = None


class Given(BaseModel):
    """What a segment begins with: the control state at the end of the one before, and what was said since."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    snapshot: Json
    said: Said | None = None


class Fork(BaseModel):
    """The job that a copy was made of, and how many steps they have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    job: str
    steps: int


class Settings(BaseModel):
    """What a job was started with. `config` is a `JobConfig`, perhaps one that another version stored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_version: Literal[1] = 1
    config: Json = Field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    """Paths as they were given, absolute"""
    out: str | None = None
    """The folder that results are copied to"""
    given: Given | None = None
    """None for a first segment"""
    fork: Fork | None = None

    @property
    def model(self) -> str:
        """The model of the roles that have none of their own."""
        return str(self.config["model"])

    @property
    def snapshot(self) -> Json:
        """The control state that the segment begins with; empty for a first one."""
        return {} if self.given is None else self.given.snapshot


class Deaths(BaseModel):
    """The workers that died at one step of a job."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    step: int
    owners: tuple[str, ...]


class Result(BaseModel):
    """How a segment ended. Contracts and the control state (`snapshot`) are kept as JSON: their versions are their own."""

    model_config = ConfigDict(extra="allow", frozen=True)

    schema_version: Literal[1] = 1
    reason: str = ""
    outputs: tuple[str, ...] = ()
    """Paths below the job's folder"""
    figures: Json = Field(default_factory=dict)
    spent: Json = Field(default_factory=dict)
    escalations: tuple[Json, ...] = ()
    warnings: tuple[str, ...] = ()
    rounds: int = 0
    done: tuple[Json, ...] = ()
    """Accepted tasks: title, round, milestone, commit"""
    questions: tuple[str, ...] = ()
    complete: Json | None = None
    unfinished: Json | None = None
    snapshot: Json | None = None
    """None for a job that has not come to the end of a segment"""
    deaths: Deaths | None = None
    outage: bool = False
    """Whether the surroundings stopped the job (model server, disk, database), not what it did"""

    @property
    def came_from(self) -> str | None:
        """The state in which the job asked a person or stopped, by its name in the transition table."""
        return None if self.snapshot is None else self.snapshot["position"]["came_from"]


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job. Times are in seconds since 1970."""

    id: str
    type: str
    state: str
    """`submitted`, `running`, or a state of the transition table"""
    request: str
    config: Settings
    folder: Path
    segment: int
    created: float
    updated: float
    result: Result | None

    @property
    def end(self) -> Result:
        """How the latest segment ended; an empty one before."""
        return self.result or Result()


@dataclass(frozen=True, slots=True)
class HandOver:
    """A document that a creator handed over, with what was found in it; `taker` is the validator that has it. Version 1."""

    job: str
    document: str
    content: str
    """JSON of a `Document`"""
    requirements: str
    """JSON of the requirements in it"""
    at: float
    taker: str | None = None


def as_stored(record: Settings | Result) -> Json:
    """The JSON of a column: what was set, and the version."""
    return record.model_dump(mode="json", exclude_unset=True) | {"schema_version": record.schema_version}
