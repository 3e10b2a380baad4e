"""Many jobs through the queue: two worker processes, one of them killed with SIGKILL half way.

`python benchmarks/many_jobs.py [--jobs 300] [--database sqlite|postgresql] [--short]` prints one JSON line a database:
how many jobs completed, whether any step that was finished ran again, jobs a minute, and processor seconds a job. Every
job is the creator on a small document, played by the playbook.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from echelon.service.service import Service

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

TEXT = """# Rules for records

1.1 The operator shall keep every record for ten years.

1.2 Nobody may delete a record before that time.

1.3 Backups should be tested once a year.
"""
WORKERS = 2


@contextmanager
def database(kind: str) -> Iterator[dict[str, str]]:
    """The environment of a new home on a database of this kind."""
    with tempfile.TemporaryDirectory() as home:
        if kind == "sqlite":
            yield {"ECHELON_HOME": home}
            return
        from tests.support.postgres import running_postgres

        server = running_postgres()
        name = server.create()
        yield {"ECHELON_HOME": home, "ECHELON_DATABASE_URL": server.url(name)}
        server.drop(name)


def worker(environment: dict[str, str], concurrency: int) -> subprocess.Popen[bytes]:
    """`echelon worker --drain` in a process of its own."""
    command = [sys.executable, "-c", "import main; main.cli()", "worker", "--drain", "--concurrency", str(concurrency)]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("ECHELON_")}
    return subprocess.Popen(
        command, env={**inherited, **environment, "PYTHONPATH": str(ROOT)}, cwd=environment["ECHELON_HOME"],
        stdout=subprocess.DEVNULL,
    )  # fmt: skip


def submitted(service: Service, jobs: int) -> list[str]:
    """Names of that many jobs, in the queue."""
    document = service.environment.home / "rules.md"
    document.write_text(TEXT, encoding="utf-8")
    names = [service.submit("creator", [document]) for _ in range(jobs)]
    for name in names:
        service.enqueue(name)
    return names


def ended(service: Service) -> int:
    """How many jobs are in an end state."""
    return sum(row.state not in ("submitted", "running") for row in service.store.all_jobs())


def finished(service: Service, names: list[str]) -> dict[tuple[str, int], int]:
    """How often each finished step ran."""
    return {(n, s.number): s.starts for n in names for s in service.store.steps(n) if s.answered}


def check(service: Service, names: list[str], before: dict[tuple[str, int], int]) -> dict[str, Any]:
    """What is wrong with the jobs, all 0 when nothing is."""
    after = finished(service, names)
    started = [s.starts for n in names for s in service.store.steps(n)]
    results = [service.result(n) for n in names]
    ledgers = {tuple((s.number, s.name) for s in r.ledger) for r in results}
    return {
        "completed": sum(r.state == "completed" for r in results),
        "finished_steps_repeated": sum(after[key] > times for key, times in before.items()),
        "steps_cut_off_and_run_again": sum(s > 1 for s in started),
        "different_ledgers": len(ledgers),
        "without_deliverables": sum(not r.outputs or not all(p.is_file() for p in r.outputs) for r in results),
    }


def measure(kind: str, jobs: int, concurrency: int) -> bool:
    """Run the jobs on a database of this kind and print the figures; whether the bar holds."""
    from echelon.service.service import Service
    from echelon.settings import Environment

    with database(kind) as environment:
        service = Service(Environment(environment))
        names = submitted(service, jobs)
        began, used = time.monotonic(), os.times()
        workers = [worker(environment, concurrency) for _ in range(WORKERS)]
        while ended(service) < jobs // 2 and any(w.poll() is None for w in workers):
            time.sleep(0.5)
        workers[0].send_signal(signal.SIGKILL)
        workers[0].wait()
        before, killed_at = finished(service, names), ended(service)
        code = workers[1].wait()
        seconds, times = time.monotonic() - began, os.times()
        processor = times.children_user + times.children_system - used.children_user - used.children_system
        found = check(service, names, before)
        service.store.engine.dispose()
    held = code == 0 and killed_at < jobs and found["completed"] == jobs and found["different_ledgers"] == 1
    held = held and not found["finished_steps_repeated"] and not found["without_deliverables"]
    figures = {"jobs_a_minute": round(jobs / seconds * 60, 1), "processor_seconds_a_job": round(processor / jobs, 2)}
    print(json.dumps({
        "benchmark": "many_jobs", "database": kind, "jobs": jobs, "workers": WORKERS, "killed_at": killed_at, **found,
        **figures, "held": held,
    }), flush=True)  # fmt: skip
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=300)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    parser.add_argument("--concurrency", type=int, default=1, help="jobs at once in each worker")
    parser.add_argument("--short", action="store_true", help="12 jobs")
    given = parser.parse_args()
    kinds = [given.database] if given.database else ["postgresql", "sqlite"]
    held = [measure(kind, 12 if given.short else given.jobs, given.concurrency) for kind in kinds]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
