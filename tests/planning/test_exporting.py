"""What is written is read back by others: calendars, tables, XML, and a page."""

from __future__ import annotations

import csv
import io
import zipfile
from datetime import UTC, datetime

import defusedxml.ElementTree as ET
import icalendar
from openpyxl import load_workbook

from echelon.domains.planning.contracts.calendar import WorkCalendar
from echelon.domains.planning.contracts.project import Absence, Project, Resource
from echelon.domains.planning.contracts.schedule import Schedule
from echelon.domains.planning.exporting.gantt import gantt
from echelon.domains.planning.exporting.icalendar_file import to_ics
from echelon.domains.planning.exporting.mspdi import to_mspdi
from echelon.domains.planning.exporting.report import Story, to_html, to_markdown
from echelon.domains.planning.exporting.tables import to_csv, to_xlsx
from tests.planning.projects import at, link, project, solved, task

NS = "{http://schemas.microsoft.com/project}"
LINK = ("Type", "LinkLag", "LagFormat")


def made() -> tuple[Project, Schedule]:
    calendar = WorkCalendar(name="project", zone="Europe/Berlin", country="DE", subdivision="BE")
    away = Absence(start=at(6, 0), end=at(8, 0), title="leave")
    one = project(
        task("a", 2, who="anna"),
        task("b", 1, link("a", "SS", 1), who="ben"),
        task("c", 1, link("a", "FF"), link("b", "FS", 1, elapsed=True)),
        task("d", 0.5, link("c", "SF", -0.5), title="=<d> & more"),
        task("end", 0, "c", "d"),
        calendars=(calendar,),
        resources=(Resource(id="anna", absences=(away,), rate_per_hour=50), Resource(id="ben", capacity=2)),
        zone="Europe/Berlin",
    )
    return one, solved(one)


def test_the_calendar_is_read_back_and_equal() -> None:
    _, schedule = made()
    read = icalendar.Calendar.from_ical(to_ics(schedule))
    events = {str(e["SUMMARY"]): (e.start, e.end) for e in read.walk("VEVENT")}
    assert events == {t.title: (t.start, t.end) for t in schedule.tasks}
    assert len({str(e["UID"]) for e in read.walk("VEVENT")}) == len(schedule.tasks)
    assert to_ics(schedule) == to_ics(schedule)


def test_a_workbook_does_not_say_when_it_was_saved() -> None:
    """A job that was killed and went on wrote another file than one that was not."""
    one = project(task("a", 1))
    with zipfile.ZipFile(io.BytesIO(to_xlsx(one, solved(one)))) as book:
        assert {entry.date_time for entry in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert b"modified" not in book.read("docProps/core.xml") and b"2026-01-05" in book.read("docProps/core.xml")


def test_csv_and_xlsx_say_the_same_and_hold_no_formula() -> None:
    one, schedule = made()
    lines = list(csv.reader(io.StringIO(to_csv(one, schedule))))
    sheet = load_workbook(io.BytesIO(to_xlsx(one, schedule))).active
    assert sheet is not None
    cells = [["" if c is None else str(c) for c in row] for row in sheet.iter_rows(values_only=True)]
    assert [[x for x in row if x] for row in cells] == [[x.removesuffix(".0") for x in row if x] for row in lines]
    assert any(row[1] == "'=<d> & more" for row in lines)


def test_project_programs_find_links_lags_calendars_and_assignments() -> None:
    one, schedule = made()
    root = ET.fromstring(to_mspdi(one, schedule))
    names = {t.findtext(f"{NS}UID"): t.findtext(f"{NS}WBS") for t in root.iter(f"{NS}Task")}
    links = {
        (names[k.findtext(f"{NS}PredecessorUID")], t.findtext(f"{NS}WBS"), *(k.findtext(NS + x) for x in LINK))
        for t in root.iter(f"{NS}Task")
        for k in t.iter(f"{NS}PredecessorLink")
    }
    assert ("a", "b", "3", "4800", "5") in links
    assert ("a", "c", "0", "0", "5") in links
    assert ("b", "c", "1", "14400", "6") in links
    assert ("c", "d", "2", "-2400", "5") in links
    assert {r.findtext(f"{NS}Name"): r.findtext(f"{NS}MaxUnits") for r in root.iter(f"{NS}Resource")} == {
        "anna": "1.00",
        "ben": "2.00",
    }
    assert len(list(root.iter(f"{NS}Assignment"))) == 2
    exceptions = [e.findtext(f"{NS}Name") for e in root.iter(f"{NS}Exception")]
    assert "leave" in exceptions


def test_the_page_has_a_bar_for_each_task_and_shows_words_as_words() -> None:
    one, schedule = made()
    page = to_html(one, schedule, Story(assumptions=("<script>",)), today=datetime(2026, 1, 6, 12, tzinfo=UTC))
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert "=&lt;d&gt; &amp; more" in page
    chart = ET.fromstring(gantt(one, schedule, datetime(2026, 1, 6, 12, tzinfo=UTC)))
    kinds = [e.get("class") or "" for e in chart.iter()]
    assert sum(k in ("task", "critical") or "milestone" in k for k in kinds) == len(schedule.tasks)
    assert "today" in kinds and "load" in kinds and "capacity" in kinds
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_markdown_has_every_task() -> None:
    one, schedule = made()
    text = to_markdown(one, schedule, Story())
    assert all(f"| {t.id} |" in text for t in schedule.tasks)
