"""The sample creator job, killed at its steps and resumed, compared with one that was never killed.

`python benchmarks/crash_sweep.py [--database sqlite|postgresql] [--kills N | --every] [--seed 1] [--short]` prints one
JSON line a kill and one a database. On SQLite every boundary is swept, and one step in ten is cut off inside; on
PostgreSQL 50 places at random, through the queue, where another worker takes over from the killed one.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from echelon.service.trials.sweep import Sweep, run, sqlite_home

SAMPLE = ROOT / "knowledge" / "records-retention-policy.pdf"


@contextmanager
def postgres_home() -> Iterator[dict[str, str]]:
    """The environment of a new home on an empty PostgreSQL database."""
    from tests.support.postgres import running_postgres

    server = running_postgres()
    name = server.create()
    with tempfile.TemporaryDirectory() as folder:
        yield {"ECHELON_HOME": folder, "ECHELON_DATABASE_URL": server.url(name)}
    server.drop(name)


def measure(database: str, every: bool, kills: int, seed: int) -> bool:
    """Sweep on one kind of database; whether the bar holds."""

    def say(found: dict[str, Any]) -> None:
        print(json.dumps({"benchmark": "crash_sweep", "database": database, **found}), flush=True)

    is_sqlite = database == "sqlite"
    home = sqlite_home if is_sqlite else postgres_home
    total = run(Sweep("creator", (SAMPLE,), workers=not is_sqlite, home=home), every, kills, seed, say)
    say({**total, "bar": 0})
    return bool(total["held"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="only this one")
    parser.add_argument("--every", action="store_true", help="every boundary, also on PostgreSQL")
    parser.add_argument("--kills", type=int, help="so many places at random, also on SQLite")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="three kills on each database")
    given = parser.parse_args()
    held = []
    for database in [given.database] if given.database else ["sqlite", "postgresql"]:
        every = given.every or (database == "sqlite" and not given.short and given.kills is None)
        held.append(measure(database, every, 3 if given.short else given.kills or 50, given.seed))
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
