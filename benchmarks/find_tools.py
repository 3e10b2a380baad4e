"""How often the right tool is among the first: MetaTool's dev questions against its 199 tools.

    python benchmarks/find_tools.py [--limit N]

Prints one JSON line a figure. Looks for the data in `../shared/data/metatool` beside the project.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from pathlib import Path

from echelon.domains.search.bm25 import Ranker
from echelon.domains.search.embeddings import embed

DATA = Path(__file__).parents[1] / ".." / "shared" / "data" / "metatool"


def load(folder: Path) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """Names of the tools, one text a tool (name and description), and (question, name of the right tool)."""
    described = json.loads((folder / "plugin_des.json").read_text(encoding="utf-8"))
    names = sorted(described)
    with (folder / "queries_dev.csv").open(encoding="utf-8", newline="") as file:
        questions = [(row["Query"], row["Tool"]) for row in csv.DictReader(file)]
    return names, [f"{name}: {described[name]}" for name in names], questions


def hits(ranker: Ranker, names: list[str], questions: list[tuple[str, str]]) -> dict[int, float]:
    """Share of the questions whose tool is among the first 1, 3, 5, 10."""
    places = []
    for question, tool in questions:
        order = [names[index] for index, _ in ranker.rank(question, limit=10)]
        places.append(order.index(tool) if tool in order else len(names))
    return {first: sum(place < first for place in places) / len(places) for first in (1, 3, 5, 10)}


def report(figure: str, value: float, **more: float) -> None:
    """Print one figure."""
    print(json.dumps({"benchmark": "find_tools", "figure": figure, "value": round(value, 4), **more}))


def main() -> int:
    """Measure and print; 0, or 2 when the data is missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limit", type=int, help="only every n-th question, so that about LIMIT are asked")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        print(f"no data in {DATA}", file=sys.stderr)
        return 2
    names, texts, questions = load(DATA)
    if arguments.limit:
        questions = questions[:: max(1, len(questions) // arguments.limit)]
    embed(["warm"])
    start = time.perf_counter()
    ranker = Ranker(texts)
    build = time.perf_counter() - start
    start = time.perf_counter()
    found = hits(ranker, names, questions)
    each = (time.perf_counter() - start) / len(questions)
    for first, share in found.items():
        bar = {"bar": 0.6} if first == 5 else {}
        report(f"right tool in the first {first}", share, tools=len(names), questions=len(questions), **bar)
    report("seconds to index", build, bar=1.0)
    report("milliseconds a question", each * 1000)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
