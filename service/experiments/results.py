"""The folder of results: the report, the tables, and everything that is needed to repeat the experiment."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from echelon.errors import UserError
from echelon.experiments.analysis.analyse import Analysis
from echelon.experiments.analysis.words import sentences
from echelon.experiments.definition.checks import RubricCheck
from echelon.experiments.report.inspect_log import Arm, inspect_log
from echelon.experiments.report.page import Extras, page
from echelon.experiments.report.tables import as_csv, as_jsonl, pretty, write_parquet
from echelon.experiments.scoring.rubric import agreement, labels_of
from echelon.experiments.trials import TrialResult
from echelon.files import write_atomically
from echelon.service.experiments.calibration.units import NOT_TRIED, Calibrated
from echelon.service.experiments.judge import judge_of
from echelon.service.experiments.prepare import Prepared, equal_budget, versions
from echelon.service.service import Service

FILES = ("report.html", "trials.csv", "trials.jsonl", "experiment.json", "summary.txt")


def write(
    folder: Path,
    prepared: Prepared,
    analysis: Analysis,
    results: Sequence[TrialResult],
    state: str,
    judges: Sequence[str] = (),
    qa: Calibrated = NOT_TRIED,
    created: float = 0.0,
) -> tuple[Path, ...]:
    """Write all of it; returns the paths. `created` is when the experiment began, in seconds since 1970.

    Raises UserError when it cannot be written.
    """
    in_order = sorted(results, key=lambda r: (r.task, r.repeat, r.arm))
    shown = " · ".join(f"{name} {number}" for name, number in versions().items())
    notes = [equal_budget(prepared), *([] if state == "completed" else [f"The experiment is not whole: {state}"])]
    extras = Extras(qa.confusion, judges, shown, notes, qa.unused)
    texts = {
        "report.html": page(analysis, prepared.trials, in_order, extras),
        "trials.csv": as_csv(in_order),
        "trials.jsonl": as_jsonl(in_order),
        "experiment.json": pretty({**prepared.definition, "digest": prepared.digest, "state": state}),
        "summary.txt": "\n".join(sentences(analysis)) + "\n",
        **({"verdicts.jsonl": as_jsonl(qa.verdicts)} if qa.verdicts else {}),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_atomically(folder / name, text)
        extra = _exported(folder, prepared, in_order, created)
    except OSError as error:
        raise UserError(f"The results cannot be written to {folder}: {error.strerror}.") from error
    return (*(folder / name for name in texts), *extra)


def _exported(folder: Path, prepared: Prepared, results: Sequence[TrialResult], created: float) -> list[Path]:
    """Write the extra forms that the file asks for; returns their paths."""
    out: list[Path] = []
    if "parquet" in prepared.experiment.export:
        out.append(folder / "trials.parquet")
        write_parquet(results, out[-1])
    for name in prepared.experiment.arms if "inspect" in prepared.experiment.export else ():
        out.append(folder / f"{name}.eval")
        write_atomically(out[-1], inspect_log(_inspected(prepared, name, created), results))
    return out


def _inspected(prepared: Prepared, name: str, created: float) -> Arm:
    arm, tasks = prepared.experiment.arm(name), prepared.loaded.tasks
    return Arm(
        experiment=prepared.experiment.name, name=name, model=prepared.configs[tasks[0].name, name].model,
        created=datetime.datetime.fromtimestamp(created, datetime.UTC).isoformat(timespec="seconds"),
        settings=arm.model_dump(mode="json", exclude_defaults=True), requests={t.name: t.request for t in tasks},
        packages=versions(),
    )  # fmt: skip


def judges_of(prepared: Prepared, service: Service) -> list[str]:
    """One sentence for each judging model that there are human labels for: how far it may be believed."""
    out: list[str] = []
    judge = judge_of(service.store, service.environment)
    for task in prepared.loaded.tasks:
        for check in task.checks:
            if isinstance(check, RubricCheck) and check.labels:
                found = agreement(check, labels_of(task.folder / check.labels), judge)
                kappa = "none can be calculated" if found.kappa is None else f"{found.kappa:.2f}"
                interval = f" ({found.low:.2f} to {found.high:.2f})" if found.low is not None else ""
                out.append(
                    f"{check.model} at task '{task.name}': Cohen's kappa with people {kappa}{interval} on {found.n} texts, "
                    f"the same verdict on {found.agreed:.0%}."
                )
    return list(dict.fromkeys(out))
