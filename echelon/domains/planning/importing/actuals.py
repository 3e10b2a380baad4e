"""Progress from a CSV file: which task began and ended when, and how much of it is left."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from echelon.domains.planning.importing.tables import read_csv
from echelon.domains.planning.importing.values import duration_of, moment_of
from echelon.errors import UserError

COLUMNS = {
    "task": ("id", "task", "key", "aufgabe", "vorgang", "nr", "task id"),
    "started": ("started", "start", "actual start", "begonnen", "begin"),
    "finished": ("finished", "end", "ended", "actual finish", "finish", "fertig", "beendet"),
    "remaining": ("remaining", "left", "rest", "remaining duration", "offen"),
    "done": ("done", "complete", "completed", "erledigt", "status"),
}
YES = ("x", "yes", "ja", "true", "1", "done", "100", "100%", "complete", "completed", "fertig", "erledigt")


@dataclass(frozen=True)
class Report:
    """What was reported of a task; `remaining` in minutes of work."""

    task: str
    started: datetime | None = None
    finished: datetime | None = None
    remaining: int | None = None
    is_done: bool = False


def read_actuals(path: Path, zone: ZoneInfo, hours_per_day: float) -> list[Report]:
    """The rows of a CSV file as reports. Raises UserError that names file, row and what is wrong."""
    if not path.is_file():
        raise UserError(f"There is no file {path}.")
    rows = [[str(c or "").strip() for c in row] for row in read_csv(path)]
    rows = [row for row in rows if any(row)]
    if not rows:
        raise UserError(f"{path.name} is empty; its columns are task, started, finished, remaining.")
    names = [" ".join(c.lower().replace("_", " ").split()) for c in rows[0]]
    columns = {field: next((names.index(k) for k in known if k in names), None) for field, known in COLUMNS.items()}
    if columns["task"] is None or not any(columns[f] is not None for f in ("finished", "remaining", "done", "started")):
        shown = ", ".join(n for n in names if n) or "none"
        raise UserError(
            f"{path.name}: columns are needed that say the task and finished, remaining or done; there are: {shown}."
        )
    return [_report(row, columns, zone, hours_per_day, f"{path.name}, row {n}") for n, row in enumerate(rows[1:], 2)]


def _report(row: list[str], columns: dict[str, int | None], zone: ZoneInfo, hours: float, where: str) -> Report:
    def cell(field: str) -> str:
        number = columns[field]
        return row[number] if number is not None and number < len(row) else ""

    if not cell("task"):
        raise UserError(f"{where}: no task is named.")
    started, finished = cell("started"), cell("finished")
    return Report(
        task=cell("task"),
        started=moment_of(started, zone, where) if started else None,
        finished=moment_of(finished, zone, where, end_of_day=True) if finished else None,
        remaining=duration_of(cell("remaining"), hours, where) if cell("remaining") else None,
        is_done=cell("done").lower() in YES,
    )
