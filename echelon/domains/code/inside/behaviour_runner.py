"""What each of several texts of a module answers to the same calls. Standard library only.

Argument: a file with {"path": p, "name": f, "texts": [...], "inputs": [[argument, ...], ...], "seconds": n}. Output: one
JSON line, a list for each text with a word for each input: the result, or '!' and the name of the error.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import tempfile
from typing import Any

from mutant_runner import changed, in_child  # type: ignore[import-not-found]
from one_call import late, one  # type: ignore[import-not-found]

WHOLE = 10.0
"""Seconds for all the calls of one text."""


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        job = json.load(file)
    sys.dont_write_bytecode = True
    out: list[list[str]] = []
    for text in job["texts"]:
        with tempfile.TemporaryDirectory() as made, changed(job["path"], text):
            said = os.path.join(made, "said.json")
            in_child(lambda said=said: answers(job, said), WHOLE)
            out.append(read(said, len(job["inputs"])))
    print(json.dumps(out), flush=True)


def read(path: str, count: int) -> list[str]:
    """What the child wrote; calls that it did not get to took too long."""
    try:
        with open(path, encoding="utf-8") as file:
            found = [json.loads(line) for line in file]
    except (OSError, ValueError):
        found = []
    return [*map(str, found[:count]), *["!TookTooLong"] * (count - len(found))]


def answers(job: dict[str, Any], said: str) -> int:
    sys.path[:0] = [os.path.dirname(os.path.abspath(job["path"])), os.getcwd()]
    sys.setrecursionlimit(600)
    spec = importlib.util.spec_from_file_location("behaviour_module", job["path"])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, job["name"])
    signal.signal(signal.SIGALRM, late)
    with open(said, "w", encoding="utf-8") as file:
        for arguments in job["inputs"]:
            file.write(json.dumps(one(function, arguments, job["seconds"])) + "\n")
            file.flush()
    return 0


if __name__ == "__main__":
    main()
