"""Experiments and their trials: what is kept of them, so that a killed coordinator goes on where it was."""

from __future__ import annotations

import time
from typing import Any

import sqlalchemy as sa

from echelon.errors import UnknownName
from echelon.store import tables as t
from echelon.store.inserting import insert


def add(engine: sa.Engine, name: str, digest: str, definition: dict[str, Any]) -> None:
    """Keep a new experiment. The same name again changes nothing."""
    now = time.time()
    row = {"name": name, "digest": digest, "state": "running", "definition": definition, "created": now, "updated": now}
    with engine.begin() as c:
        c.execute(insert(engine, t.experiments).values(**row).on_conflict_do_nothing())


def set_state(engine: sa.Engine, name: str, state: str) -> None:
    """`running`, `completed`, `stopped at a look`, `ceiling reached`."""
    with engine.begin() as c:
        c.execute(t.experiments.update().where(t.experiments.c.name == name).values(state=state, updated=time.time()))


def found(engine: sa.Engine, name: str) -> dict[str, Any] | None:
    """The row of an experiment, None when there is none."""
    with engine.connect() as c:
        row = c.execute(sa.select(t.experiments).where(t.experiments.c.name == name)).mappings().first()
        return dict(row) if row else None


def get(engine: sa.Engine, name: str) -> dict[str, Any]:
    """The row of an experiment. Raises UnknownName."""
    row = found(engine, name)
    if row is None:
        raise UnknownName("experiment", name, [r["name"] for r in all_(engine)])
    return row


def all_(engine: sa.Engine) -> list[dict[str, Any]]:
    """All rows, the newest first."""
    query = sa.select(t.experiments).order_by(t.experiments.c.created.desc(), t.experiments.c.name)
    with engine.connect() as c:
        return [dict(r) for r in c.execute(query).mappings()]


def keep_result(engine: sa.Engine, experiment: str, trial: str, result: dict[str, Any]) -> None:
    """Write down how a trial ended; the first word stands."""
    row = {"experiment": experiment, "trial": trial, "result": result, "at": time.time()}
    with engine.begin() as c:
        c.execute(insert(engine, t.trials).values(**row).on_conflict_do_nothing())


def results(engine: sa.Engine, experiment: str) -> dict[str, dict[str, Any]]:
    """Results of the trials that have ended, by trial, in the order in which they were written."""
    query = sa.select(t.trials).where(t.trials.c.experiment == experiment).order_by(t.trials.c.at, t.trials.c.trial)
    with engine.connect() as c:
        return {r["trial"]: r["result"] for r in c.execute(query).mappings()}


def set_aside(engine: sa.Engine, experiment: str, trial: str, under: str) -> None:
    """Keep the result of a trial under another name, so that the trial can have another one."""
    there = sa.and_(t.trials.c.experiment == experiment, t.trials.c.trial == trial)
    aside = {"experiment": f"{experiment}/outages", "trial": under, "at": time.time()}
    with engine.begin() as c:
        found = c.execute(sa.select(t.trials.c.result).where(there)).scalar()
        if found is not None:
            c.execute(t.trials.delete().where(there))
            c.execute(insert(engine, t.trials).values(**aside, result=found).on_conflict_do_nothing())


def judgement(engine: sa.Engine, asked: str) -> dict[str, Any] | None:
    """What was answered to a question before, None when it was not asked."""
    with engine.connect() as c:
        answer = c.execute(sa.select(t.judgements.c.answer).where(t.judgements.c.asked == asked)).scalar()
        return dict(answer) if answer is not None else None


def keep_judgement(engine: sa.Engine, asked: str, answer: dict[str, Any]) -> None:
    """Write an answer down; the first one stands."""
    row = {"asked": asked, "answer": answer, "at": time.time()}
    with engine.begin() as c:
        c.execute(insert(engine, t.judgements).values(**row).on_conflict_do_nothing())
