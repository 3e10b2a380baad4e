"""How often one model call went out to a server that may want money for it.

A request whose answer is lost (a kill, a time-out, an answer that nobody can read) may have been paid all the same. So
a request is written down before it leaves, in a file beside the step's result, and taken back only where the server
said that it did nothing. Whoever makes the call again knows of the earlier ones, and the budget is asked before each.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

_MARK = "1"


@dataclass
class Tally:
    """The requests of one model call, kept in the file `path`. `allowed(n)` raises when n lost ones leave no room."""

    path: Path
    allowed: Callable[[int], None]

    @property
    def count(self) -> int:
        """Requests that went out and may have been paid."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def out(self) -> None:
        """A request leaves now. Raises LimitReached where the ones before it have used up what there is."""
        self.allowed(self.count)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="ascii") as file:
            file.write(_MARK)

    def back(self) -> None:
        """The server refused the latest request, or was never reached: nothing is to be paid for it."""
        with self.path.open("r+", encoding="ascii") as file:
            file.truncate(max(0, self.count - 1))


_current: ContextVar[Tally | None] = ContextVar("tally", default=None)


@contextlib.contextmanager
def counting(tally: Tally) -> Generator[None]:
    """Count the requests that this thread makes while the block runs."""
    token = _current.set(tally)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Tally | None:
    """The tally of the model call that this thread makes, None outside of one."""
    return _current.get()
