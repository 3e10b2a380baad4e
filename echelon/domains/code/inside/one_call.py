"""One call of a function, and its result as a word. Standard library only, and as little of it as can be."""

from __future__ import annotations

import itertools
import signal
from collections.abc import Iterable
from types import FrameType, GeneratorType
from typing import Any, cast

MOST_ITEMS, LONGEST = 200, 500


class TookTooLong(BaseException):
    """A call ran longer than it may; no `except Exception` of the code keeps it."""


def late(number: int, frame: FrameType | None) -> None:
    raise TookTooLong


def one(function: Any, arguments: list[Any], seconds: float) -> str:
    """The result of one call as a word; a generator is run."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        result: Any = function(*arguments)
        if isinstance(result, GeneratorType):
            result = list(itertools.islice(cast("Iterable[object]", result), MOST_ITEMS))
        return repr(result)[:LONGEST]
    except (Exception, TookTooLong) as error:
        return f"!{type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
