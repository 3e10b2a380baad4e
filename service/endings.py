"""How a job ended badly, in one sentence: who said what, what was tried, and the command that goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from echelon.crews.hierarchy.vocabulary import APPROVALS, State

if TYPE_CHECKING:
    from echelon.store.records.jobs import JobRow

NEXT = {
    "submitted": "echelon resume {job}",
    "interrupted": "echelon resume {job}",
    State.FAILED.value: "echelon resume {job}",
    State.LIMIT.value: "echelon resume {job} --set {raised}",
    State.NEEDS_INPUT.value: "echelon answer {job} TEXT",
    State.ESCALATED.value: "echelon answer {job} TEXT",
}
"""How to go on, by state."""
AGAIN = "echelon run {type} FILE"
"""How to begin anew, where a job cannot go on."""
LONGEST = 240
"""Characters of what was said."""


def going_on(state: str, job: str, reason: str, approval: bool = False) -> str:
    """The command that goes on with a job in this state; '' when there is none."""
    if approval:
        return f"echelon approve {job} (or reject {job}, or answer {job} TEXT to ask for changes)"
    setting = next(iter(reason.split()), "")
    return NEXT.get(state, "").format(job=job, raised=f"{setting if '.' in setting else 'budget.cost'}=...")


def ending(row: JobRow) -> str:
    """One sentence for a job that ended without its result; '' for one that is completed or still to be run."""
    if row.state not in _WHO:
        return ""
    from echelon.service.replies import asks_approval  # the command line knows its words without it

    end = row.end
    said = " ".join(end.reason.split()).rstrip(".") or "nothing"
    said = said if len(said) <= LONGEST else f"{said[:LONGEST]}..."
    command = going_on(row.state, row.id, end.reason, asks_approval(row)) or AGAIN.format(type=row.type)
    return f"{_who(row)}: {said}; {_tried(row)}; go on with: {command}"


_WHO = {
    State.REJECTED.value: "Code refused an input",
    State.CANCELLED.value: "A person stopped the job",
    State.FAILED.value: "An error stopped the job",
    State.LIMIT.value: "A ceiling stopped the job",
    State.NEEDS_INPUT.value: "A role asks you",
    State.ESCALATED.value: "The job was handed up to you",
}


def _who(row: JobRow) -> str:
    """Who said what ended the job."""
    escalations = row.end.escalations
    if row.state == State.ESCALATED and escalations:
        return f"The {_named(escalations[-1])} handed the job up to you"
    if row.state == State.NEEDS_INPUT:
        if row.end.came_from in APPROVALS:
            return "The job's policy asks for your approval"
        asking = (row.end.snapshot or {}).get("asking")
        if asking:
            return f"The {asking['role']} asks you"
        return "The ScopeAgent asks you" if row.end.came_from == State.GATE_SCOPE else "Code asks you"
    if row.state == State.FAILED and row.end.reason.startswith("Model '"):
        return "The model server stopped the job"
    return _WHO[row.state]


def _named(escalation: dict[str, Any]) -> str:
    """Who raised it; code speaks for a ceiling of the transition table."""
    by = str(escalation["raised_by"])
    return "code that counts the attempts" if by == "code" else by


def _tried(row: JobRow) -> str:
    """What was tried, from the tasks and what was handed up."""
    end = row.end
    if not end.rounds and not end.escalations:
        return "nothing was tried yet"
    parts = [f"{end.rounds} {'round' if end.rounds == 1 else 'rounds'} with {len(end.done)} accepted"]
    failed = list(
        dict.fromkeys(" ".join(str(e["cause"]).split())[:80] for e in end.escalations if e["to"] == "tactical")
    )
    parts += [f"failed at {failed[-1]!r}"] if failed else []
    return f"tried: {', '.join(parts)}"
