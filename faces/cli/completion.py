"""`echelon completion`: what a shell needs to complete commands, options and files."""

from __future__ import annotations

import argparse

from echelon.faces.cli.grammar import Define

SHELLS = ("bash", "zsh")


def add_completion(define: Define) -> None:
    """Add the command."""
    completion = define("completion", completion_command, "print what makes a shell complete the commands of echelon")
    completion.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"{', '.join(SHELLS)}; see the README")


def completion_command(given: argparse.Namespace) -> int:
    """`echelon completion`."""
    import json

    import shtab

    script = shtab.complete(given.grammar, given.shell)
    print(json.dumps({"shell": given.shell, "script": script}) if given.json else script)
    return 0
