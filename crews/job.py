"""The state of a job: everything its code needs to go on, small enough to be handed from segment to segment."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from echelon.crews.hierarchy.states import Position
from echelon.crews.jobtype import InputDocument
from echelon.crews.patterns import Lesson
from echelon.engine.run import Mark, Spent
from echelon.engine.todos import Dropped, TodoList
from echelon.json_text import is_object
from echelon.tasks.checks import Checked
from echelon.tasks.contracts import (
    Assessment,
    Escalation,
    Evidence,
    JobComplete,
    Milestone,
    OpenFinding,
    PlannerDecision,
    Report,
    Scope,
    Verdict,
)

RECENT = 5
"""Finished tasks that a prompt names: the prompt of round 50 is as long as that of round 5."""


class DoneTask(BaseModel):
    """An accepted task."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: str
    round: int
    milestone: int
    commit: str


class Exchange(BaseModel):
    """What a role asked a person, and the answer; '' while it is awaited."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    question: str
    answer: str = ""


class JobState(BaseModel):
    """Control state of a job. The work itself is in the workspace."""

    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1, 2] = 2
    position: Position = Field(default_factory=Position)
    request: str = ""
    documents: list[InputDocument] = Field(default_factory=list)
    scope: Scope | None = None
    milestone: int = 0
    round: int = 0
    notes: tuple[str, ...] = ()
    decision: PlannerDecision | None = None
    least_todos: int = 1
    open_work: int | None = Field(
        default=None, description="what code saw open as the task was planned, if it can tell"
    )
    todos: TodoList = Field(default_factory=TodoList)
    report: Report | None = None
    verdict: Verdict | None = None
    assessment: Assessment | None = None
    complete: JobComplete | None = None
    findings: tuple[str, ...] = ()
    open_findings: tuple[OpenFinding, ...] = Field(default=(), description="what no verdict has settled yet")
    settled: tuple[OpenFinding, ...] = Field(
        default=(), description="findings that were settled: what they are about must not become again what it was"
    )
    found: int = Field(default=0, description="findings so far, for their ids")
    checked: dict[str, tuple[Checked, ...]] = Field(
        default_factory=dict, description="milestone -> how its checks stand"
    )
    dropped: tuple[Dropped, ...] = Field(
        default=(), description="offered work that the planner left out, with its reason"
    )
    advice: str = ""
    occasion: str = ""
    experiences: tuple[str, ...] = Field(default=(), description="what earlier jobs like this one learnt")
    learnt: str = Field(default="", description="what prompts show of `workspace.md`")
    lessons: tuple[Lesson, ...] = Field(default=(), description="what failed in this job, and what worked then")
    answers: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    asking: Exchange | None = Field(default=None, description="the question of a role that the job waits with")
    exchanges: tuple[Exchange, ...] = Field(default=(), description="what roles asked a person, and the answers")
    evidence: tuple[Evidence, ...] = Field(default=(), description="what the accepted tasks of the milestone rest on")
    results: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="milestone -> results that stood behind it when it was reached"
    )
    assessed: int = Field(default=0, description="accepted tasks at the last assessment that said to go on")
    done: list[DoneTask] = Field(default_factory=list)
    ruled_out: dict[str, str] = Field(default_factory=dict, description="failure fingerprint -> what failed")
    stuck_once: tuple[str, ...] = Field(default=(), description="tasks of a single todo that had their second try")
    escalations: list[Escalation] = Field(default_factory=list)
    accepted_commit: str = ""
    began_commit: str = Field(default="", description="the workspace as the inputs were taken in")
    milestone_commit: str = Field(default="", description="the workspace as the milestone began")
    warnings: tuple[str, ...] = ()
    reason: str = ""
    trouble: str = Field(default="", description="who ended a phase last without what it owed, and why")
    phases: int = 0
    visits: int = Field(default=0, description="times that the job came to the state at which it is to be parked")
    number: int = 0
    events: int = 0
    spent: Spent = Field(default_factory=Spent)
    marks: dict[str, Mark] = Field(default_factory=dict, description="where milestone and task began on the meter")

    @model_validator(mode="before")
    @classmethod
    def _of_version_1(cls, stored: Any) -> Any:
        """Version 1 kept the open work of a round by its words, which the todos know themselves since."""
        if is_object(stored) and stored.get("schema_version") == 1:
            return {k: v for k, v in stored.items() if k != "offered"} | {"schema_version": 2}
        return stored

    @property
    def current_milestone(self) -> Milestone:
        """The milestone that is worked on. Raises AssertionError before there is a scope."""
        assert self.scope is not None
        return self.scope.milestones[self.milestone]

    @property
    def recent(self) -> list[str]:
        """Titles of the latest accepted tasks."""
        return [t.title for t in self.done[-RECENT:]]
