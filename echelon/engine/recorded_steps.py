"""What DBOS asks of its database at each step, made and compiled once for SQLite.

DBOS looks whether a step is recorded, and records it, by four statements that it makes anew each time: a third of the
processor time of a step. It keeps them itself for PostgreSQL, and not for SQLite. Here those of a step that is new are
DBOS's own, compiled once; whatever else a step can meet (it is recorded, the job was cancelled, another process has it)
is left to DBOS. ADR 176.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from echelon.store.prepared import Prepared

_OWNER = "echelon: whose workflow it is"
_STEP: dict[str, Any] = {
    "workflow_uuid": "",
    "function_id": 0,
    "function_name": "",
    "output": None,
    "error": None,
    "serialization": None,
    "started_at_epoch_ms": 0,
    "child_workflow_id": None,
}
"""A result of a step, as DBOS hands it to be recorded"""


def make_once(database: Any) -> None:
    """Have a system database of DBOS keep the statements of its steps. One of another kind stays as it is."""
    if not database._is_sqlite:
        return
    from dbos._context import current_owner_xid

    look, record = database._check_operation_execution_txn, database._record_operation_result_txn
    is_new = Prepared(database.engine, _look(database))
    owns, add = (Prepared(database.engine, statement) for statement in _statements_of(record))

    def looked(workflow_id: str, function_id: int, function_name: str, conn: Any) -> Any:
        row = is_new.first(conn, {"workflow": workflow_id, "step": function_id})
        if row is not None and row[0] == "PENDING" and not row[1]:
            return None
        return look(workflow_id, function_id, function_name, conn)

    def recorded(
        result: Any, completed_at_epoch_ms: int, conn: Any, *, owner_xid: str | None = None, child_values: Any = None
    ) -> None:
        workflow = result["workflow_uuid"]
        owner = current_owner_xid(workflow) if owner_xid is None else owner_xid
        if owner is not None and not child_values and owns.first(conn, {"workflow_uuid_1": workflow}) == (owner,):
            values = {name: result[name] for name in _STEP} | {"completed_at_epoch_ms": completed_at_epoch_ms}
            if add.first(conn, values) == (completed_at_epoch_ms,):
                return
        record(result, completed_at_epoch_ms, conn, owner_xid=owner_xid, child_values=child_values)

    database._check_operation_execution_txn, database._record_operation_result_txn = looked, recorded


def _look(database: Any) -> sa.ClauseElement:
    """The status of a workflow, and whether the step is recorded."""
    workflows, steps = database.tables.workflow_status, database.tables.operation_outputs
    workflow: sa.BindParameter[str] = sa.bindparam("workflow")
    there = sa.exists().where(steps.c.workflow_uuid == workflow, steps.c.function_id == sa.bindparam("step"))
    return sa.select(workflows.c.status, there).where(workflows.c.workflow_uuid == workflow)


def _statements_of(record: Any) -> tuple[sa.ClauseElement, sa.ClauseElement]:
    """What DBOS asks to record a step that is new: whose the workflow is, and the row."""
    asked: list[sa.ClauseElement] = []

    class Keeping:
        """A connection that keeps what it is asked."""

        def execute(self, statement: sa.ClauseElement) -> Keeping:
            asked.append(statement)
            return self

        def scalar(self) -> str:
            return _OWNER

        def fetchall(self) -> list[Any]:
            return []

    record(_STEP, 0, Keeping(), owner_xid=_OWNER)
    owns, add = asked
    return owns, add
