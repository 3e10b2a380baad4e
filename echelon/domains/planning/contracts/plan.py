"""The plan as a whole: pattern, outline, roadmap, and what was changed. Stored shapes, each with its version."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from echelon.domains.planning.contracts.base import Shape
from echelon.domains.planning.contracts.project import Link
from echelon.domains.planning.contracts.schedule import Schedule

PatternType = Literal[
    "milestone_project",
    "recurring_cycle",
    "progressive_accumulation_arc",
    "hybrid_project_cycle",
    "strategic_transformation",
]
Origin = Literal["system", "user_feedback", "ai_adaptation"]
Level = Literal["goal", "phase", "milestone", "task", "step"]
WORK: tuple[Level, ...] = ("task", "step")
"""Levels of nodes that are work, and take time"""
Kind = Literal["work", "decision", "event", "habit"]
PROPOSED = "proposed:"


class PatternSpec(Shape):
    """What kind of plan it is. A subtype that is not known yet is `proposed:<name>`, with its reasons in `rfc`."""

    schema_version: Literal[1] = 1
    pattern_type: PatternType
    subtype: str | None = None
    variant: str | None = None
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    introduced_by: Origin = "system"
    source_pattern: str | None = None
    rfc: str | None = None


class InteractionPolicy(Shape):
    """How a person wants to be spoken to."""

    schema_version: Literal[1] = 1
    conversation_style: Literal["concise", "standard", "conversational", "coach"] = "standard"
    talkativeness: Annotated[float, Field(ge=0, le=1)] = 0.5
    autonomy: Literal["high", "medium", "low"] = "high"
    brainstorming_preference: Literal["on_demand", "suggest_when_uncertain", "always_offer"] = "suggest_when_uncertain"
    approval_policy: Literal["single_final", "milestone_approvals", "strict_every_step"] = "single_final"
    probing_depth: Annotated[int, Field(ge=0, le=3)] = 2
    tone: Literal["neutral", "friendly", "clinical"] = "neutral"


class PlanContext(Shape):
    """What the plan is for."""

    schema_version: Literal[1] = 1
    goal: str
    pattern: PatternSpec | None = None
    inputs: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()


class OutlineNode(Shape):
    """A node on two axes: how large it is, and what kind it is."""

    id: str
    title: str
    level: Level
    kind: Kind = "work"
    parent: str | None = None
    origin: Origin = "system"
    duration: int | None = None


class PlanOutline(Shape):
    """The goal, its phases and milestones, and their tasks."""

    schema_version: Literal[1] = 1
    nodes: tuple[OutlineNode, ...]
    pattern: PatternSpec | None = None


class RoadmapNode(Shape):
    """A node that is scheduled, with what it waits for."""

    id: str
    title: str
    level: Level
    after: tuple[Link, ...] = ()


class TriedOption(Shape):
    """One way that was tried with the solver."""

    name: str
    end: AwareDatetime
    cost: float
    peak: int
    chosen: bool
    why: str


class Roadmap(Shape):
    """Nodes with their dependencies, and the options between which was chosen."""

    schema_version: Literal[1] = 1
    nodes: tuple[RoadmapNode, ...]
    options_tried: tuple[TriedOption, ...]
    pattern: PatternSpec | None = None


class AdaptationLogEntry(Shape):
    """A change of the plan."""

    schema_version: Literal[1] = 1
    what: str
    why: str
    before: str
    after: str
    origin: Origin = "user_feedback"


PlanningStatus = Literal["complete", "needs_clarification", "needs_scheduling_escalation", "aborted"]


class Plan(Shape):
    """What `plan.json` holds."""

    schema_version: Literal[1] = 1
    planning_status: PlanningStatus
    escalate_reason: str | None = None
    call_to_action: str | None = None
    context: PlanContext
    outline: PlanOutline | None = None
    roadmap: Roadmap | None = None
    schedule: Schedule | None = None
    conflict: tuple[str, ...] = ()
    ways_out: tuple[str, ...] = ()
    adaptations: tuple[AdaptationLogEntry, ...] = ()
    ideas: tuple[str, ...] = ()
