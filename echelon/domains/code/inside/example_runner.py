"""Count the examples in documentation that hold in changed files. Standard library only.

Argument: a file with [{"path": p, "text": t}, ...]. Output: one JSON line, the counts in the same order.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import json
import os
import sys

from mutant_runner import changed, in_child  # type: ignore[import-not-found]

MOST_SECONDS = 5.0


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        jobs = json.load(file)
    sys.dont_write_bytecode = True
    counts: list[int] = []
    for job in jobs:
        with changed(job["path"], job["text"]):
            counts.append(in_child(lambda job=job: held(job["path"], job["text"]), MOST_SECONDS) or 0)
    print(json.dumps(counts), flush=True)


def held(path: str, text: str) -> int:
    """How many examples hold, at most 200."""
    sys.path[:0] = [os.path.dirname(os.path.abspath(path)), os.getcwd()]
    spec = importlib.util.spec_from_file_location("example_module", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    good = 0
    for number, written in enumerate(strings(text)):
        for example in doctest.DocTestParser().get_doctest(written, dict(vars(module)), f"e{number}", path, 0).examples:
            test = doctest.DocTest([example], dict(vars(module)), f"e{number}", path, 0, written)
            good += doctest.DocTestRunner(verbose=False).run(test, out=lambda _: None).failed == 0
    return min(good, 200)


def strings(text: str) -> list[str]:
    """Strings that stand alone as statements: docstrings, and documentation below the code."""
    return [
        node.value.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]


if __name__ == "__main__":
    main()
