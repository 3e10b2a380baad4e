"""`echelon serve` as a process: with its worker, killed in the middle, started again, ended in order."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import httpx

from tests.cli.command import Shell
from tests.faces.http.programs import ask, found
from tests.faces.http.served import command, sse, upload, wait_for


def test_a_server_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    key = {"Idempotency-Key": "policy-1"}
    with command(shell, "--workers", "1") as first, first.client() as client:
        assert client.get("/health").status_code == 200
        job = client.post("/jobs", data={"type": "creator"}, files=upload(), headers=key).json()["job"]
        seen: list[int] = []
        with client.stream("GET", f"/jobs/{job}/events") as stream:
            for message in sse(stream.iter_lines()):
                seen += [int(message["id"])] if "id" in message else []
                if len(seen) == 3:
                    break
        first.kill()
    with command(shell, "--workers", "1") as second, second.client() as client:
        again = client.post("/jobs", data={"type": "creator"}, files=upload(), headers=key)
        assert (again.status_code, again.json()["job"]) == (200, job)
        with client.stream(
            "GET", f"/jobs/{job}/events", headers={"Last-Event-ID": str(seen[-1])}, timeout=200
        ) as stream:
            messages = list(sse(stream.iter_lines()))
        seen += [int(m["id"]) for m in messages if "id" in m]
        assert seen == list(range(1, seen[-1] + 1)), "each event once, in order, over both servers"
        assert messages[-1]["event"] == "end"
        assert "output/report.html" in wait_for(client, job, ("completed",))["outputs"]
        assert found(ask(second.url, None, "wait_job", job=job))["state"] == "completed", "the same over MCP"
        assert len(client.get("/jobs").json()["jobs"]) == 1
        ready = client.get("/ready").json()
        assert ready == {"ready": True, "database": True, "queue": True, "workers": True}
        second.process.send_signal(signal.SIGTERM)
        _, err = second.process.communicate(timeout=60)
        assert second.process.returncode == 0
        assert err == ""


def test_a_type_of_job_is_picked_up_without_a_restart(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    with command(shell, "--no-workers") as server, server.client() as client:
        client.headers["Accept"] = "text/html"
        assert client.post("/jobs", data={"type": "mine"}, files=upload()).status_code == 404
        (tmp_path / "crews" / "mine").mkdir(parents=True)
        folder = tmp_path / "crews" / "mine"
        (folder / "job_type.py").write_text(
            "from dataclasses import replace\nfrom echelon.crews.creator.job_type import CreatorJob\n"
            "class Mine(CreatorJob):\n    pass\nJOB_TYPE = Mine(name='mine')\n"
        )
        (folder / "settings.yaml").write_text("extends: creator\njob: mine\nbudget:\n  cost: 1\n")
        answer = client.post("/jobs", data={"type": "mine"}, files=upload())
        assert answer.status_code == 201, answer.text
        (folder / "settings.yaml").write_text("extends: nonsense\njob: mine\n")
        assert client.post("/jobs", data={"type": "mine"}, files=upload()).status_code == 404


def test_a_port_that_is_taken_is_said(tmp_path: Path) -> None:
    with command(Shell(tmp_path), "--no-workers") as server:
        port = server.url.rpartition(":")[2]
        outcome = Shell(tmp_path).echelon("serve", "--port", port, "--no-workers")
        assert outcome.code == 2
        assert "choose another with --port" in outcome.sentence
        end = time.monotonic() + 10
        while time.monotonic() < end:
            try:
                assert httpx.get(f"{server.url}/health", trust_env=False).status_code == 200
                break
            except httpx.TransportError:
                time.sleep(0.1)
