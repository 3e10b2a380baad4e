"""The grammar of `echelon`: how a command is added, what commands have in common, and how it complains."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from echelon.shown import show, visible

if TYPE_CHECKING:
    from echelon.service.service import Service
    from echelon.store.store import Store

INTERRUPTED = 130
CODES = """exit codes: 0 completed, 1 failed, 2 bad usage or input, 3 a limit was reached or a part of the input could
not be read (partial result kept), 4 needs input, 5 escalated to a person, 6 cancelled, 130 interrupted (resumable)"""
WIDEST = 15
"""Characters of the longest command, indented"""
SETTING = "change a setting, such as budget.cost=2"
JOB = "id of the job, the beginning of one, or 'last'"

Commands = Any
"""What argparse's `add_subparsers` returns; its class is private."""
Define = Callable[[str, Callable[[argparse.Namespace], int], str], argparse.ArgumentParser]
"""Adds a command: its name, what runs it, and what it does in a line."""


def say(text: str) -> None:
    """One sentence on standard error."""
    show(f"echelon: {visible(text)}", sys.stderr)


class Columns(argparse.HelpFormatter):
    """Help whose first column is wide enough for every command: argparse forgets that commands are indented."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog)
        self._action_max_length = WIDEST


class Grammar(argparse.ArgumentParser):
    """A parser whose complaints are one sentence."""

    def error(self, message: str) -> NoReturn:
        from echelon.errors import UserError

        raise UserError(f"{message[:1].upper()}{message[1:]}; see '{self.prog} --help'.")


def define(commands: Commands, name: str, function: Callable[[argparse.Namespace], int], says: str) -> Grammar:
    """Add a command to the grammar."""
    about = f"{says[:1].upper()}{says[1:]}."
    added: Grammar = commands.add_parser(name, help=says, description=about, epilog=CODES)
    added.add_argument("--json", action="store_true", help="print one JSON value instead of text")
    added.set_defaults(command=function)
    return added


def job_argument(added: argparse.ArgumentParser, **more: str) -> None:
    """The argument that names a job."""
    added.add_argument("job", metavar="JOB", **{"help": JOB, **more})  # type: ignore[arg-type]


def wanted(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "type", metavar="TYPE",
        help="creator finds requirements in documents, validator puts them into a graph, planner makes a schedule "
        "of a goal, coder changes a repository, plain does any other work on files",
    )  # fmt: skip
    command.add_argument("files", nargs="*", metavar="FILE", help="documents: PDF, DOCX, HTML, Markdown or plain text")
    what = command.add_mutually_exclusive_group()
    what.add_argument("--request", metavar="TEXT", help="what is asked for, in a sentence, or @FILE with it")
    what.add_argument("--instructions", metavar="FILE", type=Path, help="a text file that says what is asked for")
    command.add_argument("--model", metavar="NAME", help="playbook (the default; rules, no key) or openai/<name>")


def settings(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", metavar="DIR", type=Path, help="copy the results to this folder at the end")
    command.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=SETTING)


def count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1")
    return number


def request_of(given: argparse.Namespace) -> str | None:
    from echelon.errors import UserError

    file = given.instructions
    if file is None:
        said = given.request if given.request is None else str(given.request)
        if said is None or not said.startswith("@"):
            return said
        file = Path(said[1:])
    try:
        text = str(file.read_text(encoding="utf-8")).strip()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UserError(f"{file} cannot be read as text: {why}.") from error
    if not text:
        raise UserError(f"{file} is empty; write what is asked for into it.")
    return text


def overrides_of(given: argparse.Namespace) -> dict[str, Any]:
    from echelon.settings import parse_override

    return dict(parse_override(text) for text in given.set)


def checked_out(out: Path | None) -> None:
    from echelon.errors import UserError

    if out is not None and out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; --out needs a folder.")


def existing() -> Service:
    """The service of a home that has jobs: looking for a job makes no folder. Raises UserError where there is none."""
    from echelon.errors import UserError
    from echelon.service.service import Service

    service = Service()
    if not service.has_store:
        raise UserError(f"There are no jobs in {service.environment.home}; is this the right folder, or ECHELON_HOME?")
    return service


def existing_store() -> Store | None:
    from echelon.service.service import Service

    service = Service()
    return service.store if service.has_store else None


def named(service: Service, text: str) -> str:
    """The id of the job that a person means. Raises UserError."""
    from echelon.service.names import job_named

    job = job_named(service.store, text)
    service.bring(job)
    return job
