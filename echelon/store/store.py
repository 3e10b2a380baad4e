"""Queries over the tables: jobs, their step ledger, their events, and leases."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc

from echelon.errors import JobBusy, UnknownName, UserError
from echelon.store import folders, snapshots
from echelon.store import tables as t
from echelon.store.clock import now
from echelon.store.inserting import insert
from echelon.store.ledger import Ledger
from echelon.store.outage import steady
from echelon.store.records.events import EventRow
from echelon.store.records.jobs import HandOver, JobRow, Settings, as_stored
from echelon.store.records.steps import Begun, Ended, Step

LEASE_SECONDS = 30.0


def m001_initial(connection: sa.Connection) -> None:
    t.metadata.create_all(connection, tables=[t.jobs, t.steps, t.events, t.leases])


def m002_requirement_cache(connection: sa.Connection) -> None:
    t.requirement_cache.create(connection)


def m003_effects(connection: sa.Connection) -> None:
    t.effects.create(connection)


def m004_experiments(connection: sa.Connection) -> None:
    t.metadata.create_all(connection, tables=[t.experiments, t.trials, t.judgements])


def m005_files(connection: sa.Connection) -> None:
    t.files.create(connection)


def m006_doors(connection: sa.Connection) -> None:
    t.metadata.create_all(connection, tables=[t.orders, t.webhooks, t.deliveries])
    for index in (t.latest_jobs, t.changed_jobs):
        index.create(connection, checkfirst=True)


def m007_snapshots(connection: sa.Connection) -> None:
    t.snapshots.create(connection)


def m008_plans(connection: sa.Connection) -> None:
    t.metadata.create_all(connection, tables=[t.plans, t.scheduled_tasks, t.plan_subtypes])


def m009_models(connection: sa.Connection) -> None:
    """Which model answered a step, and how much of the answer was thinking. A new database has the columns already."""
    there = {column["name"] for column in sa.inspect(connection).get_columns(t.steps.name)}
    for name, kind in (("thinking_tokens", "INTEGER NOT NULL DEFAULT 0"), ("model", "VARCHAR NOT NULL DEFAULT ''")):
        if name not in there:
            connection.exec_driver_sql(f"ALTER TABLE {t.steps.name} ADD COLUMN {name} {kind}")


def m010_server_tools(connection: sa.Connection) -> None:
    t.server_tools.create(connection)


def m011_traces(connection: sa.Connection) -> None:
    t.traces.create(connection)


def m012_shared(connection: sa.Connection) -> None:
    t.metadata.create_all(connection, tables=[t.blobs, t.shared, t.shared_versions])


MIGRATIONS: tuple[Callable[[sa.Connection], None], ...] = (
    m001_initial,
    m002_requirement_cache,
    m003_effects,
    m004_experiments,
    m005_files,
    m006_doors,
    m007_snapshots,
    m008_plans,
    m009_models,
    m010_server_tools,
    m011_traces,
    m012_shared,
)
"""In order, append-only: never edited after a release."""

_ALONE = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "SELECT pg_advisory_xact_lock(4501128)"}
"""What keeps two processes from migrating at the same time, by dialect; both let go at the end of the transaction."""


class Store:
    """Everything about jobs that outlives a process. Safe to use from several threads and processes."""

    def __init__(self, engine: sa.Engine, home: Path | None = None) -> None:
        """`home` is where the folders of the jobs are, whatever the rows of an older or copied home say."""
        self.engine, self._home = engine, home

    def migrate(self) -> None:
        """Bring the tables up to date, also when several processes start at once. Raises UserError when it cannot."""
        try:
            if self._migrated() == {m.__name__ for m in MIGRATIONS}:
                return
            with self.engine.begin() as c:
                c.exec_driver_sql(_ALONE[self.engine.dialect.name])
                t.migrations.create(c, checkfirst=True)
                done = set(c.execute(sa.select(t.migrations.c.name)).scalars())
                for migration in MIGRATIONS:
                    if migration.__name__ not in done:
                        migration(c)
                        c.execute(t.migrations.insert().values(name=migration.__name__, at=time.time()))
        except exc.SQLAlchemyError as error:
            raise UserError(f"The database {self.where} cannot be used: {first_line(error)}.") from error

    def _migrated(self) -> set[str]:
        if not sa.inspect(self.engine).has_table(t.migrations.name):
            return set()
        with self.engine.connect() as c:
            return set(c.execute(sa.select(t.migrations.c.name)).scalars())

    @property
    def where(self) -> str:
        """The database's address without its password."""
        return self.engine.url.difference_update_query(["password"]).render_as_string(hide_password=True)

    # jobs

    def add_job(self, job: str, type_: str, request: str, config: Settings, folder: str) -> None:
        """Add the row of a new job."""
        now = time.time()
        with self.engine.begin() as c:
            c.execute(
                t.jobs.insert().values(
                    id=job,
                    type=type_,
                    state="submitted",
                    request=request,
                    config=as_stored(config),
                    folder=folder,
                    created=now,
                    updated=now,
                )
            )

    @steady
    def set_job(self, job: str, **values: Any) -> None:
        """Change columns of a job's row, and keep the row in the job's folder, if there is one."""
        of_job = t.jobs.c.id == job
        with self.engine.begin() as c:
            segment = values.get("segment") or c.execute(sa.select(t.jobs.c.segment).where(of_job)).scalar() or 0
            stored = snapshots.write(c, job, segment, values)
            c.execute(t.jobs.update().where(of_job).values(updated=time.time(), **stored))
            row = c.execute(snapshots.ROWS.where(of_job)).first()
        if row is not None:
            folders.keep(self._row(row))

    @steady
    def job(self, job: str) -> JobRow:
        """The row of a job. Raises UnknownName when there is none."""
        with self.engine.connect() as c:
            row = c.execute(snapshots.ROWS.where(t.jobs.c.id == job)).first()
            if row is None:
                raise UnknownName("job", job, list(c.execute(sa.select(t.jobs.c.id)).scalars()))
            return self._row(row)

    @steady
    def states(self, jobs: Sequence[str]) -> dict[str, str]:
        """Job -> its state, of those that there are: for who waits for many and looks often."""
        with self.engine.connect() as c:
            rows = c.execute(sa.select(t.jobs.c.id, t.jobs.c.state).where(t.jobs.c.id.in_(jobs)))
            return {row.id: row.state for row in rows}

    @steady
    def all_jobs(self) -> list[JobRow]:
        """All rows, the newest first."""
        with self.engine.connect() as c:
            query = snapshots.ROWS.order_by(t.jobs.c.created.desc(), t.jobs.c.id)
            return [self._row(row) for row in c.execute(query)]

    def _row(self, row: sa.Row[Any]) -> JobRow:
        """The row of a job with its folder in this home, and never in the one that a copy was made from."""
        folder = Path(row.folder) if self._home is None else self._home / "jobs" / Path(row.folder).name
        config, result = snapshots.records(row)
        return JobRow(
            id=row.id, type=row.type, state=row.state, request=row.request, config=config, folder=folder,
            segment=row.segment, created=row.created, updated=row.updated, result=result,
        )  # fmt: skip

    def remove_job(self, job: str) -> None:
        """Remove the rows of a job: its own, its snapshots, its ledger, its events, its effects, its files."""
        with self.engine.begin() as c:
            for table in (t.effects, t.events, t.files, t.snapshots, t.steps, t.scheduled_tasks, t.plans):
                c.execute(table.delete().where(table.c.job == job))
            for table in (t.orders, t.webhooks, t.deliveries, t.traces):
                c.execute(table.delete().where(table.c.job == job))
            c.execute(t.jobs.delete().where(t.jobs.c.id == job))

    # the ledger

    @cached_property
    def _ledger(self) -> Ledger:
        return Ledger(self.engine)

    def begin_step(self, job: str, number: int, step: Begun, told: Sequence[EventRow] = ()) -> None:
        """Note that a step starts to run, and the events before it; a step that runs again counts one start more."""
        self._ledger.begin(job, number, step, told)

    def know_step(self, job: str, number: int, step: Begun) -> None:
        """Have a row for a step whose result is kept: one that the database knows stays as it is."""
        self._ledger.know(job, number, step)

    def end_step(self, job: str, number: int, ended: Ended, changed: Mapping[str, str] | None = None) -> None:
        """Note how a step ended, with the hashes of the files that it `changed`, by path."""
        self._ledger.end(job, number, ended, changed or {})

    def begin_again(self, job: str, step: int, event: int) -> None:
        """Forget what a job did after a step and an event: its segment begins again."""
        self._ledger.begin_again(job, step, event)

    def steps(self, job: str) -> list[Step]:
        """The ledger of a job in the order of its steps."""
        return self._ledger.steps(job)

    def add_events(self, job: str, told: Sequence[EventRow]) -> None:
        """Write events down; the same number again (a replay) changes nothing."""
        self._ledger.tell(job, told)

    def events(self, job: str, after: int = 0, most: int | None = None, kinds: Sequence[str] = ()) -> list[EventRow]:
        """Events of a job with a number above `after`, in their order; the first `most` of them, of some kinds only."""
        return self._ledger.events(job, after, most, kinds)

    def totals(self) -> dict[str, tuple[int, int, float]]:
        """(model calls, tokens, dollars) of every job."""
        c = t.steps.c
        query = (
            sa.select(c.job, sa.func.count(), sa.func.sum(c.prompt_tokens + c.completion_tokens), sa.func.sum(c.cost))
            .where(c.kind == "model")
            .group_by(c.job)
        )
        with self.engine.connect() as connection:
            return {job: (calls, int(tokens), float(cost)) for job, calls, tokens, cost in connection.execute(query)}

    # the hand-over from creator to validator

    @steady
    def hand_over(self, job: str, document: str, content: str, requirements: str) -> None:
        """Offer a document and what was found in it to a validator; again, unless it was taken, with new content."""
        row = {"job": job, "document": document, "content": content, "requirements": requirements, "at": time.time()}
        changed = {k: row[k] for k in ("content", "requirements", "at")}
        new = insert(self.engine, t.requirement_cache).values(**row)
        upsert = new.on_conflict_do_update(
            index_elements=["job", "document"], set_=changed, where=t.requirement_cache.c.taker.is_(None)
        )
        with self.engine.begin() as c:
            c.execute(upsert)

    def take_over(self, taker: str) -> list[HandOver]:
        """Take everything that nobody has taken; the same taker gets the same rows again. One taker each."""
        cache = t.requirement_cache
        with self.engine.begin() as c:
            c.execute(cache.update().where(cache.c.taker.is_(None)).values(taker=taker))
            query = sa.select(cache).where(cache.c.taker == taker).order_by(cache.c.at, cache.c.job, cache.c.document)
            return [HandOver(**row) for row in c.execute(query).mappings()]

    def give_back(self, taker: str) -> None:
        """Let go of what `taker` took over: it will do nothing with it any more."""
        cache = t.requirement_cache
        with self.engine.begin() as c:
            c.execute(cache.update().where(cache.c.taker == taker).values(taker=None))

    # leases

    def lease(self, name: str, owner: str) -> None:
        """Take or renew the lease `name`. Raises JobBusy when another living process holds it."""
        current = now(self.engine)
        values = {"name": name, "owner": owner, "expires": current + LEASE_SECONDS}
        with self.engine.connect() as c:
            before = c.execute(sa.select(t.leases.c.owner).where(t.leases.c.name == name)).scalar()
        free = [owner] if before is None or not is_dead(before) else [owner, before]
        upsert = insert(self.engine, t.leases).values(**values).on_conflict_do_update(
            index_elements=["name"], set_=values, where=t.leases.c.owner.in_(free) | (t.leases.c.expires < current)
        ).returning(t.leases.c.owner)  # fmt: skip
        with self.engine.begin() as c:
            if c.execute(upsert).first() is None:  # not by rowcount: for inserts not every driver has one
                holder = c.execute(sa.select(t.leases.c.owner).where(t.leases.c.name == name)).scalar()
                raise JobBusy(name, f"process {str(holder).replace('@', ' on ')}")

    @steady
    def release(self, name: str, owner: str) -> None:
        with self.engine.begin() as c:
            c.execute(t.leases.delete().where(t.leases.c.name == name, t.leases.c.owner == owner))

    @steady
    def holder(self, name: str) -> str | None:
        """Who holds the lease now, None when nobody alive does."""
        with self.engine.connect() as c:
            holds = (t.leases.c.name == name) & (t.leases.c.expires >= now(self.engine))
            owner = c.execute(sa.select(t.leases.c.owner).where(holds)).scalar()
        return None if owner is None or is_dead(owner) else str(owner)


def this_process() -> str:
    """`<process>.<its start time>@<host>`: a name that a process which gets the same number later does not have."""
    return f"{os.getpid()}.{_start_time(os.getpid())}@{socket.gethostname()}"


def is_dead(owner: str) -> bool:
    """Whether a process of this host has ended."""
    process, _, host = owner.partition("@")
    if host != socket.gethostname():
        return False  # nothing is known about processes elsewhere: the lease has to run out
    number, _, started = process.partition(".")
    return _start_time(int(number)) != started


def _start_time(process: int) -> str:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
        return "gone" if fields[0] in "ZX" else fields[19]  # a zombie has ended
    except OSError:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return "gone"
        except PermissionError:
            pass
        return "0"  # no /proc on this system: the number alone has to do


def first_line(error: BaseException) -> str:
    """The first line of an error's text, without the SQL that follows and without a final stop."""
    origin = getattr(error, "orig", None) or error
    return (str(origin).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
