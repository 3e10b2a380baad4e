"""What a model call costs beside the model itself: Echelon, durable on SQLite, and a plain crewai agent.

    python benchmarks/overhead.py [--calls 200] [--profile]

Both follow the same script of tool calls that take no time, with a model that takes none, in the same process. A call
is one answer of the model and the tool call that follows from it. Prints one JSON line a figure.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.plain_crewai import plain_kickoff
from tests.support.phases import Played, go_on, play, prepared, tool
from tests.support.scripted import Reply, Seen, call, service


def work(text: str) -> str:
    """A tool that takes no time."""
    return f"The result for {text} is {len(text)}."


def script_of(calls: int) -> Any:
    """Calls of a tool, each with other arguments, and a report at the end."""

    def script(seen: Seen) -> Reply:
        if seen.number > calls:
            return call("submit_report", summary="All is done.")
        return call("work", text=f"part {'i' * (seen.number % 50)} of {seen.number}")

    return script


def report(figure: str, value: float, **more: Any) -> None:
    """Print one figure."""
    print(json.dumps({"benchmark": "overhead", "figure": figure, "value": round(value, 2), **more}), flush=True)


def profiled(played: Played) -> None:
    """Run the phase in this thread's profiler. DBOS runs it in another one, so the profiler is set for all."""
    import threading

    profile = cProfile.Profile()
    threading.setprofile(lambda *_: profile.enable())
    go_on(played)
    threading.setprofile(None)
    profile.disable()
    pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(70)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--profile", action="store_true", help="print where the time goes, to standard error")
    arguments = parser.parse_args()
    calls: int = arguments.calls
    tools = [tool("work", work)]
    overrides = {"budget.calls_per_phase": calls + 10}
    with tempfile.TemporaryDirectory() as folder, service(Path(folder)) as jobs:
        warm = play(jobs, script_of(3), tools)  # imports, migrations, first connections
        played = prepared(jobs, script_of(calls), tools, overrides=overrides)
        began, used = time.perf_counter(), time.process_time()
        if arguments.profile:
            profiled(played)
        else:
            go_on(played)
        ours, used = (time.perf_counter() - began) * 1000, (time.process_time() - used) * 1000
        assert played.how == "submitted", played.how
        short = prepared(jobs, script_of(0), tools)
        began = time.perf_counter()
        go_on(short)
        phase = (time.perf_counter() - began) * 1000
        submit = warm.toolbox["submit_report"]
        plain_kickoff(script_of(3), [*tools, submit], "Do the work.", 3)
        plain = plain_kickoff(script_of(calls), [*tools, submit], "Do the work.", calls).seconds * 1000
    report(
        "milliseconds a call beside the model, durable on SQLite", ours / (calls + 1), bar=12, calls=calls,
        of_them_processor=round(used / (calls + 1), 2),
    )  # fmt: skip
    report("milliseconds a call, plain crewai", plain / (calls + 1), calls=calls)
    report("milliseconds of a phase with a single call", phase)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
