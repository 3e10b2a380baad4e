"""The commands of `echelon`: their grammar, and what each does. Everything heavy is imported where it is used."""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from echelon.faces.cli.code_commands import code_grammar

if TYPE_CHECKING:
    from echelon.service.service import JobResult, Service
    from echelon.store.store import Store

INTERRUPTED = 130
CODES = """exit codes: 0 completed, 1 failed, 2 bad usage or input, 3 a limit was reached or a part of the input could
not be read (partial result kept), 4 needs input, 5 escalated to a person, 6 cancelled, 130 interrupted (resumable)"""
ABOUT = """Runs long jobs with a hierarchy of roles: planned in windows, checked task by task, resumable after any
interruption. State is kept in .echelon in the current folder (or ECHELON_HOME), or in PostgreSQL
(ECHELON_DATABASE_URL)."""

SETTING = "change a setting, such as budget.cost=2"

Commands = Any
"""What argparse's `add_subparsers` returns; its class is private."""


def say(text: str) -> None:
    """One sentence on standard error."""
    print(f"echelon: {text}", file=sys.stderr, flush=True)


class Grammar(argparse.ArgumentParser):
    """A parser whose complaints are one sentence."""

    def error(self, message: str) -> NoReturn:
        from echelon.errors import UserError

        raise UserError(f"{message[:1].upper()}{message[1:]}; see '{self.prog} --help'.")


def parser() -> Grammar:
    """The grammar of the command line. Parsing raises UserError for what does not fit it."""
    top = Grammar(prog="echelon", description=ABOUT, epilog=CODES)
    commands = top.add_subparsers(metavar="COMMAND", title="commands", parser_class=Grammar)
    _running(commands)
    _looking(commands)
    code_grammar(functools.partial(_command, commands))
    top.set_defaults(command=None, names=sorted(commands.choices))
    return top


def _running(commands: Commands) -> None:
    run = _command(commands, "run", run_command, "run a job on files and show how it goes")
    _wanted(run)
    _settings(run)
    submit = _command(commands, "submit", submit_command, "put a job into the queue that workers take jobs from")
    _wanted(submit)
    submit.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=SETTING)
    worker = _command(commands, "worker", worker_command, "take jobs from the queue and run them until stopped")
    worker.add_argument("--concurrency", metavar="N", type=_count, default=1, help="jobs at once in each worker (1)")
    worker.add_argument("--drain", action="store_true", help="end when every job of the queue has ended")
    resume = _command(commands, "resume", resume_command, "go on with a job that was interrupted or reached a limit")
    resume.add_argument("job", nargs="?", metavar="JOB", help="id of the job; the latest that can go on, if left out")
    _settings(resume)
    answer = _command(commands, "answer", answer_command, "answer a job that waits for a person, and go on with it")
    answer.add_argument("job", metavar="JOB", help="id of the job")
    answer.add_argument("text", metavar="TEXT", help="the answer, in quotes")
    for name, event, says in (
        ("approve", "approved", "approve what a job asks about, and go on with it"),
        ("reject", "refused by a person", "refuse what a job asks about, which ends it"),
    ):
        decision = _command(commands, name, decision_command, says)
        decision.add_argument("job", metavar="JOB", help="id of the job")
        decision.set_defaults(event=event)
    cancel = _command(commands, "cancel", cancel_command, "stop a job for good, in whichever process it runs")
    cancel.add_argument("job", metavar="JOB", help="id of the job")


def _looking(commands: Commands) -> None:
    _command(commands, "jobs", jobs_command, "list the jobs, the latest first")
    show = _command(commands, "show", show_command, "show one job: how it stands, what it did, what it cost")
    show.add_argument("job", metavar="JOB", help="id of the job")
    show.add_argument("--effects", action="store_true", help="list the calls that must not be made twice")
    sweep = _command(commands, "sweep", sweep_command, "kill a job at its steps, resume it, and compare what comes out")
    _wanted(sweep)
    sweep.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=SETTING)
    where = sweep.add_mutually_exclusive_group()
    where.add_argument("--every", action="store_true", help="kill at every step, and inside one in ten")
    where.add_argument("--kills", metavar="N", type=_count, default=10, help="kill at so many places at random (10)")
    sweep.add_argument("--seed", metavar="N", type=int, default=1, help="another number picks other places")
    cost = _command(commands, "cost", cost_command, "show what a job cost, and what for")
    cost.add_argument("job", metavar="JOB", help="id of the job")
    _command(
        commands, "doctor", doctor_command, "check what is configured, reachable and missing, and say how to fix it"
    )


def _command(commands: Commands, name: str, function: Callable[[argparse.Namespace], int], says: str) -> Grammar:
    about = f"{says[:1].upper()}{says[1:]}."
    command: Grammar = commands.add_parser(name, help=says, description=about, epilog=CODES)
    command.add_argument("--json", action="store_true", help="print one JSON value instead of text")
    command.set_defaults(command=function)
    return command


def _wanted(command: Grammar) -> None:
    command.add_argument(
        "type", metavar="TYPE", help="creator finds requirements in documents, validator puts them into a graph"
    )
    command.add_argument("files", nargs="*", metavar="FILE", help="documents: PDF, DOCX, HTML, Markdown or plain text")
    what = command.add_mutually_exclusive_group()
    what.add_argument("--request", metavar="TEXT", help="what is asked for, in a sentence")
    what.add_argument("--instructions", metavar="FILE", type=Path, help="a text file that says what is asked for")
    command.add_argument("--model", metavar="NAME", help="playbook (the default; rules, no key) or openai/<name>")


def _settings(command: Grammar) -> None:
    command.add_argument("--out", metavar="DIR", type=Path, help="copy the results to this folder at the end")
    command.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=SETTING)


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1")
    return number


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line, parsed. Raises UserError."""
    from echelon.errors import UnknownName, UserError

    grammar = parser()
    names = grammar.get_default("names")
    first = next((a for a in arguments if not a.startswith("-")), None)
    if first is None and not {"-h", "--help"} & set(arguments):
        raise UserError("Say what to do, such as 'echelon run creator FILE.pdf'; 'echelon --help' lists the commands.")
    if first is not None and first not in names:
        raise UnknownName("command", first, names)
    return grammar.parse_args(arguments)


# running


def run_command(given: argparse.Namespace) -> int:
    """`echelon run`."""
    from echelon.service.service import Service

    _checked_out(given.out)
    service = Service()
    job = service.submit(given.type, given.files, _request(given), given.model, _overrides(given), out=given.out)
    return perform(service, job, given.json)


def submit_command(given: argparse.Namespace) -> int:
    """`echelon submit`."""
    from echelon.service.service import Service

    service = Service()
    job = service.submit(given.type, given.files, _request(given), given.model, _overrides(given))
    service.enqueue(job)
    how = f"Job {job} is in the queue; 'echelon worker' runs it, 'echelon show {job}' tells how it stands."
    print(json.dumps({"job": job, "state": "submitted"}) if given.json else how)
    return 0


def worker_command(given: argparse.Namespace) -> int:
    """`echelon worker`."""
    from echelon.service.service import Service
    from echelon.service.worker import work

    return work(Service(), given.concurrency, given.drain, given.json)


def _request(given: argparse.Namespace) -> str | None:
    from echelon.errors import UserError

    if given.instructions is None:
        return given.request if given.request is None else str(given.request)
    try:
        text = str(given.instructions.read_text(encoding="utf-8")).strip()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UserError(f"{given.instructions} cannot be read as text: {why}.") from error
    if not text:
        raise UserError(f"{given.instructions} is empty; write what is asked for into it.")
    return text


def _checked_out(out: Path | None) -> None:
    from echelon.errors import UserError

    if out is not None and out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; --out needs a folder.")


def resume_command(given: argparse.Namespace) -> int:
    """`echelon resume`."""
    _checked_out(given.out)
    service = _existing()
    return perform(service, service.resume(given.job, _overrides(given)), given.json, given.out)


def answer_command(given: argparse.Namespace) -> int:
    """`echelon answer`."""
    from echelon.errors import UserError

    if not given.text.strip():
        raise UserError("The answer is empty.")
    service = _existing()
    said = {"event": "answered by a person", "text": given.text}
    return perform(service, service.resume(given.job, said=said), given.json)


def decision_command(given: argparse.Namespace) -> int:
    """`echelon approve` and `echelon reject`."""
    service = _existing()
    return perform(service, service.resume(given.job, said={"event": given.event}), given.json)


def cancel_command(given: argparse.Namespace) -> int:
    """`echelon cancel`."""
    _existing().cancel(given.job)
    print(json.dumps({"job": given.job, "state": "cancelled"}) if given.json else f"Job {given.job} is cancelled.")
    return 0


def perform(service: Service, job: str, as_json: bool, out: Path | None = None) -> int:
    """Run a job with its display, and say how it ended. Returns the exit code.

    The results are copied to `out`, or to the folder that was named when the job was submitted.
    """
    from echelon.faces.cli.printing import summary

    settings = service.store.job(job)["config"]
    model, out = settings["config"]["model"], out or (Path(settings["out"]) if "out" in settings else None)
    prices = [] if as_json else service.price_warnings(job)
    began = time.monotonic()
    try:
        with _display(service, job, model, as_json, bool(prices)):
            result = service.run(job)
    except KeyboardInterrupt:
        say(f"interrupted; nothing is lost. Go on with: echelon resume {job}")
        return INTERRUPTED
    if out is not None:
        result = service.copied(result, out)
    with contextlib.suppress(BrokenPipeError):  # the job ended as it did, whoever reads
        if as_json:
            print(json.dumps(result.as_dict(), ensure_ascii=False), flush=True)
        elif result.state != "rejected":
            print(summary(result, model, time.monotonic() - began, prices), flush=True)
    if result.state in ("rejected", "failed"):
        say(_why(result))
    return result.exit_code


def _display(
    service: Service, job: str, model: str, as_json: bool, is_unpriced: bool
) -> contextlib.AbstractContextManager[object]:
    from echelon.engine.run import listen
    from echelon.faces.cli.display import display

    if as_json:
        return contextlib.nullcontext()
    named = "playbook (rules, no language model; --model openai/<name> uses one)" if model == "playbook" else model
    if is_unpriced:
        named += " (price not known: it counts as 0)"
    past = service.store.events(job)
    given = service.store.job(job)["config"].get("given", {})
    shown = display(job, named, past, replayed=len(past) - given.get("snapshot", {}).get("events", 0))
    listen(job, shown)
    return shown


def _why(result: JobResult) -> str:
    hint = f" Go on with: echelon resume {result.job}" if result.state == "failed" else ""
    return f"{result.reason}{hint}"


# looking


def jobs_command(given: argparse.Namespace) -> int:
    """`echelon jobs`."""
    from echelon.faces.cli.printing import jobs_text
    from echelon.service.views import job_rows

    store = _existing_store()
    rows = job_rows(store) if store else []
    print(json.dumps(rows, ensure_ascii=False) if given.json else jobs_text(rows))
    return 0


def show_command(given: argparse.Namespace) -> int:
    """`echelon show`."""
    if given.effects:
        return _show_effects(given)
    from echelon.faces.cli.printing import job_text
    from echelon.service.views import job_details

    details = job_details(_existing().store, given.job)
    print(json.dumps(details, ensure_ascii=False) if given.json else job_text(details))
    return 0


def sweep_command(given: argparse.Namespace) -> int:
    """`echelon sweep`."""
    from echelon.service.service import CONFIGS, checked_input
    from echelon.service.sweep import Sweep, command
    from echelon.settings import load_config

    overrides = _overrides(given)
    request = _request(given)
    most = load_config(CONFIGS, given.type, overrides).inputs.max_megabytes
    inputs = tuple(checked_input(Path(p), most) for p in given.files)
    sweep = Sweep(given.type, inputs, given.model, overrides, request)
    return command(sweep, given.every, given.kills, given.seed, given.json)


def _show_effects(given: argparse.Namespace) -> int:
    from echelon.faces.cli.printing import table
    from echelon.service.views import effect_rows

    rows = effect_rows(_existing().store, given.job)
    if given.json:
        print(json.dumps(rows, ensure_ascii=False))
    elif rows:
        header = ("STEP", "TOOL", "STATE", "BEGUN", "ARGUMENTS")
        print(table([(str(r["number"]), r["tool"], r["state"], r["begun"], r["arguments"]) for r in rows], header))
    else:
        print(f"Job {given.job} called no tool that must not run twice.")
    return 0


def cost_command(given: argparse.Namespace) -> int:
    """`echelon cost`."""
    from echelon.faces.cli.cost_text import cost_text
    from echelon.service.cost import cost_of

    found = cost_of(_existing().store, given.job)
    print(json.dumps(found, ensure_ascii=False) if given.json else cost_text(found))
    return 0


def doctor_command(given: argparse.Namespace) -> int:
    """`echelon doctor`."""
    from echelon.faces.cli.printing import doctor_text
    from echelon.service.doctor import examine
    from echelon.settings import read_environment

    checks = examine(read_environment())
    print(json.dumps([c.as_dict() for c in checks], ensure_ascii=False) if given.json else doctor_text(checks))
    return 1 if any(c.state == "broken" for c in checks) else 0


def _existing() -> Service:
    """The service of a home that has jobs: looking for a job makes no folder. Raises UserError where there is none."""
    from echelon.errors import UserError
    from echelon.service.service import Service

    service = Service()
    if not service.has_store:
        raise UserError(f"There are no jobs in {service.environment.home}; is this the right folder, or ECHELON_HOME?")
    return service


def _existing_store() -> Store | None:
    from echelon.service.service import Service

    service = Service()
    return service.store if service.has_store else None


def _overrides(given: argparse.Namespace) -> dict[str, Any]:
    from echelon.settings import parse_override

    return dict(parse_override(text) for text in given.set)
