"""How often Python looks for garbage: seldom, while a million objects are made that stay.

Each time that there are a quarter more objects than before, Python walks through all of them. crewai makes a million when
it is imported, and that was a seventh of the time it takes; the parts of a large PDF are as many.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Generator
from contextlib import contextmanager

OURS = (20_000, 20, 50)
"""For a process that is ours alone: how many new objects make a look at the young ones, and how many looks a wider one"""
MAKING = (200_000, 20, 50)
"""While objects are made that stay"""

_lock = threading.Lock()
_inside = 0
_usual = gc.get_threshold()


def collect_seldom() -> None:
    """Set this process up to look seldom from here on. For commands: in a user's script, how often is the user's to say."""
    gc.set_threshold(*OURS)


@contextmanager
def seldom_collecting() -> Generator[None]:
    """Look seldom until the end of the block, then as often as before. Threads may be inside side by side."""
    global _inside, _usual
    with _lock:
        if not _inside:
            _usual = gc.get_threshold()
            gc.set_threshold(*MAKING)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                gc.set_threshold(*_usual)
