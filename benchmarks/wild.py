"""Measure extraction on documents that it was not developed on; one JSON line a set, then one with the means.

    python -m benchmarks.wild [NAME ...] [--misses N]

A set is a folder of `../shared/data/wild` (or of the folder named by --data) with one document and its `gold.json`. A
folder without `gold.json` is a document in a language that is not read, or one for reading alone: its line only counts.
Figures are those of `../shared/score/requirements.py`: F1, accuracy of ids, words in common; `verbatim` is the share of
citations that are their place in the text of the page, letter by letter.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.extraction import SCORER, SHARED, as_json
from echelon.domains.documents.reading import read_document
from echelon.domains.documents.types import Document
from echelon.domains.requirements import extract_requirements
from echelon.domains.requirements.types import Requirement

WILD = SHARED / "data/wild"


def measure(folder: Path, misses: int) -> dict[str, Any]:
    """The figures of one set: the scorer's where there is a gold list, counts where there is none."""
    path = next(p for p in sorted(folder.iterdir()) if p.name != "gold.json")
    begun = time.process_time()
    document = read_document(path)
    requirements = extract_requirements(document)
    used = time.process_time() - begun
    counts = {"set": folder.name, "found": len(requirements), "seconds": round(used, 2), "pages": len(document.pages)}
    gold = folder / "gold.json"
    if not gold.exists():
        return {**counts, "language": document.language}
    scored = score(document, requirements, gold, misses)
    return {**counts, **scored, "verbatim": verbatim(document, requirements)}


def score(document: Document, requirements: list[Requirement], gold: Path, misses: int) -> dict[str, Any]:
    """What the scorer says about these requirements."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "requirements.json"
        out.write_text(json.dumps(as_json(document, requirements)), encoding="utf-8")
        command = [sys.executable, str(SCORER), str(out), str(gold), "--json", "--misses", str(misses)]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
    print(run.stderr, end="", file=sys.stderr)
    return dict(json.loads(run.stdout))


def verbatim(document: Document, requirements: list[Requirement]) -> float:
    """Share of citations whose quote stands at its place."""
    cited = [c for r in requirements for c in r.citations]
    right = sum(document.page(c.page).text[c.start : c.end] == c.quote for c in cited)
    return round(right / max(1, len(cited)), 4)


def main() -> int:
    """Run the sets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--data", type=Path, default=WILD)
    parser.add_argument("--misses", type=int, default=0)
    options = parser.parse_args()
    if not options.data.is_dir():
        print(json.dumps({"what": "wild", "skipped": f"{options.data.name} is not there"}))
        return 0
    folders = [f for f in sorted(options.data.iterdir()) if f.is_dir() and (not options.sets or f.name in options.sets)]
    results = []
    for folder in folders:
        results.append(measure(folder, options.misses))
        print(json.dumps(results[-1]), flush=True)
    scored = [r for r in results if "f1" in r]
    if len(scored) > 1:
        means = {key: round(statistics.mean(r[key] for r in scored), 3) for key in ("f1", "id_accuracy", "words")}
        print(json.dumps({"set": "mean", "sets": len(scored), **means, "lowest_f1": min(r["f1"] for r in scored)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
