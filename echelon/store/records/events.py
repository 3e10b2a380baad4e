"""What happens in a job, a class for each kind of event: written by engine and crews, read by displays and reports.

An event is stored as its kind and its other fields. `schema_version` is 1 for all of them, also for those that were stored
without one; a field that another version wrote and this one does not know is left out on reading, so that old jobs can be
looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class _Event(BaseModel):
    """An event, with what the job had spent when it happened: the run fills that in."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    schema_version: Literal[1] = 1
    calls_so_far: int = 0
    tokens_so_far: int = 0
    cost_so_far: float = 0.0


class ReadDocument(BaseModel):
    """A document that was taken in."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    file: str
    sha256: str
    pages: int | None = None
    """None where the format has no pages"""
    language: str
    parts: int
    warnings: tuple[str, ...] = ()


class InputsRead(_Event):
    """The inputs were taken in; `problems` has a sentence for each that could not be read."""

    kind: Literal["intake"] = "intake"
    documents: tuple[ReadDocument, ...] = ()
    problems: tuple[str, ...] = ()


class Gated(_Event):
    """Code checked what a role planned; without problems it may be worked on."""

    kind: Literal["gate"] = "gate"
    gate: Literal["scope", "plan"]
    problems: tuple[str, ...] = ()
    title: str = ""
    """The planned task; '' for a scope"""
    confidence: float | None = None
    """That of a scope, 0 to 1; None for a task"""
    open: int | None = None
    """Pieces of work that code saw open in the milestone when the task was planned; None where code cannot tell"""


class Scoped(_Event):
    """The scope holds; its milestones by their outcomes."""

    kind: Literal["scope"] = "scope"
    milestones: tuple[str, ...] = ()


class Moved(_Event):
    """One row of the transition table was taken; states and event by the names that the table has for them."""

    kind: Literal["moved"] = "moved"
    before: str
    event: str
    after: str
    round: int


class PhaseBegan(_Event):
    """A role begins to work."""

    kind: Literal["phase"] = "phase"
    role: str
    phase: str
    round: int = 0
    milestone: int = 0


class PhaseEnded(_Event):
    """A role has ended its phase; `why` is a name of `echelon.engine.ends`."""

    kind: Literal["phase_end"] = "phase_end"
    role: str
    phase: str
    why: str
    said: str = ""
    calls: int = 0
    first_prompt_tokens: int = 0


class ModelAsked(_Event):
    """The model of a phase is asked for the `call`-th time."""

    kind: Literal["model"] = "model"
    role: str
    phase: str
    call: int


class ToolCalled(_Event):
    """A tool call was made; `done` of the `of` todos of the phase are done, `current` is the next."""

    kind: Literal["tool"] = "tool"
    role: str
    tool: str
    ok: bool
    said: str = ""
    done: int = 0
    of: int = 0
    current: str = ""


class CallRefused(_Event):
    """A tool call that is not valid in its phase was not made."""

    kind: Literal["refused"] = "refused"
    role: str
    tool: str
    why: str


class WentRound(_Event):
    """A role repeats itself; with `stop` its phase was ended for it."""

    kind: Literal["stuck"] = "stuck"
    role: str
    sort: str
    tool: str
    stop: bool


class LimitMet(_Event):
    """A ceiling forbids the next model call."""

    kind: Literal["limit"] = "limit"
    limit: str
    ceiling: float
    spent: float
    scope: str


class Compacted(_Event):
    """Old turns of a conversation became a summary; tokens before and after."""

    kind: Literal["compaction"] = "compaction"
    role: str
    phase: str
    turns: int
    before: int
    after: int
    lost: dict[str, int] = Field(default_factory=dict)
    """Facts that the summary does not hold, by their kind"""


class SubagentAnswered(_Event):
    """A role asked a subagent."""

    kind: Literal["subagent"] = "subagent"
    tool: str
    question: str
    answer: str


class TaskFailed(_Event):
    """A task did not pass its check."""

    kind: Literal["verdict"] = "verdict"
    passed: bool = False
    title: str
    findings: tuple[str, ...] = ()


class FindingSettled(_Event):
    """A finding was settled by a later verdict."""

    kind: Literal["settled"] = "settled"
    id: str
    says: str
    by: str = "QA"


class FindingReopened(_Event):
    """What a settled finding is about became again what it was."""

    kind: Literal["reopened"] = "reopened"
    id: str


class WorkDropped(_Event):
    """The planner left open work out."""

    kind: Literal["dropped"] = "dropped"
    id: str
    says: str
    reason: str


class WorkRestored(_Event):
    """Work that was left out is offered again: the Assessor did not agree."""

    kind: Literal["restored"] = "restored"
    id: str
    says: str


class TaskAccepted(_Event):
    """A task passed its check; the workspace was committed."""

    kind: Literal["accepted"] = "accepted"
    title: str
    commit: str


class Assessed(_Event):
    """The Assessor looked at the trajectory."""

    kind: Literal["assessment"] = "assessment"
    trajectory: str
    reasons: tuple[str, ...] = ()


class Unproven(_Event):
    """A milestone counts as met and is not proven; evidence of the accepted tasks by its standing."""

    kind: Literal["unproven"] = "unproven"
    number: int
    why: str
    claimed: int = 0
    verified: int = 0
    stale: int = 0


class MilestoneReached(_Event):
    """The `number`-th milestone of `of` is reached."""

    kind: Literal["milestone"] = "milestone"
    number: int
    of: int
    outcome: str


class CodeWorked(_Event):
    """Code did a piece of work by itself, before a role was asked what is next."""

    kind: Literal["chore"] = "chore"
    chore: str
    said: str
    """What came of it, in a few words"""


class Escalated(_Event):
    """A failure was handed up a tier."""

    kind: Literal["escalation"] = "escalation"
    by: str
    to: str
    cause: str


Event = Annotated[
    InputsRead | Gated | Scoped | Moved | PhaseBegan | PhaseEnded | ModelAsked | ToolCalled | CallRefused | WentRound
    | LimitMet | Compacted | SubagentAnswered | TaskFailed | FindingSettled | FindingReopened | WorkDropped | WorkRestored
    | TaskAccepted | Assessed | Unproven | MilestoneReached | CodeWorked | Escalated,
    Field(discriminator="kind"),
]  # fmt: skip

KINDS: tuple[str, ...] = tuple(one.model_fields["kind"].default for one in get_args(get_args(Event)[0]))
"""The kinds of event that there are"""


@dataclass(frozen=True)
class EventRow:
    """An event with its number in the job, from 1, and when it was written, in seconds since 1970."""

    number: int
    at: float
    event: Event


@cache
def _adapter() -> TypeAdapter[Event]:
    from pydantic import TypeAdapter

    return TypeAdapter(Event)


def event_of(kind: str, data: dict[str, Any]) -> Event:
    """The event that was stored so. Raises pydantic.ValidationError."""
    return _adapter().validate_python({**data, "kind": kind})
