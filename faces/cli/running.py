"""The commands that run jobs or tell them something: run, submit, worker, resume, answer, approve, reject, cancel."""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from echelon.faces.cli.grammar import (
    INTERRUPTED,
    JOB,
    SETTING,
    Define,
    checked_out,
    count,
    existing,
    job_argument,
    named,
    overrides_of,
    request_of,
    say,
    settings,
    wanted,
)  # fmt: skip
from echelon.shown import show

if TYPE_CHECKING:
    from echelon.service.job_result import JobResult
    from echelon.service.service import Service


def add_running(define: Define) -> None:
    """Add the commands."""
    run = define("run", run_command, "run a job on files and show how it goes")
    wanted(run)
    settings(run)
    showing(run)
    run.add_argument("--apply", action="store_true", help="coder: bring the change into the repository when it is done")
    submit = define("submit", submit_command, "put a job into the queue that workers take jobs from")
    wanted(submit)
    submit.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=SETTING)
    worker = define("worker", worker_command, "take jobs from the queue and run them until stopped")
    worker.add_argument("--concurrency", metavar="N", type=count, default=1, help="jobs at once in each worker (1)")
    worker.add_argument("--drain", action="store_true", help="end when every job of the queue has ended")
    resume = define("resume", resume_command, "go on with a job that was interrupted or reached a limit")
    resume.add_argument("job", nargs="?", metavar="JOB", help=f"{JOB}; the latest that can go on, if left out")
    settings(resume)
    showing(resume)
    answer = define("answer", answer_command, "answer a job that waits for a person, and go on with it")
    job_argument(answer)
    answer.add_argument("text", metavar="TEXT", help="the answer, in quotes")
    for name, event, says in (
        ("approve", "approved", "approve what a job asks about, and go on with it"),
        ("reject", "refused by a person", "refuse what a job asks about, which ends it"),
    ):
        decision = define(name, decision_command, says)
        job_argument(decision)
        decision.set_defaults(event=event)
    cancel = define("cancel", cancel_command, "stop a job for good, in whichever process it runs")
    job_argument(cancel)
    remove = define("remove", remove_command, "remove a job that does not run: its folder, its ledger, its record")
    job_argument(remove)


def run_command(given: argparse.Namespace) -> int:
    """`echelon run`."""
    from echelon.errors import UserError
    from echelon.faces.cli.code_commands import apply_job
    from echelon.service.service import Service

    checked_out(given.out)
    service = Service()
    if given.apply and given.type != "coder":
        raise UserError(f"--apply is for coder jobs; a {given.type} job changes no repository.")
    job = service.submit(given.type, given.files, request_of(given), given.model, overrides_of(given), out=given.out)
    code = perform(service, job, shown_as(given))
    if given.apply and code == 0:
        apply_job(service, job, is_told=not given.json)  # as JSON the job has been printed, and one value is the rule
    return code


def submit_command(given: argparse.Namespace) -> int:
    """`echelon submit`."""
    from echelon.service.service import Service

    service = Service()
    job = service.submit(given.type, given.files, request_of(given), given.model, overrides_of(given))
    service.enqueue(job)
    how = f"Job {job} is in the queue; 'echelon worker' runs it, 'echelon show {job}' tells how it stands."
    show(json.dumps({"job": job, "state": "submitted"}) if given.json else how)
    return 0


def worker_command(given: argparse.Namespace) -> int:
    """`echelon worker`."""
    from echelon.service.service import Service
    from echelon.service.worker import work

    return work(Service(), given.concurrency, given.drain, given.json)


def resume_command(given: argparse.Namespace) -> int:
    """`echelon resume`."""
    checked_out(given.out)
    service = existing()
    job = named(service, given.job) if given.job else None
    return perform(service, service.resume(job, overrides_of(given)), shown_as(given), given.out)


def answer_command(given: argparse.Namespace) -> int:
    """`echelon answer`."""
    from echelon.errors import UserError

    if not given.text.strip():
        raise UserError("The answer is empty.")
    from echelon.store.records.jobs import Said

    service = existing()
    said = Said(event="answered by a person", text=given.text)
    return perform(service, service.resume(named(service, given.job), said=said), Shown(as_json=given.json))


def decision_command(given: argparse.Namespace) -> int:
    """`echelon approve` and `echelon reject`."""
    from echelon.store.records.jobs import Said

    service = existing()
    job = service.resume(named(service, given.job), said=Said(event=given.event))
    return perform(service, job, Shown(as_json=given.json))


def cancel_command(given: argparse.Namespace) -> int:
    """`echelon cancel`."""
    service = existing()
    job = named(service, given.job)
    service.cancel(job)
    show(json.dumps({"job": job, "state": "cancelled"}) if given.json else f"Job {job} is cancelled.")
    return 0


def remove_command(given: argparse.Namespace) -> int:
    """`echelon remove`."""
    from echelon.service.removal import remove

    service = existing()
    job = named(service, given.job)
    remove(service.store, job, service.shared(job))
    show(json.dumps({"job": job, "state": "removed"}) if given.json else f"Job {job} is removed.")
    return 0


@dataclass(frozen=True)
class Shown:
    """How a run is shown: as JSON, without its progress, and with its report opened at the end."""

    as_json: bool = False
    quiet: bool = False
    opened: bool = False


def showing(command: argparse.ArgumentParser) -> None:
    """Options of commands that run a job before one's eyes."""
    command.add_argument("--quiet", action="store_true", help="show the end alone, not the progress")
    command.add_argument("--open", action="store_true", help="open the report in a browser at the end")


def shown_as(given: argparse.Namespace) -> Shown:
    return Shown(given.json, given.quiet, given.open)


def perform(service: Service, job: str, shown: Shown, out: Path | None = None) -> int:
    """Run a job with its display, and say how it ended. Returns the exit code.

    The results are copied to `out`, or to the folder that was named when the job was submitted.
    """
    from echelon.faces.cli.printing import summary

    settings = service.store.job(job).config
    model, out = settings.model, out or (Path(settings.out) if settings.out is not None else None)
    prices = [] if shown.as_json else service.price_warnings(job)
    began = time.monotonic()
    try:
        with _display(service, job, model, shown, bool(prices)):
            result = service.run(job)
    except KeyboardInterrupt:
        say(f"interrupted; nothing is lost. Go on with: echelon resume {job}")
        return INTERRUPTED
    if out is not None:
        result = service.copied(result, out)
    with contextlib.suppress(BrokenPipeError):  # the job ended as it did, whoever reads
        if shown.as_json:
            show(json.dumps(result.as_dict(), ensure_ascii=False))
        elif result.state != "rejected":
            show(summary(result, model, time.monotonic() - began, prices))
    if result.state in ("rejected", "failed"):
        say(_why(result))
    if shown.opened:
        _open_report(result)
    return result.exit_code


def _display(
    service: Service, job: str, model: str, how: Shown, is_unpriced: bool
) -> contextlib.AbstractContextManager[object]:
    from echelon.engine.run import listen
    from echelon.engine.words import hear
    from echelon.faces.cli.display import LiveDisplay, display

    if how.as_json or how.quiet:
        return contextlib.nullcontext()
    named = "playbook (rules, no language model; --model openai/<name> uses one)" if model == "playbook" else model
    if is_unpriced:
        named += " (price not known: it counts as 0)"
    past = [row.event for row in service.store.events(job)]
    known = service.store.job(job).config.snapshot.get("events", 0)
    shown = display(job, named, past, replayed=len(past) - known)
    listen(job, shown)
    if isinstance(shown, LiveDisplay):
        hear(job, shown.heard)
    return shown


def _why(result: JobResult) -> str:
    hint = f" Go on with: echelon resume {result.job}" if result.state == "failed" else ""
    return f"{result.reason}{hint}"


def _open_report(result: JobResult) -> None:
    """Open the report of a job; where it has none, or there is no browser, say so."""
    import webbrowser

    report = next((p for p in result.outputs if p.name == "report.html"), None)
    if report is None:
        say("there is no report to open.")
    elif not webbrowser.open(report.resolve().as_uri()):
        say(f"no browser can be opened here; the report is {report}.")
