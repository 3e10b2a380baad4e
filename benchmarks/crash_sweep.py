"""Kill a job with SIGKILL at random steps, resume it, and compare it with one that was never killed.

`python benchmarks/crash_sweep.py [--kills 25] [--seed 1] [--database URL]` prints one JSON line a kill and one at the end. A finished
model or tool step must not run again, and the ledger and the deliverables must be the same.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from echelon.store.store import Store, open_engine

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "knowledge" / "records-retention-policy.pdf"
JOB = "creator-sweep"
RUN = f"""
import sys, main
from crews.service import Service
s = Service()
if not any(r["id"] == "{JOB}" for r in s.store.all_jobs()):
    s.submit("creator", [sys.argv[1]], job="{JOB}")
main.leave(s.run(s.resume("{JOB}")).exit_code)
"""


def start(home: Path, document: Path) -> subprocess.Popen[bytes]:
    """The job in a process of its own: the first time it is submitted, after that resumed."""
    environment = {**os.environ, "ECHELON_HOME": str(home), "PYTHONPATH": str(ROOT)}
    environment.pop("ECHELON_DATABASE_URL", None)
    return subprocess.Popen([sys.executable, "-c", RUN, str(document)], env=environment, cwd=home)


def steps(home: Path) -> list[dict[str, Any]]:
    """The ledger so far, empty before there is one."""
    path = home / "echelon.sqlite"
    if not path.exists():
        return []
    try:
        return Store(open_engine(f"sqlite:///{path}")).steps(JOB)
    except Exception:  # the tables are not made yet
        return []


def ledger(home: Path) -> list[tuple[Any, ...]]:
    """What two runs must have in common. Answers of code steps hold commit ids, which hold times."""
    return [(s["number"], s["kind"], s["name"], s["role"], s["asked"], s["answered"] if s["kind"] != "code" else "") for s in steps(home)]


def deliverables(home: Path) -> dict[str, str]:
    """Content hashes of the results by name."""
    folder = home / "jobs" / JOB / "output"
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.glob("*"))}


def kill_at(home: Path, document: Path, count: int) -> list[dict[str, Any]]:
    """Run until `count` steps have begun, then SIGKILL; returns the steps that were finished by then."""
    process = start(home, document)
    while process.poll() is None and len(steps(home)) < count:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    return [s for s in steps(home) if s["answered"]]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="three kills")
    given = parser.parse_args()
    kills = 3 if given.short else given.kills
    pick = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        whole.mkdir()
        assert start(whole, SAMPLE).wait() == 0
        expected, results = ledger(whole), deliverables(whole)
        bad = 0
        for n in range(kills):
            home = Path(folder) / f"killed-{n}"
            home.mkdir()
            count = pick.randrange(1, len(expected))
            finished = kill_at(home, SAMPLE, count)
            code = start(home, SAMPLE).wait()
            after = {s["number"]: s for s in steps(home)}
            repeated = sum(after[s["number"]]["starts"] > s["starts"] for s in finished)
            got = ledger(home)
            same, files = got == expected, deliverables(home) == results
            if not same:
                print(json.dumps({"differs": [row for row in zip(expected, got) if row[0] != row[1]][:1], "steps": len(got)}), file=sys.stderr)
            bad += code != 0 or repeated > 0 or not same or not files
            print(json.dumps({"benchmark": "crash_sweep", "killed_after": count, "finished": len(finished), "exit": code, "repeated": repeated,
                              "same_ledger": same, "same_deliverables": files}), flush=True)  # fmt: skip
        print(json.dumps({"benchmark": "crash_sweep", "kills": kills, "steps": len(expected), "failed": bad, "bar": 0}))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
