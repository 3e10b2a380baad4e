"""Durable execution: one DBOS workflow for each segment of a job, one DBOS step for each model call and tool call.

A job is a chain of segments. A segment runs until the job ends or needs a person; it leaves a snapshot in the store,
and the next segment starts from there, so that a job can wait for days without a thread, and a resume replays only the
segment that was interrupted. The code between steps must be deterministic: no clock, no random numbers, no files.
"""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from sqlalchemy import exc

from echelon.engine import recorded_steps
from echelon.errors import Halted, JobCancelled, Superseded, UserError
from echelon.garbage import seldom_collecting
from echelon.store import leases
from echelon.store.outage import steady
from echelon.store.store import LEASE_SECONDS, Store, first_line, this_process

if TYPE_CHECKING:
    from dbos import DBOSClient

APPLICATION = "echelon"
WORKFLOW = "echelon_job"
APPLICATION_VERSION = "4"
"""Raised when the step sequence of a running job would change, so that no old job is replayed by new code."""

JOBS = "jobs"
"""The queue of submitted jobs, which workers listen to."""

Body = Callable[[str, int, dict[str, Any]], dict[str, Any]]
"""(job, segment, what the row of the job does not say of it) -> how it ended"""

_body: Body | None = None
_launched: tuple[str, Any] | None = None
_takes_jobs = False
"""Whether what was launched listens to the queue of jobs"""
_lock = threading.Lock()
_POLLING_SECONDS = 0.2
"""How often a worker that has room looks into the queue of jobs"""
_FIRST_SECONDS = 0.02
"""Until its first look: DBOS waits before it looks, and what was queued for this worker is there already"""
_AS_LONG_AS_IT_TAKES = 10**9
_MESSAGE_SECONDS = 0.05
"""How often DBOS looks for messages between workflows: none are sent here, and a process waits for the last look to end."""


def launch(store: Store, body: Body, concurrency: int = 0) -> None:
    """Start DBOS on the database of `store`, once a process; with a `concurrency`, to take jobs from the queue as well.

    Raises UserError when it cannot.
    """
    global _body, _launched, _takes_jobs
    with _lock:
        _body = body
        url = _url(store)
        is_there = _launched is not None and _launched[0] == url
        if is_there and (_takes_jobs or not concurrency):
            return
        if _launched is not None:
            shut_down()
        if concurrency:
            _register_jobs(store, concurrency, _FIRST_SECONDS)
        _launched = (url, _start(store, url, [JOBS] if concurrency else []))
        _takes_jobs = concurrency > 0


def look_less_often(store: Store, concurrency: int) -> None:
    """Have the workers of the queue look into it at their usual pace, now that one has had its first look."""
    _register_jobs(store, concurrency, _POLLING_SECONDS)


def _register_jobs(store: Store, concurrency: int, polling_seconds: float) -> None:
    """Make the queue known before DBOS starts: what is registered later it notices a second later."""
    with _client_of_tables(store) as client:
        client.register_queue(
            JOBS, worker_concurrency=concurrency, polling_interval_sec=polling_seconds, on_conflict="always_update"
        )


def _start(store: Store, url: str, queues: list[str]) -> Any:
    with seldom_collecting():
        from dbos import DBOS

    _quiet()
    dbos = DBOS(
        config={
            "name": APPLICATION,
            "system_database_url": url,
            "system_database_engine": store.engine,
            "executor_id": this_process(),
            "application_version": APPLICATION_VERSION,
            "log_level": "CRITICAL",
            "console_log_level": "CRITICAL",
            "run_admin_server": False,  # type: ignore[typeddict-unknown-key]
            "notification_listener_polling_interval_sec": _MESSAGE_SECONDS,
        }
    )
    _workflow()
    DBOS.listen_queues([_own_queue(), *queues])
    try:
        DBOS.launch()
    except (exc.SQLAlchemyError, OSError) as error:
        DBOS.destroy()
        raise UserError(f"The database {store.where} cannot be used: {first_line(error)}.") from error
    recorded_steps.make_once(dbos._sys_db)  # pyright: ignore[reportPrivateUsage]
    return dbos


def _quiet() -> None:
    for name in ("dbos", "alembic"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def shut_down(*, finish: bool = False) -> None:
    """Stop DBOS in this process; running segments stay resumable, or are waited for with `finish`."""
    global _launched, _takes_jobs
    from dbos import DBOS

    _launched, _takes_jobs = None, False
    DBOS.destroy(workflow_completion_timeout_sec=_AS_LONG_AS_IT_TAKES if finish else 0)


def _own_queue() -> str:
    return f"resume-{this_process()}"


def _segment(job: str, segment: int, given: dict[str, Any]) -> dict[str, Any]:
    """The workflow: its end, good or bad, is told to whoever waits in this process."""
    assert _body is not None
    outcome = _outcomes.get(segment_id(job, segment)) or Future()
    try:
        ended = _body(job, segment, given)
    except BaseException as error:
        from dbos._error import DBOSWorkflowCancelledError

        halted = error if isinstance(error, (Halted, DBOSWorkflowCancelledError)) else Halted(error)
        outcome.set_exception(halted)
        raise halted from error
    outcome.set_result(ended)
    return ended


def what_stopped(error: BaseException) -> BaseException:
    """The error behind what a segment raised: JobCancelled, Superseded (another process has it now), or its cause."""
    from dbos._error import DBOSWorkflowCancelledError, DBOSWorkflowConflictIDError

    cause = error.cause if isinstance(error, Halted) else error
    if isinstance(cause, DBOSWorkflowCancelledError):
        return JobCancelled("The job was cancelled.")
    if isinstance(cause, DBOSWorkflowConflictIDError):
        return Superseded("Another process has taken the job over.")
    return cause


_outcomes: dict[str, Future[dict[str, Any]]] = {}
_registered: Any = None


def _workflow() -> Any:
    global _registered
    if _registered is None:
        from dbos import DBOS

        _registered = DBOS.workflow(name=WORKFLOW, max_recovery_attempts=1_000_000)(_segment)
    return _registered


def segment_id(job: str, segment: int) -> str:
    return f"{job}.{segment}"


def run(job: str, segment: int, given: dict[str, Any]) -> dict[str, Any]:
    """Run a segment in this process, or go on with it after its last finished step; returns how it ended.

    Raises JobCancelled, Superseded, and whatever stopped the segment: an error of the surroundings leaves it resumable.
    """
    from dbos import DBOS, SetWorkflowID

    name = segment_id(job, segment)
    outcome: Future[dict[str, Any]] = Future()
    _outcomes[name] = outcome
    try:
        if DBOS.get_workflow_status(name) is not None:
            DBOS.register_queue(_own_queue(), polling_interval_sec=0.2)
            handle = DBOS.resume_workflow(name, queue_name=_own_queue())
        else:
            with SetWorkflowID(name):
                handle = DBOS.start_workflow(_workflow(), job, segment, given)
        ended = _awaited(outcome, handle)
        handle.get_result()  # so that DBOS has written the end down as well
        return ended
    finally:
        del _outcomes[name]


def is_of_another_version(job: str, segment: int) -> bool:
    """Whether a segment was begun by a version of ours whose steps this one cannot replay."""
    from dbos import DBOS

    status = DBOS.get_workflow_status(segment_id(job, segment))
    return status is not None and status.app_version != APPLICATION_VERSION


def _awaited(outcome: Future[dict[str, Any]], handle: Any) -> dict[str, Any]:
    from dbos._error import DBOSWorkflowCancelledError

    while True:
        try:
            return outcome.result(timeout=1.0)
        except (Halted, DBOSWorkflowCancelledError) as stopped:
            cause = what_stopped(stopped)
            if isinstance(cause, Superseded) and handle.get_status().status == "CANCELLED":
                cause = JobCancelled("The job was cancelled.")  # in the middle of a step
            raise cause from None
        except TimeoutError:
            status = handle.get_status().status
            if status == "CANCELLED" and not outcome.running():
                raise JobCancelled("The job was cancelled.") from None
            if status == "SUCCESS":  # finished before this process asked: the recorded end is all there is
                value: dict[str, Any] = handle.get_result()
                return value


def enqueue(store: Store, job: str, segment: int, given: dict[str, Any]) -> None:
    """Put a segment into the queue of jobs; a worker takes it. Raises UserError when the database cannot be used."""
    with _client_of_tables(store) as client:
        client.enqueue(
            {
                "workflow_name": WORKFLOW,
                "queue_name": JOBS,
                "workflow_id": segment_id(job, segment),
                "app_version": APPLICATION_VERSION,
            },
            job,
            segment,
            given,
        )


def requeue(store: Store, job: str, segment: int) -> None:
    """Put a segment that began and stopped back into the queue of jobs: a worker goes on after its last finished step."""
    with _client(store) as client:
        client.resume_workflow(segment_id(job, segment), queue_name=JOBS)


def version_of(store: Store, job: str, segment: int) -> str | None:
    """The version of ours that a segment was begun or queued by, None for one that never was."""
    found = _known(store, job, segment)
    return None if found is None else found[1]


def is_queued(store: Store, job: str, segment: int) -> bool:
    """Whether a segment waits in the queue of jobs."""
    found = _known(store, job, segment)
    return found is not None and found[0] in ("ENQUEUED", "DELAYED")


def _known(store: Store, job: str, segment: int) -> tuple[str, str | None] | None:
    """(status, version of ours) of a segment, as DBOS has it."""
    _tables(store)
    with _client(store) as client:
        found = client.list_workflows(workflow_ids=[segment_id(job, segment)], load_input=False, load_output=False)
    return (found[0].status, found[0].app_version) if found else None


def cancel(store: Store, job: str, segment: int) -> None:
    """Ask DBOS to stop a segment at its next step, in whichever process it runs. It can be resumed."""
    from dbos._error import DBOSNonExistentWorkflowError

    _tables(store)
    with _client(store) as client, contextlib.suppress(DBOSNonExistentWorkflowError):
        client.cancel_workflow(segment_id(job, segment))  # not known: killed before it began, so nothing runs


def forget(store: Store, job: str, segments: int) -> None:
    """Remove what is recorded of the segments of a job, from the first to the last."""
    _tables(store)
    with _client(store) as client:
        for segment in range(1, segments + 1):
            client.delete_workflow(segment_id(job, segment))


def _tables(store: Store) -> None:
    """See that the tables of DBOS are there, as a client expects; what was launched on them has made them."""
    with seldom_collecting():
        from dbos import DBOS

    _quiet()
    url = _url(store)
    if _launched is None or _launched[0] != url:
        DBOS.migrate(url)


def _url(store: Store) -> str:
    return store.engine.url.render_as_string(hide_password=False)


@contextlib.contextmanager
def _client_of_tables(store: Store) -> Generator[DBOSClient]:
    """A client of a database in which nothing of DBOS need be yet. Raises UserError when the database cannot be used."""
    try:
        _tables(store)
        with _client(store) as client:
            yield client
    except (exc.SQLAlchemyError, OSError) as error:
        raise UserError(f"The database {store.where} cannot be used: {first_line(error)}.") from error


@contextlib.contextmanager
def _client(store: Store) -> Generator[DBOSClient]:
    client = _opened(store)
    try:
        yield client
    finally:
        client.destroy()


@steady
def _opened(store: Store) -> DBOSClient:
    """DBOS asks again where its server went away during a question, but not where it did as the client was made."""
    from dbos import DBOSClient

    return DBOSClient(system_database_engine=store.engine, application_name=APPLICATION)


def waiting_or_running(store: Store) -> int:
    """How many segments of the queue of jobs have not ended."""
    with _client(store) as client:
        return len(client.list_queued_workflows(queue_name=JOBS, load_input=False, load_output=False))


def running(store: Store, executor: str) -> list[tuple[str, int]]:
    """(job, segment) of what an executor has begun and not ended."""
    with _client(store) as client:
        found = client.list_workflows(executor_id=executor, status="PENDING", load_input=False, load_output=False)
    parts = (w.workflow_id.rpartition(".") for w in found)
    return sorted((job, int(segment)) for job, _, segment in parts if segment.isdigit())


def recover(executor: str) -> list[str]:
    """Have DBOS put what the executor ran back into its queue; returns the ids of those segments.

    For an executor that is gone. Asked twice, or for one that wakes up later, nothing runs twice: DBOS lets only the
    latest taker of a workflow record its steps.
    """
    from dbos import DBOS

    return sorted(handle.workflow_id for handle in DBOS._recover_pending_workflows([executor]))  # pyright: ignore[reportPrivateUsage]


def run_step(name: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run `work` as a recorded step of the segment that this thread runs; on replay return what was recorded."""
    from dbos import DBOS

    return DBOS.run_step({"name": name}, work)


def step_names(job: str, segment: int) -> list[str]:
    """Names of the recorded steps of a segment, in order."""
    from dbos import DBOS

    return [s["function_name"] for s in DBOS.list_workflow_steps(segment_id(job, segment))]


class Lease:
    """A name that this process holds and renews while the block runs: the right to run a job, or being a worker.

    Raises JobBusy on entry when another living process has it, unless `taken`: then DBOS has given the job to this
    process already, and whoever had the lease is out.
    """

    def __init__(self, store: Store, name: str, *, taken: bool = False) -> None:
        self._store, self._name, self._taken, self._stop = store, name, taken, threading.Event()
        self._abandoned = False
        self.lost = False
        """Whether the lease ran out and was cleared away, as after a long freeze."""

    def __enter__(self) -> Lease:
        if self._taken:
            leases.take(self._store.engine, self._name, this_process())
        else:
            self._store.lease(self._name, this_process())
        self._thread = threading.Thread(target=self._renew, name=f"lease-{self._name}", daemon=True)
        self._thread.start()
        return self

    def abandon(self) -> None:
        """Let all leases of this process run out now: it is about to end, and others may go on with what it ran."""
        self._abandoned = True
        self._stop.set()
        self._thread.join()
        leases.expire(self._store.engine, this_process())

    def __exit__(self, *_: object) -> None:
        if self._abandoned:
            return
        self._stop.set()
        self._thread.join()
        with contextlib.suppress(exc.SQLAlchemyError):  # then it runs out by itself, or with this process
            self._store.release(self._name, this_process())

    def _renew(self) -> None:
        while not self._stop.wait(LEASE_SECONDS / 3):
            try:
                self.lost = not leases.renew(self._store.engine, self._name, this_process())
            except exc.SQLAlchemyError:
                continue  # the database may be back before the lease runs out
            if self.lost:
                return  # DBOS keeps the two holders from mixing, and the new one goes on
