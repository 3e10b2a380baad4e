"""The steps of crewai's agent in the thread that drives it.

crewai hands each step of an agent, and the note that it is done, to a thread of a pool and waits for it, so that what
else runs on its event loop goes on. On that of a phase nothing else runs: the two threads only wake each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class AtOnce(ThreadPoolExecutor):
    """Does what it is given at once, in the thread that gives it: the default executor of a loop that has one task.

    To what it does there is no event loop in this thread, as there is none in a pool's: it may start one, and call what
    refuses to run beside one.
    """

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """`fn`, done."""
        done: Future[T] = Future()
        loop = asyncio.events._get_running_loop()  # pyright: ignore[reportPrivateUsage]  # for those who make loops
        asyncio.events._set_running_loop(None)  # pyright: ignore[reportPrivateUsage]
        try:
            done.set_result(fn(*args, **kwargs))
        except BaseException as error:  # as of a pool, whoever waits gets it
            done.set_exception(error)
        finally:
            asyncio.events._set_running_loop(loop)  # pyright: ignore[reportPrivateUsage]
        return done
