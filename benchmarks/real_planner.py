"""A real small language model plans goals in prose: how each job ends, and whether the checker accepts its schedule.

    OPENAI_BASE_URL=http://127.0.0.1:8091/v1 OPENAI_API_KEY=any python benchmarks/real_planner.py [--runs 5]

Any OpenAI-compatible server does. Each goal is a job in a home of its own; one JSON line a goal, and one with the sums. Bar:
5 of 5 end typed (no FAILED, no traceback), at least 3 COMPLETED with a schedule that the independent checker accepts.
`written` says whether the role's own outline was planned, or the template that it fell back on.
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

GOALS = (
    "Give a dinner for twelve people on a Saturday: menu, shopping, cooking, table.",
    "Move a small library of 8,000 books into the new rooms next door.",
    "Publish a printed field guide to the birds of our valley, with photographs by three members.",
    "Renovate the club's kitchen: floor, electricity, new cupboards, in this order, then paint.",
    "Hold a one-day conference on beekeeping with six speakers and a workshop.",
)
TYPED = ("completed", "needs_input", "escalated", "limit")
TOOLS = "json_schema"


def one(goal: str, model: str, overrides: dict[str, Any]) -> dict[str, Any]:
    """Plan one goal in this process and say how it went."""
    from echelon.domains.planning.checking.checker import check
    from echelon.domains.planning.contracts.plan import Plan
    from echelon.domains.planning.contracts.project import Project
    from echelon.service.service import Service

    jobs, started = Service(), time.monotonic()
    done = jobs.run(jobs.submit("planner", [], goal, model, overrides))
    said: dict[str, Any] = {
        "state": done.state,
        "reason": done.reason[:200],
        "seconds": round(time.monotonic() - started),
    }
    said |= {
        "calls": done.spent.get("model_calls", 0),
        "tokens": done.spent.get("prompt_tokens", 0),
        "rounds": done.rounds,
    }
    path = done.folder / "output/plan.json"
    if not path.exists():
        return said
    plan = Plan.model_validate_json(path.read_bytes())
    project = Project.model_validate_json((done.folder / "plan/project.json").read_bytes())
    broken = check(project, plan.schedule) if plan.schedule is not None else None
    said |= {
        "status": plan.planning_status,
        "tasks": len(project.tasks),
        "violations": None if broken is None else len(broken),
    }
    return said | {"written": any(t.origin.startswith("ai") for t in project.tasks)}


def child(goal: str, given: argparse.Namespace) -> dict[str, Any]:
    """The same in a process and a home of its own; what it printed last where it gave no result."""
    with tempfile.TemporaryDirectory() as home:
        arguments = ["--goal", goal, "--model", given.model, "--tools", given.tools]
        return apart(__file__, arguments, Path(given.home or home).resolve(), given.timeout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=len(GOALS))
    parser.add_argument("--model", default="openai/local")
    parser.add_argument("--tools", default=TOOLS, choices=["native", "json_schema"])
    parser.add_argument("--timeout", type=float, default=3_000, help="seconds of one job")
    parser.add_argument("--home", default="", help="keep the jobs in this folder")
    parser.add_argument("--goal", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.goal is not None:
        overrides = {
            "model_settings.tool_calls": given.tools, "model_settings.context_window": 8192, "budget.seconds": 2_400,
            "model_settings.max_output_tokens": 1_200, "model_settings.timeout": 900, "planning.seconds": 5,
        }  # fmt: skip
        print(json.dumps(one(given.goal, given.model, overrides)))
        return 0
    found: list[dict[str, Any]] = []
    for goal in GOALS[: given.runs]:
        found.append(child(goal, given))
        print(json.dumps({"benchmark": "real_planner", "goal": goal[:50], **found[-1]}), flush=True)
    typed = sum(f["state"] in TYPED for f in found)
    kept = sum(f["state"] == "completed" and f.get("violations") == 0 for f in found)
    written = sum(bool(f.get("written")) for f in found)
    said = {"runs": len(found), "typed": typed, "completed_and_accepted": kept, "written_by_roles": written}
    print(json.dumps({"benchmark": "real_planner", **said}), flush=True)
    return 0 if typed == len(found) and kept >= 0.6 * len(found) else 1


if __name__ == "__main__":
    sys.exit(main())
