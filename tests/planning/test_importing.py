"""What task lists, YAML and calendar files are read as, and what is said of those that cannot be."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from echelon.domains.planning.contracts.project import Link, Need, Project
from echelon.domains.planning.importing.assemble import read_project
from echelon.domains.planning.importing.tables import read_markdown
from echelon.domains.planning.importing.values import links_of, minutes_of
from echelon.errors import UserError

TODAY = date(2026, 3, 2)


def files(folder: Path, **texts: str) -> list[Path]:
    """Files by name, `_` standing for the dot."""
    out = []
    for name, text in texts.items():
        stem, _, suffix = name.rpartition("_")
        path = folder / f"{stem}.{suffix}"
        path.write_text(text, encoding="utf-8")
        out.append(path)
    return out


def project_of(paths: list[Path]) -> Project:
    project = read_project(paths, TODAY).project
    assert project is not None
    return project


CSV = """id,task,duration,after,needs
A,Design,3d,,Anna
B,Build,1w,A,Anna; Ben x2
C,Test,4h,B FS+1d; A SS,Ana | Ben
"""
PEOPLE = """
project: {title: Launch, start: 2026-03-02, zone: Europe/Berlin, country: DE, subdivision: BE, strategy: level load}
resources:
  Anna: {absences: [{from: 2026-03-04, to: 2026-03-05}], rate: 80}
  Ben: {capacity: 2, hours: "08:00-12:00", days: Mon-Thu}
"""


def test_a_csv_with_people(tmp_path: Path) -> None:
    project = project_of(files(tmp_path, tasks_csv=CSV.replace("Ana |", "Anna |"), people_yaml=PEOPLE))
    design, build, test = project.tasks
    assert (design.duration, build.duration, test.duration) == (1440, 2400, 240)
    assert build.needs == (Need(resource="Anna"), Need(resource="Ben", units=2))
    assert test.any_of == ((Need(resource="Anna"),), (Need(resource="Ben"),))
    assert test.after == (Link(after="B", lag=480), Link(after="A", kind="SS"))
    assert project.start == datetime(2026, 3, 1, 23, tzinfo=UTC)
    assert project.strategy.aim.value == "level_load"
    anna = project.resources[0]
    assert (anna.absences[0].start, anna.absences[0].end) == (
        datetime(2026, 3, 3, 23, tzinfo=UTC),
        datetime(2026, 3, 5, 23, tzinfo=UTC),
    )
    assert [bool(d) for d in project.calendar_named(project.resources[1].calendar).week] == [True] * 4 + [False] * 3


def test_other_column_names_and_semicolons_are_understood(tmp_path: Path) -> None:
    text = "Nr;Vorgang;Dauer (Tage);Vorgänger;Ressourcen\n1;Planen;2;;Anna\n2;Bauen;0,5;1FS+1;Anna\n"
    project = project_of(files(tmp_path, liste_csv=text))
    assert [(t.id, t.duration) for t in project.tasks] == [("1", 960), ("2", 240)]
    assert project.tasks[1].after == (Link(after="1", lag=480),)


def test_xlsx_markdown_table_and_markdown_list_say_the_same(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(["task", "duration", "after", "deadline"])
    book.active.append(["Design", 2, None, None])
    book.active.append(["Build", 3, "Design", datetime(2026, 3, 13)])
    book.save(tmp_path / "tasks.xlsx")
    table = "# Plan\n\n| task | duration | after | deadline |\n|---|---|---|---|\n| Design | 2d | | |\n"
    table += "| Build | 3 days | Design | 2026-03-13 |\n"
    items = "- Design (duration: 2d)\n- [ ] Build (duration: 3d; after: Design; deadline: 13.03.2026)\n"
    texts = files(tmp_path, a_md=table, b_md=items)
    read = [project_of([p]) for p in (tmp_path / "tasks.xlsx", *texts)]
    assert len({tuple((t.id, t.duration, t.after, t.deadline) for t in p.tasks) for p in read}) == 1
    assert read[0].tasks[1].deadline is not None
    assert read[0].tasks[1].deadline.at == datetime(2026, 3, 14, tzinfo=UTC), "a day ends at its midnight"


def test_prose_is_the_goal(tmp_path: Path) -> None:
    imported = read_project(files(tmp_path, goal_md="# Launch\n\n- be ready in May\n- three people\n"), TODAY)
    assert imported.project is None
    assert "three people" in imported.goal


def test_parts_of_a_task_make_it_a_milestone_at_their_end(tmp_path: Path) -> None:
    text = "id,task,duration,after,parent\nK,Kick-off,1d,,\nP,Phase,0,K,\nA,One,1d,,P\nB,Two,2d,,P\nZ,End,1d,P,\n"
    tasks = {t.id: t for t in project_of(files(tmp_path, tasks_csv=text)).tasks}
    assert tasks["P"].duration == 0
    assert {k.after for k in tasks["P"].after} == {"A", "B"}
    assert tasks["A"].after == (Link(after="K"),)


ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
BEGIN:VEVENT
UID:1
DTSTART;TZID=Europe/Berlin:20260303T100000
DTEND;TZID=Europe/Berlin:20260303T110000
RRULE:FREQ=WEEKLY;COUNT=3
SUMMARY:Weekly
ATTENDEE;CN=Anna:mailto:anna@example.org
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTART;VALUE=DATE:20260306
SUMMARY:Trip
END:VEVENT
BEGIN:VEVENT
UID:3
DTSTART:20260304T090000Z
DTEND:20260304T100000Z
TRANSP:TRANSPARENT
SUMMARY:free
END:VEVENT
END:VCALENDAR
"""


def test_events_take_the_time_of_whom_they_name(tmp_path: Path) -> None:
    tasks = "task,duration,needs\nA,1d,Anna\nB,1d,Ben\n"
    project = project_of(files(tmp_path, tasks_csv=tasks, busy_ics=ICS))
    anna, ben = project.resources
    assert [a.title for a in anna.absences] == ["Weekly", "Trip", "Weekly", "Weekly"]
    assert [a.title for a in ben.absences] == ["Trip"], "it names nobody, so it takes everybody's time"
    assert anna.absences[0].start == datetime(2026, 3, 3, 9, tzinfo=UTC)


def test_a_calendar_named_after_a_person_is_theirs(tmp_path: Path) -> None:
    tasks = "task,duration,needs\nA,1d,Anna\nB,1d,Ben\n"
    project = project_of(files(tmp_path, tasks_csv=tasks, Ben_ics=ICS.replace("CN=Anna:mailto:anna", "CN=X:mailto:x")))
    assert not project.resources[0].absences
    assert len(project.resources[1].absences) == 4


def test_habits_come_again_but_not_on_days_off(tmp_path: Path) -> None:
    people = """
project: {start: 2026-03-30, zone: Europe/Berlin, country: DE, deadline: 2026-04-10}
habits:
  - {id: standup, every: workday, at: 09:00, duration: 30min}
  - {id: review, every: "FREQ=WEEKLY;BYDAY=FR", duration: 1h}
"""
    tasks = project_of(files(tmp_path, people_yaml=people)).tasks
    days = [t.id.removeprefix("standup-") for t in tasks if t.id.startswith("standup")]
    assert "2026-04-03" not in days and "2026-04-06" not in days, "Good Friday and Easter Monday"
    assert len(days) == 8
    assert [t.id for t in tasks if t.id.startswith("review")] == ["review-2026-04-10"]
    assert tasks[0].fixed_start == datetime(2026, 3, 30, 7, tzinfo=UTC)


WRONG: list[tuple[dict[str, str], str]] = [
    ({"t_csv": "id,task,duration,after\nA,a,1,C\nB,b,1,A\nC,c,1,B\n"}, "circle: A -> B -> C -> A"),
    ({"t_csv": "id,task,duration,after\nA,a,1,X\n"}, "'A' depends on 'X', which is not there"),
    ({"t_csv": "id,task,duration,after\nA,a,1,A\n"}, "depends on itself"),
    ({"t_csv": "task,duration\na,-3d\n"}, "row 2 ('a'): the duration '-3d' is negative"),
    ({"t_csv": "task,duration\na,soon\n"}, "'soon' is no duration"),
    ({"t_csv": "task,duration\na,\n"}, "does not say how long it takes"),
    ({"t_csv": "task,duration,deadline\na,1,2026-02-30\n"}, "the date '2026-02-30' does not exist"),
    ({"t_csv": "task,duration,deadline\na,1,2026-02-30 10:00\n"}, "'2026-02-30 10:00' does not exist"),
    ({"t_csv": "task,duration,deadline\na,1,someday\n"}, "'someday' is no date"),
    (
        {"t_csv": "task,duration,start,zone\na,1,2026-03-29 02:30,Europe/Berlin\n"},
        "2026-03-29 02:30 does not exist in Europe/Berlin",
    ),
    ({"t_csv": "task,duration,start,zone\na,1,2026-03-29 02:30,Mars/Base\n"}, "time zone 'Mars/Base' is unknown"),
    ({"t_csv": "task,duration\na,1\n", "p_yaml": "project: {zone: Nowhere}\n"}, "time zone 'Nowhere' is unknown"),
    ({"t_csv": "task,duration\na,1\n", "p_yaml": "resources: [{id: A, capacity: 0}]\n"}, "the capacity is 0"),
    ({"t_csv": "task,duration,needs\na,1,Ana\n", "p_yaml": "resources: [Anna]\n"}, "did you mean 'Anna'?"),
    ({"t_csv": "task,duration,needs\na,1,Anna x2\n", "p_yaml": "resources: [Anna]\n"}, "of which there are 1"),
    ({"t_csv": "foo,bar\n1,2\n"}, "no column names the tasks (columns: foo, bar)"),
    ({"t_csv": "task,howlong\na,2\n"}, "no column says how long the tasks take (not understood: 'howlong')"),
    ({"t_csv": "id,task,duration\nA,a,1\nA,b,1\n"}, "the id 'A' is there twice"),
    ({"t_csv": "id,task,duration,parent,after\nP,p,0,,A\nA,a,1,P,\n"}, "'P' depends on 'A', which is a part of it"),
    ({"t_csv": "task,duration\n" + "a,1\n" * 50_000}, "50,000 tasks are too many"),
    ({"t_csv": ""}, "there is no row in it"),
    (
        {"b_ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:nonsense\nEND:VCALENDAR\n"},
        "no calendar file that can be read",
    ),
    ({"b_ics": "hello"}, "no calendar file that can be read"),
    ({"p_yaml": "project: [1\n"}, "no YAML that can be read (line"),
    ({"p_yaml": "projekt: {}\n"}, "did you mean 'project'?"),
    ({"p_yaml": "project: {country: XX}\n"}, "public holidays of 'XX' are not known"),
    ({"p_yaml": 'project: {hours: "17:00-09:00"}\n'}, "no working hours"),
    ({"p_yaml": "habits: [{id: h, every: sometimes}]\n"}, "is no rule"),
    ({"t_pdf": "x"}, "'.pdf' is not understood"),
]


@pytest.mark.parametrize(("texts", "says"), WRONG, ids=[says[:40] for _, says in WRONG])
def test_bad_input_is_one_sentence(tmp_path: Path, texts: dict[str, str], says: str) -> None:
    paths = files(tmp_path, **texts)
    if any(p.suffix == ".ics" for p in paths):
        paths += files(tmp_path, tasks_csv="task,duration\na,1\n")
    with pytest.raises(UserError) as error:
        read_project(paths, TODAY)
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@given(
    st.floats(0, 500, allow_nan=False).map(lambda x: round(x, 2)), st.sampled_from(["d", "h", "min", "w", "ed", "eh"])
)
def test_durations_are_read_as_written(amount: float, unit: str) -> None:
    per = {"d": 480, "h": 60, "min": 1, "w": 2400, "ed": 1440, "eh": 60}[unit]
    minutes, elapsed = minutes_of(f"{amount}{unit}", 8, "here")
    assert abs(minutes - amount * per) <= 0.51
    assert elapsed == unit.startswith("e")


NAMES = st.from_regex(r"[A-Z][0-9]{1,3}", fullmatch=True)


@given(
    st.lists(
        st.tuples(NAMES, st.sampled_from(["FS", "SS", "FF", "SF"]), st.integers(-9, 9)),
        min_size=1, max_size=4, unique_by=lambda t: t[0],
    )
)  # fmt: skip
def test_dependencies_are_read_as_written(links: list[tuple[str, str, int]]) -> None:
    text = ", ".join(f"{name} {kind}{lag:+d}d" for name, kind, lag in links)
    read = links_of(text, 8, "here", frozenset())
    assert [(k.after, k.kind, k.lag) for k in read] == [(n, k, lag * 480) for n, k, lag in links]


@given(st.text(max_size=300))
def test_any_text_is_rows_or_none(text: str) -> None:
    rows = read_markdown(text)
    assert all(isinstance(row, list) for row in rows)
