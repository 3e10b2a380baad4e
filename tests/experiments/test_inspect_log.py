"""The trials as an inspect log: its members, what they say, and that inspect_ai itself reads it where it is installed."""

from __future__ import annotations

import io
import json
import zipfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from echelon.experiments.report.inspect_log import Arm, inspect_log
from echelon.experiments.trials import Ceilings, Trial
from tests.experiments.making import experiment, planned, results

ARM = Arm("x1", "a", "playbook", "2026-01-02T03:04:05+00:00", {"model": "m"}, {"t0": "Write."}, {"echelon": "0.1.0"})


def ended(trial: Trial) -> dict[str, Any]:
    """Of the tasks one is wrong, one could not be graded, one broke; the others are right."""
    odd: dict[str, dict[str, Any]] = {
        "t1": {"success": False}, "t2": {"success": None}, "t3": {"success": False, "state": "crashed", "reason": "no disk"}
    }  # fmt: skip
    return {"ceilings": Ceilings(tokens=9_000), **odd.get(trial.task, {})}


def written() -> bytes:
    return inspect_log(ARM, results(planned(experiment(repeats=2), 6), ended))


def test_a_task_is_a_sample_a_repeat_an_epoch_and_the_checks_are_the_scorer() -> None:
    with zipfile.ZipFile(io.BytesIO(written())) as archive:
        members = {name: json.loads(archive.read(name)) for name in archive.namelist()}
    header = members["header.json"]
    assert header["version"] == 2 and header["eval"]["dataset"]["sample_ids"] == [f"t{n}" for n in range(6)]
    assert header["eval"]["config"] == {"epochs": 2, "token_limit": 9_000, "cost_limit": None}
    assert header["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 6 / 10
    assert len([n for n in members if n.startswith("samples/")]) == len(members["summaries.json"]) == 12
    assert members["samples/t0_epoch_2.json"]["scores"]["checks"]["value"] == "C"
    assert members["samples/t1_epoch_1.json"]["metadata"]["false_completion"] is True
    assert members["samples/t2_epoch_1.json"]["scores"] == {}
    assert members["samples/t3_epoch_1.json"]["error"]["message"] == "no disk"
    assert members["_journal/start.json"]["eval"] == header["eval"]
    assert written() == written(), "the same trials give the same bytes"


@pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect_ai is not installed")
def test_inspect_ai_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(written())
    log = import_module("inspect_ai.log").read_eval_log(str(path))
    assert log.status == "success" and len(log.samples) == 12
    assert {s.scores["checks"].value for s in log.samples if s.scores} == {"C", "I"}
