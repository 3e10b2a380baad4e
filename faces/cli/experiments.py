"""`echelon experiment`, `echelon experiment show` and `echelon experiments`."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echelon.faces.cli.grammar import INTERRUPTED, Define, checked_out, count, say
from echelon.faces.cli.printing import table
from echelon.shown import show

if TYPE_CHECKING:
    from echelon.experiments.analysis.analyse import Analysis
    from echelon.experiments.statistics.rates import Rate
    from echelon.service.experiments.calibration.units import Calibrated
    from echelon.service.experiments.coordinator import Progress
    from echelon.service.experiments.prepare import Outlook, Prepared
    from echelon.service.experiments.run import ExperimentResult
    from echelon.store.store import Store

CODES = {"completed": 0, "decided at a look": 0, "ceiling reached": 3, "too many crashes": 1}
EVERY = 5.0
"""Seconds between two lines of progress where nobody watches a terminal"""


def add_experiments(define: Define) -> None:
    """Add the commands to the grammar."""
    run = define("experiment", experiment_command, "compare arms on tasks: run an experiment file, or show NAME")
    run.add_argument("what", nargs="+", metavar="FILE", help="the experiment file, or: show NAME")
    run.add_argument("--dry-run", action="store_true", help="say what it can show and cost, and run nothing")
    run.add_argument("--resume", action="store_true", help="go on with an experiment that was interrupted")
    run.add_argument("--workers", metavar="N", type=count, default=1, help="processes that run trials (1)")
    run.add_argument("--out", metavar="DIR", type=Path, help="folder of the results (results/NAME)")
    define("experiments", experiments_command, "list the experiments, the latest first")


def experiment_command(given: argparse.Namespace) -> int:
    """`echelon experiment FILE` and `echelon experiment show NAME`."""
    from echelon.errors import UserError

    checked_out(given.out)
    if given.what[0] == "show" and len(given.what) == 2:
        return _show(given.what[1], given.json)
    if len(given.what) > 1:
        raise UserError("Name one experiment file, or write 'echelon experiment show NAME'.")
    path = Path(given.what[0])
    return _dry_run(path, given.json) if given.dry_run else _run(path, given)


def experiments_command(given: argparse.Namespace) -> int:
    """`echelon experiments`."""
    from echelon.service.experiments.records import rows
    from echelon.service.service import Service

    service = Service()
    found = rows(service.store) if service.has_store else []
    show(json.dumps(found, ensure_ascii=False) if given.json else experiments_text(found))
    return 0


def _dry_run(path: Path, as_json: bool) -> int:
    from echelon.service.experiments.prepare import outlook, prepare
    from echelon.service.service import Service

    service = Service()
    prepared = prepare(path, service)
    found = outlook(prepared, service)
    show(json.dumps(asdict(found)) if as_json else outlook_text(found))
    return 0


def _run(path: Path, given: argparse.Namespace) -> int:
    from echelon.service.experiments.run import run_experiment_file

    shown = Shown(quiet=given.json)
    try:
        result = run_experiment_file(
            path, resume=given.resume, workers=given.workers, out=given.out, report=shown, before=shown.before
        )
    except KeyboardInterrupt:
        say(f"interrupted; nothing is lost. Go on with: echelon experiment {path} --resume")
        return INTERRUPTED
    show(json.dumps(as_dict(result), ensure_ascii=False) if given.json else result_text(result))
    return CODES[result.state]


class Shown:
    """Lines of progress: what was ended, what is left, what it cost. Nothing of who is ahead: that would be a look."""

    def __init__(self, quiet: bool) -> None:
        self._quiet, self._last = quiet, float("-inf")

    def before(self, prepared: Prepared, outlook: Outlook) -> None:
        """What the experiment can show, printed before anything is spent."""
        if not self._quiet:
            show(f"experiment {prepared.experiment.name}\n{outlook_text(outlook)}")

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        last = progress.done == progress.planned
        news = progress.ended is not None or progress.part != "trials"
        if self._quiet or (now - self._last < EVERY and not last) or not news:
            return
        self._last = now
        show(progress_text(progress))


def progress_text(progress: Progress) -> str:
    """One line, such as `[02:10] 24 of 60 trials · 345,000 tokens, $1.2000 · about 3 min left`."""
    left = (
        ""
        if progress.left is None or progress.done == progress.planned
        else f" · about {_duration(progress.left)} left"
    )
    minutes, seconds = divmod(int(progress.seconds), 60)
    spent = f"{progress.tokens:,} tokens, ${progress.cost:.4f}"
    return f"[{minutes:02}:{seconds:02}] {progress.done} of {progress.planned} {progress.part} · {spent}{left}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def outlook_text(found: Outlook) -> str:
    """What is known before anything is spent."""
    most = [f"${found.most_cost:,.2f}"] if found.most_cost is not None else []
    most += [f"{found.most_tokens:,} tokens"] if found.most_tokens is not None else []
    bound = f"at most {' and '.join(most)}" if most else "no ceiling"
    verdicts = f", and {found.verdicts} verdicts of QA on prepared work" if found.verdicts else ""
    return (
        f"{found.trials} trials: {found.tasks} tasks in {found.clusters} independent groups, {found.arms} arms"
        f"{verdicts}; {bound}\n{found.budget[:1].upper()}{found.budget[1:]}.\n"
        f"{found.sentence}\n  (variance from {found.basis})"
    )


def result_text(result: ExperimentResult) -> str:
    """How an experiment ended, for a person."""
    lines = ["", *result.sentences, "", arms_text(result.analysis), ""]
    missing = len(result.analysis.missing)
    lines += [qa_text(result.qa), ""] if result.qa.verdicts or result.qa.unused else []
    lines += [f"{missing} trials have nothing to be compared with; the report names them."] if missing else []
    if result.state != "completed":
        lines.append(f"The experiment is not whole: {result.state}.")
    return "\n".join([*lines, f"report  {result.files[0]}"])


def arms_text(analysis: Analysis) -> str:
    """One line an arm."""
    rows: list[tuple[str, str, str, str, str, str, str]] = []
    for arm in analysis.arms:
        tokens, cost = arm.means["tokens"], arm.means["cost"]
        rows.append((
            arm.name, f"{arm.success.successes} of {arm.success.n}", str(arm.false_completion.successes),
            "" if tokens is None else f"{tokens:,.0f}", "" if cost is None else f"${cost:.4f}",
            f"{arm.done} of {arm.planned}", str(arm.crashed),
        ))  # fmt: skip
    return table(rows, ("ARM", "SUCCESS", "COMPLETED BUT WRONG", "TOKENS", "COST", "TRIALS", "CRASHED"))


def qa_text(qa: Calibrated) -> str:
    """One line an arm: how often its QA was wrong about work of which it is known whether it is right."""
    rows = [
        (c.arm, _share(c.catch), _share(c.false_reject), str(c.by_code), str(c.none), f"{c.tokens or 0:,.0f}")
        for c in qa.confusion
    ]
    heads = ("QA OF ARM", "FAULTS CAUGHT", "FALSE ALARMS", "FOUND BY CODE", "NO VERDICT", "TOKENS A VERDICT")
    return "\n".join([table(rows, heads), *qa.unused])


def _share(rate: Rate) -> str:
    if rate.low is None or rate.high is None:
        return "none tried"
    return f"{rate.successes} of {rate.n} ({rate.low:.0%} to {rate.high:.0%})"


def experiments_text(rows: list[dict[str, Any]]) -> str:
    """The experiments as a table."""
    if not rows:
        return "There are no experiments yet; start one with 'echelon experiment FILE.yaml'."
    shown = [
        (
            r["name"],
            r["state"],
            f"{r['done']} of {r['trials']}",
            ", ".join(r["arms"]),
            f"${r['cost']:.4f}",
            r["created"],
        )
        for r in rows
    ]
    return table(shown, ("NAME", "STATE", "TRIALS", "ARMS", "COST", "CREATED"))


def as_dict(result: ExperimentResult) -> dict[str, Any]:
    """The result as plain data, without the trials, which stand in `trials.jsonl`."""
    return {
        "name": result.name, "state": result.state, "sentences": list(result.sentences),
        "files": [str(p) for p in result.files], **figures(result.analysis), **qa_figures(result.qa),
    }  # fmt: skip


def figures(analysis: Analysis) -> dict[str, Any]:
    """Arms and differences as plain data."""
    differences = [
        {"arm": d.arm, "metric": d.metric, "adjusted": d.adjusted, "significant": d.significant, **asdict(d.found)}
        for d in analysis.differences
    ]
    return {"arms": [asdict(a) for a in analysis.arms], "differences": differences, "missing": len(analysis.missing)}


def qa_figures(qa: Calibrated) -> dict[str, Any]:
    """The calibration of QA as plain data, nothing where there was none."""
    return {"qa": [asdict(c) for c in qa.confusion], "qa_unused": list(qa.unused)} if qa.verdicts or qa.unused else {}


def _show(name: str, as_json: bool) -> int:
    from echelon.errors import UnknownName
    from echelon.service.service import Service

    service = Service()
    if not service.has_store:
        raise UnknownName("experiment", name, [])
    show(_shown_json(service.store, name) if as_json else _shown_text(service.store, name))
    return 0


def _shown_json(store: Store, name: str) -> str:
    from echelon.service.experiments.records import rows, stored

    found = stored(store, name)
    row = next(r for r in rows(store) if r["name"] == name)
    if found.analysis is None:
        return json.dumps(row, ensure_ascii=False)
    more = {"sentences": list(found.sentences), **figures(found.analysis), **qa_figures(found.qa)}
    return json.dumps({**row, **more}, ensure_ascii=False)


def _shown_text(store: Store, name: str) -> str:
    from echelon.service.experiments.records import stored

    found = stored(store, name)
    head = [
        f"experiment  {name}",
        f"question    {found.experiment.question or 'not said'}",
        f"state       {found.state}",
    ]
    head.append(f"trials      {len(found.results)} of {len(found.trials)}")
    if found.analysis is None:
        return "\n".join([*head, "Nothing is said of the arms before the experiment has ended: that would be a look."])
    qa = ["", qa_text(found.qa)] if found.qa.verdicts or found.qa.unused else []
    return "\n".join([*head, "", *found.sentences, "", arms_text(found.analysis), *qa])
