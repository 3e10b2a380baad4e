"""The ledger of effects that must not happen twice: an intent before, a result after, and doubt in between.

A tool with the effect `once` (a mail, a payment, a call of a foreign system) runs inside a durable step. When the
process dies in it, nobody knows whether the effect happened. The step that runs again finds an intent and no result:
it does not run the tool, it says that the effect is in doubt, and a person is asked. A result that was written down
before the process died is used as it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from echelon.engine.messages import ToolResult
from echelon.errors import Doubt
from echelon.json_text import is_object
from echelon.store import tables as t

SHOWN = 500
"""Characters of the arguments that the ledger keeps for people."""


class EffectState(StrEnum):
    """How far an effect got."""

    INTENT = "intent"
    DONE = "done"
    IN_DOUBT = "in doubt"


def once(
    engine: sa.Engine, job: str, number: int, tool: str, arguments: str, work: Callable[[], ToolResult]
) -> ToolResult:
    """Run `work` as the effect of step `number`, or say that it is in doubt: it is never run a second time.

    Whatever `work` raises leaves the intent standing: it may have happened. A Doubt puts it in doubt at once.
    """
    row = _row(engine, job, number) or _undone(engine, job, number, tool, arguments)
    if row is None:
        _intend(engine, job, number, tool, arguments)
        try:
            result = work()
        except Doubt as doubt:
            _note(engine, job, number, EffectState.IN_DOUBT, None)
            return ToolResult.failure(in_doubt(tool, arguments[:SHOWN], str(doubt)), data={"in_doubt": tool})
        _note(engine, job, number, EffectState.DONE, result.model_dump(mode="json"))
        return result
    if row["state"] == EffectState.DONE:
        return ToolResult.model_validate(row["result"])
    _note(engine, job, number, EffectState.IN_DOUBT, None)
    return ToolResult.failure(in_doubt(tool, row["arguments"]), data={"in_doubt": tool})


def in_doubt(tool: str, arguments: str, why: str = "") -> str:
    """The question to a person."""
    return (
        f"{tool} was cut off{f' ({why})' if why else ''}, and nobody knows whether it took effect. "
        f"Its arguments were: {arguments} "
        "Find out whether it happened, and say what to do: go on as if it was done, or do it again?"
    )


def is_in_doubt(result: ToolResult) -> bool:
    """Whether this is what `once` says about an effect in doubt."""
    return not result.ok and is_object(result.data) and "in_doubt" in result.data


def effects(engine: sa.Engine, job: str) -> list[dict[str, Any]]:
    """The rows of a job in the order of its steps: number, tool, arguments, state, begun, ended, result."""
    query = sa.select(t.effects).where(t.effects.c.job == job).order_by(t.effects.c.number)
    with engine.connect() as c:
        return [dict(row) for row in c.execute(query).mappings()]


def _row(engine: sa.Engine, job: str, number: int) -> dict[str, Any] | None:
    mine = (t.effects.c.job == job) & (t.effects.c.number == number)
    with engine.connect() as c:
        row = c.execute(sa.select(t.effects).where(mine)).mappings().first()
    return None if row is None else dict(row)


def _undone(engine: sa.Engine, job: str, number: int, tool: str, arguments: str) -> dict[str, Any] | None:
    """The same effect of a step that was undone when its segment began again, from now on that of step `number`.

    What the step did in the job was undone; what it did in the world was not.
    """
    same = (t.effects.c.tool == tool) & (t.effects.c.arguments == arguments[:SHOWN])
    mine = (t.effects.c.job == job) & (t.effects.c.number < 0)
    with engine.begin() as c:
        found = c.execute(sa.select(t.effects).where(mine, same).order_by(t.effects.c.number.desc())).mappings().first()
        if found is None:
            return None
        row = dict(found) | {"number": number}
        if len(arguments) > SHOWN:  # whether the rest is the same nobody knows
            row["state"] = EffectState.IN_DOUBT.value
        there = (t.effects.c.job == job) & (t.effects.c.number == found["number"])
        c.execute(t.effects.update().where(there).values(number=number, state=row["state"]))
    return row


def _intend(engine: sa.Engine, job: str, number: int, tool: str, arguments: str) -> None:
    row = {"job": job, "number": number, "tool": tool, "arguments": arguments[:SHOWN], "begun": time.time()}
    with engine.begin() as c:
        c.execute(t.effects.insert().values(state=EffectState.INTENT.value, **row))


def _note(engine: sa.Engine, job: str, number: int, state: EffectState, result: Any) -> None:
    mine = (t.effects.c.job == job) & (t.effects.c.number == number)
    with engine.begin() as c:
        c.execute(t.effects.update().where(mine).values(state=state.value, ended=time.time(), result=result))
