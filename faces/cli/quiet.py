"""No traceback on a terminal: what threads and libraries throw there becomes one sentence, and each only once."""

from __future__ import annotations

import logging
import sys
import threading
from typing import Any

_said: set[str] = set()


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
    logging.lastResort = None


def _in_thread(what: Any) -> None:
    if what.exc_value is not None and not isinstance(what.exc_value, SystemExit):
        say_once(what.exc_value)
