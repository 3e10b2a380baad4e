"""A database server that is away for a while: who needs it waits until it is back, instead of failing.

A server that restarts refuses connections for some seconds or a minute, and cuts those that there are. Taking a
connection from the pool waits here; a statement that was cut off runs once more where that is harmless (`steady`).
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa
from sqlalchemy import event, exc

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE = 300.0
"""Seconds after which a server that is away counts as gone."""
PAUSE = 0.5


def wait_for(engine: sa.Engine, patience: float = PATIENCE) -> None:
    """Have new connections of `engine` wait while its server is away, once there was a first one.

    The first is not waited for: an address that was never right is said at once.
    """
    reached = False

    @event.listens_for(engine, "do_connect")
    def connect(dialect: sa.Dialect, _record: Any, arguments: Any, named: Any) -> Any:
        nonlocal reached
        deadline = time.monotonic() + patience
        while True:
            try:
                connection = dialect.connect(*arguments, **named)
            except dialect.loaded_dbapi.OperationalError:
                if not reached or time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE)
            else:
                reached = True
                return connection


def steady(work: Callable[P, T]) -> Callable[P, T]:
    """`work`, done once more when its connection was cut in the middle: for what may run twice."""

    @functools.wraps(work)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return work(*args, **kwargs)
        except exc.DBAPIError as error:
            if not error.connection_invalidated:
                raise
            return work(*args, **kwargs)

    return done
