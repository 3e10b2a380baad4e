"""The other side of `echelon.bounded`: the process that prepares, does one call within its limits, and ends."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import select
import signal
import sys
from pathlib import Path
from typing import Any

BEGINS = b">"
"""What the child says when it has started and imported, and the work may begin."""
MEGABYTE = 1 << 20
MAPPED_MB = 1024
"""Address space besides the memory limit, for what is only mapped or reserved: libraries, files."""
START_SECONDS = 20
"""Processor time that starting and importing may take, on top of the work."""
IDLE_SECONDS = 300
"""A child that nobody asks for so long ends."""


def serve() -> None:
    """What the child runs: a line of preparation and one request from standard input, one answer to standard output."""
    answers = os.dup(1)
    os.dup2(2, 1)  # what a library prints is no answer
    _die_with_parent()
    questions = os.fdopen(0, "rb", buffering=0, closefd=False)  # nothing is read ahead, so that it can be waited for
    prepared = json.loads(questions.readline())
    try:
        _limit(prepared["memory"], prepared["seconds"])
        for module in (*prepared["imports"], prepared["module"]):
            importlib.import_module(module)
        os.write(answers, BEGINS)
        said = json.dumps({"value": _asked(questions, sys.modules[prepared["module"]])})
    except Exception as error:
        kinds = [kind.__qualname__ for kind in type(error).__mro__]
        said = json.dumps({"kinds": kinds, "text": str(error)[:4000], "attributes": _plain(vars(error))})
    with os.fdopen(answers, "wb") as out:
        out.write(said.encode())
    os._exit(0)  # no thread and no handler of a library keeps it


def _asked(questions: io.FileIO, module: Any) -> Any:
    """Wait for the request, and do it."""
    if not select.select([questions], [], [], IDLE_SECONDS)[0]:
        os._exit(0)
    request = questions.read()
    if not request:  # whoever might have asked is gone
        os._exit(0)
    asked = json.loads(request)
    function: Any = module
    for name in asked["name"].split("."):
        function = getattr(function, name)
    return function(*asked["args"], **asked["kwargs"])


def _plain(attributes: dict[str, Any]) -> dict[str, Any]:
    """Those of an error's attributes that are text, numbers or nothing."""
    return {k: v for k, v in attributes.items() if v is None or isinstance(v, (str, int, float, bool))}


def _limit(memory: int, seconds: float) -> None:
    """Have the kernel hold the limits; done before anything big is imported, so that allocators reserve less."""
    import resource

    processor = START_SECONDS + int(seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):  # a system that knows no such limit
        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        space = memory + MAPPED_MB * MEGABYTE
        resource.setrlimit(resource.RLIMIT_AS, (space, space))
    with contextlib.suppress(OSError), Path("/proc/self/oom_score_adj").open("w") as score:
        score.write("1000")  # whoever runs out of memory, this is the first to go


def _die_with_parent() -> None:
    """On Linux: have the kernel end this process when the one that asked is killed."""
    if sys.platform != "linux":
        return
    import ctypes

    pr_set_pdeathsig = 1
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
