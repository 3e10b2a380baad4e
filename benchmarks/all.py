"""Run the benchmarks one after another: `python benchmarks/all.py [--short]`. One JSON line a figure."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
APART = {"all.py", "real_model.py", "train_classifier.py"}
"""Not run here: this file, what needs a model server, and what makes a shipped part anew."""


def main() -> int:
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    bad = []
    for path in sorted(HERE.glob("*.py")):
        if path.name in APART:
            continue
        if subprocess.run([sys.executable, str(path), *sys.argv[1:]], env=environment, check=False).returncode:
            bad.append(path.name)
    for name in bad:
        print(f"benchmark {name} failed", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
