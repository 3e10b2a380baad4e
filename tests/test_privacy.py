"""Nothing is reported to anybody unless the user turns it on, whichever door they came through."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
SILENT = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "CREWAI_DISABLE_VERSION_CHECK": "true",
}
TELL = f"import os, sys; print(*(os.environ.get(name) for name in {list(SILENT)}), 'crewai' in sys.modules)"


def told(door: str, **variables: str) -> str:
    """What crewai would read, and whether it was imported, in a process that has come through a door."""
    kept = {k: v for k, v in os.environ.items() if k not in SILENT}
    done = subprocess.run(
        [sys.executable, "-c", f"import {door}; {TELL}"], env={**kept, "PYTHONPATH": str(REPOSITORY), **variables},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


@pytest.mark.parametrize("door", ["echelon", "main", "echelon.__main__", "echelon.faces.cli.main", "echelon.settings"])
def test_crewai_is_told_to_be_silent_before_it_is_imported(door: str) -> None:
    assert told(door) == f"{' '.join(SILENT.values())} False"


def test_who_wants_telemetry_keeps_it() -> None:
    assert told("echelon", CREWAI_DISABLE_TELEMETRY="false").startswith("false ")
