"""The stages of a plan as a pure table. Each VALIDATE is code; what no row names cannot happen."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

RETRIES = 2
"""Repairs of one stage at most."""


class Stage(StrEnum):
    """Where a plan stands."""

    COLLECT_CONTEXT = "collect_context"
    DRAFT_OUTLINE = "draft_outline"
    VALIDATE_OUTLINE = "validate_outline"
    DRAFT_ROADMAP = "draft_roadmap"
    VALIDATE_ROADMAP = "validate_roadmap"
    DRAFT_SCHEDULE = "draft_schedule"
    VALIDATE_SCHEDULE = "validate_schedule"
    SEEK_APPROVAL = "seek_approval"
    COMPLETE = "complete"
    NEEDS_CLARIFICATION = "needs_clarification"
    NEEDS_SCHED_ESCALATION = "needs_scheduling_escalation"
    ABORTED = "aborted"


class Event(StrEnum):
    """What a stage comes to."""

    SUFFICIENT_CONTEXT = "sufficient context"
    NEEDS_CLARIFICATION = "needs clarification"
    SUCCESS = "success"
    LOW_CONFIDENCE = "low confidence"
    FATAL = "fatal error"
    VALID = "valid"
    INVALID = "invalid, can be repaired"
    INVALID_FATAL = "invalid for good"
    INFEASIBLE = "infeasible"
    APPROVED = "approved"
    REJECTED = "rejected"
    NO_RESPONSE = "no response"
    ANSWERED = "answered by a person"


S, E = Stage, Event
ENDS = frozenset({S.COMPLETE, S.NEEDS_CLARIFICATION, S.NEEDS_SCHED_ESCALATION, S.ABORTED})
RESUMABLE = frozenset({S.NEEDS_CLARIFICATION, S.NEEDS_SCHED_ESCALATION, S.ABORTED})
TABLE: dict[tuple[Stage, Event], Stage] = {
    (S.COLLECT_CONTEXT, E.SUFFICIENT_CONTEXT): S.DRAFT_OUTLINE,
    (S.COLLECT_CONTEXT, E.NEEDS_CLARIFICATION): S.NEEDS_CLARIFICATION,
    (S.COLLECT_CONTEXT, E.INFEASIBLE): S.NEEDS_SCHED_ESCALATION,
    (S.DRAFT_OUTLINE, E.SUCCESS): S.VALIDATE_OUTLINE,
    (S.DRAFT_OUTLINE, E.LOW_CONFIDENCE): S.COLLECT_CONTEXT,
    (S.DRAFT_OUTLINE, E.FATAL): S.ABORTED,
    (S.VALIDATE_OUTLINE, E.VALID): S.DRAFT_ROADMAP,
    (S.VALIDATE_OUTLINE, E.INVALID): S.DRAFT_OUTLINE,
    (S.VALIDATE_OUTLINE, E.INVALID_FATAL): S.NEEDS_CLARIFICATION,
    (S.DRAFT_ROADMAP, E.SUCCESS): S.VALIDATE_ROADMAP,
    (S.DRAFT_ROADMAP, E.LOW_CONFIDENCE): S.COLLECT_CONTEXT,
    (S.DRAFT_ROADMAP, E.INFEASIBLE): S.NEEDS_SCHED_ESCALATION,
    (S.DRAFT_ROADMAP, E.FATAL): S.ABORTED,
    (S.VALIDATE_ROADMAP, E.VALID): S.DRAFT_SCHEDULE,
    (S.VALIDATE_ROADMAP, E.INVALID): S.DRAFT_ROADMAP,
    (S.VALIDATE_ROADMAP, E.INVALID_FATAL): S.NEEDS_CLARIFICATION,
    (S.DRAFT_SCHEDULE, E.SUCCESS): S.VALIDATE_SCHEDULE,
    (S.DRAFT_SCHEDULE, E.INFEASIBLE): S.NEEDS_SCHED_ESCALATION,
    (S.DRAFT_SCHEDULE, E.FATAL): S.ABORTED,
    (S.VALIDATE_SCHEDULE, E.VALID): S.SEEK_APPROVAL,
    (S.VALIDATE_SCHEDULE, E.INVALID): S.DRAFT_SCHEDULE,
    (S.VALIDATE_SCHEDULE, E.INFEASIBLE): S.NEEDS_SCHED_ESCALATION,
    (S.SEEK_APPROVAL, E.APPROVED): S.COMPLETE,
    (S.SEEK_APPROVAL, E.REJECTED): S.DRAFT_OUTLINE,
    (S.SEEK_APPROVAL, E.NO_RESPONSE): S.NEEDS_CLARIFICATION,
    (S.NEEDS_CLARIFICATION, E.ANSWERED): S.COLLECT_CONTEXT,
    (S.NEEDS_SCHED_ESCALATION, E.ANSWERED): S.COLLECT_CONTEXT,
    (S.ABORTED, E.ANSWERED): S.COLLECT_CONTEXT,
}
REPAIRS = frozenset({E.INVALID})
"""Events that may come only so often at one stage; after that they are final."""


@dataclass(frozen=True)
class Place:
    """A stage, and how often each was repaired."""

    stage: Stage = S.COLLECT_CONTEXT
    repairs: tuple[tuple[Stage, int], ...] = ()


class NoSuchStep(ValueError):
    """An event that the table does not know at this stage."""


def decide(place: Place, event: Event, retries: int = RETRIES) -> Place:
    """The next place. Raises NoSuchStep; a stage that was repaired too often asks the person instead."""
    following = TABLE.get((place.stage, event))
    if following is None:
        raise NoSuchStep(f"'{event.value}' does not happen at {place.stage.value}")
    counts = dict(place.repairs)
    if event in REPAIRS:
        counts[place.stage] = counts.get(place.stage, 0) + 1
        if counts[place.stage] > retries:
            return Place(S.NEEDS_CLARIFICATION, place.repairs)
    if place.stage in RESUMABLE:
        counts = {}
    return Place(following, tuple(sorted(counts.items())))
