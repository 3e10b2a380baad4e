"""Steps are looked for and recorded as DBOS does it, whatever they meet, by statements that are made once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from dbos._error import (
    DBOSStepNondeterminismError,
    DBOSUnexpectedStepError,
    DBOSWorkflowCancelledError,
    DBOSWorkflowConflictIDError,
)
from dbos._serialization import DefaultSerializer
from dbos._sys_db import SystemDatabase

from echelon.engine import durable, recorded_steps
from tests.support.scripted import service

OWNER = "the execution that has it"
WORKFLOW = "job.1"
DONE = 1_700_000_000_000


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Any]:
    """A system database of DBOS as of jobs, with one workflow that runs, and nothing that works on it."""
    with service(tmp_path) as jobs:
        database = SystemDatabase.create(
            system_database_url=jobs.store.engine.url.render_as_string(), engine_kwargs={}, engine=jobs.store.engine,
            schema="dbos", serializer=DefaultSerializer(), use_listen_notify=False, app_name=durable.APPLICATION,
            executor_id=None,
        )  # fmt: skip
        recorded_steps.make_once(database)
        with database.engine.begin() as c:
            c.execute(
                database.tables.workflow_status.insert().values(
                    workflow_uuid=WORKFLOW, status="PENDING", owner_xid=OWNER, created_at=1, updated_at=1, priority=0
                )
            )
        yield database


def of_dbos(database: Any, name: str) -> Any:
    """The method as DBOS has it."""
    return getattr(type(database), name).__get__(database)


def step(number: int, **more: Any) -> dict[str, Any]:
    return {
        "workflow_uuid": WORKFLOW, "function_id": number, "function_name": "model", "output": '"an answer"',
        "error": None, "serialization": "portable_json", "started_at_epoch_ms": DONE - 5, "child_workflow_id": None,
    } | more  # fmt: skip


def look(database: Any, method: Any, number: int, name: str = "model") -> Any:
    with database.engine.begin() as c:
        return method(WORKFLOW, number, name, c)


def record(database: Any, method: Any, value: dict[str, Any], at: int = DONE, owner: str | None = OWNER) -> None:
    with database.engine.begin() as c:
        method(value, at, c, owner_xid=owner)


def rows(database: Any) -> list[dict[str, Any]]:
    with database.engine.begin() as c:
        return [dict(r._mapping) for r in c.execute(sa.select(database.tables.operation_outputs))]


def update(database: Any, **values: Any) -> None:
    with database.engine.begin() as c:
        c.execute(database.tables.workflow_status.update().values(**values))


def told(work: Callable[[], Any]) -> Any:
    """What comes of it: what is returned, or the error and what it says."""
    try:
        return work()
    except BaseException as error:  # some of DBOS are no Exceptions
        return type(error), str(error)


SITUATIONS: dict[str, dict[str, Any]] = {
    "runs": {"status": "PENDING"},
    "was cancelled": {"status": "CANCELLED"},
    "is another's": {"owner_xid": "somebody else"},
    "is nobody's": {"owner_xid": None},
    "has ended": {"status": "SUCCESS"},
    "waits": {"status": "ENQUEUED"},
    "is not there": {"workflow_uuid": "another"},
}


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("recorded", [False, True])
def test_a_step_is_looked_for_as_dbos_does(database: Any, situation: str, recorded: bool) -> None:
    if recorded:
        record(database, of_dbos(database, "_record_operation_result_txn"), step(1))
    if not recorded or situation != "is not there":  # a step has its workflow
        update(database, **SITUATIONS[situation])
    own = of_dbos(database, "_check_operation_execution_txn")
    for number, name in ((1, "model"), (1, "commit"), (2, "model")):
        expected = told(lambda n=number, m=name: look(database, own, n, m))
        assert told(lambda n=number, m=name: look(database, database._check_operation_execution_txn, n, m)) == expected


def test_what_a_look_finds(database: Any) -> None:
    method = database._check_operation_execution_txn
    assert look(database, method, 1) is None
    record(database, database._record_operation_result_txn, step(1))
    assert look(database, method, 1)["output"] == '"an answer"'
    with pytest.raises(DBOSUnexpectedStepError):
        look(database, method, 1, "commit")
    update(database, status="CANCELLED")
    for number in (1, 2):
        with pytest.raises(DBOSWorkflowCancelledError):
            look(database, method, number)


RESULTS: dict[str, dict[str, Any]] = {
    "a value": {},
    "an error": {"output": None, "error": '"it went wrong"'},
    "nothing": {"output": None, "serialization": None},
    "a child": {"child_workflow_id": "job.1-child"},
    "marks of SQL": {"output": "%s ? :name '; --", "function_name": "Größe"},
}


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_step_is_recorded_as_dbos_does(database: Any, situation: str, result: str) -> None:
    update(database, **SITUATIONS[situation])
    ours, own = database._record_operation_result_txn, of_dbos(database, "_record_operation_result_txn")
    outcomes = [
        told(lambda m=m, n=n: record(database, m, step(n, **RESULTS[result]))) for n, m in ((1, own), (2, ours))
    ]
    assert outcomes[0] == outcomes[1]
    if outcomes[0] is None:
        theirs, mine = rows(database)
        assert abs(mine.pop("retention_timestamp") - theirs.pop("retention_timestamp")) < 60_000
        assert (theirs.pop("function_id"), mine.pop("function_id")) == (1, 2) and mine == theirs
    else:
        assert rows(database) == []


def test_who_lost_a_workflow_records_nothing_of_it(database: Any) -> None:
    with pytest.raises(DBOSWorkflowConflictIDError):
        record(database, database._record_operation_result_txn, step(1), owner="the one before")
    assert rows(database) == []


@pytest.mark.parametrize("again", [DONE, DONE + 1])
def test_a_step_that_is_there_is_a_retry_or_another_step(database: Any, again: int) -> None:
    ours, own = database._record_operation_result_txn, of_dbos(database, "_record_operation_result_txn")
    for number, method in ((1, own), (2, ours)):
        record(database, method, step(number))
        retried = told(lambda m=method, n=number: record(database, m, step(n, output='"other"'), again))
        assert retried is None if again == DONE else retried[0] is DBOSStepNondeterminismError
    assert [row["output"] for row in rows(database)] == ['"an answer"'] * 2


def test_a_new_step_has_no_statement_made_for_it(database: Any) -> None:
    made: list[str] = []
    sa.event.listen(database.engine, "before_execute", lambda _, statement, *__: made.append(str(statement)))
    assert look(database, database._check_operation_execution_txn, 1) is None
    record(database, database._record_operation_result_txn, step(1))
    assert look(database, database._check_operation_execution_txn, 2) is None
    assert made == []
    look(database, of_dbos(database, "_check_operation_execution_txn"), 2)
    assert len(made) == 2, "DBOS makes them"


def test_another_writer_waits_until_the_step_is_recorded(database: Any) -> None:
    """The look at the owner takes the lock of a writer: no hand-over comes between it and the row."""
    with database.engine.connect() as c, c.begin():
        database._record_operation_result_txn(step(1), int(time.time() * 1000), c, owner_xid=OWNER)
        with database.engine.connect() as other:
            other.exec_driver_sql("PRAGMA busy_timeout=50")
            with pytest.raises(sa.exc.OperationalError, match="locked"):
                other.exec_driver_sql("UPDATE workflow_status SET owner_xid = 'new'")


def test_a_database_of_another_kind_stays_as_it_is() -> None:
    there = SimpleNamespace(_is_sqlite=False)
    recorded_steps.make_once(there)
    assert vars(there) == {"_is_sqlite": False}
