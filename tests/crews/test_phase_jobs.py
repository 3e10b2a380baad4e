"""Whole jobs of the plain type, driven by a scripted model through the service."""

from __future__ import annotations

from pathlib import Path

from tests.support.scripted import run_plain, service, willing


def test_a_willing_model_completes_a_plain_job(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        result = run_plain(jobs, willing)
    assert (result.state, result.reason) == ("completed", "")
    assert sorted(p.name for p in result.outputs) == ["result-1.md", "result-2.md"]
    assert result.outputs[0].read_text(encoding="utf-8").count("write part") == 5
