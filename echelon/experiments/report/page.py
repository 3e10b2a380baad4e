"""`report.html`: one file that needs nothing else, readable on a telephone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from echelon.experiments.analysis.analyse import Analysis, Difference
from echelon.experiments.analysis.arms import ArmSummary
from echelon.experiments.analysis.words import clauses
from echelon.experiments.calibration.confusion import Confusion
from echelon.experiments.metrics import METRICS
from echelon.experiments.report.svg import Bar, Dot, intervals, plane, stacked
from echelon.experiments.statistics.rates import Rate
from echelon.experiments.trials import Trial, TrialResult

COLOURS = {
    "right": "var(--good)", "COMPLETED but wrong": "var(--wrong)", "not completed": "var(--odd)", "unknown": "var(--soft)"
}  # fmt: skip
METHOD = (
    "All arms worked at the same tasks. The trials of tasks that belong together become one difference; the interval is "
    "Student's over these (clusters - 1 degrees of freedom), with a sign-flip test beside it. Only the first metric is "
    "tested, by Holm over the arms{looks}; the others have intervals and no verdict. With fewer than five independent tasks "
    "there is no interval, and without an interval no verdict. Success is the word of the checks in code; what a job says "
    "of itself is held against it."
)


@dataclass(frozen=True)
class Extras:
    """What a report says beside the comparison."""

    confusion: Sequence[Confusion] = ()
    judges: Sequence[str] = ()
    """One sentence a judging model: its agreement with people"""
    versions: str = ""
    notes: Sequence[str] = field(default_factory=tuple)
    """Sentences on the run itself: stopped at a look, at a ceiling, not finished yet"""
    untried: Sequence[str] = ()
    """Sentences on tasks whose work was no use for the calibration of QA"""


def page(analysis: Analysis, planned: Sequence[Trial], results: Sequence[TrialResult], extras: Extras) -> str:
    """The report as HTML. All texts are escaped; the plots are inline SVG; there is no script and no request."""
    experiment = analysis.experiment
    looks = ", at the looks that the file names (O'Brien-Fleming)" if len(experiment.compare.looks) > 1 else ""
    ends = [(a.name, _ends([r for r in results if r.arm == a.name])) for a in analysis.arms]
    return str(
        _template().render(
            name=experiment.name, question=experiment.question, baseline=experiment.baseline,
            answer=[_sentence(part) for part in chain(*clauses(analysis))], design=_design(analysis, planned, extras),
            arms=[_arm(a) for a in analysis.arms], differences=[_difference(d) for d in analysis.differences],
            plots=_plots(analysis), plane=_safe(_plane(analysis)),
            ends=_safe(stacked(ends, COLOURS, "how the trials of each arm ended")), end_keys=list(COLOURS.items()),
            tiers=[_tiers(a) for a in analysis.arms if a.tiers or a.failures],
            confusion=[_confusion(c) for c in extras.confusion],
            confusion_notes=[*_confusion_notes(extras.confusion), *extras.untried],
            judges=extras.judges, missing=analysis.missing, planned=len(planned), trials=[_trial(r) for r in results],
            method=METHOD.format(looks=looks), versions=extras.versions,
        )
    )  # fmt: skip


def _sentence(clause: str) -> str:
    return f"{clause[:1].upper()}{clause[1:]}."


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=False)
    return environment.from_string((Path(__file__).parent / "page.html.j2").read_text(encoding="utf-8"))


def _safe(svg: str) -> Any:
    from markupsafe import Markup

    return Markup(svg)


def _design(analysis: Analysis, planned: Sequence[Trial], extras: Extras) -> str:
    experiment = analysis.experiment
    tasks, clusters = len({t.task for t in planned}), len({t.cluster for t in planned})
    parts = [
        f"{tasks} tasks in {clusters} independent groups, {len(experiment.arms)} arms, {experiment.repeats} times each"
    ]
    parts += [f"forked at {experiment.fork}"] if experiment.fork else []
    return ". ".join(["; ".join(parts), *(n.rstrip(".") for n in extras.notes)]) + "."


def _share(rate: Rate) -> str:
    if rate.share is None or rate.low is None or rate.high is None:
        return "no trial"
    return f"{rate.share:.1%} ({rate.successes} of {rate.n}; {rate.low:.0%} to {rate.high:.0%})"


def _mean(arm: ArmSummary, metric: str) -> str:
    value = arm.means[metric]
    return (
        ""
        if value is None
        else METRICS[metric].shown(value).split(" tokens")[0].split(" calls")[0].removesuffix(" rounds")
    )


def _arm(arm: ArmSummary) -> dict[str, Any]:
    return {
        "name": arm.name, "success": _share(arm.success), "false_completion": _share(arm.false_completion),
        "risky": arm.false_completion.successes > 0, "tokens": _mean(arm, "tokens"), "cost": _mean(arm, "cost"),
        "seconds": _mean(arm, "seconds").removesuffix(" s"), "calls": _mean(arm, "model_calls"),
        "rounds": _mean(arm, "rounds"), "rework": _mean(arm, "rework_share"),
        "price": "" if arm.price is None else METRICS["cost"].shown(arm.price),
        "trials": f"{arm.done} of {arm.planned}" + (f", {arm.crashed} crashed" if arm.crashed else ""),
    }  # fmt: skip


def _difference(d: Difference) -> dict[str, str]:
    metric, found = METRICS[d.metric], d.found
    p = d.adjusted if d.adjusted is not None else None
    says = {True: "differs", False: "not shown to differ", None: "not tested"}[d.significant]
    return {
        "arm": d.arm, "metric": d.metric,
        "estimate": metric.shown_difference(found.estimate) if found.estimate == found.estimate else "",
        "interval": _interval(d), "p": "" if p is None else f"{p:.2g}",
        "flip": "" if found.flip is None or d.significant is None else f"{found.flip:.2g}",
        "says": found.why_not or says,
    }  # fmt: skip


def _interval(d: Difference) -> str:
    metric, found = METRICS[d.metric], d.found
    if found.low is None or found.high is None:
        return "none"
    return f"{metric.shown_difference(found.low)} to {metric.shown_difference(found.high)} ({found.level * 100:.3g} %)"


def _plots(analysis: Analysis) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for name in analysis.experiment.compare.metrics:
        metric = METRICS[name]
        bars = [
            Bar(d.arm, d.found.estimate, d.found.low, d.found.high, _interval(d), bool(d.significant))
            for d in analysis.differences
            if d.metric == name
        ]
        title = f"{name}: difference from {analysis.experiment.baseline}"
        tested = "tested" if name == analysis.experiment.compare.primary else "not tested"
        direction = "right is better" if metric.more_is_better else "left is better"
        caption = f"{metric.says}; {direction}; {tested}"
        out.append({
            "name": name, "caption": caption, "svg": _safe(intervals(bars, metric.shown_difference, title))
        })  # fmt: skip
    return out


def _plane(analysis: Analysis) -> str:
    """Dollars a trial; tokens where nothing costs anything."""
    unit = "cost" if any(a.means["cost"] for a in analysis.arms) else "tokens"
    dots = [
        Dot(a.name, a.means[unit] or 0.0, a.success.share, a.success.low, a.success.high, _share(a.success))
        for a in analysis.arms
        if a.success.share is not None
    ]
    return plane(dots, f"{METRICS[unit].says} a trial", "success", METRICS[unit].shown)


def _ends(results: Sequence[TrialResult]) -> list[tuple[str, int]]:
    kinds = [_end_of(r) for r in results]
    return [(name, kinds.count(name)) for name in COLOURS]


def _end_of(result: TrialResult) -> str:
    if result.success is None:
        return "unknown"
    if result.success:
        return "right"
    return "COMPLETED but wrong" if result.false_completion else "not completed"


def _tiers(arm: ArmSummary) -> dict[str, str]:
    def listed(counts: dict[str, int]) -> str:
        return ", ".join(f"{name} {n}" for name, n in counts.items())

    return {"arm": arm.name, "tiers": listed(arm.tiers), "kinds": listed(arm.failures)}


def _confusion(found: Confusion) -> dict[str, Any]:
    return {
        "arm": found.arm, "caught": found.caught, "missed": found.missed, "passed": found.passed, "refused": found.refused,
        "catch": _share(found.catch), "false_reject": _share(found.false_reject), "by_code": found.by_code,
        "none": found.none, "tokens": "" if found.tokens is None else f"{found.tokens:,.0f}",
    }  # fmt: skip


def _confusion_notes(found: Sequence[Confusion]) -> list[str]:
    """Which faults passed, what code found before QA, and what the jobs delivered in the end."""
    out: list[str] = []
    for c in found:
        missed = ", ".join(f"{kind} {n} of {of}" for kind, (n, of) in c.by_fault.items())
        out += [f"'{c.arm}' passed of the planted faults: {missed}."] if missed else []
        ends = [("with a fault", c.of_faulty), ("of right work", c.of_right)]
        said = "; ".join(f"{what}: {', '.join(f'{k} {n}' for k, n in of.items())}" for what, of in ends if of)
        out += [f"What the jobs of '{c.arm}' came to in the end, {said}."] if said else []
        if c.refused_by_code:
            out.append(f"Code sent back {c.refused_by_code} pieces of right work before '{c.arm}' was asked.")
    return out


def _trial(r: TrialResult) -> dict[str, Any]:
    css = "" if r.success is None else "good" if r.success else "wrong"
    said = "; ".join(c.says for c in r.checks if c.says and not c.passed)
    return {
        "task": r.task, "arm": r.arm, "repeat": r.repeat, "state": r.state, "css": css,
        "success": {True: "passed", False: "failed", None: "unknown"}[r.success] + (f": {said[:160]}" if said else ""),
        "score": "" if r.score is None else f"{r.score:.3f}", "tokens": f"{r.used.tokens:,}",
        "cost": f"${r.used.cost:.4f}", "job": r.job,
    }  # fmt: skip
