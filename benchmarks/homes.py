"""What happens to homes: folders that lose or change something, homes that move, homes that are copied.

    python benchmarks/homes.py [--short]

A plain job of two tasks stops at one of three places. Then something happens to its home, it is resumed, and
the end is compared with a job that nothing happened to. The bar: no result that differs without a word. One JSON line a
case (`same`: the same bytes; `said`: no result and a sentence; `differs`: what must not be), and the sums.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
warnings.simplefilter("ignore")

from echelon.engine import durable
from echelon.errors import EchelonError
from echelon.service.job_result import JobResult
from echelon.service.repair import repair
from echelon.service.service import Service
from echelon.settings import Environment
from tests.support.scripted import played, register, submit_plain

TASKS, STOPS = 2, (8, 16, 24)
Damage = Callable[[Path], None]


class SwitchedOff(Exception):
    """What stops the job."""


def files(folder: Path, pattern: str) -> list[Path]:
    return sorted(p for p in folder.glob(pattern) if p.is_file())


def on_each(pattern: str, change: Callable[[Path], object]) -> Damage:
    """Do `change` to every file of the job's folder that fits `pattern`."""

    def damage(folder: Path) -> None:
        for path in files(folder, pattern):
            change(path)

    return damage


def without(name: str) -> Damage:
    """Take a folder or file of the job away."""

    def damage(folder: Path) -> None:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    return damage


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def garbled(path: Path) -> None:
    path.write_bytes(bytes(b ^ 0x55 for b in path.read_bytes()))


def removed(path: Path) -> None:
    path.unlink()


def longer(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\nOne line more.\n")


CHANGES = {"emptied": emptied, "halved": halved, "garbled": garbled, "longer": longer, "removed": removed}
PLACES = {
    "documents": "documents/*", "inputs": "documents/input.md", "texts": "documents/*.txt",
    "read": "documents/*.read.json", "output": "output/*", "todos": "todos.yaml", "plan": "plan.md",
}  # fmt: skip
DAMAGES: dict[str, Damage] = {
    **{f"{place} {how}": on_each(p, change) for place, p in PLACES.items() for how, change in CHANGES.items()},
    "folder removed": without("."), "documents folder removed": without("documents"), "history removed": without(".git"),
    "output folder removed": without("output"), "index removed": without(".git/index"), "head removed": without(".git/HEAD"),
    "objects removed": without(".git/objects"), "trace removed": without("trace"),
}  # fmt: skip

OF_THE_DATABASE: dict[str, Callable[[Path], object]] = {
    "database emptied": emptied, "database removed": removed, "database garbled": garbled, "database halved": halved,
    "database with a torn page": lambda p: p.write_bytes(p.read_bytes()[:4096] + b"\x55" * (p.stat().st_size - 4096)),
}  # fmt: skip
"""What happens to the database of a home. It is rebuilt by `doctor --repair` before the job goes on."""


@contextmanager
def jobs_in(home: Path) -> Iterator[Service]:
    service = Service(Environment({"ECHELON_HOME": str(home)}))
    try:
        yield service
    finally:
        durable.shut_down()
        service.close()


def begun(home: Path, stop: int) -> str:
    """A job in `home` that stopped at its `stop`-th model call."""
    with jobs_in(home) as jobs:
        job = submit_plain(jobs, lambda s: SwitchedOff("off") if s.number > stop else played(s, TASKS))
        jobs.run(job)
    return job


def end_of(home: Path, job: str) -> JobResult | EchelonError:
    """How the job ends when it is resumed in `home`."""
    register(lambda s: played(s, TASKS))
    with jobs_in(home) as jobs:
        try:
            return jobs.run(jobs.resume(job))
        except EchelonError as error:
            return error


def contents(result: JobResult) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in result.outputs}


def judged(end: JobResult | EchelonError, wanted: dict[str, bytes]) -> tuple[str, str]:
    """`same`, `said` or `differs`, and the sentence."""
    if isinstance(end, EchelonError):
        return "said", str(end)
    if end.state == "completed":
        return ("same" if contents(end) == wanted else "differs"), end.reason
    return (
        "said" if end.reason and "\n" not in end.reason and "Traceback" not in end.reason else "differs"
    ), end.reason


def say(figure: str, value: Any, **more: Any) -> None:
    print(json.dumps({"benchmark": "homes", "figure": figure, "value": value, **more}), flush=True)


def prepared(folder: Path) -> tuple[dict[int, tuple[Path, str]], dict[str, bytes]]:
    """A stopped home for each place, and what a job makes that nothing happens to."""
    stopped = {}
    for stop in STOPS:
        home = folder / f"stopped-{stop}" / "home"
        stopped[stop] = (home, begun(home, stop))
    home = folder / "whole"
    shutil.copytree(stopped[STOPS[0]][0], home, symlinks=True)
    whole = end_of(home, stopped[STOPS[0]][1])
    assert isinstance(whole, JobResult) and whole.state == "completed", whole
    return stopped, contents(whole)


def measure(folder: Path, short: bool) -> bool:
    """Damage, resume and compare; whether the bar holds."""
    stopped, wanted = prepared(folder)
    counted: Counter[str] = Counter()
    cases = list(DAMAGES.items())[:: 6 if short else 1]
    for number, (name, damage) in enumerate(cases):
        home, job = stopped[STOPS[number % len(STOPS)]]
        copy = folder / "case"
        shutil.copytree(home, copy, symlinks=True)
        damage(copy / "jobs" / job)
        verdict, sentence = judged(end_of(copy, job), wanted)
        shutil.rmtree(copy)
        counted[verdict] += 1
        say("case", verdict, damage=name, stopped=STOPS[number % len(STOPS)], sentence=sentence[:200])
    for name, change in OF_THE_DATABASE.items() if not short else ():
        for stop, (home, job) in stopped.items():
            copy = folder / "case"
            shutil.copytree(home, copy, symlinks=True)
            change(copy / "echelon.sqlite")
            repair(Environment({"ECHELON_HOME": str(copy)}))
            verdict, sentence = judged(end_of(copy, job), wanted)
            shutil.rmtree(copy)
            counted[verdict] += 1
            say("case", verdict, damage=name, stopped=stop, sentence=sentence[:200])
    home, job = stopped[STOPS[0]]
    before = {p: p.stat().st_mtime_ns for p in home.rglob("*")}
    shutil.copytree(home, folder / "copied", symlinks=True)
    copied, _ = judged(end_of(folder / "copied", job), wanted)
    untouched = {p: p.stat().st_mtime_ns for p in home.rglob("*")} == before
    home.rename(folder / "moved")
    moved, _ = judged(end_of(folder / "moved", job), wanted)
    say("copied home", copied, original_untouched=untouched)
    say("moved home", moved, made_at_the_old_place=home.exists())
    say("ways of corrupting a home", len(cases) + (0 if short else len(OF_THE_DATABASE)), **counted)
    say("results that differ without a word", counted["differs"], bar=0)
    return counted["differs"] == 0 and copied == moved == "same" and untouched and not home.exists()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="every sixth way")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return 0 if measure(Path(folder), given.short) else 1


if __name__ == "__main__":
    sys.exit(main())
