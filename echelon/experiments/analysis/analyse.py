"""The analysis of an experiment: every arm against the baseline, at the end or at a look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from echelon.experiments.analysis.arms import ArmSummary, summary
from echelon.experiments.definition.settings import Experiment
from echelon.experiments.metrics import METRICS
from echelon.experiments.statistics.many import holm, nominal, rejected
from echelon.experiments.statistics.paired import Comparison, Row, compare
from echelon.experiments.statistics.ratio import CostRatio, cost_per_success
from echelon.experiments.trials import Trial, TrialResult


@dataclass(frozen=True)
class Difference:
    """One arm against the baseline by one metric. `adjusted` and `significant` belong to the metric that is tested."""

    arm: str
    metric: str
    found: Comparison
    adjusted: float | None = None
    """p by Holm over the arms; what it is held against at a look is `level`"""
    significant: bool | None = None
    """None for metrics that are not tested, and where nothing can be said"""
    level: float | None = None


@dataclass(frozen=True)
class Missing:
    """A trial that has nothing to be compared with, or cannot be compared."""

    trial: str
    task: str
    arm: str
    repeat: int
    why: str


@dataclass(frozen=True)
class Analysis:
    """What may be said of an experiment."""

    experiment: Experiment
    arms: tuple[ArmSummary, ...]
    differences: tuple[Difference, ...]
    prices: dict[str, CostRatio]
    """Dollars a success, by arm, over those of the baseline"""
    token_prices: dict[str, CostRatio]
    missing: tuple[Missing, ...]
    clusters: int
    look: int
    """Index of the look that this is, of `experiment.compare.looks`"""
    too_many_crashes: tuple[str, ...]
    """Arms of which more crashed than `stop_when.crashed` allows: nothing is said of them"""

    def of(self, arm: str, metric: str) -> Difference:
        """The difference of an arm by a metric. Raises KeyError."""
        for difference in self.differences:
            if (difference.arm, difference.metric) == (arm, metric):
                return difference
        raise KeyError((arm, metric))

    def arm(self, name: str) -> ArmSummary:
        """The summary of an arm. Raises KeyError."""
        for found in self.arms:
            if found.name == name:
                return found
        raise KeyError(name)

    @property
    def decided(self) -> bool:
        """Whether every arm is known to differ from the baseline by the metric that is tested."""
        primary = self.experiment.compare.primary
        return all(d.significant for d in self.differences if d.metric == primary)


def analyse(
    experiment: Experiment, planned: Sequence[Trial], results: Sequence[TrialResult], look: int | None = None
) -> Analysis:
    """Every arm against the baseline. `results` are those that are there; the others of `planned` are missing.

    At a look (an index of `compare.looks`; the last one by default) p is held against the level of that look, and the
    intervals are made with it as well, so that they say the same (repeated confidence intervals, Jennison & Turnbull
    1989, *J. R. Statist. Soc. B* 51:305).
    """
    settings = experiment.compare
    at = len(settings.looks) - 1 if look is None else look
    alpha = nominal(settings.looks, at, settings.alpha)
    arms = tuple(
        summary(name, results, sum(t.arm == name for t in planned), settings.alpha) for name in experiment.arms
    )
    crashed = tuple(a.name for a in arms if a.unknown_share > experiment.stop_when.crashed)
    primary = _tested(experiment, results, alpha, at, crashed)
    others = [
        Difference(arm, metric, _compared(experiment, results, arm, metric, alpha))
        for arm in experiment.others
        for metric in settings.metrics[1:]
    ]
    return Analysis(
        experiment=experiment,
        arms=arms,
        differences=(*primary, *others),
        prices=_prices(experiment, results, "cost"),
        token_prices=_prices(experiment, results, "tokens"),
        missing=tuple(_missing(planned, results)),
        clusters=len({r.cluster for r in results}),
        look=at,
        too_many_crashes=crashed,
    )


def rows_of(results: Sequence[TrialResult], metric: str) -> list[Row]:
    """The rows of a metric; trials without a figure are left out."""
    values = ((r, r.value(metric)) for r in results)
    return [(r.cluster, r.task, r.repeat, r.arm, v) for r, v in values if v is not None]


def _compared(
    experiment: Experiment, results: Sequence[TrialResult], arm: str, metric: str, alpha: float
) -> Comparison:
    return compare(rows_of(results, metric), experiment.baseline, arm, alpha=alpha, bounds=METRICS[metric].bounds)


def _tested(
    experiment: Experiment, results: Sequence[TrialResult], alpha: float, look: int, crashed: tuple[str, ...]
) -> list[Difference]:
    """The metric that is tested, by Holm over the arms; without an interval, or with too many crashes, no verdict."""
    settings = experiment.compare
    found = {arm: _compared(experiment, results, arm, settings.primary, alpha) for arm in experiment.others}
    silent = {a for a, c in found.items() if not c.has_interval or a in crashed or experiment.baseline in crashed}
    p = {arm: c.p if c.p is not None and arm not in silent else 1.0 for arm, c in found.items()}
    adjusted, passed = holm(p), rejected(p, settings.looks, look, settings.alpha)
    return [
        Difference(
            arm=arm, metric=settings.primary, found=c, adjusted=None if arm in silent else adjusted[arm],
            significant=None if arm in silent else arm in passed, level=passed.get(arm, alpha),
        )
        for arm, c in found.items()
    ]  # fmt: skip


def _prices(experiment: Experiment, results: Sequence[TrialResult], unit: str) -> dict[str, CostRatio]:
    rows = [(r.cluster, r.arm, float(getattr(r.used, unit)), float(bool(r.success))) for r in results]
    alpha = experiment.compare.alpha
    return {arm: cost_per_success(rows, experiment.baseline, arm, alpha=alpha) for arm in experiment.others}


def _missing(planned: Sequence[Trial], results: Sequence[TrialResult]) -> list[Missing]:
    done = {r.trial: r for r in results}
    out: list[Missing] = []
    for trial in planned:
        result = done.get(trial.id)
        why = "was not run" if result is None else "" if result.usable else _ungraded(result)
        if why:
            out.append(Missing(trial.id, trial.task, trial.arm, trial.repeat, why))
    return out


def _ungraded(result: TrialResult) -> str:
    said = next((c.says for c in result.checks if c.passed is None), result.reason)
    return f"could not be graded: {said}" if said else "could not be graded"
