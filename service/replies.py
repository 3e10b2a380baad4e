"""What a person says to a job that waits: whether it fits what the job asks, and which event of the table it is."""

from __future__ import annotations

from typing import Any

from echelon.crews.hierarchy.states import APPROVALS, Event, State
from echelon.errors import UserError
from echelon.settings import ApprovalTimeout

WAITING = (State.NEEDS_INPUT, State.ESCALATED)


def fitting(row: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """`said` (`event`, perhaps `text`) as the waiting job of this row takes it. Raises UserError where it does not fit.

    An answer to the question whether something is approved asks for changes of it.
    """
    job, state = row["id"], row["state"]
    if state not in WAITING:
        raise UserError(f"Job {job} asks nothing: it is {state}.")
    event = Event(said["event"])
    if asks_approval(row):
        return said | {"event": Event.CHANGES_ASKED.value} if event is Event.ANSWERED else said
    if event is not Event.ANSWERED:
        asked = row["result"]["reason"]
        asked = asked if asked.endswith((".", "?", "!")) else f"{asked}."
        raise UserError(
            f"Job {job} has nothing to approve; it waits with: {asked} "
            f"Answer with 'echelon answer {job} TEXT', or stop it with 'echelon cancel {job}'."
        )
    return said


def asks_approval(row: dict[str, Any]) -> bool:
    """Whether the job of this row waits for an approval."""
    return row["state"] == State.NEEDS_INPUT and row["result"]["snapshot"]["position"]["came_from"] in APPROVALS


def overdue(row: dict[str, Any], now: float) -> dict[str, Any] | None:
    """What the job's own timeout says in place of a person who did not answer; None while there is time, or for ever.

    `now` is in seconds since 1970; a job waits from when its row was last changed.
    """
    timeout = ApprovalTimeout.model_validate(row["config"]["config"].get("approval_timeout", {}))
    if not asks_approval(row) or timeout.hours == "unlimited" or now - row["updated"] < float(timeout.hours) * 3600:
        return None
    return {"approve": {"event": Event.APPROVED.value}, "reject": {"event": Event.REFUSED.value}, "wait": None}[
        timeout.then
    ]
