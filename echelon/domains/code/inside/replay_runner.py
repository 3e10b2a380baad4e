"""What functions of a tree answer to calls, told to a file. Standard library only.

Argument: a file with {"calls": [[path, function, [argument, ...]], ...], "seconds": n, "said": file}. It writes a list with
two words for each call, which is made twice: the result and what was printed, or '!' and the name of the error.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import sys
from typing import Any

from one_call import late, one  # type: ignore[import-not-found]

_ADDRESS = re.compile(r"0x[0-9a-f]+")


def main(job_file: str) -> None:
    import signal

    with open(job_file, encoding="utf-8") as file:
        job = json.load(file)
    signal.signal(signal.SIGALRM, late)
    sys.path[:0] = [os.getcwd(), os.path.join(os.getcwd(), "src")]
    seconds = float(job["seconds"])
    said = [[word(path, name, given, seconds) for _ in range(2)] for path, name, given in job["calls"]]
    with open(job["said"], "w", encoding="utf-8") as file:
        json.dump(said, file)


def word(path: str, name: str, arguments: list[Any], seconds: float) -> str:
    """The result and the output of a call; folders that differ from run to run have one name."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            function = getattr(importlib.import_module(module_name(path)), name)
            result = one(function, json.loads(json.dumps(arguments)), seconds)
    except (Exception, SystemExit) as error:
        result = f"!{type(error).__name__}"
    text = _ADDRESS.sub("0x", f"{result}|{printed.getvalue()[:500]}")
    return text.replace(os.getcwd(), "<root>").replace(os.environ.get("HOME") or "~", "<home>")


def module_name(path: str) -> str:
    """`src/a/b.py` and `a/b/__init__.py` as names to import."""
    plain = path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__")
    return plain.replace("/", ".")


KEPT = ("PATH", "HOME", "LANG", "PYTHONPATH", "PYTHONHASHSEED")
"""Variables that stay where no tests run."""

if __name__ == "__main__":
    for variable in [name for name in os.environ if name not in KEPT]:
        del os.environ[variable]
    main(sys.argv[1])
