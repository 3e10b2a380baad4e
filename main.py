"""The door: the command line, and the functions that `crewai run`, `test`, `train`, `replay` and `flow plot` call.

Everything heavy is imported where it is used: `echelon --help` must answer at once.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from crews.service import JobResult, Service

# Confidential documents are read here: nothing is reported to anybody unless the user turns it on.
for _name, _value in (
    ("CREWAI_DISABLE_TELEMETRY", "true"),
    ("CREWAI_TRACING_ENABLED", "false"),
    ("CREWAI_DISABLE_VERSION_CHECK", "true"),
):
    os.environ.setdefault(_name, _value)

SAMPLE = Path(__file__).parent / "knowledge" / "records-retention-policy.pdf"
INTERRUPTED = 130
CODES = """exit codes: 0 completed, 1 failed, 2 bad usage or input, 3 a limit was reached or a part of the input could not
be read (partial result kept), 4 needs input, 5 escalated to a person, 6 cancelled, 130 interrupted (resumable)"""


def cli(arguments: list[str] | None = None) -> NoReturn:
    """The `echelon` command."""
    given = parser().parse_args(arguments)
    leave(_guarded(given))


def _guarded(given: argparse.Namespace) -> int:
    from echelon.engine.errors import UserError

    def stop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        code: int = given.command(given)
    except UserError as error:
        print(f"echelon: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nechelon: interrupted; nothing is lost. Go on with: echelon resume", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return 1
    return code


def leave(code: int) -> NoReturn:
    """End the process now: threads of a job that was interrupted must not go on working."""
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(code)


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="echelon",
        description="Long jobs with a hierarchy of roles: planned in windows, checked task by task, resumable anywhere.",
        epilog=CODES,
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    run = _command(commands, "run", run_command, "run a job on files and show its progress")
    run.add_argument("type", help="type of job, such as creator")
    run.add_argument("files", nargs="*", metavar="FILE", help="input files")
    what = run.add_mutually_exclusive_group()
    what.add_argument("--request", metavar="TEXT", help="what is asked for, in a sentence")
    what.add_argument("--instructions", metavar="FILE", type=Path, help="a text file that says what is asked for")
    run.add_argument("--out", metavar="DIR", type=Path, help="copy the results to this folder at the end")
    run.add_argument("--model", metavar="NAME", help="playbook (default) or openai/<name>")
    _settings(run)

    resume = _command(commands, "resume", resume_command, "go on with a job that was interrupted or reached a limit")
    resume.add_argument("job", nargs="?", metavar="JOB", help="id of the job; the latest that can go on, if left out")
    _settings(resume)
    answer = _command(commands, "answer", answer_command, "answer a job that waits for a person, and go on with it")
    answer.add_argument("job", metavar="JOB")
    answer.add_argument("text", metavar="TEXT")
    for name, event, says in (
        ("approve", "approved", "approve the scope of a job, and go on with it"),
        ("reject", "refused by a person", "refuse the scope of a job, which ends it"),
    ):
        decision = _command(commands, name, decision_command, says)
        decision.add_argument("job", metavar="JOB")
        decision.set_defaults(event=event)

    _command(commands, "jobs", jobs_command, "list the jobs")
    show = _command(commands, "show", show_command, "show one job: how it stands, what it did, what it cost")
    show.add_argument("job", metavar="JOB")
    cancel = _command(commands, "cancel", cancel_command, "stop a job for good")
    cancel.add_argument("job", metavar="JOB")
    _command(commands, "doctor", doctor_command, "check what is configured, reachable and missing")
    return top


def _command(commands: Any, name: str, function: Any, says: str) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=says, description=says.capitalize() + ".", epilog=CODES)
    command.add_argument("--json", action="store_true", help="print one JSON value instead of text")
    command.set_defaults(command=function)
    return command


def _settings(command: argparse.ArgumentParser) -> None:
    command.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="change a setting, such as budget.cost=2")


def run_command(given: argparse.Namespace) -> int:
    """`echelon run`."""
    from echelon.engine.errors import UserError

    request = given.request
    if given.instructions:
        try:
            request = given.instructions.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{given.instructions} cannot be read as text: {getattr(error, 'strerror', None) or error}.") from error
    service = _service()
    job = service.submit(given.type, given.files, request, given.model, _overrides(given))
    return _perform(service, job, given.json, given.out)


def resume_command(given: argparse.Namespace) -> int:
    """`echelon resume`."""
    service = _service()
    return _perform(service, service.resume(given.job, _overrides(given)), given.json)


def answer_command(given: argparse.Namespace) -> int:
    """`echelon answer`."""
    service = _service()
    said = {"event": "answered by a person", "text": given.text}
    return _perform(service, service.resume(given.job, said=said), given.json)


def decision_command(given: argparse.Namespace) -> int:
    """`echelon approve` and `echelon reject`."""
    service = _service()
    return _perform(service, service.resume(given.job, said={"event": given.event}), given.json)


def _perform(service: Service, job: str, as_json: bool, out: Path | None = None) -> int:
    from crews.terminal import display, summary
    from echelon.engine.run import listen

    model = service.store.job(job)["config"]["config"]["model"]
    named = "playbook (rules, no language model; --model openai/<name> uses one)" if model == "playbook" else model
    began = time.monotonic()
    if as_json:
        result = service.run(job)
    else:
        with display(job, named) as shown:
            listen(job, shown)
            result = service.run(job)
    if out is not None:
        result = service.copied(result, out)
    if as_json:
        print(json.dumps(result.as_dict(), ensure_ascii=False))
    elif result.state == "rejected":
        print(f"echelon: {result.reason}", file=sys.stderr)
    else:
        print(summary(result, model, time.monotonic() - began))
    return result.exit_code


def jobs_command(given: argparse.Namespace) -> int:
    """`echelon jobs`."""
    from crews.look import job_rows
    from crews.terminal import table

    rows = job_rows(_store())
    if given.json:
        print(json.dumps(rows, ensure_ascii=False))
    elif rows:
        print(table(rows, ["job", "state", "rounds", "calls", "cost", "created", "request"]))
    else:
        print("There are no jobs; start one with: echelon run creator FILE.pdf")
    return 0


def show_command(given: argparse.Namespace) -> int:
    """`echelon show`."""
    from crews.look import job_details, job_text

    details = job_details(_store(), given.job)
    print(json.dumps(details, ensure_ascii=False) if given.json else job_text(details))
    return 0


def cancel_command(given: argparse.Namespace) -> int:
    """`echelon cancel`."""
    _service().cancel(given.job)
    print(json.dumps({"job": given.job, "state": "cancelled"}) if given.json else f"Job {given.job} is cancelled.")
    return 0


def doctor_command(given: argparse.Namespace) -> int:
    """`echelon doctor`."""
    from crews.doctor import examine
    from echelon.engine.settings import read_environment

    checks = examine(read_environment())
    if given.json:
        print(json.dumps([c.as_dict() for c in checks], ensure_ascii=False))
    else:
        for check in checks:
            fix = f" ({check.fix})" if check.fix else ""
            print(f"{check.state:<8} {check.name:<15} {check.found}{fix}")
    return 1 if any(c.state == "broken" for c in checks) else 0


def _service() -> Service:
    from crews.service import Service

    return Service()


def _store() -> Any:
    from echelon.engine.settings import read_environment
    from echelon.store.store import Store, open_engine

    store = Store(open_engine(read_environment().database_url))
    store.migrate()
    return store


def _overrides(given: argparse.Namespace) -> dict[str, Any]:
    from echelon.engine.settings import parse_override

    return dict(parse_override(text) for text in given.set)


# What crewai's own command line calls


def kickoff() -> NoReturn:
    """`crewai run`: the creator job on the sample document."""
    cli(["run", "creator", str(SAMPLE)])


def plot() -> None:
    """`crewai flow plot`: the transition table as a picture."""
    from crews.diagram import write_plot

    print(write_plot(Path("echelon-states.html").resolve()))


def test() -> NoReturn:
    """`crewai test -n N -m MODEL`: the sample job N times, each scored against the gold list."""
    from crews.trial import score_sample

    number = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    model = sys.argv[2] if len(sys.argv) > 2 else "playbook"
    leave(score_sample(_service(), SAMPLE, number, model))


def replay() -> NoReturn:
    """`crewai replay -t STEP`: go on with the latest job from a step, as a new job."""
    from crews.trial import replay_from

    leave(_guarded(argparse.Namespace(command=lambda _: replay_from(_service(), sys.argv[1] if len(sys.argv) > 1 else ""))))


def train() -> NoReturn:
    """`crewai train`: says in one sentence what to use instead."""
    print("Echelon has nothing to train; compare roles and prompts instead with `crewai test` or `echelon run --set models.ROLE=NAME`.")
    leave(0)


if __name__ == "__main__":
    cli()
