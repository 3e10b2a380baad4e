"""The words of the transition table: its states, its events, its counters. Nothing else is imported here, so that
whoever only names a state starts at once.
"""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    INTAKE = "intake"
    SCOPE = "scope"
    GATE_SCOPE = "gate_scope"
    APPROVE = "approve"
    APPROVE_TASK = "approve_task"
    APPROVE_MILESTONE = "approve_milestone"
    APPROVE_RESULT = "approve_result"
    PLAN = "plan"
    GATE_PLAN = "gate_plan"
    IMPLEMENT = "implement"
    QA = "qa"
    ASSESS = "assess"
    DELIVER = "deliver"
    COMPLETED = "completed"
    NEEDS_INPUT = "needs_input"
    ESCALATED = "escalated"
    LIMIT = "limit"
    CANCELLED = "cancelled"
    REJECTED = "rejected"
    FAILED = "failed"


ENDS = frozenset(
    {
        State.COMPLETED,
        State.NEEDS_INPUT,
        State.ESCALATED,
        State.LIMIT,
        State.CANCELLED,
        State.REJECTED,
        State.FAILED,
    }
)
"""States in which no role acts. NEEDS_INPUT, ESCALATED and LIMIT can be left again, by a person."""

OVER = frozenset({State.COMPLETED, State.CANCELLED, State.REJECTED})
"""Ends that nobody can leave again."""

RESUMABLE = frozenset({State.NEEDS_INPUT, State.ESCALATED, State.LIMIT})


WORKING = (State.PLAN, State.IMPLEMENT, State.QA, State.ASSESS, State.DELIVER)
"""States that ask a person what a role asks, what code cannot settle, or about an effect in doubt; with the answer they
go on."""

APPROVALS = (State.APPROVE, State.APPROVE_TASK, State.APPROVE_MILESTONE, State.APPROVE_RESULT)
"""States that wait for the approval of a person. What is said while the job is in NEEDS_INPUT counts as said here."""


class Event(StrEnum):
    READY = "ready"
    BAD_INPUT = "bad input"
    SUBMITTED = "submitted"
    NOTHING_SUBMITTED = "nothing submitted"
    PASSED = "passed"
    PASSED_NEEDS_APPROVAL = "passed, a person must approve"
    REPAIRABLE = "repairable"
    TOO_WEAK = "confidence too low"
    QUESTIONS = "questions for a person"
    APPROVED = "approved"
    CHANGES_ASKED = "changes asked for"
    REFUSED = "refused by a person"
    AWAITED = "a person is awaited"
    TASK = "task"
    MILESTONE_CLAIMED = "milestone claimed done"
    ABORTED = "abort"
    REPORTED = "report"
    REWOUND = "rewind"
    STUCK = "stuck"
    QA_PASSED = "pass"
    QA_FAILED = "fail"
    CONTINUE = "continue"
    STALLED = "continue, without progress"
    MILESTONE_MET = "milestone met"
    ALL_MILESTONES_MET = "last milestone met"
    MET_NEEDS_APPROVAL = "milestone met, a person must agree"
    ALL_MET_NEEDS_APPROVAL = "last milestone met, a person must agree"
    MISALIGNED = "misaligned"
    HOPELESS = "hopeless"
    DELIVERED = "delivered"
    NOT_DELIVERABLE = "not deliverable"
    LIMIT_REACHED = "limit reached"
    IN_DOUBT = "effect in doubt"
    ASKED = "a role asks a person"
    CANCEL = "cancel"
    ERROR = "error"
    ANSWERED = "answered by a person"
    MORE_GRANTED = "more granted"


class Counter(StrEnum):
    """What is counted against a ceiling. The scope says when a counter starts again from nought."""

    SCOPE_REPAIRS = "scope_repairs"
    PLAN_REPAIRS = "plan_repairs"
    TASK_FAILURES = "task_failures"
    TASKS_SINCE_ASSESSMENT = "tasks_since_assessment"
    MISALIGNMENTS = "misalignments"
    CHANGES = "changes"
    DELIVERY_REPAIRS = "delivery_repairs"
    ASSESSMENT_REPAIRS = "assessment_repairs"
    STALLS = "stalls"
    ROUNDS = "rounds"
