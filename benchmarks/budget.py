"""Jobs with random ceilings: none is passed, a job at a limit keeps its partial result, and more brings it to its end.

`python benchmarks/budget.py [--jobs 200] [--seed 1] [--short]` prints one JSON line at the end. The jobs are small
plain jobs played by a scripted model whose calls cost money; each has one ceiling on calls, tokens or dollars, of the
whole job or of each milestone.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from echelon.engine.context.cut import prompt_tokens
from echelon.engine.messages import Answer, ToolCall, Usage
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.tokens import count_tokens
from tests.support.scripted import Seen, played, service, submit_plain

PRICES = {"model_settings.input_price": 2.0, "model_settings.output_price": 8.0}
"""Dollars per million tokens."""
TOKENS_A_CALL = 1_800
CALLS = 24
"""About what one of these jobs needs: ceilings are drawn from nothing to a little more than that."""


def paid(seen: Seen) -> Answer:
    """What a willing model answers, with its tokens and its price."""
    reply = played(seen, tasks=1)
    assert isinstance(reply, ToolCall)
    prompt, completion = prompt_tokens(seen.request), count_tokens(reply.name + reply.arguments)
    cost = (prompt * 2.0 + completion * 8.0) / 1_000_000
    return Answer(calls=(reply,), usage=Usage(prompt_tokens=prompt, completion_tokens=completion, cost=cost))


def drawn(pick: random.Random) -> tuple[str, float]:
    """A setting and its ceiling."""
    scope = pick.choice(("budget", "budget", "budget.milestone"))
    calls = pick.randint(0, CALLS)
    amounts = {"model_calls": calls, "tokens": calls * TOKENS_A_CALL, "cost": round(calls * TOKENS_A_CALL * 2.4e-6, 4)}
    limit = pick.choice(sorted(amounts))
    return f"{scope}.{limit}", amounts[limit]


def overshoot(result: JobResult, setting: str, ceiling: float) -> float:
    """By how much the whole job passed its ceiling; 0 when it did not. A milestone's part is at most the job's."""
    spent = {**result.spent, "tokens": result.spent["prompt_tokens"] + result.spent["completion_tokens"]}
    used = float(spent[setting.rpartition(".")[2]])
    if setting.startswith("budget.milestone"):
        used -= before_milestone(result, setting.rpartition(".")[2])
    return max(0.0, used - ceiling) if used - ceiling > 1e-9 else 0.0


def before_milestone(result: JobResult, limit: str) -> float:
    """What was spent in the phases without a milestone: the scope, and the delivery after the last one."""
    rows = [s for s in result.ledger if s.kind == "model" and s.phase.endswith("-scope")]
    return float({
        "model_calls": len(rows),
        "tokens": sum(s.prompt_tokens + s.completion_tokens for s in rows),
        "cost": sum(s.cost for s in rows),
    }[limit])  # fmt: skip


def has_partial_result(service_: Service, result: JobResult, setting: str) -> bool:
    """Whether the row says why and what there is, and every file in `output/` is named in it."""
    row = service_.store.job(result.job).end
    there = {p for p in (result.folder / "output").rglob("*") if p.is_file()}
    accepted = {result.folder / f"output/result-{n + 1}.md" for n in range(len(row.done))}
    return bool(row.snapshot) and result.reason.startswith(setting) and set(result.outputs) == there >= accepted


def one(jobs: Service, pick: random.Random) -> dict[str, Any]:
    """Run one job to its limit, and with more to its end."""
    setting, ceiling = drawn(pick)
    first = jobs.run(submit_plain(jobs, paid, overrides={**PRICES, setting: ceiling}))
    found: dict[str, Any] = {
        "state": str(first.state),
        "overshot": overshoot(first, setting, ceiling) > 0,
        "partial": first.state != "limit" or has_partial_result(jobs, first, setting),
    }
    last = jobs.run(jobs.resume(first.job, {setting: "unlimited"})) if first.state == "limit" else first
    found["completed"] = last.state == "completed"
    if not (found["partial"] and found["completed"]) or found["overshot"]:
        told = {"setting": setting, "ceiling": ceiling, "reason": first.reason, "end": last.reason}
        print(json.dumps({"benchmark": "budget", **told, **found}), file=sys.stderr)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="10 jobs")
    given = parser.parse_args()
    count, pick = 10 if given.short else given.jobs, random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        rows = [one(jobs, pick) for _ in range(count)]
    figures = {
        "jobs": count,
        "ended": dict(sorted(Counter(r["state"] for r in rows).items())),
        "overshot": sum(r["overshot"] for r in rows),
        "without_partial_result": sum(not r["partial"] for r in rows),
        "not_completed_with_more": sum(not r["completed"] for r in rows),
    }
    held = not (figures["overshot"] or figures["without_partial_result"] or figures["not_completed_with_more"])
    print(json.dumps({"benchmark": "budget", **figures, "bar": 0, "held": held}))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
