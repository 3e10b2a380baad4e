"""The soft ceilings of a plan: what one round may cost, and what the plans of a home may cost on one day."""

from __future__ import annotations

import time
from collections.abc import Sequence

from echelon.crews.planner import files, results
from echelon.crews.planner.person import policy
from echelon.domains.planning.exporting.summary import summary
from echelon.engine.run import Run
from echelon.engine.workspace import Workspace
from echelon.store.plans import spent_since

DAY = 86_400


def asks_about_money(run: Run, workspace: Workspace, kept: Sequence[files.Asked]) -> list[files.Asked]:
    """Whether to go on, with what there is so far, once a round or the day has cost more than it should."""
    settings = run.config.planning
    steps = run.store.steps(run.job)
    last = max((s.round for s in steps), default=0)
    cost = sum(s.cost for s in steps if s.round == last)
    name = f"round {last} has cost"
    if settings.turn_cost != "unlimited" and cost > settings.turn_cost and not _was_asked(kept, name):
        return [_asked(run, workspace, "cost", f"{name} ${cost:.2f}, above planning.turn_cost {settings.turn_cost:g}.")]
    if settings.day_cost == "unlimited" or run.config.isolated:
        return []
    today = time.time() // DAY * DAY
    spent = spent_since(run.store.engine, "planner", today)
    name = f"day {today:.0f}"
    if spent > settings.day_cost and not _was_asked(kept, name):
        says = f"({name}) The plans of today have cost ${spent:.2f}, above planning.day_cost {settings.day_cost:g}."
        return [_asked(run, workspace, "cost", says)]
    return []


def _was_asked(kept: Sequence[files.Asked], name: str) -> bool:
    return any(a.kind == "cost" and name in a.question for a in kept)


def _asked(run: Run, workspace: Workspace, kind: str, says: str) -> files.Asked:
    so_far = summary(results.plan(workspace, run), policy.of_run(run))
    return files.Asked(kind=kind, question=f"{says} So far: {so_far} Reply 'go on', or 'propose changes: ...'.")
