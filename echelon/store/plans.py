"""Plans that jobs have handed over, their tasks in time, and the subtypes of patterns that people have approved."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import sqlalchemy as sa

from echelon.store import tables as t
from echelon.store.inserting import insert


@dataclass(frozen=True)
class PlanRow:
    """A plan: `begins` and `ends` in seconds since 1970."""

    job: str
    title: str
    status: str
    pattern_type: str
    pattern_subtype: str
    pattern_variant: str
    zone: str
    begins: float
    ends: float


@dataclass(frozen=True)
class ScheduledRow:
    """A task of a plan in time, with the units of each resource that it holds."""

    job: str
    task: str
    title: str
    begins: float
    ends: float
    done: bool
    resources: dict[str, int]


def put_plan(engine: sa.Engine, plan: PlanRow, tasks: Sequence[ScheduledRow]) -> None:
    """Keep a plan with its tasks, in place of what was kept of the job before."""
    with engine.begin() as c:
        for table in (t.scheduled_tasks, t.plans):
            c.execute(table.delete().where(table.c.job == plan.job))
        c.execute(t.plans.insert().values(**asdict(plan), at=time.time()))
        if tasks:
            c.execute(t.scheduled_tasks.insert(), [asdict(task) for task in tasks])


def plans(engine: sa.Engine, pattern_type: str | None = None) -> list[PlanRow]:
    """The plans of a home, those of one pattern if it is named, in the order in which they end."""
    query = sa.select(*(t.plans.c[name] for name in PlanRow.__dataclass_fields__)).order_by(
        t.plans.c.ends, t.plans.c.job
    )
    if pattern_type is not None:
        query = query.where(t.plans.c.pattern_type == pattern_type)
    with engine.connect() as c:
        return [PlanRow(**row) for row in c.execute(query).mappings()]


def scheduled(engine: sa.Engine, but: str, begins: float, ends: float) -> list[ScheduledRow]:
    """Unfinished tasks of all plans but those of the job `but` that lie in a span of time, in their order."""
    own = t.scheduled_tasks.c
    query = (
        sa.select(t.scheduled_tasks)
        .where(own.job != but, own.done.is_(False), own.begins < ends, own.ends > begins)
        .order_by(own.begins, own.job, own.task)
    )
    with engine.connect() as c:
        return [ScheduledRow(**row) for row in c.execute(query).mappings()]


def approve_subtype(engine: sa.Engine, pattern_type: str, name: str, rfc: str, job: str) -> None:
    """Record that a person approved a subtype; again it changes nothing."""
    row = {"pattern_type": pattern_type, "name": name, "rfc": rfc, "job": job, "at": time.time()}
    with engine.begin() as c:
        c.execute(insert(engine, t.plan_subtypes).values(**row).on_conflict_do_nothing())


def approved_subtypes(engine: sa.Engine, pattern_type: str) -> list[str]:
    """The approved subtypes of a pattern, in the order in which they were."""
    c = t.plan_subtypes.c
    with engine.connect() as connection:
        return list(
            connection.execute(sa.select(c.name).where(c.pattern_type == pattern_type).order_by(c.at)).scalars()
        )


def spent_since(engine: sa.Engine, type_: str, moment: float) -> float:
    """US dollars that model calls of all jobs of a type have cost since a moment, in seconds since 1970."""
    query = (
        sa.select(sa.func.coalesce(sa.func.sum(t.steps.c.cost), 0.0))
        .select_from(t.steps.join(t.jobs, t.jobs.c.id == t.steps.c.job))
        .where(t.jobs.c.type == type_, t.steps.c.kind == "model", t.steps.c.started >= moment)
    )
    with engine.connect() as c:
        return float(c.execute(query).scalar_one())
