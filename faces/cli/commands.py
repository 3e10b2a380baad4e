"""The command line of `echelon`, put together from its groups of commands. Everything heavy is imported where it is used."""

from __future__ import annotations

import argparse
import functools

from echelon.faces.cli.code_commands import code_grammar
from echelon.faces.cli.completion import add_completion
from echelon.faces.cli.experiments import add_experiments
from echelon.faces.cli.grammar import CODES, Columns, Commands, Grammar, define
from echelon.faces.cli.looking import add_looking
from echelon.faces.cli.running import add_running
from echelon.faces.http.command import add_serving
from echelon.faces.mcp.approving import add_servers
from echelon.faces.mcp.command import add_mcp
from echelon.faces.planning.command import add_planning
from echelon.shown import show

ABOUT = """Runs long jobs with a hierarchy of roles: planned in windows, checked task by task, resumable after any
interruption. State is kept in .echelon in the current folder (or ECHELON_HOME), or in PostgreSQL
(ECHELON_DATABASE_URL)."""

GROUPS = (
    add_running, add_serving, add_mcp, add_planning, add_looking, add_experiments, code_grammar, add_servers, add_completion,
)  # fmt: skip
"""Each adds its commands: it gets `define(name, function, help)`, which makes one."""

ELSEWHERE = {
    "list": "jobs", "ls": "jobs", "ps": "jobs", "status": "show", "log": "show", "logs": "show", "info": "show",
    "start": "run", "continue": "resume", "retry": "resume", "stop": "cancel", "kill": "cancel", "abort": "cancel",
    "rm": "remove", "delete": "remove", "diff": "compare", "check": "doctor",
}  # fmt: skip
"""What other programs call some of the commands: by their letters alone 'list' would be told to be 'cost'."""


def parser() -> Grammar:
    """The grammar of the command line. Parsing raises UserError for what does not fit it."""
    return parser_and_commands()[0]


def parser_and_commands() -> tuple[Grammar, Commands]:
    """The grammar, and its commands, which argparse keeps to itself."""
    top = Grammar(prog="echelon", description=ABOUT, epilog=CODES, formatter_class=Columns)
    top.add_argument("--version", action="store_true", help="print the version and end")
    commands = top.add_subparsers(metavar="COMMAND", title="commands", parser_class=Grammar)
    for add in GROUPS:
        add(functools.partial(define, commands))
    top.set_defaults(command=None, names=sorted(commands.choices), grammar=top)
    return top, commands


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line, parsed. Raises UserError."""
    from echelon.errors import UnknownName, UserError

    grammar = parser()
    names = grammar.get_default("names")
    first = next((a for a in arguments if not a.startswith("-")), None)
    if first is None and "--version" in arguments:
        return argparse.Namespace(command=version_command)
    if first is None and not {"-h", "--help"} & set(arguments):
        raise UserError("Say what to do, such as 'echelon run creator FILE.pdf'; 'echelon --help' lists the commands.")
    if first is not None and first not in names:
        raise UnknownName("command", first, names, ELSEWHERE.get(first))
    return grammar.parse_args(arguments)


def version_command(_: argparse.Namespace) -> int:
    """`echelon --version`."""
    from echelon import __version__

    show(f"echelon {__version__}")
    return 0
