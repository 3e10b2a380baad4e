"""How large prompts get: 100 tool turns beside a plain crewai agent, and round 100 of a job beside round 10.

    python benchmarks/context.py [--short]

Prints one JSON line a figure. Both agents follow the same script with the same tools in the same process; tokens are
counted in the same way: texts, calls and tool schemas in the o200k vocabulary, and four for the frame of each message.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.plain_crewai import plain_kickoff
from echelon.engine.context.cut import prompt_tokens
from echelon.engine.messages import ToolResult
from echelon.engine.toolbox import Tool
from tests.support.phases import play, tool
from tests.support.scripted import Reply, Seen, call, played, run_plain, service

WORDS = re.findall(
    r"\w+",
    "record retention period invoice archive ledger audit export access owner review approve store delete journal "
    "clause section annex system backup restore evidence signature storage media index reader format copy original",
)


def kilobyte(seed: int) -> str:
    """About 1,000 characters of words, the same for the same seed."""
    rng = random.Random(seed)
    text = ""
    while len(text) < 1_000:
        text += rng.choice(WORDS) + " "
    return text.strip()


def work_tool() -> Tool:
    """A tool that answers 1 KB with 1 KB."""
    return tool("work", lambda text: ToolResult(ok=True, explanations=(kilobyte(sum(map(ord, text))),)))


def report(figure: str, value: float, **more: Any) -> None:
    """Print one figure."""
    print(json.dumps({"benchmark": "context", "figure": figure, "value": round(value, 4), **more}), flush=True)


def turns(folder: Path, count: int) -> None:
    """Total prompt tokens of `count` tool turns, and how the last prompt stands to the tenth."""

    def script(seen: Seen) -> Reply:
        if seen.number > count:
            return call("submit_report", summary="All is done.")
        return call("work", text=kilobyte(seen.number))

    with service(folder) as jobs:
        ours = play(jobs, script, [work_tool()], overrides={"budget.calls_per_phase": count + 10})
    assert ours.how == "submitted", ours.how
    sizes = [prompt_tokens(r) for r in ours.model.asked]
    plain = plain_kickoff(script, [work_tool(), ours.toolbox["submit_report"]], "Do the work.", count)
    assert len(plain.prompt_tokens) == len(sizes)
    report(
        f"total prompt tokens of {count} tool turns, share of plain crewai", sum(sizes) / sum(plain.prompt_tokens),
        bar=0.12, echelon=sum(sizes), crewai=sum(plain.prompt_tokens), echelon_last=sizes[-1],
        crewai_last=plain.prompt_tokens[-1], largest=max(sizes),
    )  # fmt: skip


def rounds(folder: Path, count: int) -> None:
    """Mean prompt tokens of the last ten rounds over those of rounds 6 to 15."""
    overrides = {
        "budget.model_calls": "unlimited", "budget.tokens": "unlimited", "budget.seconds": "unlimited",
        "ceilings.rounds": 3 * count,
    }  # fmt: skip
    with service(folder) as jobs:
        result = run_plain(jobs, lambda seen: played(seen, count), overrides=overrides)
    assert result.state == "completed", (result.state, result.reason)
    by_round: dict[int, list[int]] = {}
    for step in result.ledger:
        if step.kind == "model":
            by_round.setdefault(step.round, []).append(step.prompt_tokens)
    early = mean(x for r in range(6, 16) for x in by_round[r])
    late = mean(x for r in range(count - 9, count + 1) for x in by_round[r])
    report(
        f"mean prompt tokens of rounds {count - 9}-{count} over rounds 6-15", late / early, bar=1.05,
        early=round(early), late=round(late), calls=sum(map(len, by_round.values())),
    )  # fmt: skip


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="25 rounds instead of 100")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        turns(Path(folder) / "turns", 100)
        rounds(Path(folder) / "rounds", 25 if arguments.short else 100)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
