"""Find the requirements of a document and say what came of it: `python examples/run_job.py [FILE.pdf ...]`."""

import sys
from pathlib import Path

from echelon import run_job

SAMPLE = Path(__file__).parents[1] / "knowledge" / "records-retention-policy-2pages.pdf"

if __name__ == "__main__":
    result = run_job("creator", inputs=sys.argv[1:] or [SAMPLE], overrides={"budget.cost": 1.0})
    print(f"{result.job}: {result.state} after {result.rounds} rounds for ${result.cost:.2f} {result.reason}")
    print(f"{result.figures.get('requirements')} requirements: {result.figures.get('by_modality')}")
    print("\n".join(str(path) for path in result.outputs))
    sys.exit(result.exit_code)
