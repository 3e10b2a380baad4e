"""A worker of an experiment whose coordinator is gone finishes what it runs, and takes nothing more."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tests.support.scripted import service

PATIENCE = 120.0
"""Seconds that a process may take on a busy machine"""
PARENT = f"{sys.executable} -W ignore -m echelon.service.experiments.helper $$ & read line"
"""A shell that has a helper until its input is closed"""


def test_a_helper_without_its_coordinator_finishes_the_job_at_hand(tmp_path: Path) -> None:
    rules = tmp_path / "rules.md"
    rules.write_text("# 1 Keys\n\n1.1 The unit shall keep its keys.\n\n1.2 Nobody may lend a key.\n")
    with service(tmp_path) as jobs:
        ordered = [jobs.submit("creator", [rules], None, "playbook", {}) for _ in range(12)]
        for job in ordered:
            jobs.enqueue(job)
        given = {**os.environ, "ECHELON_HOME": str(jobs.environment.home)}
        parent = subprocess.Popen(["sh", "-c", PARENT], env=given, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        until = time.monotonic() + PATIENCE
        while not jobs.store.steps(ordered[0]) and time.monotonic() < until:
            time.sleep(0.02)
        parent.communicate(timeout=PATIENCE)  # closes its input, and returns when the helper has ended, too
        states = [jobs.store.states([job])[job] for job in ordered]
        done = states.count("completed")
        assert 1 <= done < len(ordered) and states == ["completed"] * done + ["submitted"] * (len(ordered) - done)
