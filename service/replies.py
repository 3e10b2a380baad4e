"""What a person says to a job that waits: whether it fits what the job asks, and which event of the table it is."""

from __future__ import annotations

from echelon.crews.hierarchy.states import APPROVALS, Event, State
from echelon.errors import UserError
from echelon.settings import ApprovalTimeout
from echelon.store.records.jobs import JobRow, Said

WAITING = (State.NEEDS_INPUT, State.ESCALATED)


def fitting(row: JobRow, said: Said) -> Said:
    """`said` (`event`, perhaps `text`) as the waiting job of this row takes it. Raises UserError where it does not fit.

    An answer to the question whether something is approved asks for changes of it.
    """
    job, state = row.id, row.state
    if state not in WAITING:
        raise UserError(f"Job {job} asks nothing: it is {state}.")
    event = Event(said.event)
    if asks_approval(row):
        return said.model_copy(update={"event": Event.CHANGES_ASKED.value}) if event is Event.ANSWERED else said
    if event is not Event.ANSWERED:
        asked = row.end.reason
        asked = asked if asked.endswith((".", "?", "!")) else f"{asked}."
        raise UserError(
            f"Job {job} has nothing to approve; it waits with: {asked} "
            f"Answer with 'echelon answer {job} TEXT', or stop it with 'echelon cancel {job}'."
        )
    return said


def asks_approval(row: JobRow) -> bool:
    """Whether the job of this row waits for an approval."""
    return row.state == State.NEEDS_INPUT and row.end.came_from in APPROVALS


def overdue(row: JobRow, now: float) -> Said | None:
    """What the job's own timeout says in place of a person who did not answer; None while there is time, or for ever.

    `now` is in seconds since 1970; a job waits from when its row was last changed.
    """
    timeout = ApprovalTimeout.model_validate(row.config.config.get("approval_timeout", {}))
    if not asks_approval(row) or timeout.hours == "unlimited" or now - row.updated < float(timeout.hours) * 3600:
        return None
    said = {"approve": Said(event=Event.APPROVED.value), "reject": Said(event=Event.REFUSED.value), "wait": None}
    return said[timeout.then]
