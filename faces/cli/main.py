"""The `echelon` command: what it does whatever the command is."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, NoReturn

INTERRUPTED = 130
_said: set[str] = set()


def cli(arguments: list[str] | None = None) -> NoReturn:
    """The `echelon` command."""

    def command() -> int:
        from echelon.faces.cli.commands import parse

        given = parse(sys.argv[1:] if arguments is None else arguments)
        code: int = given.command(given)
        return code

    to_its_end(command)


def to_its_end(command: Callable[[], int]) -> NoReturn:
    """Run a command as all that this process does."""
    from echelon.garbage import collect_seldom

    collect_seldom()
    no_tracebacks()
    leave(guarded(command))


def guarded(command: Callable[[], int]) -> int:
    """Run a command and return its exit code; whatever goes wrong is told in one sentence on standard error."""
    from echelon.errors import UserError
    from echelon.faces.cli.grammar import say

    _stop_once()
    try:
        return command()
    except UserError as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        say("interrupted; nothing is lost. Go on with: echelon resume")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read the output has had enough
        return 1
    except Exception as error:  # a traceback helps nobody at a terminal
        say_once(error)
        return 1


def say_once(error: BaseException) -> None:
    """Tell an error in one sentence on standard error, unless it was told before."""
    from echelon.faces.cli.grammar import say
    from echelon.service.failures import sentence

    text = sentence(error)
    if text not in _said:
        _said.add(text)
        say(text)


def no_tracebacks() -> None:
    """From here on nothing of this process prints a traceback: no thread, no finaliser, no logger without a handler."""
    threading.excepthook = _in_thread
    sys.unraisablehook = lambda _unraisable: None  # in a finaliser: nobody can do anything about it
    logging.lastResort = logging.NullHandler()


def _in_thread(what: Any) -> None:
    if what.exc_value is not None and not isinstance(what.exc_value, SystemExit):
        say_once(what.exc_value)


def _stop_once() -> None:
    """Ctrl-C and SIGTERM interrupt in order the first time, and at once the second time."""

    def leave(*_: object) -> NoReturn:
        os._exit(INTERRUPTED)

    def stop(*_: object) -> NoReturn:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, leave)
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)


def leave(code: int) -> NoReturn:
    """End the process now: threads of a job that was interrupted must not go on working."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
