"""Places of issues: seconds cold and with the index, peak memory. One JSON line a figure.

Needs `../shared/data/swebench_loc/repos` unpacked below the folder of the first argument; prints nothing without.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

QUESTION = "Traceback when a parametrized test has an id with a newline; the short summary prints a broken line"


def main(trees: list[Path]) -> None:
    for tree in trees:
        with tempfile.TemporaryDirectory() as home:
            for kind in ("cold", "with the index"):
                began = time.perf_counter()
                command = [sys.executable, "-m", "echelon", "ask", str(tree), QUESTION, "--files"]
                subprocess.run(
                    command, env={"ECHELON_HOME": home, "PATH": "/usr/bin:/bin"}, check=True, capture_output=True
                )
                took = time.perf_counter() - began
                print(json.dumps({"figure": f"ask {tree.name} {kind}", "value": round(took, 2), "unit": "s"}))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(json.dumps({"figure": "ask peak memory", "value": round(peak), "unit": "MB"}))


if __name__ == "__main__":
    main([Path(each) for each in sys.argv[1:]])
