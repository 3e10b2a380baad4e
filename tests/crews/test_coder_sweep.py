"""A coder job that is killed comes to the same ledger, commits and trees; the long form is benchmarks/code_sweep.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from echelon.domains.code.running.fence import FenceKind, fence_state

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(fence_state().kind is FenceKind.NONE, reason="no fence on this machine")


def test_a_killed_coder_job_comes_to_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", str(ROOT / "benchmarks/code_sweep.py"), "--kills", "2", "--seed", "4"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    *kills, total = [json.loads(line) for line in ran.stdout.splitlines()]
    assert total["kills"] == 2 and all(kill["same_commits"] and kill["same_ledger"] for kill in kills)
