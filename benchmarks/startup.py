"""How fast the command line answers: one JSON line a figure, the median of several runs."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

CASES = {"echelon --help": (["--help"], 0.15), "echelon jobs": (["jobs"], 1.0)}


def seconds(arguments: list[str], home: str) -> float:
    """Wall-clock seconds of one run of the command."""
    began = time.perf_counter()
    command = [sys.executable, "-c", "import main; main.cli()", *arguments]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "ECHELON_HOME": home})
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="fewer runs")
    runs = 3 if parser.parse_args().short else 9
    with tempfile.TemporaryDirectory() as home:
        for name, (arguments, bar) in CASES.items():
            seconds(arguments, home)  # makes the database and fills the caches
            measured = statistics.median(seconds(arguments, home) for _ in range(runs))
            figure = {"benchmark": "startup", "command": name, "median_seconds": round(measured, 3), "bar": bar}
            print(json.dumps(figure))


if __name__ == "__main__":
    main()
