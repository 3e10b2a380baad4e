"""The server: start, memory, a list of many jobs, many readers of one job, jobs over HTTP with a worker that is killed.

python benchmarks/server.py            all of it, in its long form
python benchmarks/server.py --short    fewer jobs and readers
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

REPOSITORY = Path(__file__).parents[1]
sys.path.insert(0, str(REPOSITORY))

import echelon.store.tables as t
from echelon.service.service import CONFIGS
from echelon.settings import load_config
from echelon.store.engines import open_engine
from echelon.store.records.events import EventRow, event_of
from echelon.store.records.jobs import Result, Settings, as_stored
from echelon.store.store import Store

PATIENCE = 1200.0
"""Seconds that a reader comes back"""
SAMPLE = REPOSITORY / "knowledge" / "records-retention-policy-2pages.pdf"


def say(figure: str, value: float, unit: str, bar: float, ok: bool, **more: object) -> bool:
    """One figure as a line of JSON."""
    print(
        json.dumps({"figure": figure, "value": round(value, 3), "unit": unit, "bar": bar, "ok": ok, **more}), flush=True
    )
    return ok


@contextmanager
def server(home: Path, *arguments: str) -> Iterator[tuple[str, subprocess.Popen[str], float]]:
    """A server on this home: its address, its process, and the seconds until it answered a first page."""
    environment = {**os.environ, "ECHELON_HOME": str(home), "PYTHONPATH": str(REPOSITORY), "PYTHONWARNINGS": "ignore"}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "echelon", "serve", "--json", "--port", "0", "--rate", "100000", *arguments],
        env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=home,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        httpx.get(url, headers={"Accept": "text/html"}, trust_env=False, timeout=60).raise_for_status()
        yield url, process, time.monotonic() - began
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def store_of(home: Path) -> Store:
    store = Store(open_engine(f"sqlite:///{home / 'echelon.sqlite'}"), home)
    store.migrate()
    return store


def memory(pid: int) -> float:
    """Megabytes that a process has in memory."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def processor_seconds(pid: int) -> float:
    """What a process has used of the processor: what its start would take on a machine that does nothing else."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(p) for p in found]


def start(rounds: int) -> bool:
    """From the command to the first page, and the memory of a server whose worker has nothing to do."""
    seconds: list[float] = []
    processor: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            with server(Path(folder), "--no-workers") as (_, process, took):
                seconds.append(took)
                processor.append(processor_seconds(process.pid))
        with server(Path(folder), "--workers", "1") as (url, process, _):
            end = time.monotonic() + 60
            while time.monotonic() < end and not httpx.get(f"{url}/status", trust_env=False).json()["workers"]:
                time.sleep(0.2)
            time.sleep(2)
            used, workers = memory(process.pid), [memory(p) for p in children(process.pid)]
    best = min(seconds)
    good = say("first page, best of the starts", best, "s", 1.5, best <= 1.5, starts=[round(s, 2) for s in seconds],
               processor_seconds=round(min(processor), 2))  # fmt: skip
    return say("idle memory of the server", used, "MB", 150, used <= 150, workers=[round(w) for w in workers]) and good


def listing(jobs: int, requests: int) -> bool:
    """p95 of GET /jobs with many jobs in the store."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        store = store_of(home)
        resolved = load_config(CONFIGS, "creator").model_dump(mode="json")
        config = as_stored(Settings(config=resolved, inputs=("/a/policy.pdf",)))
        snapshot = {"position": {"state": "completed", "came_from": "qa"}, "notes": ["x" * 80] * 40}
        result = as_stored(Result(reason="", rounds=3, snapshot=snapshot))
        now = time.time()
        rows = [
            {"id": f"creator-{n:08x}", "type": "creator", "state": "completed", "request": "Find it.", "config": config,
             "folder": f"jobs/creator-{n:08x}", "created": now - n, "updated": now - n, "result": result}
            for n in range(jobs)
        ]  # fmt: skip
        step = {"kind": "model", "name": "model", "role": "QA", "prompt_tokens": 900, "completion_tokens": 50}
        with store.engine.begin() as c:
            c.execute(t.jobs.insert(), rows)
            c.execute(t.steps.insert(), [{**step, "job": row["id"], "number": n} for row in rows for n in range(1, 4)])
        store.engine.dispose()
        with server(home, "--no-workers") as (url, _, _), httpx.Client(base_url=url, trust_env=False) as client:
            times: list[float] = []
            after: dict[str, str] = {}
            for _ in range(requests):
                began = time.perf_counter()
                page = client.get("/jobs", params=after).raise_for_status().json()
                times.append(1000 * (time.perf_counter() - began))
                after = {"after": page["next"]} if page["next"] else {}
    times.sort()
    p95 = times[int(0.95 * len(times))]
    return say(f"p95 of GET /jobs with {jobs:,} jobs", p95, "ms", 50, p95 <= 50, p50=round(times[len(times) // 2], 1))


def live(readers: int, events: int) -> bool:
    """Readers of one job's events, each cut off at random places: every event once, in order."""
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        store = store_of(home)
        config = load_config(CONFIGS, "creator").model_dump(mode="json")
        store.add_job("creator-live", "creator", "x", Settings(config=config), "jobs/creator-live")
        with server(home, "--no-workers") as (url, _, _):
            began = time.monotonic()
            threads = [threading.Thread(target=_read, args=(url, n, events, wrong)) for n in range(readers)]
            for thread in threads:
                thread.start()
            for number in range(1, events + 1, 5):
                told = [
                    EventRow(n, time.time(), event_of("tool", {"role": "QA", "tool": f"t{n}", "ok": True}))
                    for n in range(number, min(number + 5, events + 1))
                ]
                store.add_events("creator-live", told)
                time.sleep(0.03)
            store.set_job("creator-live", state="completed")
            for thread in threads:
                thread.join()
            took = time.monotonic() - began
        store.engine.dispose()
    return say(f"readers of {readers} that missed or repeated an event", len(wrong), "readers", 0, not wrong, events=events,
               seconds=round(took, 1), wrong=wrong[:3])  # fmt: skip


def _read(url: str, number: int, events: int, wrong: list[str]) -> None:
    chance, seen, over, cuts = random.Random(number), list[int](), False, 0
    client = httpx.Client(base_url=url, timeout=60, trust_env=False, verify=False)
    end = time.monotonic() + PATIENCE
    while not over and time.monotonic() < end:
        headers = {"Last-Event-ID": str(seen[-1])} if seen else {}
        left = chance.randint(1, max(2, events // 3))
        try:
            with client.stream("GET", "/jobs/creator-live/events", headers=headers) as answer:
                if answer.status_code != 200:
                    time.sleep(0.2)
                    continue
                for line in answer.iter_lines():
                    if line.startswith("id: "):
                        seen.append(int(line[4:]))
                        left -= 1
                    over = over or line == "event: end"
                    if left <= 0:
                        cuts += 1
                        break
        except httpx.TransportError:
            time.sleep(0.1)
    client.close()
    if seen != list(range(1, events + 1)):
        wrong.append(f"reader {number}: {len(seen)} events after {cuts} cuts")


def load(jobs: int, workers: int) -> bool:
    """Jobs over HTTP; one worker is killed in the middle. All complete, none ran a finished step twice."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with (
            server(home, "--workers", str(workers)) as (url, process, _),
            httpx.Client(base_url=url, trust_env=False, timeout=120) as client,
        ):
            data, began = SAMPLE.read_bytes(), time.monotonic()
            ids = {_submit(client, n, data) for n in range(jobs)}
            killed, done = False, 0
            while done < jobs and time.monotonic() - began < 3600:
                time.sleep(1)
                rows = client.get("/jobs", params={"state": "completed", "limit": 200}).json()["jobs"]
                done = len(rows)
                if not killed and done >= jobs // 4:
                    os.kill(children(process.pid)[0], signal.SIGKILL)
                    killed = True
            took = time.monotonic() - began
        store = store_of(home)
        twice = sum(step.starts > 1 for job in ids for step in store.steps(job))
        store.engine.dispose()
    say(
        "steps that ran twice (the one in flight may)",
        twice,
        "steps",
        1,
        twice <= 1,
    )
    good = done == jobs == len(ids)
    return say(f"jobs of {jobs} that completed, one of {workers} workers killed", done, "jobs", jobs, good,
               seconds=round(took), killed=killed)  # fmt: skip


def _submit(client: httpx.Client, number: int, data: bytes) -> str:
    key = {"Idempotency-Key": f"k{number}"}
    answer = client.post("/jobs", data={"type": "creator"}, files={"files": (SAMPLE.name, data)}, headers=key)
    return str(answer.raise_for_status().json()["job"])


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only", choices=("start", "listing", "live", "load"))
    given = parser.parse_args()
    short = given.short
    parts = {
        "start": lambda: start(2 if short else 5), "listing": lambda: listing(10_000, 40 if short else 200),
        "live": lambda: live(10 if short else 50, 100 if short else 600), "load": lambda: load(6 if short else 100, 2),
    }  # fmt: skip
    found = [run() for name, run in parts.items() if given.only in (None, name)]
    return 0 if all(found) else 1


if __name__ == "__main__":
    sys.exit(main())
