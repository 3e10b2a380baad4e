"""Other plans of a home: who is wanted twice, how busy everybody is, and how far this plan would have to shift."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule, ScheduledTask
from echelon.engine.run import Run
from echelon.store.plans import ScheduledRow, scheduled

MOST = 20
WEEKS = 52


def probed(run: Run, project: Project, found: Schedule) -> dict[str, Any]:
    """Conflicts, utilisation (share of the plan's span in which each is held) and suggested shifts, in sentences."""
    if run.config.isolated:
        return {"plans": 0, "conflicts": [], "utilisation": {}, "suggested_shifts": []}
    longest = found.end + timedelta(weeks=WEEKS)
    others = scheduled(run.store.engine, run.job, found.start.timestamp(), longest.timestamp())
    capacity = {r.id: r.capacity for r in project.resources}
    clashes = [(mine, other, name) for mine in found.tasks for other in others
               for name in _together(mine, other, capacity)]  # fmt: skip
    return {
        "plans": len({o.job for o in others}),
        "conflicts": [_sentence(m, o, n) for m, o, n in clashes][:MOST],
        "utilisation": _utilisation(found, others, capacity),
        "suggested_shifts": [_shift(m, [o for o in others if _wants(o, m)], capacity) for m in
                             dict.fromkeys(m for m, _, _ in clashes)][:MOST],
    }  # fmt: skip


def _together(mine: ScheduledTask, other: ScheduledRow, capacity: dict[str, int]) -> list[str]:
    """Resources of which two tasks that overlap hold more than there are."""
    if mine.end.timestamp() <= other.begins or other.ends <= mine.start.timestamp():
        return []
    units = {n.resource: n.units for n in mine.needs}
    return [r for r, n in units.items() if n + other.resources.get(r, 0) > capacity.get(r, 1) and r in other.resources]


def _wants(other: ScheduledRow, mine: ScheduledTask) -> bool:
    return any(n.resource in other.resources for n in mine.needs)


def _sentence(mine: ScheduledTask, other: ScheduledRow, name: str) -> str:
    begins = max(mine.start, datetime.fromtimestamp(other.begins, UTC))
    return f"'{name}' is wanted for '{mine.title}' and for '{other.title}' of {other.job} on {begins:%Y-%m-%d}."


def _utilisation(found: Schedule, others: list[ScheduledRow], capacity: dict[str, int]) -> dict[str, float]:
    begins, ends = found.start.timestamp(), found.end.timestamp()
    held = dict.fromkeys(capacity, 0.0)
    for task in found.tasks:
        for need in task.needs:
            held[need.resource] = held.get(need.resource, 0) + need.units * (task.end - task.start).total_seconds()
    for other in others:
        span = max(0.0, min(ends, other.ends) - max(begins, other.begins))
        for name, units in other.resources.items():
            if name in held:
                held[name] += units * span
    span = max(1.0, ends - begins)
    return {name: round(used / span / max(1, capacity.get(name, 1)), 3) for name, used in held.items()}


def _shift(mine: ScheduledTask, others: list[ScheduledRow], capacity: dict[str, int]) -> str:
    """The first day on which a task would clash with nothing, looking day by day."""
    for days in range(1, WEEKS * 7):
        moved = mine.model_copy(
            update={"start": mine.start + timedelta(days=days), "end": mine.end + timedelta(days=days)}
        )
        if not any(_together(moved, other, capacity) for other in others):
            return f"'{mine.title}' {days} days later, on {moved.start:%Y-%m-%d}"
    return f"'{mine.title}' with somebody else"
