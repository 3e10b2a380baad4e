"""Rows load in the form in which they were ever stored: `tests/golden/` has one of each, with every field set."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, get_args

import pytest
import sqlalchemy as sa

from echelon.store import tables as t
from echelon.store.records.events import Event, event_of
from echelon.store.records.jobs import Given, Result, Said, Settings
from echelon.store.store import Store

GOLDEN = Path(__file__).parents[1] / "golden"
EVENTS: list[dict[str, Any]] = json.loads((GOLDEN / "events.v1.json").read_text(encoding="utf-8"))
KINDS = {kind.model_fields["kind"].default: kind for kind in get_args(get_args(Event)[0])}


@pytest.mark.parametrize("stored", EVENTS, ids=lambda stored: stored["kind"])
def test_an_event_loads_and_is_stored_the_same_again(stored: dict[str, Any]) -> None:
    event = event_of(stored["kind"], {k: v for k, v in stored.items() if k != "kind"})
    assert type(event) is KINDS[stored["kind"]] and event.model_dump(mode="json") == stored
    assert set(stored) == set(type(event).model_fields), "a field that is not in the golden file proves nothing"


def test_every_kind_of_event_has_its_golden_form() -> None:
    assert {stored["kind"] for stored in EVENTS} == set(KINDS) and len(EVENTS) == len(KINDS)


def test_what_another_version_wrote_besides_is_left_out() -> None:
    """Events of the first version had no version, and a later one may say more."""
    stored = {"number": 1, "of": 2, "outcome": "all is found", "by_whom": "the Assessor"}
    event = event_of("milestone", stored)
    assert event.model_dump(exclude_unset=True) == {
        "kind": "milestone",
        "number": 1,
        "of": 2,
        "outcome": "all is found",
    }
    assert event.schema_version == 1


@pytest.mark.parametrize(("kind", "data"), [("something new", {}), ("milestone", {"number": "one"})])
def test_what_is_no_event_is_refused(kind: str, data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        event_of(kind, data)


# steps


def test_a_step_of_the_ledger_loads_and_is_shown_the_same_again(store: Store) -> None:
    stored = json.loads((GOLDEN / "step.v1.json").read_text(encoding="utf-8"))
    with store.engine.begin() as c:
        c.execute(t.steps.insert().values(**stored))
    (step,) = store.steps(stored["job"])
    assert asdict(step) == stored and step.tokens == 1456 + 59
    assert set(stored) == {column.name for column in t.steps.columns}


# jobs and hand-overs


def golden(name: str) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((GOLDEN / f"{name}.v1.json").read_text(encoding="utf-8"))
    return stored


def test_the_row_of_a_job_loads_and_is_stored_the_same_again(store: Store) -> None:
    stored = golden("job")
    with store.engine.begin() as c:
        c.execute(t.jobs.insert().values(**stored))
    row = store.job(stored["id"])
    assert set(stored) == {column.name for column in t.jobs.columns}
    assert set(stored["config"]) == set(Settings.model_fields) and set(stored["result"]) == set(Result.model_fields)
    assert row.result is not None and row.config.given is not None and row.config.given.said is not None
    assert (row.end.came_from, row.config.model, row.config.given.said.text) == (
        "approve_milestone",
        "openai/m",
        "the second",
    )
    store.set_job(row.id, config=row.config, result=row.result)
    assert store.all_jobs() == [replace(row, updated=store.job(row.id).updated)]


def test_a_snapshot_is_stored_once_wherever_it_stands(store: Store) -> None:
    """The end of a segment is the beginning of the next one: neither the row nor its settings hold a copy."""
    first, second = ({"position": {"came_from": "plan"}, "round": n} for n in (1, 2))
    store.add_job("a", "plain", "Write.", Settings(config={"model": "playbook"}), "jobs/a")
    store.set_job("a", state="needs_input", result=Result(reason="asks", snapshot=first))
    said = Settings(config={"model": "playbook"}, given=Given(snapshot=first, said=Said(event="answered")))
    store.set_job("a", segment=2, state="submitted", config=said)
    row = store.job("a")
    assert row.config.snapshot == row.end.snapshot == first and row.end.reason == "asks"
    store.set_job("a", result=row.end.model_copy(update={"reason": "stopped in the middle"}))
    assert stored_snapshots(store) == {("a", 1): first}
    store.set_job("a", state="completed", result=Result(snapshot=second))
    row = store.job("a")
    assert (row.config.snapshot, row.end.snapshot) == (first, second) and store.all_jobs() == [row]
    assert stored_snapshots(store) == {("a", 1): first, ("a", 2): second}
    with store.engine.connect() as c:
        kept = c.execute(sa.select(t.jobs.c.config, t.jobs.c.result)).one()
    assert kept.config["given"] == {"said": {"event": "answered"}} and "snapshot" not in kept.result


def test_removing_a_job_removes_its_snapshots(store: Store) -> None:
    store.add_job("a", "plain", "Write.", Settings(config={"model": "playbook"}), "jobs/a")
    store.set_job("a", result=Result(snapshot={"position": {"came_from": None}}))
    store.remove_job("a")
    assert not stored_snapshots(store)


def stored_snapshots(store: Store) -> dict[tuple[str, int], Any]:
    with store.engine.connect() as c:
        return {(row.job, row.segment): row.state for row in c.execute(sa.select(t.snapshots))}


def test_a_row_of_the_first_version_said_less(store: Store) -> None:
    """No versions, no settings that came later, and no end yet."""
    old = golden("job") | {"config": {"config": {"model": "playbook"}, "inputs": []}, "result": None}
    with store.engine.begin() as c:
        c.execute(t.jobs.insert().values(**old))
    row = store.job(old["id"])
    assert (row.config.given, row.config.snapshot, row.result, row.end) == (None, {}, None, Result())
    assert row.end.came_from is None


def test_a_hand_over_loads_the_same_again(store: Store) -> None:
    stored = golden("handover")
    with store.engine.begin() as c:
        c.execute(t.requirement_cache.insert().values(**stored))
    (taken,) = store.take_over(stored["taker"])
    assert asdict(taken) == stored
