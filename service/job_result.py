"""What is known of a job from outside: how it stands, what it delivered, what it used."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from echelon.crews.hierarchy.vocabulary import State
from echelon.store.records.steps import Step

EXIT_CODES = {
    State.COMPLETED: 0,
    State.FAILED: 1,
    State.REJECTED: 2,
    State.LIMIT: 3,
    State.NEEDS_INPUT: 4,
    State.ESCALATED: 5,
    State.CANCELLED: 6,
}
INCOMPLETE = 3
"""Exit code of a completed job that could not read a part of its input: like a limit, a partial result is kept."""


@dataclass(frozen=True)
class JobResult:
    """How a job ended. `outputs` are paths of files; `ledger` has one row a step; `cost` is in US dollars."""

    job: str
    state: str
    """`submitted`, `running`, or one of the ends in `crews.states`"""
    folder: Path
    reason: str = ""
    outputs: tuple[Path, ...] = ()
    ledger: tuple[Step, ...] = ()
    cost: float = 0.0
    spent: dict[str, Any] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    escalations: tuple[dict[str, Any], ...] = ()
    warnings: tuple[str, ...] = ()
    rounds: int = 0
    ending: str = ""
    """One sentence for one that ended without its result: who said what, what was tried, the command that goes on."""
    asks_approval: bool = False
    """Whether it waits for `echelon approve` or `echelon reject`."""
    complete: dict[str, Any] | None = None
    """What was said when the results were handed over: summary, deliverables, confidence, notes."""
    dropped: tuple[dict[str, Any], ...] = ()
    """Offered work that the planner left out: id, says, reason, and what the Assessor said when it agreed."""
    unfinished: dict[str, Any] | None = None
    """The report of the task that a ceiling or a question interrupted: outcome, summary, deliverables, issue."""

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON, without the ledger (`echelon show JOB --json` has it)."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "ledger"}
        return values | {
            "folder": str(self.folder),
            "outputs": [str(p) for p in self.outputs],
            "steps": len(self.ledger),
            "exit_code": self.exit_code,
        }

    @property
    def exit_code(self) -> int:
        """The exit code of the command line for this end."""
        if self.state == State.COMPLETED and self.warnings:
            return INCOMPLETE
        return EXIT_CODES[State(self.state)] if self.state in EXIT_CODES else 1


def spent_in(ledger: list[Step]) -> dict[str, Any]:
    """What the steps of a ledger used, for a job that has not come to an end."""
    total = {name: sum(getattr(s, name) for s in ledger) for name in ("prompt_tokens", "completion_tokens", "cost")}
    return {**total, "model_calls": sum(s.kind == "model" for s in ledger)}
