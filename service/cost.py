"""What a job cost and what for: its ledger by milestone, task, tier, role, phase and attempt, and by use.

Each step of the ledger has one use:

- *planning*: steps of the strategic tier and of the TaskPlanner, and the code around them: scope, plans, assessments,
  delivery.
- *checking*: steps of QA, and the checks in code of a task.
- *first pass*: steps of the Implementor in the round of a task that had not failed before.
- *rework*: steps of the Implementor in a round that mends a task: the task of the round before was not accepted.
- *waste*: the steps of phases that ended without a submission, and of the Implementor in rounds whose task was rejected
  or rewound. What a subagent did belongs to the use of the phase that asked.

The sums over the uses are the sums over the ledger: nothing is counted twice and nothing is left out.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from echelon.agents.roster import roster
from echelon.store.records.events import Event, Moved, PhaseEnded
from echelon.store.records.steps import Step
from echelon.store.store import Store


class Use(StrEnum):
    """What a step was for."""

    FIRST_PASS = "first pass"
    REWORK = "rework"
    CHECKING = "checking"
    PLANNING = "planning"
    WASTE = "waste"


SUBAGENT, CODE, UNKNOWN = "subagent", "code", "unknown"


@functools.cache
def tiers() -> dict[str, str]:
    """Role as the ledger names it -> its tier, as the role's own file says it; code is a tier of its own."""
    return {**{role.role: role.tier for role in roster().values()}, CODE: CODE}


def tier_of(role: str) -> str:
    """The tier of a role; one that no file describes (any more) belongs to none."""
    return tiers().get(role, UNKNOWN)


KINDS = ("moved", "phase_end")
"""Events that say what a step was for"""
CHECKS = ("check_task", "check_plan", "check_delivery")


@dataclass(frozen=True)
class Line:
    """A step with its place and its use. `attempt` counts the rounds that worked at the same task, from 1."""

    milestone: int
    round: int
    tier: str
    role: str
    phase: str
    attempt: int
    use: Use
    model: str
    calls: int
    tokens: int
    thinking: int
    cost: float
    seconds: float


@dataclass(frozen=True)
class Round:
    """How one round went: which attempt at its task it was, and whether its task was accepted."""

    attempt: int
    accepted: bool


def lines(store: Store, job: str) -> list[Line]:
    """The ledger of a job, each step with its use. Raises UnknownName."""
    store.job(job)
    return lines_of(store.steps(job), [row.event for row in store.events(job, kinds=KINDS)])


def lines_of(steps: list[Step], events: Sequence[Event]) -> list[Line]:
    """Steps, each with its use; of the events those of `KINDS` count."""
    rounds, submitted = rounds_of(events), submitted_phases(steps, events)
    callers = _callers(steps)
    return [_line(step, rounds, submitted, callers) for step in steps]


def rounds_of(events: Iterable[Event]) -> dict[int, Round]:
    """How each round went, by its number, from the moves between the states."""
    begun: list[int] = []
    accepted: set[int] = set()
    for move in (e for e in events if isinstance(e, Moved)):
        if (move.before, move.after) == ("gate_plan", "implement"):
            begun.append(move.round)
        elif move.before == "qa" and move.event == "pass":
            accepted.add(move.round)
    out: dict[int, Round] = {}
    attempt = 0
    for number in begun:
        attempt += 1
        out[number] = Round(attempt, number in accepted)
        attempt = 0 if number in accepted else attempt
    return out


def submitted_phases(steps: Iterable[Step], events: Iterable[Event]) -> set[str]:
    """The phases that ended with a submission, or have not ended yet: those are not lost so far."""
    ordered = list(dict.fromkeys(s.phase for s in steps if s.kind != "code"))
    submits = {s.phase for s in steps if s.kind == "tool" and s.ok and _hands_over(s.name)}
    ended = sum(isinstance(e, PhaseEnded) for e in events)
    return submits | set(ordered[ended:])


def _hands_over(tool: str) -> bool:
    return tool.startswith("submit_") or tool == "job_complete"


def _callers(steps: list[Step]) -> dict[str, Step]:
    """For each phase of a subagent the latest step before it of the phase that asked."""
    out: dict[str, Step] = {}
    asking: Step | None = None
    for step in steps:
        if tier_of(step.role) != SUBAGENT:
            asking = step
        elif asking is not None:
            out.setdefault(step.phase, asking)
    return out


def _line(step: Step, rounds: dict[int, Round], submitted: set[str], callers: dict[str, Step]) -> Line:
    owner = callers.get(step.phase, step)
    went = rounds.get(step.round, Round(1, True))
    use = _use(owner, went, submitted)
    if step is not owner and step.phase not in submitted:
        use = Use.WASTE
    return Line(
        milestone=step.milestone, round=step.round, tier=tier_of(step.role), role=step.role, phase=step.phase,
        attempt=went.attempt, use=use, calls=int(step.kind == "model"), cost=step.cost, tokens=step.tokens,
        thinking=step.thinking_tokens, model=step.model,
        seconds=step.milliseconds / 1000,
    )  # fmt: skip


def _use(step: Step, went: Round, submitted: set[str]) -> Use:
    if step.role == CODE:
        return Use.CHECKING if step.name in CHECKS else Use.PLANNING
    if step.phase not in submitted:
        return Use.WASTE
    match step.phase.partition("-")[2]:
        case "qa":
            return Use.CHECKING
        case "implement" | "work":
            pass
        case _:
            return Use.PLANNING
    if not went.accepted:
        return Use.WASTE
    return Use.FIRST_PASS if went.attempt == 1 else Use.REWORK


GROUPS: dict[str, Callable[[Line], str]] = {
    "use": lambda x: x.use.value,
    "milestone": lambda x: str(x.milestone),
    "task": lambda x: str(x.round),
    "tier": lambda x: x.tier,
    "role": lambda x: x.role,
    "phase": lambda x: x.phase.partition("-")[2] or x.phase,
    "attempt": lambda x: str(x.attempt),
    "model": lambda x: x.model or NO_MODEL,
}
NO_MODEL = "none"
AMOUNTS = ("calls", "tokens", "thinking", "cost", "seconds")


def totals(rows: Iterable[Line], group: Callable[[Line], str]) -> dict[str, dict[str, float]]:
    """Sums of the amounts by group, in the order in which the groups first appear."""
    out: dict[str, dict[str, float]] = {}
    for row in rows:
        sums = out.setdefault(group(row), dict.fromkeys(AMOUNTS, 0))
        for name in AMOUNTS:
            sums[name] += getattr(row, name)
    return out


def cost_of(store: Store, job: str) -> dict[str, Any]:
    """All sums as plain data: `total`, and `by` each of `GROUPS`. Raises UnknownName."""
    return sums_of(job, lines(store, job))


def sums_of(job: str, rows: list[Line]) -> dict[str, Any]:
    """All sums over the lines of a job."""
    total = totals(rows, lambda _: "all").get("all", dict.fromkeys(AMOUNTS, 0))
    return {"job": job, "total": total, "by": {name: totals(rows, group) for name, group in GROUPS.items()}}
