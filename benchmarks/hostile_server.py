"""Jobs against a model server that misbehaves: `hostile_server.py [--short] [--all] [--part=I/N] [NAME...]`.

Each behaviour answers every request of a small job; then the server is well again and the job goes on. One JSON line a
behaviour, and one for all. Fails when a run has no typed end with its cause, ends in a raw exception, is completed
without its result, or cannot go on.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.hostile.behaviours import behaviours
from benchmarks.hostile.further import further
from benchmarks.hostile.roles import roles
from benchmarks.hostile.trial import tried
from tests.support.scripted import service

SHORT_EACH = 18
"""The short form takes every eighteenth behaviour."""


def main(arguments: list[str]) -> int:
    """All behaviours, those that are named, or with --short some."""
    every = {**behaviours(), **roles(), **further()}
    names = [a for a in arguments if not a.startswith("--")]
    chosen = {name: every[name] for name in names} if names else every
    if "--short" in arguments:
        chosen = dict(list(chosen.items())[::SHORT_EACH])
    for part in (a.partition("=")[2].split("/") for a in arguments if a.startswith("--part=")):
        chosen = dict(list(chosen.items())[int(part[0]) - 1 :: int(part[1])])
    began, ends, bad = time.monotonic(), Counter[str](), 0
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        source = Path(folder) / "input.md"
        source.write_text("# Wishes\n\nWrite one result.\n", encoding="utf-8")
        for name, behaviour in chosen.items():
            ended = tried(jobs, str(source), name, behaviour)
            ends[ended.state] += 1
            bad += bool(ended.faults)
            if ended.faults or "--all" in arguments:
                print(ended.line(), flush=True)
    figure = {
        "benchmark": "hostile server", "behaviours": len(chosen), "ends": dict(ends), "with faults": bad,
        "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip
    print(json.dumps(figure))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
