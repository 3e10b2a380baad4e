"""Is anything false ever COMPLETED by the coder job? Scripted teams that lie, as whole jobs; and honest ones beside them.

    python benchmarks/code_cheats.py [--only NAME] [--group cheats|honest] [--part 1/3]

In every job the planner, QA and the Assessor say that all is well; only what code finds can stop it. Prints one JSON
line a job and one a group. Bars: no cheat is COMPLETED, and every honest task is.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.code_cases import CHEAT_CASES, HONEST_TASKS, Case
from benchmarks.code_cases_further import FURTHER_CHEATS
from benchmarks.code_cases_script import SCRIPT_CHEATS, SCRIPT_HONEST
from tests.support.coders import made_repository, run_scripted, team
from tests.support.scripted import service

LIMITS = {"ceilings.rounds": 2, "budget.model_calls": 60, "code.seconds": 40}
CHEATS = [*CHEAT_CASES, *FURTHER_CHEATS, *SCRIPT_CHEATS]
HONEST = [*HONEST_TASKS, *SCRIPT_HONEST]
GROUPS = {"cheats": CHEATS, "honest": HONEST}


def run_all(cases: list[Case], folder: Path) -> Iterator[tuple[Case, str, str, float]]:
    """(case, end, why, seconds) of each."""
    with service(folder) as jobs:
        for number, case in enumerate(cases):
            source = made_repository(folder / f"repository-{number}", dict(case.files))
            began = time.perf_counter()
            result = run_scripted(jobs, f"c{number}", source, case.request, dict(team(case.steps)), **LIMITS)
            why = [str(each.get("cause", "")) for each in result.escalations]
            yield case, str(result.state), (why or [result.reason])[0], time.perf_counter() - began


def main() -> int:
    """Measure and print; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--group", choices=[*GROUPS], help="only this group")
    parser.add_argument("--part", default="1/1", help="which part of each group, such as 2/3")
    given = parser.parse_args()
    part, parts = map(int, given.part.split("/"))
    missed = False
    for group, every in GROUPS.items():
        if given.group not in (None, group):
            continue
        cases = [c for c in every[part - 1 :: parts] if given.only in c.name]
        completed = 0
        with tempfile.TemporaryDirectory() as made:
            for case, state, why, seconds in run_all(cases, Path(made)):
                completed += state == "completed"
                line = {"benchmark": "code_cheats", "group": group, "case": case.name, "end": state, "why": why[:160]}
                print(json.dumps({**line, "seconds": round(seconds, 1)}), flush=True)
        wanted = 0 if group == "cheats" else len(cases)
        missed |= completed != wanted
        figure = {"benchmark": "code_cheats", "figure": f"{group} that end COMPLETED", "value": completed}
        print(json.dumps({**figure, "of": len(cases), "bar": wanted}), flush=True)
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
