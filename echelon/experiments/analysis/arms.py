"""What each arm did by itself: its rates with their intervals, its means, where and how its trials failed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from echelon.experiments.metrics import METRICS
from echelon.experiments.statistics.rates import Rate, wilson_clustered
from echelon.experiments.trials import TrialResult


@dataclass(frozen=True)
class ArmSummary:
    """The trials of one arm."""

    name: str
    planned: int
    done: int
    crashed: int
    ungraded: int
    success: Rate
    false_completion: Rate
    """The risk of the arm: shares of all graded trials that say COMPLETED and are wrong"""
    means: dict[str, float | None]
    """By metric; None where no trial has a figure"""
    totals: dict[str, float]
    """Tokens, cost and seconds of all trials, without what was shared before a fork"""
    failures: dict[str, int]
    """Trials by failure kind, the most frequent first"""
    tiers: dict[str, int]
    """Trials without success by the tier at which they ended"""
    states: dict[str, int]
    """Trials by how their job ended"""

    @property
    def unknown_share(self) -> float:
        """Share of the trials done that crashed or could not be graded."""
        return (self.crashed + self.ungraded) / self.done if self.done else 0.0

    @property
    def price(self) -> float | None:
        """US dollars a success, None without one."""
        return self.totals["cost"] / self.success.successes if self.success.successes else None


def summary(name: str, results: Sequence[TrialResult], planned: int, alpha: float = 0.05) -> ArmSummary:
    """The summary of an arm, from the results of its trials."""
    own = [r for r in results if r.arm == name]
    graded = [r for r in own if r.success is not None]
    return ArmSummary(
        name=name,
        planned=planned,
        done=len(own),
        crashed=sum(r.crashed for r in own),
        ungraded=sum(r.success is None for r in own),
        success=wilson_clustered([(r.cluster, bool(r.success)) for r in graded], alpha=alpha),
        false_completion=wilson_clustered([(r.cluster, r.false_completion) for r in graded], alpha=alpha),
        means={metric: _mean([r.value(metric) for r in own]) for metric in METRICS},
        totals={k: math.fsum(getattr(r.used, k) for r in own) for k in ("tokens", "cost", "seconds")},
        failures=_counted(kind for r in own for kind in r.failures),
        tiers=_counted(r.failed_tier for r in own if r.failed_tier and r.success is False),
        states=_counted(r.state for r in own),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return math.fsum(known) / len(known) if known else None


def _counted(names: object) -> dict[str, int]:
    counted: Counter[str] = Counter(names)  # type: ignore[call-overload]
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
