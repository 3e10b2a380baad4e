"""What a person says to a job that waits: whether it fits what the job asks, and which event of the table it is."""

from __future__ import annotations

from typing import Any

from crews.states import Event, State
from echelon.engine.errors import UserError

WAITING = (State.NEEDS_INPUT, State.ESCALATED)


def fitting(row: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """`said` (`event`, perhaps `text`) as the waiting job of this row takes it. Raises UserError where it does not fit.

    An answer to the question whether a scope is approved asks for changes of the scope.
    """
    job, state = row["id"], row["state"]
    if state not in WAITING:
        raise UserError(f"Job {job} asks nothing: it is {state}.")
    event = Event(said["event"])
    asks_approval = row["result"]["snapshot"]["position"]["came_from"] == State.APPROVE
    if asks_approval:
        return said | {"event": Event.CHANGES_ASKED.value} if event is Event.ANSWERED else said
    if event is not Event.ANSWERED:
        asked = row["result"]["reason"]
        asked = asked if asked.endswith((".", "?", "!")) else f"{asked}."
        raise UserError(
            f"Job {job} has no scope to approve; it waits with: {asked} "
            f"Answer with 'echelon answer {job} TEXT', or stop it with 'echelon cancel {job}'."
        )
    return said
