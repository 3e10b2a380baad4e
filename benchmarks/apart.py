"""A run in a process and a home of its own, whose last line of output is its result as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def apart(script: str, arguments: Sequence[str], home: Path, most_seconds: float) -> dict[str, Any]:
    """What it printed last; where it gave no result, the state `untyped` and why."""
    environment = {**os.environ, "ECHELON_HOME": str(home), "PYTHONPATH": str(ROOT)}
    try:
        done = subprocess.run(
            [sys.executable, script, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True,
            timeout=most_seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {"state": "untyped", "reason": f"no end after {most_seconds:g} seconds"}
    try:
        value: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return value
    except (IndexError, json.JSONDecodeError):
        return {"state": "untyped", "reason": done.stderr.strip()[-500:]}
