"""MPXJ, which reads what MS Project and ProjectLibre read, finds in `schedule.xml` what was written: an independent reader.

It needs the package `mpxj` and a Java runtime with all character sets (`openjdk-NN-jre-headless`); both are not among the
dependencies of the tests, and without them the test is skipped.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from echelon.domains.planning.contracts.calendar import CalendarException, Shift, WorkCalendar
from echelon.domains.planning.contracts.project import Absence, Project, Resource
from echelon.domains.planning.exporting.mspdi import to_mspdi
from tests.planning.projects import at, link, project, solved, task

HOUR = 3600
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def jars() -> Path | None:
    found = importlib.util.find_spec("mpxj")
    return None if found is None or found.origin is None else Path(found.origin).parent / "lib"


def java() -> str | None:
    """A runtime with the module of the older character sets, which MPXJ asks for as it starts."""
    home = os.environ.get("JAVA_HOME")
    command = shutil.which("java", path=f"{home}/bin" if home else None)
    if command is None:
        return None
    modules = subprocess.run(
        [command, "--list-modules"], capture_output=True, text=True, check=False, timeout=60
    ).stdout
    return command if "jdk.charsets@" in modules else None


JARS = jars()
JAVA = java() if JARS is not None else None
pytestmark = pytest.mark.skipif(JAVA is None, reason="no package mpxj, or no Java runtime with all character sets")


def made() -> Project:
    ninth, morning = at(9, 0).date(), (Shift(begin=540, finish=720),)
    half = CalendarException(first=ninth, last=ninth, shifts=morning, title="half a day")
    calendar = WorkCalendar(name="project", zone="Europe/Berlin", country="DE", subdivision="BE", exceptions=(half,))
    night = WorkCalendar(
        name="night",
        zone="Europe/Berlin",
        week=(((Shift(begin=0, finish=360), Shift(begin=1320, finish=1440)),) * 5 + ((), ())),
    )
    leave = (
        Absence(start=at(6, 0), end=at(8, 0), title="leave"),
        Absence(start=at(13, 11), end=at(13, 23), title="doctor"),
    )
    return project(
        task("a", 2, who="anna"),
        task("b", 1, link("a", "SS", 1), who="ben"),
        task("c", 1, link("a", "FF"), link("b", "FS", 1, elapsed=True)),
        task("d", 0.5, link("c", "SF", -0.5), title="=<d> & more"),
        task("far", 1, link("b", "FS", 20)),
        task("end", 0, "c", "d"),
        calendars=(calendar, night), zone="Europe/Berlin",
        resources=(Resource(id="anna", absences=leave, rate_per_hour=50), Resource(id="ben", capacity=2, calendar="night")),
    )  # fmt: skip


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("mpxj")
    one = made()
    (folder / "schedule.xml").write_bytes(to_mspdi(one, solved(one)))
    command = [str(JAVA), "-cp", f"{JARS}/*", "org.mpxj.sample.MpxjConvert", "schedule.xml", "read.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert (folder / "read.json").exists(), done.stderr
    value: dict[str, Any] = json.loads((folder / "read.json").read_text(encoding="utf-8"))
    return value


def test_tasks_links_and_lags_are_equal(read: dict[str, Any]) -> None:
    one = made()
    names = {t["unique_id"]: t["wbs"] for t in read["tasks"]}
    tasks = {t["wbs"]: t for t in read["tasks"]}
    assert {n: t["name"] for n, t in tasks.items()} == {t.id: t.title for t in one.tasks}
    assert {n: t.get("duration") or 0 for n, t in tasks.items()} == {t.id: t.duration * 60 for t in one.tasks}
    assert [n for n, t in tasks.items() if t.get("milestone")] == ["end"]
    links = {
        (names[k["predecessor_task_unique_id"]], n, k["type"], k.get("lag", 0), k.get("lag_units") == "eh")
        for n, t in tasks.items() for k in t.get("predecessors") or []
    }  # fmt: skip
    assert links == {(k.after, t.id, k.kind, k.lag * 60, k.elapsed) for t in one.tasks for k in t.after}
    assert {k[2] for k in links} == {"FS", "SS", "FF", "SF"}
    starts = {t.id: f"{t.start.astimezone(at(5, 0).tzinfo):%Y-%m-%dT%H}" for t in solved(one).tasks}
    assert tasks["a"]["start"][:13] == starts["a"].replace("T08", "T09"), "times are local to the plan"


def test_calendars_exceptions_and_resources_are_equal(read: dict[str, Any]) -> None:
    calendars = {c["name"]: c for c in read["calendars"]}
    office, night = calendars["project"], calendars["night"]
    assert [office[d]["type"] for d in DAYS] == ["working"] * 5 + ["non_working"] * 2
    assert office["monday"]["hours"] == [{"from": "09:00", "to": "17:00"}]
    assert [h["from"] for h in night["monday"]["hours"]] == ["00:00", "22:00"]
    [half] = [e for e in office["exceptions"] if e["name"] == "half a day"]
    assert (half["from"], half["to"], half["hours"]) == ("2026-01-09", "2026-01-09", [{"from": "09:00", "to": "12:00"}])
    own = {e["name"]: e for e in calendars["anna"]["exceptions"]}
    assert (own["leave"]["from"], own["leave"]["to"], own["leave"]["type"]) == (
        "2026-01-06",
        "2026-01-07",
        "non_working",
    )
    assert own["doctor"]["hours"] == [{"from": "09:00", "to": "12:00"}], "who is away from noon on works in the morning"
    resources = {r["name"]: r for r in read["resources"]}
    assert {n: r["max_units"] for n, r in resources.items()} == {"anna": 100.0, "ben": 200.0}
    assert resources["anna"]["standard_rate"] == "50.0/h"
    names = {t["unique_id"]: t["wbs"] for t in read["tasks"]}
    by_id = {r["unique_id"]: r["name"] for r in read["resources"]}
    held = {(names[a["task_unique_id"]], by_id[a["resource_unique_id"]], a["work"]) for a in read["assignments"]}
    assert held == {("a", "anna", 16 * HOUR), ("b", "ben", 8 * HOUR)}
