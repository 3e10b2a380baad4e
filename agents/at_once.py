"""The steps of crewai's agent in the thread that drives it.

crewai hands each step of an agent, and the note that it is done, to a thread of a pool and waits for it, so that what
else runs on its event loop goes on. On that of a phase nothing else runs: the two threads only wake each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar, cast

T = TypeVar("T")


def work_at_once(loop: asyncio.AbstractEventLoop) -> None:
    """Have `loop`, which has one task, do at once what that task would hand to a pool.

    To what it does there is no event loop in this thread, as there is none in a pool's: it may start one, and call what
    refuses to run beside one.
    """

    def run_in_executor(_pool: object, work: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        done: asyncio.Future[T] = loop.create_future()
        asyncio.events._set_running_loop(None)  # pyright: ignore[reportPrivateUsage]  # for those who make loops
        try:
            done.set_result(work(*args))
        except BaseException as error:  # as of a pool, whoever waits gets it
            done.set_exception(error)
        finally:
            asyncio.events._set_running_loop(loop)  # pyright: ignore[reportPrivateUsage]
        return done

    cast(Any, loop).run_in_executor = run_in_executor
