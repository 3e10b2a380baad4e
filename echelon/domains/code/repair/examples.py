"""Examples in a file's documentation (`>>> f(1)`): a repair with which more of them hold is the likelier one."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from echelon.domains.code.running.command import Surroundings, run_command
from echelon.domains.code.running.suite import INSIDE


def examples_that_hold(where: Surroundings, files: Sequence[tuple[str, str]]) -> list[int]:
    """For each (path, text) how many examples of the text's own documentation hold when the file has that text."""
    if not files or all(">>>" not in text for _, text in files):
        return [0] * len(files)
    with tempfile.TemporaryDirectory(prefix="echelon-examples-") as made:
        job = Path(made) / "job.json"
        job.write_text(json.dumps([{"path": path, "text": text} for path, text in files]), encoding="utf-8")
        command = [where.python, str(INSIDE / "example_runner.py"), str(job)]
        done = run_command(command, where, read=[INSIDE, Path(made)])
    try:
        counts = [int(count) for count in json.loads(done.output.strip().splitlines()[-1])]
    except (ValueError, IndexError, TypeError):
        return [0] * len(files)
    return counts if len(counts) == len(files) else [0] * len(files)
