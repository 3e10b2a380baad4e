"""Task lists as rows: what the columns are called, and what stands in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo

from echelon.domains.planning.contracts.project import Deadline, Estimate, Split, TaskSpec
from echelon.domains.planning.importing.values import duration_of, links_of, moment_of, needs_of, zone_named
from echelon.errors import UserError

Cell = str | int | float | date | datetime | None

COLUMNS: dict[str, tuple[str, ...]] = {
    "id": ("id", "key", "nr", "no", "#", "wbs", "task id", "kennung", "nummer"),
    "title": (
        "title",
        "task",
        "name",
        "task name",
        "summary",
        "aufgabe",
        "titel",
        "vorgang",
        "activity",
        "bezeichnung",
    ),
    "duration": ("duration", "dauer", "days", "tage", "length", "estimate", "schätzung"),
    "effort": ("effort", "work", "aufwand", "arbeit", "person days"),
    "after": ("after", "depends on", "dependencies", "dependency", "predecessors", "predecessor", "vorgänger", "nach"),
    "needs": ("needs", "resources", "resource", "assigned to", "assignee", "who", "owner", "ressourcen", "wer"),
    "release": ("release", "not before", "earliest start", "start no earlier", "frühester start", "start after"),
    "deadline": ("deadline", "due", "due date", "finish by", "termin", "frist", "fällig"),
    "deadline_price": ("deadline price", "price per day", "penalty", "late price"),
    "fixed_start": ("fixed start", "fixed", "start", "at", "appointment", "beginn"),
    "priority": ("priority", "priorität", "prio"),
    "split": ("split", "splittable", "teilbar"),
    "calendar": ("calendar", "kalender"),
    "parent": ("parent", "milestone", "phase", "part of", "group", "teil von"),
    "optimistic": ("optimistic", "best", "min", "best case", "optimistisch"),
    "likely": ("likely", "most likely", "expected", "wahrscheinlich"),
    "pessimistic": ("pessimistic", "worst", "max", "worst case", "pessimistisch"),
    "optional": ("optional",),
    "zone": ("zone", "time zone", "timezone", "tz"),
}
"""Names of columns that are understood, by field."""

WORDS = {"low": 200, "niedrig": 200, "normal": 500, "medium": 500, "mittel": 500, "high": 800, "hoch": 800}
MOST_TASKS = 20_000
"""More rows than this are refused: nobody plans them at once."""


@dataclass(frozen=True)
class Settings:
    """What a row needs to know of the project."""

    zone: ZoneInfo
    hours_per_day: float = 8.0


def columns_of(header: Iterable[Cell], where: str) -> dict[str, int]:
    """Which column has which field. Raises UserError where no column names the task, or one cannot be told."""
    out: dict[str, int] = {}
    names = [("" if name is None else str(name)).strip() for name in header]
    for number, name in enumerate(names):
        field = next((f for f, known in COLUMNS.items() if _plain(name) in known), None)
        if field is not None and field not in out:
            out[field] = number
    if "title" not in out and "id" in out:
        out["title"] = out["id"]
    if "title" not in out:
        shown = ", ".join(n for n in names if n) or "none"
        raise UserError(
            f"{where}: no column names the tasks (columns: {shown}); "
            "call one 'task', and others 'duration', 'after' and 'needs'."
        )
    if not {"duration", "effort", "likely"} & set(out):
        unknown = ", ".join(f"'{n}'" for i, n in enumerate(names) if n and i not in out.values())
        raise UserError(
            f"{where}: no column says how long the tasks take (not understood: {unknown or 'none'}); call it 'duration'."
        )
    return out


def _plain(name: str) -> str:
    return re.sub(r"[\s_\-]+", " ", re.sub(r"\s*[\(\[].*?[\)\]]", "", name)).strip().lower()


def tasks_of(rows: list[list[Cell]], settings: Settings, where: str) -> list[TaskSpec]:
    """The tasks of a table whose first row has the names of the columns."""
    filled = [(n, row) for n, row in enumerate(rows, start=1) if any(str(c).strip() for c in row if c is not None)]
    if not filled:
        raise UserError(f"{where}: there is no row in it.")
    columns = columns_of(filled[0][1], where)
    if len(filled) - 1 > MOST_TASKS:
        raise UserError(f"{where}: {len(filled) - 1:,} tasks are too many, at most {MOST_TASKS:,} are planned at once.")
    read = [_Row(row, columns, settings, f"{where}, row {n}") for n, row in filled[1:]]
    known = frozenset(row.id(number) for number, row in enumerate(read, start=1))
    titles = {row.text("title"): row.id(number) for number, row in enumerate(read, start=1)}
    return [row.task(number, known, titles) for number, row in enumerate(read, start=1)]


class _Row:
    def __init__(self, cells: list[Cell], columns: dict[str, int], settings: Settings, where: str) -> None:
        self.cells, self.columns, self.settings, self.where = cells, columns, settings, where

    def raw(self, field: str) -> Cell:
        number = self.columns.get(field)
        return None if number is None or number >= len(self.cells) else self.cells[number]

    def text(self, field: str) -> str:
        value = self.raw(field)
        if value is None:
            return ""
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()

    def id(self, number: int) -> str:
        return self.text("id") or f"T{number}"

    def task(self, number: int, known: frozenset[str], titles: dict[str, str]) -> TaskSpec:
        where = f"{self.where} ('{self.text('title') or self.id(number)}')"
        needs, ways = needs_of(self.text("needs"), where)
        after = links_of(self.text("after"), self.settings.hours_per_day, where, known | frozenset(titles))
        after = tuple(
            link.model_copy(update={"after": titles.get(link.after, link.after)}) if link.after not in known else link
            for link in after
        )
        return TaskSpec(
            id=self.id(number),
            title=self.text("title") or self.id(number),
            duration=self._duration(where, sum(n.units for n in needs) + (1 if ways else 0)),
            needs=needs,
            any_of=ways,
            after=after,
            parent=self.text("parent") or None,
            calendar=self.text("calendar") or None,
            release=self._moment("release", where),
            fixed_start=self._moment("fixed_start", where),
            deadline=self._deadline(where),
            priority=self._priority(where),
            split=self._split(where),
            estimate=self._estimate(where),
            optional=self.text("optional").lower() in ("yes", "true", "1", "x", "ja"),
            origin=self.where,
        )

    def _minutes(self, field: str, where: str) -> int | None:
        text = self.text(field)
        return duration_of(text, self.settings.hours_per_day, where) if text else None

    def _duration(self, where: str, units: int) -> int:
        duration = self._minutes("duration", where)
        if duration is None:
            effort = self._minutes("effort", where)
            duration = None if effort is None else -(-effort // max(1, units))
        if duration is None:
            duration = self._minutes("likely", where)
        if duration is None:
            raise UserError(f"{where}: it does not say how long it takes; write 0 for a milestone.")
        return duration

    def _moment(self, field: str, where: str, *, end: bool = False) -> datetime | None:
        value = self.raw(field)
        if value is None or not str(value).strip():
            return None
        zone = self.settings.zone
        if name := self.text("zone"):
            zone = zone_named(name, where)
        if isinstance(value, datetime) and (value.hour, value.minute) == (0, 0):
            value = value.date()
        return moment_of(value if isinstance(value, date) else str(value), zone, where, end_of_day=end)

    def _deadline(self, where: str) -> Deadline | None:
        at = self._moment("deadline", where, end=True)
        price = self.text("deadline_price")
        if at is None:
            return None
        if not price:
            return Deadline(at=at)
        return Deadline(at=at, hard=False, price_per_day=_number(price, where))

    def _priority(self, where: str) -> int:
        text = self.text("priority").lower()
        if not text:
            return 500
        return WORDS[text] if text in WORDS else max(0, min(1000, round(_number(text, where))))

    def _split(self, where: str) -> Split:
        text = self.text("split").lower()
        words: dict[str, Split] = {
            "": "calendar",
            "no": "calendar",
            "nein": "calendar",
            "yes": "anywhere",
            "ja": "anywhere",
            "x": "anywhere",
            "never": "never",
            "anywhere": "anywhere",
            "calendar": "calendar",
        }
        if text not in words:
            raise UserError(f"{where}: split is 'yes', 'no' or 'never', not '{text}'.")
        return words[text]

    def _estimate(self, where: str) -> Estimate | None:
        values = [self._minutes(f, where) for f in ("optimistic", "likely", "pessimistic")]
        if values[0] is None or values[2] is None:
            return None
        likely = values[1] if values[1] is not None else self._duration(where, 1)
        if not values[0] <= likely <= values[2]:
            raise UserError(f"{where}: the estimate has to rise from optimistic over likely to pessimistic.")
        return Estimate(optimistic=values[0], likely=likely, pessimistic=values[2])


def _number(text: str, where: str) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError as error:
        raise UserError(f"{where}: '{text}' is no number.") from error
