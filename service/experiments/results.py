"""The folder of results: the report, the tables, and everything that is needed to repeat the experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from echelon.errors import UserError
from echelon.experiments.analysis.analyse import Analysis
from echelon.experiments.analysis.words import sentences
from echelon.experiments.calibration.confusion import Confusion
from echelon.experiments.definition.checks import RubricCheck
from echelon.experiments.report.page import Extras, page
from echelon.experiments.report.tables import as_csv, as_jsonl, pretty, write_parquet
from echelon.experiments.scoring.rubric import agreement, labels_of
from echelon.experiments.trials import TrialResult
from echelon.files import write_atomically
from echelon.service.experiments.judge import judge_of
from echelon.service.experiments.prepare import Prepared, versions
from echelon.service.service import Service

FILES = ("report.html", "trials.csv", "trials.jsonl", "experiment.json", "summary.txt")


def write(
    folder: Path,
    prepared: Prepared,
    analysis: Analysis,
    results: Sequence[TrialResult],
    state: str,
    judges: Sequence[str] = (),
    confusion: Sequence[Confusion] = (),
) -> tuple[Path, ...]:
    """Write all of it; returns the paths. Raises UserError when that is not possible."""
    in_order = sorted(results, key=lambda r: (r.task, r.repeat, r.arm))
    shown = " · ".join(f"{name} {number}" for name, number in versions().items())
    extras = Extras(confusion, judges, shown, [] if state == "completed" else [f"The experiment is not whole: {state}"])
    texts = {
        "report.html": page(analysis, prepared.trials, in_order, extras),
        "trials.csv": as_csv(in_order),
        "trials.jsonl": as_jsonl(in_order),
        "experiment.json": pretty({**prepared.definition, "digest": prepared.digest, "state": state}),
        "summary.txt": "\n".join(sentences(analysis)) + "\n",
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            write_atomically(folder / name, text)
        if "parquet" in prepared.experiment.export:
            write_parquet(in_order, folder / "trials.parquet")
    except OSError as error:
        raise UserError(f"The results cannot be written to {folder}: {error.strerror}.") from error
    return tuple(
        folder / name for name in (*texts, *(["trials.parquet"] if "parquet" in prepared.experiment.export else []))
    )


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
