"""Plans and their tasks in both databases: kept once a job, found by time, gone with the job."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from echelon.store import tables as t
from echelon.store.plans import (
    PlanRow,
    ScheduledRow,
    approve_subtype,
    approved_subtypes,
    plans,
    put_plan,
    scheduled,
    spent_since,
)
from echelon.store.records.jobs import Settings
from echelon.store.records.steps import Begun, Ended
from echelon.store.store import Store


def plan(job: str, **values: Any) -> PlanRow:
    given = {
        "title": "Dinner", "status": "complete", "pattern_type": "milestone_project", "pattern_subtype": "event",
        "pattern_variant": "", "zone": "Europe/Berlin", "begins": 100.0, "ends": 500.0,
    }  # fmt: skip
    return PlanRow(job=job, **{**given, **values})


def task(job: str, name: str, begins: float, ends: float, done: bool = False) -> ScheduledRow:
    return ScheduledRow(job, name, name.title(), begins, ends, done, {"Anna": 1})


def jobs(store: Store, *names: str) -> None:
    for name in names:
        store.add_job(name, "planner", "plan it", Settings(config={}, inputs=()), f"jobs/{name}")


def test_a_plan_is_kept_once_a_job_and_goes_with_it(store: Store) -> None:
    jobs(store, "one", "two")
    put_plan(store.engine, plan("one"), [task("one", "cook", 100, 200)])
    put_plan(store.engine, plan("one", ends=400.0), [task("one", "shop", 100, 150), task("one", "cook", 150, 250)])
    put_plan(store.engine, plan("two", pattern_type="recurring_cycle"), [])
    assert [(p.job, p.ends) for p in plans(store.engine)] == [("one", 400.0), ("two", 500.0)]
    assert [p.job for p in plans(store.engine, "recurring_cycle")] == ["two"]
    assert [r.task for r in scheduled(store.engine, "two", 0, 1000)] == ["shop", "cook"]
    store.remove_job("one")
    assert [p.job for p in plans(store.engine)] == ["two"]
    assert scheduled(store.engine, "two", 0, 1000) == []


def test_tasks_are_found_that_overlap_and_are_not_done(store: Store) -> None:
    jobs(store, "one", "mine")
    rows = [task("one", "early", 0, 100), task("one", "done", 100, 200, done=True), task("one", "late", 150, 300)]
    put_plan(store.engine, plan("one"), rows)
    put_plan(store.engine, plan("mine"), [task("mine", "own", 100, 200)])
    assert scheduled(store.engine, "mine", 100, 200) == [task("one", "late", 150, 300)]


def test_no_task_without_a_plan_and_no_plan_without_a_job(store: Store) -> None:
    with pytest.raises(sa.exc.IntegrityError):
        put_plan(store.engine, plan("nobody"), [])
    with pytest.raises(sa.exc.IntegrityError), store.engine.begin() as c:
        c.execute(t.scheduled_tasks.insert().values(**task("nobody", "cook", 1, 2).__dict__))
    indexed = {tuple(i["column_names"]) for i in sa.inspect(store.engine).get_indexes("echelon_plans")}
    assert {("pattern_type",), ("pattern_subtype",), ("pattern_variant",)} <= indexed


def test_a_subtype_is_approved_once(store: Store) -> None:
    for name in ("dinner", "dinner", "picnic"):
        approve_subtype(store.engine, "milestone_project", name, "Nothing else fits.", "one")
    assert approved_subtypes(store.engine, "milestone_project") == ["dinner", "picnic"]
    assert approved_subtypes(store.engine, "recurring_cycle") == []


def test_what_a_type_of_job_has_spent_since_a_moment(store: Store) -> None:
    jobs(store, "one")
    store.add_job("other", "creator", "read it", Settings(config={}, inputs=()), "jobs/other")
    for name in ("one", "other"):
        store.begin_step(name, 1, Begun("model", "call", "r", "p", 1, 1, ""))
        store.end_step(name, 1, Ended(True, 1.0, "", 1, 1, 0, 0.25))
    assert spent_since(store.engine, "planner", 0) == 0.25
    assert spent_since(store.engine, "planner", 9e12) == 0
