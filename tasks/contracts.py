"""The contracts: every message that passes between two roles.

A role ends its phase by calling its submit tool, and the arguments of that tool are one of these types. Field
descriptions are written for the model that fills them in; validators state the rules that code can check alone.
Every stored shape carries `schema_version`; `tests/golden/` holds one file per shape and version, and old files must
load.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, field_validator, model_validator

from echelon.digest import digest
from echelon.engine.todos import PlannedCall

SCHEMA_VERSION = 1
LEAST_WORDS = 4
"""Words of an outcome; fewer say nothing that could be tested."""

Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=8000)]
Note = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Confidence = Annotated[float, Field(ge=0.0, le=1.0)]


class Contract(BaseModel):
    """Base of all contracts: immutable, and a misspelt field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class EvidenceKind(StrEnum):
    TOOL_CALL = "tool_call"
    FILE = "file"
    QUOTE = "quote"
    COMMAND = "command"
    """Since version 3 of what cites it (2 of Report and Escalation)."""


class EvidenceState(StrEnum):
    """How far a piece of evidence can be relied on."""

    CLAIMED = "claimed"
    VERIFIED = "verified"
    STALE = "stale"


class Evidence(Contract):
    """What a claim rests on: a tool call, a file with its hash, a quote on a page, or a command that ran on a tree."""

    kind: EvidenceKind
    ref: Line = Field(description="tool call number, file path, document name, or id of a run")
    sha256: str | None = Field(
        default=None, description="hash of the file when it was cited, or of the tree that it ran on"
    )
    page: int | None = Field(default=None, ge=1)
    quote: str | None = None
    state: EvidenceState = EvidenceState.CLAIMED


class Remit(Contract):
    """What the job is about, what it is not about, and how success is recognised."""

    in_scope: tuple[Line, ...] = Field(min_length=1)
    out_of_scope: tuple[Line, ...] = ()
    success: tuple[Line, ...] = Field(min_length=1, description="how a user recognises success")


class CheckKind(StrEnum):
    """How a check is carried out: by running a command, by looking at a file, a quote or the graph, or by judgement."""

    COMMAND = "command"
    FILE = "file"
    QUOTE = "quote"
    QUERY = "query"
    JUDGED = "judged"


class Check(Contract):
    """One acceptance check. A plain sentence is a check that a role has to judge."""

    says: Line = Field(description="what must hold, in one sentence")
    kind: CheckKind = CheckKind.JUDGED
    path: str = Field(default="", max_length=400, description="file: the deliverable; quote: the document")
    headings: tuple[Line, ...] = Field(default=(), max_length=20, description="file: headings with something below")
    keys: tuple[Line, ...] = Field(default=(), max_length=40, description="file: keys of each item, or columns")
    items: int | None = Field(default=None, ge=0, description="file: exact number of list items or rows")
    least: int | None = Field(default=None, ge=0, description="file: fewest items or rows; query: smallest count")
    command: str = Field(default="", max_length=1000, description="command: what is run and must exit with 0")
    page: int | None = Field(default=None, ge=1, description="quote: its page")
    quote: str = Field(default="", max_length=3000, description="quote: the exact words")
    query: str = Field(default="", max_length=4000, description="query: Cypher that returns one number")

    def __str__(self) -> str:
        return self.says


def as_check(value: Any) -> Any:
    """A check from a bare sentence; anything else as it is."""
    return {"says": value} if isinstance(value, str) else value


Checks = Annotated[tuple[Annotated[Check, BeforeValidator(as_check)], ...], Field()]
"""Checks, of which each may be a bare sentence (as all were in version 1)."""


class Milestone(Contract):
    """An outcome that a user can test, never an implementation step."""

    outcome: Line = Field(description="one sentence: what a user can do or see then")
    checks: Checks = Field(min_length=1, description="acceptance checks a user could carry out")
    areas: tuple[Line, ...] = Field(default=(), description="sketch of areas that it touches; not binding")

    @field_validator("outcome")
    @classmethod
    def _can_be_tested(cls, outcome: str) -> str:
        if len(outcome.split()) < LEAST_WORDS:
            raise ValueError(f"say in {LEAST_WORDS} words or more what a user can do or see then")
        return outcome


class Scope(Contract):
    """ScopeAgent -> everybody: the remit and the milestones, or questions that only a person can answer.

    Version 1 had checks in words alone.
    """

    schema_version: Literal[1, 2] = 2
    remit: Remit
    milestones: tuple[Milestone, ...] = Field(min_length=1, max_length=12)
    questions: tuple[Line, ...] = Field(default=(), description="only what a person must answer before work can start")
    confidence: Confidence


class Todo(Contract):
    """One bite-sized step of a task, with what code knows of it: the open work that it does, the call, the file."""

    id: int = Field(ge=1)
    content: Line
    done: bool = False
    work: str = ""
    call: PlannedCall | None = None
    deliverable: Line | None = None


class Task(Contract):
    """TaskPlanner -> Implementor: one chunk of work, planned only when it is about to be done."""

    title: Line
    rationale: Text = Field(description="why this is the next thing to do")
    todos: tuple[Todo, ...] = Field(min_length=1, max_length=20)
    deliverables: tuple[Line, ...] = Field(min_length=1, description="workspace paths that exist when it is done")
    checks: Checks = Field(default=(), description="how QA can tell that it is done")


class Window(Contract):
    """What the TaskPlanner carries from round to round: rough notes to its later self, nothing detailed."""

    notes: tuple[Note, ...] = Field(default=(), max_length=7)


class Decision(StrEnum):
    TASK = "task"
    MILESTONE_DONE = "milestone_done"
    ABORT = "abort"


class PlannerDecision(Contract):
    """TaskPlanner -> code: the next task, the claim that the milestone is done, or an abort handed up.

    Version 1 knew of a todo its words alone.
    """

    schema_version: Literal[1, 2, 3] = 3
    decision: Decision
    task: Task | None = None
    window: Window = Window()
    evidence: tuple[Evidence, ...] = ()
    reason: str = Field(default="", max_length=2000)
    confidence: Confidence = 0.8

    @model_validator(mode="after")
    def _complete(self) -> PlannerDecision:
        if (self.task is None) == (self.decision is Decision.TASK):
            raise ValueError("decision 'task' needs a task, and no other decision has one")
        if self.decision is Decision.ABORT and not self.reason.strip():
            raise ValueError("an abort needs its reason")
        return self


class Outcome(StrEnum):
    DONE = "done"
    PARTIAL = "partial"
    REWIND = "rewind"
    STUCK = "stuck"


class Report(Contract):
    """Implementor -> QA: what was done, and the evidence."""

    schema_version: Literal[1, 2] = 2
    outcome: Outcome
    summary: Text
    evidence: tuple[Evidence, ...] = ()
    deliverables: tuple[Line, ...] = ()
    issue: str = Field(default="", max_length=2000, description="what stood in the way, if anything did")
    confidence: Confidence = 0.8


class Finding(Contract):
    """Something that is wrong: what, where, and for code's own findings which rule says so."""

    says: Line
    about: str = Field(default="", max_length=400, description="what it is about: a file, a requirement's id, a check")
    code: str = Field(default="", max_length=60, description="the rule of code that found it; empty for a role's")

    def __str__(self) -> str:
        return self.says


_OBJECT = re.compile(r"\bR-\d+|\b(?:output|requirements|documents)/|\w\.(?:md|json|csv|txt|pdf|docx|html)\b")


class OpenFinding(Finding):
    """A finding that no verdict has settled yet. No milestone is met over one."""

    id: str
    round: int = Field(ge=0)
    milestone: int = Field(ge=0)
    state: dict[str, str] = Field(
        default_factory=dict, description="what it is about -> digest of it, as it was when it was found"
    )

    @property
    def names_object(self) -> bool:
        """Whether it says what it is about: a requirement, a file. Rules can settle none that does."""
        return bool(self.about) or _OBJECT.search(self.says) is not None


class Verdict(Contract):
    """QA -> code: does the task hold? Version 1 had findings in words alone, and settled none."""

    schema_version: Literal[1, 2, 3] = 3
    passed: bool
    findings: tuple[Annotated[Finding, BeforeValidator(as_check)], ...] = Field(default=(), max_length=20)
    settled: tuple[Line, ...] = Field(default=(), max_length=40, description="ids of open findings that hold no longer")
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = 0.8

    @model_validator(mode="after")
    def _says_why(self) -> Verdict:
        if not self.passed and not self.findings:
            raise ValueError("a verdict that fails a task needs at least one finding")
        return self


class Trajectory(StrEnum):
    CONTINUE = "continue"
    MILESTONE_MET = "milestone_met"
    MISALIGNED = "misaligned"
    HOPELESS = "hopeless"


class Assessment(Contract):
    """Assessor -> code: where the trajectory leads. Version 1 settled no findings, version 2 had no evidence by commands,
    version 3 let no work go."""

    schema_version: Literal[1, 2, 3, 4] = 4
    trajectory: Trajectory
    reasons: tuple[Line, ...] = Field(min_length=1, max_length=10)
    settled: tuple[Line, ...] = Field(default=(), max_length=40, description="ids of findings that do not hold")
    let_go: tuple[Line, ...] = Field(default=(), max_length=40, description="ids of dropped work that it does without")
    advice: str = Field(default="", max_length=2000)
    evidence: tuple[Evidence, ...] = ()
    confidence: Confidence = 0.8


class Answer(Contract):
    """A subagent -> the role that asked: a short answer with where it stands."""

    schema_version: Literal[1] = 1
    answer: Text
    evidence: tuple[Line, ...] = Field(default=(), max_length=20, description='"file:line" or "document, page 3"')


class JobComplete(Contract):
    """ScopeAgent -> the person who asked: the job is finished."""

    schema_version: Literal[1] = 1
    summary: Text
    deliverables: tuple[Line, ...] = Field(min_length=1)
    confidence: Confidence
    notes: str = Field(default="", max_length=2000)


class Tier(StrEnum):
    TACTICAL = "tactical"
    ASSESSMENT = "assessment"
    STRATEGIC = "strategic"
    PERSON = "person"


class Escalation(Contract):
    """A failure handed up one tier, with its dossier."""

    schema_version: Literal[1, 2] = 2
    raised_by: Line
    to: Tier
    cause: Line
    round: int = Field(ge=0)
    milestone: int = Field(ge=0)
    tried: tuple[Line, ...] = ()
    findings: tuple[Line, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    fingerprint: str

    @staticmethod
    def fingerprint_of(role: str, action: str, cause: str) -> str:
        """A stable name of one failure: role, action and the cause with digits and white space folded."""
        folded = " ".join("".join("#" if c.isdigit() else c.lower() for c in cause).split())
        return digest([role, action, folded])[:16]


STORED: tuple[type[Contract], ...] = (
    Scope, PlannerDecision, Report, Verdict, Assessment, Answer, JobComplete, Escalation,
)  # fmt: skip
