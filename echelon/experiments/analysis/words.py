"""Two sentences in plain words: what differs and how sure that is; and at what price. Or that nothing can be said."""

from __future__ import annotations

from echelon.experiments.analysis.analyse import Analysis, Difference
from echelon.experiments.metrics import METRICS, Metric
from echelon.experiments.statistics.paired import LEAST_CLUSTERS
from echelon.experiments.statistics.power import needed_clusters
from echelon.experiments.statistics.ratio import CostRatio

FINEST = 0.005
"""The smallest difference of a share that a number of tasks is named for."""


def sentences(analysis: Analysis) -> tuple[str, str]:
    """What differs, how sure; and the price of it with the risk."""
    what, price = clauses(analysis)
    return _joined(what), _joined(price)


def clauses(analysis: Analysis) -> tuple[list[str], list[str]]:
    """The same, a clause for each arm: what differs and how sure; the prices, and the risk of all arms."""
    primary, others = analysis.experiment.compare.primary, analysis.experiment.others
    prices = [_price(analysis, arm) for arm in others]
    return [_said(analysis, analysis.of(arm, primary)) for arm in others], [*filter(None, prices), _risk(analysis)]


def _joined(parts: list[str]) -> str:
    text = "; ".join(p for p in parts if p)
    return text[:1].upper() + text[1:] + "." if text else ""


def _said(analysis: Analysis, difference: Difference) -> str:
    metric, found, base = METRICS[difference.metric], difference.found, analysis.experiment.baseline
    who = f"'{difference.arm}' against '{base}'"
    crashed = [a for a in (difference.arm, base) if a in analysis.too_many_crashes]
    if crashed:
        share = analysis.arm(crashed[0]).unknown_share
        return (
            f"nothing can be said of {who}: {share:.0%} of the trials of '{crashed[0]}' crashed or could not be graded"
        )
    if not found.has_interval:
        return f"nothing can be said of {who}: {found.why_not}"
    if difference.significant:
        return f"{who}: {_direction(metric, found.estimate)}, {_interval(metric, difference)}"
    if not found.estimate and found.exact:
        return f"{who}: {metric.name} is the same in every task, {_interval(metric, difference)}"
    worth = analysis.experiment.compare.worth
    if (
        worth is not None
        and found.low is not None
        and found.high is not None
        and -worth < found.low <= found.high < worth
    ):
        return f"{who}: {metric.name} differs by less than {_size(metric, worth)}, {_interval(metric, difference)}"
    return (
        f"nothing can be said of {metric.name} of {who}: {metric.shown_difference(found.estimate)} was seen, "
        f"{_interval(metric, difference)}{_needed(analysis, difference)}"
    )


def _direction(metric: Metric, estimate: float) -> str:
    more = estimate > 0
    better = "better" if more == metric.more_is_better else "worse"
    return f"{metric.name} is {_size(metric, estimate)} {'higher' if more else 'lower'}, which is {better}"


def _size(metric: Metric, value: float) -> str:
    """A difference without its sign."""
    return metric.shown_difference(abs(value)).lstrip("+")


def _interval(metric: Metric, difference: Difference) -> str:
    found = difference.found
    assert found.low is not None and found.high is not None
    level = f"{found.level * 100:.3g} %"
    low, high = metric.shown_difference(found.low), metric.shown_difference(found.high)
    p = f", p = {difference.adjusted:.2g}" if difference.adjusted is not None else ""
    return f"{level} interval {low} to {high} from {found.clusters} independent tasks{p}"


def _needed(analysis: Analysis, difference: Difference) -> str:
    """How many tasks it would take to find what matters, or what was seen."""
    found, metric = difference.found, METRICS[difference.metric]
    wanted = analysis.experiment.compare.worth or abs(found.estimate)
    if not found.sd or (metric.bounds is not None and wanted < FINEST):
        return ""
    needed = needed_clusters(wanted, found.sd, analysis.experiment.compare.alpha)
    if needed is None or needed <= found.clusters:
        return ""
    return f"; to find a difference of {_size(metric, wanted)} it would take {needed:,} independent tasks"


def _price(analysis: Analysis, arm: str) -> str:
    dollars, tokens = analysis.prices[arm], analysis.token_prices[arm]
    if dollars.ratio is not None:
        return _ratio(analysis, arm, dollars, "costs", "{:.4f}", "$")
    if tokens.ratio is not None:
        return _ratio(analysis, arm, tokens, "takes", "{:,.0f}", "", " tokens")
    without = [
        f"'{name}'" for name, price in ((analysis.experiment.baseline, tokens.a), (arm, tokens.b)) if price is None
    ]
    return f"a success has no price where there is none, as with {' and '.join(without)}" if without else ""


def _ratio(analysis: Analysis, arm: str, found: CostRatio, verb: str, form: str, before: str, after: str = "") -> str:
    assert found.a is not None and found.b is not None and found.ratio is not None
    one, other = (f"{before}{form.format(v)}{after}" for v in (found.b, found.a))
    sure = f"ratio {found.ratio:.2f}, {_ratio_interval(found)}"
    return f"a success {verb} {one} with '{arm}' and {other} with '{analysis.experiment.baseline}' ({sure})"


def _ratio_interval(found: CostRatio) -> str:
    if found.low is None or found.high is None:
        return f"no interval: {found.why_not}"
    return f"interval {found.low:.2f} to {found.high:.2f}"


def _risk(analysis: Analysis) -> str:
    """The headline risk: how often each arm said COMPLETED and was wrong."""
    shares = [f"'{a.name}' {a.false_completion.successes} of {a.false_completion.n}" for a in analysis.arms]
    return f"wrong and yet COMPLETED: {', '.join(shares)}" if shares else ""


def beforehand(clusters: int, mde: float | None, metric: Metric) -> str:
    """What an experiment can show, said before anything is spent."""
    if mde is None:
        few = f"{clusters} independent tasks are too few for an interval, which needs {LEAST_CLUSTERS}"
        return f"{few}: nothing will be said of the difference."
    if metric.bounds is not None and mde > metric.bounds[1] - metric.bounds[0]:
        few = f"{clusters} independent tasks are too few to show any difference of {metric.name}"
        return f"{few} in four of five experiments."
    shows = f"{clusters} independent tasks show in four of five experiments: {_size(metric, mde)}"
    return f"The smallest difference of {metric.name} that {shows}."
