"""A schedule as CSV and XLSX."""

from __future__ import annotations

import csv
import io
import re
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.project import Project
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.workbooks import without_times

_SAVED = re.compile(rb"<dcterms:modified[^>]*>[^<]*</dcterms:modified>")
HEADER = ("id", "task", "start", "end", "zone", "resources", "after", "slack hours", "critical", "done")


def rows(project: Project, schedule: Schedule) -> list[list[str | float]]:
    """One row a task, in order of starts, times in the plan's zone."""
    zone = ZoneInfo(schedule.zone)
    links = {t.id: t.after for t in project.tasks}
    out: list[list[str | float]] = []
    for t in sorted(schedule.tasks, key=lambda t: (t.start, t.end, t.id)):
        who = "; ".join(f"{n.resource} x{n.units}" if n.units > 1 else n.resource for n in t.needs)
        after = ", ".join(f"{k.after} {k.kind}{_lag(k.lag, k.elapsed)}" for k in links.get(t.id, ()))
        start, end = (f"{m.astimezone(zone):%Y-%m-%d %H:%M}" for m in (t.start, t.end))
        out.append([t.id, t.title, start, end, schedule.zone, who, after, round(t.slack / 60, 2),
                    "yes" if t.critical else "", "yes" if t.done else ""])  # fmt: skip
    return out


def _lag(minutes: int, elapsed: bool) -> str:
    return "" if not minutes else f"{minutes:+d}{'e' if elapsed else ''}min"


def to_csv(project: Project, schedule: Schedule) -> str:
    """The rows with a header; a cell that a spreadsheet would take for a formula is marked as text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows([[_harmless(cell) for cell in row] for row in rows(project, schedule)])
    return out.getvalue()


def _harmless(cell: str | float) -> str | float:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") else cell


def to_xlsx(project: Project, schedule: Schedule) -> bytes:
    """A workbook with one sheet."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Schedule"
    sheet.append(list(HEADER))
    for row in rows(project, schedule):
        sheet.append([_harmless(cell) for cell in row])
    sheet.freeze_panes = "A2"
    for column, width in zip("ABCDEFGHIJ", (10, 40, 17, 17, 16, 24, 24, 12, 9, 7), strict=True):
        sheet.column_dimensions[column].width = width
    book.properties.created = schedule.start.replace(tzinfo=None)
    out = io.BytesIO()
    book.save(out)
    return without_times(out.getvalue(), lambda core: _SAVED.sub(b"", core))
