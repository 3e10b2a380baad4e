"""A real small language model works on two short files as `plain` jobs: how each ends, and what it delivered.

    OPENAI_BASE_URL=http://127.0.0.1:8091/v1 OPENAI_API_KEY=any python benchmarks/real_plain.py [--home FOLDER]

Any OpenAI-compatible server does. Each request is a job in a home of its own; one JSON line a request with the text that
was delivered, and one with the sums. Bar: 5 of 5 end typed, at least 3 deliver; whether a COMPLETED one is false is for a
reader, `holds` only says which of the facts that a good answer names stand in it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.apart import apart

FILES = {
    "plan-march.md": """# Plan of March

- The meeting is on Monday at 10:00 in room 4.
- Maria brings the projector.
- Lunch costs 12 euros for each person.
- We order 20 chairs.
""",
    "plan-april.md": """# Plan of April

- The meeting is on Tuesday at 10:00 in room 7.
- Maria brings the projector.
- Lunch costs 14 euros for each person.
- We order 25 chairs.
""",
}
REQUESTS = (
    ("Write down what differs between the two plans.", ("Monday", "Tuesday", "12", "14", "20", "25")),
    ("Make a table of the days, rooms, prices and chairs of both plans.", ("Monday", "Tuesday", "12", "14", "25", "|")),
    ("List what is the same in both plans.", ("Maria", "projector", "10:00")),
    ("Write a short note to the team that says what changes in April.", ("Tuesday", "7", "14", "25")),
    ("Make a checklist of everything to prepare for April.", ("projector", "25")),
)
TYPED = ("completed", "needs_input", "escalated", "limit")
SETTINGS = {
    "model_settings.tool_calls": "json_schema", "model_settings.context_window": 8192, "budget.seconds": 2_400,
    "model_settings.max_output_tokens": 1_200, "model_settings.timeout": 900,
}  # fmt: skip


def one(number: int, model: str) -> dict[str, Any]:
    """Do the work of one request in this process and say how it went."""
    from echelon.service.service import Service

    request, facts = REQUESTS[number]
    with tempfile.TemporaryDirectory() as folder:
        files: list[str | Path] = [Path(folder) / name for name in FILES]
        for file in map(Path, files):
            file.write_text(FILES[file.name], encoding="utf-8")
        jobs, started = Service(), time.monotonic()
        done = jobs.run(jobs.submit("plain", files, request, model, SETTINGS))
    outputs = {p.name: p.read_text("utf-8", "replace") for p in map(Path, done.outputs) if p.is_file()}
    told = "\n".join(outputs.values())
    return {
        "job": done.job, "state": str(done.state), "reason": done.reason[:300],
        "seconds": round(time.monotonic() - started), "calls": done.spent.get("model_calls", 0),
        "prompt_tokens": done.spent.get("prompt_tokens", 0), "holds": [f for f in facts if f in told],
        "wanted": len(facts), "delivered": outputs,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="openai/local")
    parser.add_argument("--runs", type=int, default=len(REQUESTS))
    parser.add_argument("--seconds", type=float, default=3_000, help="most that one job may take")
    parser.add_argument("--home", type=Path, help="folder that keeps the jobs; a temporary one without it")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(one(given.one, given.model), ensure_ascii=False))
        return 0
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="real-plain-") as temporary:
        home = (given.home or Path(temporary)).resolve()
        for number in range(given.runs):
            found.append(
                apart(__file__, ["--one", str(number), "--model", given.model], home / f"run-{number}", given.seconds)
            )
            said = {"benchmark": "real_plain", "request": REQUESTS[number][0], **found[-1]}
            print(json.dumps(said, ensure_ascii=False), flush=True)
    typed = sum(f["state"] in TYPED for f in found)
    delivered = sum(f["state"] == "completed" and any(f["delivered"].values()) for f in found)
    print(
        json.dumps({"benchmark": "real_plain", "runs": len(found), "typed": typed, "delivered": delivered}), flush=True
    )
    return 0 if typed == len(found) and delivered >= 0.6 * len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
