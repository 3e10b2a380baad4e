"""What comes out for small projects, worked out on paper. 5 January 2026 is a Monday; work is 9 to 17."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.calendar import CalendarException, Shift, WorkCalendar
from echelon.domains.planning.contracts.project import Absence, Deadline, LinkKind, Need, Resource
from echelon.domains.planning.contracts.strategy import Strategy, StrategyProfile
from echelon.domains.planning.scheduling.scheduler import schedule
from tests.planning.projects import QUICK, at, link, project, solved, span, task


@pytest.mark.parametrize(
    ("kind", "lag", "start", "end"),
    [
        ("FS", 0, at(7, 9), at(7, 17)),
        ("FS", 1, at(8, 9), at(8, 17)),
        ("FS", -1, at(6, 9), at(6, 17)),
        ("SS", 0, at(5, 9), at(5, 17)),
        ("SS", 1, at(6, 9), at(6, 17)),
        ("FF", 0, at(6, 9), at(6, 17)),
        ("FF", 1, at(7, 9), at(7, 17)),
        ("SF", 2, at(6, 9), at(6, 17)),
    ],
)
def test_four_kinds_of_dependency_with_lag_and_lead(kind: LinkKind, lag: float, start: datetime, end: datetime) -> None:
    found = solved(project(task("first", 2), task("second", 1, link("first", kind, lag))))
    assert span(found, "second") == (start, end)


def test_an_elapsed_lag_runs_over_the_weekend() -> None:
    made = project(task("pour", 4), task("build", 1, link("pour", "FS", 2, elapsed=True)))
    assert span(solved(made), "build")[0] == at(12, 9), "Thursday 17:00 and two days is Saturday; work starts on Monday"


def test_a_task_pauses_over_the_weekend_and_a_public_holiday() -> None:
    calendar = WorkCalendar(name="project", zone="Europe/Berlin", country="DE", subdivision="BE")
    made = project(task("long", 6), calendars=(calendar,), start=datetime(2026, 4, 1, 0, tzinfo=UTC))
    start, end = span(solved(made), "long")
    assert start == datetime(2026, 4, 1, 7, tzinfo=UTC), "summer time: nine in Berlin"
    assert end == datetime(2026, 4, 10, 15, tzinfo=UTC), "Good Friday, the weekend and Easter Monday are free"


def test_daylight_saving_moves_the_working_day() -> None:
    calendar = WorkCalendar(name="project", zone="Europe/Berlin")
    made = project(task("a", 1), task("b", 1, "a"), calendars=(calendar,), start=datetime(2026, 3, 27, tzinfo=UTC))
    found = solved(made)
    assert span(found, "a")[0] == datetime(2026, 3, 27, 8, tzinfo=UTC)
    assert span(found, "b")[0] == datetime(2026, 3, 30, 7, tzinfo=UTC)


def test_one_person_does_one_thing_at_a_time_and_two_do_two() -> None:
    tasks = [task("a", 1, who="anna"), task("b", 1, who="anna")]
    assert solved(project(*tasks)).end == at(6, 17)
    assert solved(project(*tasks, resources=(Resource(id="anna", capacity=2),))).end == at(5, 17)


def test_an_absence_stops_work_and_a_partial_one_takes_units() -> None:
    away = Absence(start=at(6, 0), end=at(8, 0))
    made = project(task("a", 2, who="anna"), resources=(Resource(id="anna", absences=(away,)),))
    assert span(solved(made), "a") == (at(5, 9), at(8, 17))
    half = Resource(id="team", capacity=2, absences=(away.model_copy(update={"units": 1}),))
    both = task("both", 1, needs=(Need(resource="team", units=2),), release=at(6, 0))
    assert span(solved(project(both, resources=(half,))), "both")[0] == at(8, 9)


def test_release_deadline_and_fixed_start() -> None:
    made = project(
        task("early", 1, release=at(7, 9)),
        task("meeting", 0.25, fixed_start=at(8, 13)),
        task("after", 1, "meeting", deadline=Deadline(at=at(12, 17))),
    )
    found = solved(made)
    assert span(found, "early")[0] == at(7, 9)
    assert span(found, "meeting") == (at(8, 13), at(8, 15))
    assert span(found, "after") == (at(8, 15), at(9, 15))


def test_a_hard_deadline_that_cannot_be_met_is_infeasible_and_a_soft_one_is_missed() -> None:
    hard = project(task("a", 3, deadline=Deadline(at=at(6, 17))))
    assert schedule(hard, QUICK).status == "infeasible"
    soft = project(task("a", 3, deadline=Deadline(at=at(6, 17), hard=False)))
    assert solved(soft).end == at(7, 17)


def test_soft_deadlines_decide_by_their_price() -> None:
    def made(dear: str) -> tuple[datetime, datetime]:
        tasks = [
            task(n, 2, who="anna", deadline=Deadline(at=at(6, 17), hard=False, price_per_day=9 if n == dear else 1))
            for n in ("a", "b")
        ]
        return span(solved(project(*tasks)), dear)

    assert made("a") == made("b") == (at(5, 9), at(6, 17))


def test_unbroken_work_fits_into_one_day_and_split_work_lets_others_in() -> None:
    short = task("short", 0.5, release=at(5, 15), split="never")
    assert span(solved(project(short)), "short") == (at(6, 9), at(6, 13))
    made = project(
        task("long", 2, who="anna", split="anywhere", piece=240),
        task("meeting", 1, who="anna", fixed_start=at(6, 9)),
    )
    found = solved(made)
    assert span(found, "long") == (at(5, 9), at(7, 17))
    assert check(made, found) == []


def test_one_of_several_people_is_chosen() -> None:
    ways = ((Need(resource="anna"),), (Need(resource="ben"),))
    found = solved(project(task("a", 1, any_of=ways), task("b", 1, any_of=ways)))
    assert found.end == at(5, 17)
    assert {t.needs[0].resource for t in found.tasks} == {"anna", "ben"}


def test_least_cost_takes_the_cheaper_one_and_earliest_end_the_sooner_one() -> None:
    people = (Resource(id="anna", rate_per_hour=100), Resource(id="ben", rate_per_hour=10))
    ways = ((Need(resource="anna"),), (Need(resource="ben"),))
    tasks = [task(n, 1, any_of=ways) for n in ("a", "b")]
    cheap = solved(project(*tasks, resources=people, strategy=StrategyProfile(aim=Strategy.LEAST_COST)))
    assert (cheap.cost, cheap.end) == (160.0, at(6, 17))
    fast = solved(project(*tasks, resources=people))
    assert (fast.cost, fast.end) == (880.0, at(5, 17))


def test_level_load_lowers_the_peak_within_the_stretch() -> None:
    team = Resource(id="team", capacity=3)
    tasks = [task("long", 3)] + [task(n, 1, who="team") for n in "abc"]
    level = solved(project(*tasks, resources=(team,), strategy=StrategyProfile(aim=Strategy.LEVEL_LOAD)))
    starts = [span(level, n)[0] for n in "abc"]
    assert len(set(starts)) == 3
    assert level.end == at(7, 17)
    assert len({span(solved(project(*tasks, resources=(team,))), n)[0] for n in "abc"}) == 1


def test_latest_start_waits_and_keeps_the_buffer_free() -> None:
    late = StrategyProfile(aim=Strategy.LATEST_START, buffer=0.5)
    made = project(task("a", 2), deadline=Deadline(at=at(16, 17)), strategy=late)
    found = solved(made)
    assert span(found, "a") == (at(14, 9), at(15, 17)) and found.buffer_end == at(16, 17)
    early = made.model_copy(update={"strategy": StrategyProfile()})
    assert solved(early).buffer_end is None, "only a schedule that starts late keeps its end free"
    tight = made.model_copy(update={"strategy": late.model_copy(update={"buffer": 0.0})})
    assert solved(tight).end == at(16, 17) and solved(tight).buffer_end is None


def test_the_critical_path_has_no_slack_and_the_rest_has() -> None:
    found = solved(project(task("a", 3), task("b", 1), task("end", 0, "a", "b")))
    assert {t.id for t in found.tasks if t.critical} == {"a", "end"}
    assert found.task("b").slack == 2 * 480


def test_resources_make_tasks_critical_too() -> None:
    found = solved(project(task("a", 1, who="anna"), task("b", 1, who="anna")))
    assert all(t.critical for t in found.tasks)


def test_milestones_between_days_take_no_time() -> None:
    found = solved(project(task("a", 1), task("done", 0, "a"), task("b", 1, "done")))
    assert span(found, "done") == (at(5, 17), at(5, 17))
    assert span(found, "b")[0] == at(6, 9)


def test_exceptions_open_days_too() -> None:
    saturday = CalendarException(
        first=date(2026, 1, 10), last=date(2026, 1, 10), shifts=(Shift(begin=540, finish=1020),)
    )
    made = project(task("a", 6), calendars=(WorkCalendar(name="project", exceptions=(saturday,)),))
    assert solved(made).end == at(10, 17)


def test_two_zones_meet_only_while_both_work() -> None:
    people = (
        Resource(id="anna", calendar="berlin"),
        Resource(id="bob", calendar="york"),
    )
    calendars = (
        WorkCalendar(name="berlin", zone="Europe/Berlin"),
        WorkCalendar(name="york", zone="America/New_York"),
        WorkCalendar(name="project", zone="Europe/Berlin"),
    )
    needs = (Need(resource="anna"), Need(resource="bob"))
    made = project(task("call", 0.25, needs=needs), resources=people, calendars=calendars)
    assert span(solved(made), "call") == (at(5, 14), at(5, 16)), "15:00 in Berlin is 9:00 in New York"


def test_coarse_slots_round_up_and_say_so() -> None:
    made = project(task("a", 0.125), task("b", 0.125, "a"), slot_minutes=240)
    found = solved(made)
    assert span(found, "b") == (at(5, 13), at(5, 17))
    assert "240 minutes" in found.assumptions[0]
    assert check(made, found) == []
