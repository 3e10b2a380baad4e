"""The words of a model as they arrive, for whoever watches: nothing else hangs on them.

A display registers a hearer for a job; the calls of that job are then streamed. Without one nothing is, and the answer
is the same either way.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator
from contextvars import ContextVar

Hearer = Callable[[str], None]
_hearers: dict[str, Hearer] = {}
_current: ContextVar[Hearer | None] = ContextVar("hearer", default=None)


def hear(job: str, hearer: Hearer) -> None:
    """Call `hearer` with each piece of text that a model writes for `job` in this process."""
    _hearers[job] = hearer


def stop_hearing(job: str) -> None:
    _hearers.pop(job, None)


@contextlib.contextmanager
def speaking(job: str) -> Generator[None]:
    """The models that this thread asks speak for `job` while the block runs."""
    token = _current.set(_hearers.get(job))
    try:
        yield
    finally:
        _current.reset(token)


def hearer() -> Hearer | None:
    """Who hears the model that is asked now, None where nobody does."""
    return _current.get()
