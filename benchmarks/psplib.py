"""PSPLIB: RCPSP j30 and RCPSP/max sm_j10, sm_j20 against their known optima, one JSON line each.

    python benchmarks/psplib.py [--short] [j30 | sm_j10 | sm_j20]

Every schedule is checked by `violations`, which reads the files itself and shares no code with the model. j30: every tenth
of the 480; RCPSP/max: every sixth, or with --short few of each. Data: Kolisch and Sprecher 1997; Schwindt 1998.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from echelon.domains.planning.solver.problem import Activity, Arc, Mode, Problem, Store, Table, Wish
from echelon.domains.planning.solver.process import SolverProcess

DATA = Path(__file__).parents[1] / ".." / "shared" / "data" / "psplib"
SECONDS = 10.0


@dataclass
class Instance:
    """A file as it is: durations, (from, to, least start-to-start distance), demands, capacities."""

    name: str
    durations: list[int]
    lags: list[tuple[int, int, int]]
    demands: list[list[int]]
    capacities: list[int]


def read_rcpsp(path: Path) -> Instance:
    """A single-mode .sm file; precedence is finish-to-start."""
    lines = path.read_text(encoding="latin-1").splitlines()
    at = {
        name: i for i, line in enumerate(lines) for name in ("PRECEDENCE", "REQUESTS", "RESOURCEAVAIL") if name in line
    }
    follow, durations, demands = [], [], []
    for line in lines[at["PRECEDENCE"] + 2 : at["REQUESTS"] - 1]:
        row = [int(x) for x in line.split()]
        follow.append([x - 1 for x in row[3:]])
    for line in lines[at["REQUESTS"] + 3 : at["RESOURCEAVAIL"] - 1]:
        row = [int(x) for x in line.split()]
        durations.append(row[2])
        demands.append(row[3:])
    capacities = [int(x) for x in lines[at["RESOURCEAVAIL"] + 2].split()]
    lags = [(a, b, durations[a]) for a, targets in enumerate(follow) for b in targets]
    return Instance(path.name, durations, lags, demands, capacities)


def read_max(path: Path) -> Instance:
    """A ProGen/max .SCH file: start-to-start lags, negative ones are maximal lags."""
    lines = path.read_text(encoding="latin-1").splitlines()
    count = int(lines[0].split()[0]) + 2
    lags, durations, demands = [], [], []
    for line in lines[1 : count + 1]:
        row = line.split()
        number, targets = int(row[0]), int(row[2])
        lags += [
            (number, int(t), int(lag.strip("[]")))
            for t, lag in zip(row[3 : 3 + targets], row[3 + targets :], strict=True)
        ]
    for line in lines[count + 1 : 2 * count + 1]:
        numbers = [int(x) for x in line.split()]
        durations.append(numbers[2])
        demands.append(numbers[3:])
    return Instance(path.name, durations, lags, demands, [int(x) for x in lines[2 * count + 1].split()])


def problem_of(i: Instance) -> Problem:
    """The instance as the solver takes it; every horizon that is long enough is as good."""
    horizon = sum(max([d, *(lag for a, _, lag in i.lags if a == n)]) for n, d in enumerate(i.durations)) + 1
    tables = {d: Table(tuple(range(horizon - d + 1)), tuple(range(d, horizon + 1))) for d in sorted(set(i.durations))}
    numbers = {d: n for n, d in enumerate(tables)}
    activities = tuple(
        Activity((Mode(numbers[d], tuple((r, u) for r, u in enumerate(need) if u)),))
        for d, need in zip(i.durations, i.demands, strict=True)
    )
    arcs = tuple(Arc(a, b, from_end=False, to_end=False, lag=lag) for a, b, lag in i.lags)
    return Problem(horizon, tuple(tables.values()), activities, arcs, tuple(Store(c) for c in i.capacities))


def violations(i: Instance, starts: list[int]) -> int:
    """Broken lags and over-full time units."""
    bad = sum(starts[b] - starts[a] < lag for a, b, lag in i.lags) + sum(s < 0 for s in starts)
    for r, capacity in enumerate(i.capacities):
        for t in range(max(starts) + max(i.durations)):
            running = [n for n, s in enumerate(starts) if s <= t < s + i.durations[n]]
            bad += sum(i.demands[n][r] for n in running) > capacity
    return bad


def run(name: str, paths: list[Path], known: dict[str, str], solver: SolverProcess, steady: bool) -> dict[str, object]:
    reached = proven = infeasible = broken = worse = missed = 0
    started = time.monotonic()
    unsat = sum(known[p.name] == "unsat" for p in paths)
    for path in paths:
        instance = read_rcpsp(path) if name == "j30" else read_max(path)
        answer = solver.solve(problem_of(instance), Wish(seconds=SECONDS, steady=steady))
        if known[path.name] == "unsat":
            infeasible += answer.status == "infeasible"
            continue
        if not answer.choices:
            missed += 1
            continue
        starts = [c.start for c in answer.choices if c is not None]
        broken += violations(instance, starts)
        end = max(s + d for s, d in zip(starts, instance.durations, strict=True))
        reached += end <= reference(known[path.name])
        worse += end > reference(known[path.name])
        proven += answer.status == "optimal"
    return {
        "benchmark": "psplib", "set": name, "steady": steady, "instances": len(paths), "feasible_known": len(paths) - unsat,
        "best_known_reached": reached, "proven": proven, "worse": worse, "nothing_found": missed,
        "infeasible_known": unsat, "infeasible_recognised": infeasible, "violations": broken,
        "seconds": round(time.monotonic() - started, 1),
    }  # fmt: skip


SETS = {
    "j30": ("rcpsp/j30.sm", "*.sm", 10),
    "sm_j10": ("rcpsp-max/sm_j10", "*.SCH", 6),
    "sm_j20": ("rcpsp-max/sm_j20", "*.SCH", 6),
}


def main() -> int:
    if not DATA.is_dir():
        print(json.dumps({"benchmark": "psplib", "skipped": "the development data is not beside the repository"}))
        return 0
    short, wanted = "--short" in sys.argv, [a for a in sys.argv[1:] if a in SETS] or list(SETS)
    good = True
    with SolverProcess() as solver:
        for name in wanted:
            folder, pattern, step = SETS[name]
            with (DATA / folder / "optimum" / "optimum.csv").open() as lines:
                known = {row["problem"]: row["optimum"] for row in csv.DictReader(lines)}
            paths = sorted((DATA / folder).glob(pattern), key=lambda p: [int(x) for x in _numbers(p.stem)])
            result = run(name, paths[:: step * (10 if short else 1)], known, solver, "--clock" not in sys.argv)
            print(json.dumps(result), flush=True)
            good = good and not result["violations"] and not result["worse"] and not result["nothing_found"]
            good = good and result["infeasible_recognised"] == result["infeasible_known"]
    return 0 if good else 1


def reference(text: str) -> int:
    """The best end that is known; an open instance has its bounds written as `low..high`."""
    return int(text.split("..")[-1])


def _numbers(stem: str) -> list[str]:
    return "".join(c if c.isdigit() else " " for c in stem).split()


if __name__ == "__main__":
    sys.exit(main())
