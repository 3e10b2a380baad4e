"""The checker finds each kind of broken rule: a good schedule is spoilt in one place at a time."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.project import Absence, Deadline, Need, Project, Resource
from echelon.domains.planning.contracts.schedule import Piece, Schedule, ScheduledTask
from tests.planning.projects import at, link, project, task


def placed(name: str, start: datetime, end: datetime, *who: str, **more: object) -> ScheduledTask:
    needs = tuple(Need(resource=w) for w in who)
    return ScheduledTask.model_validate(
        {"id": name, "title": name, "start": start, "end": end, "zone": "UTC", "needs": needs, **more}
    )


def schedule(*tasks: ScheduledTask) -> Schedule:
    return Schedule(
        project="Test", zone="UTC", start=at(5, 9), end=max(t.end for t in tasks), tasks=tasks, quality="feasible",
        slot_minutes=240,
    )  # fmt: skip


MADE = project(
    task("a", 1, who="anna"),
    task("b", 1, link("a", "FS", 1), who="anna", deadline=Deadline(at=at(9, 17))),
    task("m", 0, "b"),
)
GOOD = (
    placed("a", at(5, 9), at(5, 17), "anna"),
    placed("b", at(7, 9), at(7, 17), "anna"),
    placed("m", at(7, 17), at(7, 17)),
)


def test_a_good_schedule_breaks_nothing() -> None:
    assert check(MADE, schedule(*GOOD)) == []


@pytest.mark.parametrize(
    ("spoilt", "says"),
    [
        ((0, placed("a", at(5, 9), at(5, 12), "anna")), "works 180 minutes instead of 480"),
        ((0, placed("a", at(5, 9), at(6, 13), "anna")), "works 720 minutes instead of 480"),
        ((0, placed("a", at(5, 7), at(5, 17), "anna")), "begins or ends when nobody works"),
        ((0, placed("a", at(5, 9), at(5, 17))), "not done with what it needs"),
        ((0, placed("a", at(2, 9), at(2, 17), "anna")), "starts before the project"),
        ((1, placed("b", at(6, 9), at(6, 17), "anna")), "breaks FS +480 after 'a'"),
        ((1, placed("b", at(12, 9), at(12, 17), "anna")), "ends after its deadline"),
        ((1, placed("b", at(5, 9), at(5, 17), "anna")), "used 2 times at once"),
        ((1, placed("x", at(7, 9), at(7, 17), "anna")), "'b' is not in the schedule"),
        ((1, placed("x", at(7, 9), at(7, 17), "anna")), "'x' is scheduled but is no task"),
        ((2, placed("m", at(7, 17), at(8, 17))), "takes time"),
        ((2, placed("m", at(7, 16), at(7, 16))), "breaks FS +0 after 'b'"),
        (
            (0, placed("a", at(5, 9), at(6, 13), "anna", pieces=(
                Piece(start=at(5, 9), end=at(5, 13)), Piece(start=at(6, 9), end=at(6, 13))))),
            "is split although it may not be",
        ),
    ],
)  # fmt: skip
def test_each_broken_rule_is_found(spoilt: tuple[int, ScheduledTask], says: str) -> None:
    number, other = spoilt
    tasks = [other if n == number else t for n, t in enumerate(GOOD)]
    assert any(says in b.says for b in check(MADE, schedule(*tasks)))


def test_release_fixed_start_and_the_projects_deadline() -> None:
    made: Project = project(
        task("a", 1, release=at(6, 9)), task("b", 1, fixed_start=at(7, 9)), deadline=Deadline(at=at(8, 0))
    )
    found = check(made, schedule(placed("a", at(5, 9), at(5, 17)), placed("b", at(8, 9), at(8, 17))))
    assert {b.says for b in found} == {
        "'a' starts before it may",
        "'b' does not start when it is fixed",
        "'b' ends after the deadline of the project",
    }


def test_work_without_a_pause_and_partial_absence() -> None:
    made = project(task("a", 1, split="never"))
    assert check(made, schedule(placed("a", at(5, 13), at(6, 13))))[0].says == "'a' pauses although it may not"
    team = Resource(id="team", capacity=2)
    two = project(task("b", 1, needs=(Need(resource="team", units=2),)), resources=(team,))
    good = schedule(placed("b", at(5, 9), at(5, 17)).model_copy(update={"needs": two.tasks[0].needs}))
    assert check(two, good) == []
    away = Resource(id="team", capacity=2, absences=(Absence(start=at(5, 0), end=at(6, 0), units=1),))
    less = project(two.tasks[0], resources=(away,))
    assert "used 2 times" in check(less, good)[0].says


def test_lead_time_counts_working_minutes_backwards() -> None:
    made = project(task("a", 2), task("b", 1, link("a", "FS", -0.5)))
    late = schedule(placed("a", at(5, 9), at(6, 17)), placed("b", at(6, 13), at(7, 13)))
    assert check(made, late) == []
    early = schedule(placed("a", at(5, 9), at(6, 17)), placed("b", at(6, 9), at(6, 17)))
    assert "breaks FS -240" in check(made, early)[0].says


def test_a_finished_task_is_not_judged() -> None:
    made = project(task("a", 1, release=at(9, 9)))
    assert check(made, schedule(placed("a", at(2, 9), at(2, 9) + timedelta(hours=1), done=True))) == []
