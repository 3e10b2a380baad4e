"""The description of the API is true: schemathesis tries each route with what fits and with what does not, all checks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from echelon.engine.durable import Lease
from tests.faces.http.served import add_job, served, upload

EXAMPLES = 8


def test_every_route_keeps_to_its_description(tmp_path: Path) -> None:
    with served(tmp_path / "home") as server, Lease(server.store, "worker:of-the-tests"):  # so that it is ready
        with server.client() as client:
            assert (
                client.post("/jobs", data={"type": "creator"}, files=upload()).status_code == 201
            )  # so there is a queue
        add_job(server.store, "creator-1", "completed", events=3)
        run = subprocess.run(
            [
                str(Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/openapi.json", "--checks", "all",
                "--max-examples", str(EXAMPLES), "--request-timeout", "30", "--no-color", "--seed", "1",
            ],
            cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False,
        )  # fmt: skip
    assert run.returncode == 0, run.stdout[-6_000:] + run.stderr[-2_000:]
    assert "20/20" in run.stdout
