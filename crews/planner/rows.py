"""A plan as rows of the database, where other plans of the home look for it."""

from __future__ import annotations

import sqlalchemy as sa

from echelon.domains.planning.contracts.plan import Plan
from echelon.domains.planning.contracts.project import Project
from echelon.store.plans import PlanRow, ScheduledRow, put_plan


def keep(engine: sa.Engine, job: str, plan: Plan, project: Project) -> None:
    """Keep a plan that has a schedule; again, it takes the place of what was kept of the job."""
    found, pattern = plan.schedule, plan.context.pattern
    if found is None:
        return
    row = PlanRow(
        job=job, title=project.title, status=plan.planning_status,
        pattern_type=pattern.pattern_type if pattern else "", pattern_subtype=(pattern.subtype or "") if pattern else "",
        pattern_variant=(pattern.variant or "") if pattern else "", zone=found.zone, begins=found.start.timestamp(),
        ends=found.end.timestamp(),
    )  # fmt: skip
    tasks = [
        ScheduledRow(
            job=job, task=t.id, title=t.title, begins=t.start.timestamp(), ends=t.end.timestamp(), done=t.done,
            resources={n.resource: n.units for n in t.needs},
        )
        for t in found.tasks
    ]  # fmt: skip
    put_plan(engine, row, tasks)
