"""Run the benchmarks one after another: `python benchmarks/all.py [--short]`. One JSON line a figure.

With --short only those run that have a short form.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
APART = {
    "all.py",
    "statistics.py",
    "experiment_tasks.py",
    "train_classifier.py",
    "plain_creator.py",
    "plain_crewai.py",
}
"""Not run here: this file, what makes a shipped part anew, what others compare with."""
NEEDS_MODEL = "real_"
"""Neither is what needs a model server."""


def main() -> int:
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    short = "--short" in sys.argv[1:]
    bad = []
    for path in sorted(HERE.glob("*.py")):
        if (
            path.name in APART
            or path.name.startswith("real_")
            or (short and '"--short"' not in path.read_text(encoding="utf-8"))
        ):
            continue
        if subprocess.run([sys.executable, str(path), *sys.argv[1:]], env=environment, check=False).returncode:
            bad.append(path.name)
    for name in bad:
        print(f"benchmark {name} failed", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
