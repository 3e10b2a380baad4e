"""What a job does, as it does it: its steps, its events, and the files that its steps left.

These are written several times for each model call, so their statements are made once, and what belongs together is one
transaction.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from echelon.store import tables as t
from echelon.store.inserting import insert
from echelon.store.outage import steady
from echelon.store.prepared import Prepared
from echelon.store.records.events import EventRow, event_of
from echelon.store.records.steps import Begun, Ended, Step

_COLUMNS = [column.name for column in t.steps.columns]


class _Statements:
    """What is written, compiled for a kind of database."""

    def __init__(self, engine: sa.Engine) -> None:
        begun = ["job", "number", "starts", "started", *(f.name for f in dataclasses.fields(Begun))]
        step, file, event = (insert(engine, table) for table in (t.steps, t.files, t.events))
        changed = {name: step.excluded[name] for name in begun if name not in ("job", "number", "starts")}
        self.begin = Prepared(engine, step.on_conflict_do_update(
            index_elements=["job", "number"], set_={**changed, "starts": t.steps.c.starts + 1}
        ), begun)  # fmt: skip
        self.know = Prepared(engine, step.on_conflict_do_nothing(), begun)
        of_job = (t.steps.c.job == sa.bindparam("of_job")) & (t.steps.c.number == sa.bindparam("of_number"))
        self.end = Prepared(engine, t.steps.update().where(of_job), [f.name for f in dataclasses.fields(Ended)])
        self.files = Prepared(engine, file.on_conflict_do_update(
            index_elements=["job", "path"], set_={name: file.excluded[name] for name in ("sha256", "step")}
        ), ["job", "path", "sha256", "step"])  # fmt: skip
        self.events = Prepared(engine, event.on_conflict_do_nothing(), ["job", "number", "at", "kind", "data"])


_statements: dict[tuple[str, str], _Statements] = {}
"""By the name of the dialect and of its driver: the same for every database of a process"""


class Ledger:
    """The steps, events and files of all jobs. Safe to use from several threads and processes."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        kind = engine.dialect.name, engine.dialect.driver
        self._made = _statements.get(kind) or _statements.setdefault(kind, _Statements(engine))

    @steady
    def begin(self, job: str, number: int, step: Begun, told: Sequence[EventRow] = ()) -> None:
        """Note that a step starts to run, and the events before it; a step that runs again counts one start more."""
        row = {"job": job, "number": number, "starts": 1, "started": time.time(), **_fields(step)}
        with self._engine.begin() as c:
            self._tell(c, job, told)
            self._made.begin.run(c, [row])

    @steady
    def know(self, job: str, number: int, step: Begun) -> None:
        """Have a row for a step that ran when nobody wrote it down, or whose row was lost; a row that is there stays."""
        row = {"job": job, "number": number, "starts": 1, "started": time.time(), **_fields(step)}
        with self._engine.begin() as c:
            self._made.know.run(c, [row])

    @steady
    def end(self, job: str, number: int, ended: Ended, changed: Mapping[str, str]) -> None:
        """Note how a step ended, and the hashes of the files that it changed: "" for those that it took away."""
        files = [{"job": job, "path": path, "sha256": sha, "step": number} for path, sha in sorted(changed.items())]
        with self._engine.begin() as c:
            if files:
                self._made.files.run(c, files)
            self._made.end.run(c, [{"of_job": job, "of_number": number, **_fields(ended)}])

    @steady
    def tell(self, job: str, told: Sequence[EventRow]) -> None:
        """Write events down; the same number again (a replay) changes nothing."""
        with self._engine.begin() as c:
            self._tell(c, job, told)

    def _tell(self, connection: sa.Connection, job: str, told: Sequence[EventRow]) -> None:
        if told:
            self._made.events.run(connection, [
                {"job": job, "number": row.number, "at": row.at, "kind": row.event.kind,
                 "data": json.dumps(row.event.model_dump(exclude={"kind"}))}
                for row in told
            ])  # fmt: skip

    @steady
    def begin_again(self, job: str, step: int, event: int) -> None:
        """Forget what a job did after a step and an event, and the hashes of its files.

        Calls of models stay until others get their numbers: they were paid. Effects that happened lose their numbers.
        """
        effects = t.effects.c.job == job
        with self._engine.begin() as c:
            c.execute(t.files.delete().where(t.files.c.job == job))
            undone = (t.steps.c.job == job) & (t.steps.c.number > step) & (t.steps.c.kind != "model")
            c.execute(t.steps.delete().where(undone))
            c.execute(t.events.delete().where(t.events.c.job == job, t.events.c.number > event))
            least = min(0, c.execute(sa.select(sa.func.min(t.effects.c.number)).where(effects)).scalar() or 0)
            numberless = t.effects.update().where(effects, t.effects.c.number > step)
            c.execute(numberless.values(number=least - t.effects.c.number))

    @steady
    def steps(self, job: str) -> list[Step]:
        """The steps of a job in their order."""
        with self._engine.connect() as c:
            query = sa.select(t.steps).where(t.steps.c.job == job).order_by(t.steps.c.number)
            return [Step(**dict(zip(_COLUMNS, row, strict=True))) for row in c.execute(query)]

    @steady
    def events(self, job: str, after: int = 0, most: int | None = None, kinds: Sequence[str] = ()) -> list[EventRow]:
        """Events of a job with a number above `after`, in their order; the first `most` of them, of some kinds only."""
        query = sa.select(t.events).where(t.events.c.job == job, t.events.c.number > after).order_by(t.events.c.number)
        query = query.where(t.events.c.kind.in_(kinds)) if kinds else query
        query = query.limit(most)
        with self._engine.connect() as c:
            return [EventRow(r.number, r.at, event_of(r.kind, r.data)) for r in c.execute(query)]


def _fields(record: Begun | Ended) -> dict[str, object]:
    return {f.name: getattr(record, f.name) for f in dataclasses.fields(record)}
