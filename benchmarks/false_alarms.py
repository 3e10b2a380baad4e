"""Do the tests of an experiment keep their level: looks before the end, several arms, both, arms that are the same?

    python benchmarks/false_alarms.py [--short]

Simulated experiments without an effect: successes of tasks that are of different difficulty and react differently.
Prints one JSON line a figure; exits with 1 when a bar is missed. Beside each figure stands what happens without the
correction: stopping at any look with p < .05, and every arm tested at .05.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
from numpy.typing import NDArray

from echelon.experiments.statistics.many import holm, nominal, rejected
from echelon.experiments.statistics.paired import Row, compare
from echelon.experiments.statistics.rates import wilson

ALPHA = 0.05
LOOKS = (0.25, 0.5, 0.75, 1.0)
BAR = 0.06
DIFFICULTY, REACTION = 1.5, 0.7
"""Spread of the difficulty of tasks, and of the effect of an arm on each of them, on the logit scale"""

Scores = NDArray[np.float64]
"""(cluster, repeat, arm)"""


def draw(rng: np.random.Generator, clusters: int, repeats: int, arms: int) -> Scores:
    """An experiment whose arms are equally good on average over all tasks there are."""
    level = rng.normal(0, DIFFICULTY, (clusters, 1)) + rng.normal(0, REACTION, (clusters, arms)) / 2**0.5
    chance = 1 / (1 + np.exp(-level))
    return (rng.random((clusters, repeats, arms)) < chance[:, None, :]).astype(np.float64)


def rows(scores: Scores, upto: int) -> list[Row]:
    """The rows of the first `upto` clusters; arm k is called 'k'."""
    clusters, repeats, arms = scores.shape
    return [
        (g, f"t{g}", r, str(k), float(scores[g, r, k]))
        for g in range(min(upto, clusters)) for r in range(repeats) for k in range(arms)
    ]  # fmt: skip


def p_values(scores: Scores, upto: int) -> dict[str, float]:
    """p of every arm against arm 0."""
    given = rows(scores, upto)
    found = {str(k): compare(given, "0", str(k)).p for k in range(1, scores.shape[2])}
    return {name: 1.0 if p is None else p for name, p in found.items()}


def simulated(seed: int, experiments: int, arms: int) -> Iterator[Scores]:
    rng = np.random.default_rng(seed)
    for _ in range(experiments):
        yield draw(rng, 40, 3, arms)


def looks(experiments: int) -> dict[str, Any]:
    """One arm against the baseline, looked at four times: O'Brien-Fleming against stopping whenever p < .05."""
    levels = [nominal(LOOKS, k, ALPHA) for k in range(len(LOOKS))]
    alarms = careless = 0
    for scores in simulated(11, experiments, 2):
        p = [p_values(scores, round(share * len(scores)))["1"] for share in LOOKS]
        alarms += any(a <= b for a, b in zip(p, levels, strict=True))
        careless += min(p) <= ALPHA
    return figure("looks", experiments, alarms, careless, levels=[round(x, 5) for x in levels])


def arms(experiments: int) -> dict[str, Any]:
    """Four arms against one baseline: Holm against testing each at .05."""
    alarms = careless = 0
    for scores in simulated(12, experiments, 5):
        p = p_values(scores, len(scores))
        alarms += min(holm(p).values()) <= ALPHA
        careless += min(p.values()) <= ALPHA
    return figure("arms", experiments, alarms, careless)


def looks_and_arms(experiments: int) -> dict[str, Any]:
    """Four arms, each experiment looked at four times."""
    alarms = careless = 0
    for scores in simulated(13, experiments, 5):
        p = [p_values(scores, round(share * len(scores))) for share in LOOKS]
        alarms += any(rejected(found, LOOKS, k, ALPHA) for k, found in enumerate(p))
        careless += min(min(found.values()) for found in p) <= ALPHA
    return figure("looks_and_arms", experiments, alarms, careless)


def figure(name: str, experiments: int, alarms: int, careless: int, **more: Any) -> dict[str, Any]:
    """One line: the share of false alarms with and without the correction, and the interval of the first."""
    rate = wilson(alarms, experiments)
    interval = [round(rate.low or 0, 4), round(rate.high or 0, 4)]
    shares = {"false_alarms": alarms / experiments, "interval": interval, "uncorrected": careless / experiments}
    return {"benchmark": f"statistics.{name}", "experiments": experiments, **shares, "bar": BAR, **more}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="300 simulated experiments a figure")
    parser.add_argument("--experiments", type=int, default=4_000)
    given = parser.parse_args()
    count = 300 if given.short else given.experiments
    missed = False
    for measured in (looks(count), arms(count), looks_and_arms(count)):
        print(json.dumps(measured), flush=True)
        missed |= measured["false_alarms"] > BAR
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
