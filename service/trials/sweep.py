"""Kill a job at its steps, resume it, and compare: the proof that nothing is lost and nothing is done twice.

A job is run once to its end, in a process of its own. Then, for one kill after another, it is run again from its start
in a new home, killed with SIGKILL exactly at a step, resumed in another process, and its ledger, its effects and its
deliverables are compared with those of the job that was never killed. Kills are *at* a step (everything before it is
recorded, nothing of it has begun) or *inside* it (it is begun, and not finished).

Processes are forked from one that has imported everything heavy and started nothing: a kill costs no import.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from echelon.domains.code.evidence.runs import TREE
from echelon.domains.code.map.walking import git
from echelon.engine.effects import effects
from echelon.errors import UserError
from echelon.service.service import Service
from echelon.settings import Environment
from echelon.store.engines import open_engine
from echelon.store.records.events import EventRow
from echelon.store.records.steps import Begun, Step
from echelon.store.store import Store

JOB = "sweep"
"""Id of the job in every home: prompts and results may name it."""
INSIDE_SHARE = 10
"""With every boundary swept, one step in so many is also cut off inside."""

_TIMES = re.compile(rb'LAST-CHANGE="[^"]*"|<CREATION-TIME>[^<]*|REQ-IF-HEADER IDENTIFIER="[^"]*"')


@dataclass(frozen=True)
class Kill:
    """Where a process kills itself: at the step with this number, or inside it."""

    number: int
    inside: bool = False


class KillingStore(Store):
    """A store whose process dies when the ledger comes to a step."""

    kill: Kill | None = None

    def begin_step(self, job: str, number: int, step: Begun, told: Sequence[EventRow] = ()) -> None:
        """As in `Store`, unless this is where the process ends."""
        if self.kill is not None and number == self.kill.number and not self.kill.inside:
            _die()
        super().begin_step(job, number, step, told)
        if self.kill is not None and number == self.kill.number:
            _die()


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a process that killed itself goes on")


@dataclass(frozen=True)
class Record:
    """What two runs must have in common."""

    ledger: tuple[tuple[Any, ...], ...]
    effects: tuple[tuple[Any, ...], ...]
    deliverables: dict[str, str]
    starts: dict[int, int] = field(compare=False)
    """How often each finished step ran"""
    commits: tuple[str, ...] = ()
    """What the workspace's commits say, each with the tree of a repository that the job changes"""


Home = AbstractContextManager[dict[str, str]]


@contextlib.contextmanager
def sqlite_home() -> Generator[dict[str, str]]:
    """The environment of a new home on SQLite, deleted afterwards."""
    folder = tempfile.mkdtemp(prefix="echelon-sweep-")
    try:
        yield {"ECHELON_HOME": folder}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Sweep:
    """A job to be swept. With `workers` it goes through the queue, and another worker takes over from a killed one."""

    type: str
    inputs: tuple[Path, ...]
    model: str | None = None
    overrides: dict[str, Any] = field(default_factory=dict)
    request: str | None = None
    workers: bool = False
    home: Callable[[], Home] = sqlite_home

    def whole(self) -> Record:
        """The record of the job when nothing is killed. Raises UserError when it does not complete even so."""
        with self.home() as environment:
            used = Path(environment["ECHELON_HOME"]) / "modules.json"
            code = forked(lambda: _noting_modules(used, lambda: self._work(environment, None)))
            if code != 0:
                raise UserError(f"The job does not complete even without a kill (exit code {code}).")
            import_all(json.loads(used.read_text(encoding="utf-8")))
            return record(environment)

    def killed(self, kill: Kill, whole: Record) -> dict[str, Any]:
        """Run, kill, resume and compare; `held` says whether everything is identical."""
        with self.home() as environment:
            died = self._run(environment, kill) == -signal.SIGKILL
            before = record(environment).starts
            code = self._run(environment, None)
            after = record(environment)
        repeated = sum(after.starts.get(number, 0) != times for number, times in before.items())
        found = {
            "same_ledger": after.ledger == whole.ledger,
            "same_effects": after.effects == whole.effects,
            "same_deliverables": after.deliverables == whole.deliverables,
            "same_commits": after.commits == whole.commits,
        }
        held = died and code == 0 and repeated == 0 and all(found.values())
        place = {"step": kill.number, "inside": kill.inside, "died": died, "finished": len(before)}
        return {**place, "exit": code, "repeated": repeated, **found, "held": held}

    def _run(self, environment: dict[str, str], kill: Kill | None) -> int:
        return forked(lambda: self._work(environment, kill))

    def _work(self, environment: dict[str, str], kill: Kill | None) -> int:
        service = Service(Environment({**_inherited(), **environment}))
        store = KillingStore(open_engine(service.environment.database_url), service.environment.home)
        store.kill = kill
        store.migrate()
        service.__dict__["store"] = store  # in place of the one that the service would open
        is_new = not any(row.id == JOB for row in store.all_jobs())
        if is_new:
            service.submit(self.type, list(self.inputs), self.request, self.model, self.overrides, job=JOB)
        if not self.workers:
            return service.run(service.resume(JOB)).exit_code
        from echelon.service.worker import Worker

        if is_new:
            service.enqueue(JOB)
        Worker(service).run(drain=True)
        return service.result(JOB).exit_code


def _inherited() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k not in ("ECHELON_HOME", "ECHELON_DATABASE_URL")}


def forked(work: Callable[[], int]) -> int:
    """The exit code of `work` in a process of its own, negative when a signal ended it."""
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        code = 1
        try:
            code = work()
        except UserError as error:
            print(f"echelon: {error}", file=sys.stderr, flush=True)
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def warm() -> None:
    """Import what every run needs, and start nothing: what is started does not survive a fork."""
    import_module("dbos")

    with_warnings_off()
    import_module("crewai")


def with_warnings_off() -> None:
    """crewai warns about its own code when it is imported."""
    import warnings

    warnings.filterwarnings("ignore")


def _noting_modules(path: Path, work: Callable[[], int]) -> int:
    code = work()
    path.write_text(json.dumps(sorted(sys.modules)), encoding="utf-8")
    return code


def import_all(names: list[str]) -> None:
    """Import what an earlier process of the job came to import, so that no later one has to."""
    for name in names:
        if name not in sys.modules and name != "__main__":
            with contextlib.suppress(Exception):  # a part of a package that cannot be imported alone
                importlib.import_module(name)


def record(environment: dict[str, str]) -> Record:
    """What is in the home of a swept job now."""
    known = Environment({**_inherited(), **environment})
    store = Store(open_engine(known.database_url), known.home)
    store.migrate()
    steps = store.steps(JOB)
    rows = effects(store.engine, JOB)
    store.engine.dispose()
    return Record(
        ledger=tuple(_compared(s) for s in steps),
        effects=tuple((e["number"], e["tool"], e["arguments"], e["state"]) for e in rows),
        deliverables=_hashes(known.home / "jobs" / JOB / "output"),
        starts={s.number: s.starts for s in steps if s.answered},
        commits=_commits(known.home / "jobs" / JOB),
    )


def _commits(folder: Path) -> tuple[str, ...]:
    """Oldest first. Ids of commits hold times; those of trees do not."""
    if not (folder / ".git").is_dir():
        return ()
    said = git(folder, "log", "--reverse", "--format=%H %s", check=False).decode("utf-8", "replace")
    rows = (line.partition(" ") for line in said.splitlines())
    return tuple(f"{words} {_tree(folder, commit)}".strip() for commit, _, words in rows)


def _tree(folder: Path, commit: str) -> str:
    return git(folder, "rev-parse", "--quiet", "--verify", f"{commit}:{TREE}", check=False).decode().strip()


def _compared(step: Step) -> tuple[Any, ...]:
    """Answers of code are left out: they hold commit ids, and those hold times."""
    answered = step.answered if step.kind != "code" else ""
    return (step.number, step.kind, step.name, step.role, step.asked, answered)


def _hashes(folder: Path) -> dict[str, str]:
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return {p.relative_to(folder).as_posix(): hashlib.sha256(without_times(p)).hexdigest() for p in files}


def without_times(path: Path) -> bytes:
    """The content of a deliverable; ReqIF demands the time at which it was written."""
    content = path.read_bytes()
    return _TIMES.sub(b"", content) if path.suffix == ".reqif" else content


def kills_of(steps: int, every: bool, number: int, seed: int) -> list[Kill]:
    """Where to kill a job of so many steps: every boundary and some insides, or so many places at random."""
    pick = random.Random(seed)
    boundaries = [Kill(n) for n in range(1, steps + 1)]
    insides = [Kill(n, inside=True) for n in range(1, steps + 1)]
    if every:
        return boundaries + sorted(pick.sample(insides, max(1, steps // INSIDE_SHARE)), key=lambda k: k.number)
    places = pick.sample(boundaries + insides, min(number, 2 * steps))
    return sorted(places, key=lambda k: (k.number, k.inside))


def run(sweep: Sweep, every: bool, number: int, seed: int, say: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Sweep a job, `say` how each kill went, and return the sum of it. Raises UserError."""
    warm()
    whole = sweep.whole()
    kills = kills_of(len(whole.ledger), every, number, seed)
    failed = 0
    for kill in kills:
        found = sweep.killed(kill, whole)
        failed += not found["held"]
        say(found)
    return {"steps": len(whole.ledger), "kills": len(kills), "failed": failed, "held": failed == 0}


def command(sweep: Sweep, every: bool, number: int, seed: int, as_json: bool) -> int:
    """`echelon sweep`: a line a kill, and the sum; exit code 1 when anything differed."""

    def say(found: dict[str, Any]) -> None:
        if as_json:
            return
        where = f"{'inside' if found['inside'] else 'at'} step {found['step']}"
        wrong = [
            k for k in ("died", "same_ledger", "same_effects", "same_deliverables", "same_commits") if not found[k]
        ]
        wrong += [f"{found['repeated']} steps repeated"] if found["repeated"] else []
        print(f"killed {where}: {'identical' if found['held'] else 'DIFFERS: ' + ', '.join(wrong)}", flush=True)

    total = run(sweep, every, number, seed, say)
    held = "every one identical" if total["held"] else f"{total['failed']} differed"
    print(json.dumps(total) if as_json else f"{total['kills']} kills over {total['steps']} steps: {held}")
    return 0 if total["held"] else 1
