"""Do the arms of an experiment have the same budget, and does none pass it? One agent against the hierarchy.

    python benchmarks/equal_budget.py [--short] [--trials 200] [--seed 1]

Experiments on ten small plain tasks, each with one ceiling of its own for every trial: model calls, tokens or dollars,
drawn from less than a job needs to more than it needs. Prints one JSON line; exits with 1 when a trial used more than
its ceiling, when the arms of a task had different ceilings, or when no ceiling was ever met.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.budget import PRICES, TOKENS_A_CALL
from echelon.engine.context.cut import prompt_tokens
from echelon.engine.messages import Answer, ToolCall, Usage
from echelon.experiments.trials import TrialResult
from echelon.service.service import Service
from echelon.tokens import count_tokens
from tests.experiments.running import plain_experiment, run
from tests.support.scripted import Seen, call, played, register, service

TASKS = 10
LINES = 6
"""Times that the one agent writes before it reports"""
MOST_CALLS = 26


def paid(seen: Seen) -> Answer:
    """A willing hierarchy, and an agent that works alone; every call costs money."""
    reply = alone(seen) if seen.phase == "implement" and seen.todo is None else played(seen, tasks=1)
    assert isinstance(reply, ToolCall)
    prompt, completion = prompt_tokens(seen.request), count_tokens(reply.name + reply.arguments)
    cost = (prompt * 2.0 + completion * 8.0) / 1_000_000
    return Answer(calls=(reply,), usage=Usage(prompt_tokens=prompt, completion_tokens=completion, cost=cost))


def alone(seen: Seen) -> ToolCall:
    """Write line by line, then report."""
    written = sum(m.role == "tool" and m.name == "append_file" for m in seen.request.messages)
    if written < LINES and "todo_complete" not in {m.name for m in seen.request.messages}:
        return call("append_file", path="output/result-1.md", text=f"Line {written + 1} of what was asked for.\n")
    return call("submit_report", outcome="done", summary="It is written.", confidence=0.9)


def drawn(pick: random.Random) -> dict[str, float]:
    """One ceiling for every trial of an experiment."""
    calls = pick.randint(2, MOST_CALLS)
    amounts = {"model_calls": calls, "tokens": calls * TOKENS_A_CALL, "cost": round(calls * TOKENS_A_CALL * 2.4e-6, 4)}
    limit = pick.choice(sorted(amounts))
    return {limit: amounts[limit]}


def over(result: TrialResult, ceiling: dict[str, float]) -> bool:
    """Whether a trial used more than it was given."""
    return any(getattr(result.used, name) > most + 1e-9 for name, most in ceiling.items())


def one(folder: Path, jobs: Service, number: int, ceiling: dict[str, float]) -> list[TrialResult]:
    """The trials of one experiment."""
    priced = {"model": "scripted/paid", "set": PRICES}
    arms = {"hierarchy": priced, "single": {**priced, "crew": "single"}}
    says: dict[str, Any] = {"name": f"equal-{number}", "budget": {"per_trial": ceiling}}
    says["stop_when"] = {"crashed": 1.0}
    folder.mkdir()
    return list(run(plain_experiment(folder, TASKS, arms, **says), jobs).trials)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="one experiment: 20 trials")
    given = parser.parse_args()
    pick, count = random.Random(given.seed), 1 if given.short else -(-given.trials // (2 * TASKS))
    passed = unequal = met = trials = 0
    ends: dict[str, int] = {}
    register(paid, "paid")
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        for number in range(count):
            ceiling = drawn(pick)
            found = one(Path(folder) / f"x{number}", jobs, number, ceiling)
            trials += len(found)
            passed += sum(over(r, ceiling) for r in found)
            unequal += len({r.ceilings.model_dump_json() for r in found}) != 1
            met += sum(r.state == "limit" for r in found)
            for r in found:
                ends[f"{r.arm} {r.state}"] = ends.get(f"{r.arm} {r.state}", 0) + 1
    held = not (passed or unequal) and met > 0
    print(json.dumps({
        "benchmark": "equal_budget", "trials": trials, "ended": dict(sorted(ends.items())), "passed_the_ceiling": passed,
        "experiments_with_unequal_ceilings": unequal, "bar": 0, "held": held,
    }))  # fmt: skip
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
