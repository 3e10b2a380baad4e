"""Trace links: precision, recall and F1 on public data sets, one JSON line each.

    python benchmarks/links.py              # the shipped rule on each set
    python benchmarks/links.py --leave-out  # its two parameters chosen on the other sets, measured on the one left out

The sets are folders in `../shared/data/trace` with high/, low/ and answer.csv.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from itertools import product
from pathlib import Path

from echelon.domains.requirements.links import LINKS_PER_LOW, ROW_WEIGHT, rank_pairs, trace_links

DATA = Path(__file__).parents[1] / ".." / "shared" / "data" / "trace"
SETS = ("CM1-NASA", "GANNT", "ModisDataset", "CCHIT")
GRID = tuple(product((0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2), (0.25, 0.5, 0.75, 1.0)))

Links = set[tuple[str, str]]


def load(folder: Path) -> tuple[dict[str, str], dict[str, str], Links]:
    """(high, low, true links) of one set; answers that name no file are left out."""
    high, low = (
        {_bare(path.name): path.read_text(errors="replace") for path in sorted((folder / side).iterdir())}
        for side in ("high", "low")
    )
    with (folder / "answer.csv").open(errors="replace") as file:
        rows = [row for row in csv.reader(file) if len(row) >= 2][1:]
    gold = {(_bare(row[0]), _bare(row[1])) for row in rows}
    return high, low, {(upper, lower) for upper, lower in gold if upper in high and lower in low}


def _bare(name: str) -> str:
    return name.strip().removesuffix(".txt")


def score(found: Links, gold: Links) -> dict[str, float]:
    hit = len(found & gold)
    precision, recall = hit / max(1, len(found)), hit / max(1, len(gold))
    f1 = 2 * hit / max(1, len(found) + len(gold))
    return {"precision": round(precision, 3), "recall": round(recall, 3), "f1": round(f1, 3)}


def measure() -> None:
    for name in SETS:
        high, low, gold = load(DATA / name)
        found = {(upper, lower) for upper, lower, _ in trace_links(high, low)}
        line = {"set": name, "high": len(high), "low": len(low), "gold": len(gold), "found": len(found)}
        print(json.dumps({**line, **score(found, gold)}))


def leave_out() -> None:
    """Parameters with the best mean F1, relative to each set's best, on the other sets; then the set left out."""
    table = {name: _grid(*load(DATA / name)) for name in SETS}
    for name in SETS:
        others = [table[other] for other in SETS if other != name]
        best = max(GRID, key=lambda point: sum(scores[point] / max(scores.values()) for scores in others))
        shipped = table[name][LINKS_PER_LOW, ROW_WEIGHT]
        print(
            json.dumps(
                {
                    "left_out": name,
                    "chosen_on_the_others": {"links_per_low": best[0], "row_weight": best[1]},
                    "f1": table[name][best],
                    "f1_shipped": shipped,
                    "f1_worst_of_grid": min(table[name].values()),
                    "f1_best_of_grid": max(table[name].values()),
                }
            )
        )


def _grid(high: dict[str, str], low: dict[str, str], gold: Links) -> dict[tuple[float, float], float]:
    scores = {}
    for weight in sorted({point[1] for point in GRID}):
        ranked = [(upper, lower) for upper, lower, _ in rank_pairs(high, low, weight)]
        for share in sorted({point[0] for point in GRID}):
            scores[share, weight] = score(set(ranked[: round(share * len(low))]), gold)["f1"]
    return scores


def main() -> int:
    parser = argparse.ArgumentParser(description="Trace links on public data sets.")
    parser.add_argument("--leave-out", action="store_true", help="choose the parameters without the set measured")
    options = parser.parse_args()
    if not DATA.is_dir():
        print("the trace sets are missing: they are development data that the project does not ship", file=sys.stderr)
        return 2
    leave_out() if options.leave_out else measure()
    return 0


if __name__ == "__main__":
    sys.exit(main())
