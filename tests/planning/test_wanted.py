"""What a goal says in plain words of days, hours, people, money and parts: read by rule, and held."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.domains.planning.checking.checker import check
from echelon.domains.planning.contracts.project import Absence
from echelon.domains.planning.importing.assemble import read_project
from echelon.domains.planning.importing.taken import carved
from echelon.domains.planning.scheduling.scheduler import schedule as scheduled
from echelon.domains.planning.wanted.contracts import Wanted
from echelon.domains.planning.wanted.dates import days_in
from echelon.domains.planning.wanted.holding import NOT_HELD, held, told
from echelon.domains.planning.wanted.reading import read
from echelon.domains.planning.wanted.words import are_akin, says_nothing
from tests.planning.projects import QUICK, at, project, task

TODAY = date(2026, 3, 2)


def said(text: str) -> dict[str, Any]:
    found = read(f"Renovate the kitchen. {text}", TODAY).model_dump(mode="json", exclude_defaults=True)
    return {k: v for k, v in found.items() if k != "heard"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It must be finished by 30 June 2026.", {"deadline": "2026-06-30"}),
        ("Everything is done before 1 July.", {"deadline": "2026-06-30"}),
        ("Alles fertig bis zum 30. Juni 2026.", {"deadline": "2026-06-30"}),
        ("Finish no later than the end of May.", {"deadline": "2026-05-31"}),
        ("\n\nDeadline: 30.06.2026", {"deadline": "2026-06-30"}),
        ("Ideally it is finished by 4 May 2026.", {"deadline": "2026-05-04", "is_hard": False}),
        ("Do not start before 4 May.", {"start": "2026-05-04"}),
        ("Not before May, since the hall is let.", {"start": "2026-05-01"}),
        ("There is no work on Fridays.", {"closed": [4]}),
        ("Nobody works on weekends.", {"closed": [5, 6]}),
        ("We can work only on Saturdays and Sundays.", {"only": [5, 6]}),
        ("The kitchen is shown on a Saturday.",
         {"event": {"weekdays": [5], "says": "The kitchen is shown on a Saturday."}}),
        ("Die neue Kitchen zeigen wir am Samstag.",
         {"event": {"weekdays": [5], "says": "Die neue Kitchen zeigen wir am Samstag."}}),
        ("The kitchen is open on Sundays.", {"unread": ["The kitchen is open on Sundays."]}),
        ("The kitchen must be done by Friday.", {"unread": ["The kitchen must be done by Friday."]}),
        ("Two people do the work.", {"people": 2}),
        ("There are only three of us.", {"people": 3}),
        ("\n\nTeam: Anna, Ben", {"team": ["Anna", "Ben"]}),
        ("We have 10 hours a week.", {"hours_a_week": 10.0}),
        ("I have 10 hours a week.", {"hours_a_week": 10.0, "people": 1}),
        ("The budget is 5,000 euros.", {"budget": 5000.0}),
        ("It may not cost more than €1.500.", {"budget": 1500.0}),
        ("Anna is away from 9 to 20 March 2026.", {"away": [{"who": "Anna", "first": "2026-03-09", "last": "2026-03-20"}]}),
        ("The house is closed on 4 March 2026.", {"away": [{"first": "2026-03-04", "last": "2026-03-04"}]}),
        ("Do it as cheaply as possible.", {"strategy": "least_cost"}),
        ("The invitations must be sent by 20 March 2026.",
         {"dues": [{"says": "The invitations must be sent by 20 March 2026.", "by": "2026-03-20"}]}),
        ("The floor takes three weeks.",
         {"lengths": [{"what": "The floor", "minutes": 7200, "says": "The floor takes three weeks"}]}),
    ],
)  # fmt: skip
def test_what_a_goal_says_is_read(text: str, wanted: dict[str, Any]) -> None:
    assert said(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["It is a dinner for twelve people.", "The club was founded on 3 May 1999.", "Photographs by three members.",
     "We may march on.", "We meet a second time.", "Take 8,000 books."],
)  # fmt: skip
def test_what_can_mean_something_else_is_not_read(text: str) -> None:
    assert said(text) == {}


def test_what_no_rule_understands_is_told_as_not_held() -> None:
    found = read("Renovate the kitchen. Never let the cat in, until 12 June 2026.", TODAY)
    assert found.unread == ("Never let the cat in, until 12 June 2026.",)
    assert [t for t in told(project(task("a", 1)), found) if t.startswith(NOT_HELD) and "cat" in t]


def test_the_parts_of_a_goal_are_what_it_lists_and_not_its_notes() -> None:
    assert read("Move: pack, carry and shelve, in this order, then sweep.", TODAY).things == (
        "pack",
        "carry",
        "shelve",
        "sweep",
    )
    assert read("Fair\n\n- a stage\n- catering\n- tickets\n", TODAY).things == ("stage", "catering", "tickets")
    assert read("Fair\n\n- there are 80 guests\n- nobody may smoke\n- it is in May\n", TODAY).things == ()
    assert read("Hold a feast. Guests: Anna, Ben, Cem, Dora.", TODAY).things == ()


@given(st.dates(date(2026, 3, 2), date(2027, 3, 1)))
def test_a_day_is_read_in_each_form(day: date) -> None:
    forms = (
        f"{day}",
        f"{day:%d.%m.%Y}",
        f"{day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%B}",
    )
    for text in forms:
        assert [(d.first, d.last) for d in days_in(f"on {text}.", TODAY)] == [(day, day)], text


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(read(text, TODAY), Wanted)


def test_what_is_held_is_held_by_the_solver_and_twice_is_the_same() -> None:
    """Each constraint of a goal stands in the project, where solver and checker see it."""
    wanted = Wanted(
        start=date(2026, 1, 7), closed=(4,), away=(read("Anna is away on 8 January 2026.", date(2026, 1, 1)).away[0],),
        hours_a_day=4, deadline=date(2026, 1, 30),
    )  # fmt: skip
    once = held(project(task("a", 2, who="Anna"), task("b", 1, "a", who="Anna")), wanted)
    assert held(once, wanted) == once
    found = scheduled(once, QUICK).schedule
    assert found is not None and check(once, found) == []
    days = {t.start.date() + timedelta(n) for t in found.tasks for n in range((t.end.date() - t.start.date()).days + 1)}
    assert min(days) == date(2026, 1, 7) and found.task("a").start.weekday() != 4
    assert found.end >= at(15, 0), "three days of work are six of four hours, without Thursday the 8th and Fridays"
    assert check(once.model_copy(update={"deadline": once.deadline}), found) == []
    late = held(once, Wanted(deadline=date(2026, 1, 9)))
    assert scheduled(late, QUICK).schedule is None


def test_a_budget_without_prices_and_people_that_nobody_knows_are_told() -> None:
    wanted = Wanted(budget=5000, away=read("Zoe is away on 8 May 2026.", TODAY).away)
    said_ = told(project(task("a", 1)), wanted)
    assert any("budget of 5,000" in s for s in said_) and any("Zoe is away" in s for s in said_)


def test_two_forms_of_a_word_are_one() -> None:
    for one, other in (
        ("shop", "shopping"),
        ("cupboards", "cupboard"),
        ("electricity", "electrical"),
        ("küchenboden", "boden"),
    ):
        assert are_akin(one, other)
    for one, other in (("paint", "plant"), ("menu", "meeting"), ("table", "tale")):
        assert not are_akin(one, other)
    assert all(map(says_nothing, ("Task 1", "Step A", "TBD", "Do the work", "Aufgabe 3")))
    assert not any(map(says_nothing, ("Write chapter 1", "Paint", "Cook")))


def test_commitments_close_the_calendar_where_nobody_is_named(tmp_path: Path) -> None:
    busy = Absence(start=at(6, 12), end=at(7, 12))
    calendar = carved(project(task("a", 1)).calendar_named(None), [busy])
    assert [(e.first.day, [(s.begin, s.finish) for s in e.shifts]) for e in calendar.exceptions] == [
        (6, [(540, 720)]), (7, [(720, 1020)])
    ]  # fmt: skip
    (tmp_path / "goal.md").write_text("# Paint the fence\n")
    (tmp_path / "p.yaml").write_text("project: {deadline: 2026-04-10, strategy: least_cost, hours_per_day: 6}\n")
    base = read_project([tmp_path / "goal.md", tmp_path / "p.yaml"], TODAY).base
    assert base is not None and base.deadline is not None and base.hours_per_day == 6, "settings beside prose are kept"


def test_tables_of_the_same_columns_are_one_list_and_prose_around_is_kept(tmp_path: Path) -> None:
    table = "| task | duration |\n|---|---|\n| {} | 1d |\n"
    (tmp_path / "t.md").write_text(
        f"# Fair\n\nNo work on Fridays.\n\n{table.format('Dig')}\nThen:\n\n{table.format('Lay')}"
    )
    found = read_project([tmp_path / "t.md"], TODAY)
    assert found.project is not None and [t.title for t in found.project.tasks] == ["Dig", "Lay"]
    assert "No work on Fridays." in found.prose


DINNER = "Give a dinner for twelve people on a Saturday: menu, shopping, cooking."


def dinner(minutes: int) -> Any:
    """A plan of three tasks in a row, the last of so many minutes, with what the goal says put into it twice."""
    last = task("cooking", 1, "shopping").model_copy(update={"duration": minutes})
    made = project(task("menu", 1), task("shopping", 3, "menu"), last)
    return held(held(made, read(DINNER, TODAY)), read(DINNER, TODAY))


def test_what_takes_place_on_a_weekday_ends_on_it() -> None:
    """A dinner on a Saturday was planned from Monday to Thursday, and nothing said that it was not on a Saturday."""
    made = dinner(240)
    assert held(made, read(DINNER, TODAY)) == made, "doing it again changes nothing"
    found = scheduled(made, QUICK).schedule
    assert found is not None and not check(made, found)
    days = {t.id: (t.start.date().weekday(), t.end.date().weekday()) for t in found.tasks}
    assert days["cooking"] == (5, 5)
    assert f"Read from the goal, and held: {DINNER}" in told(made, read(DINNER, TODAY))


def test_what_takes_longer_than_that_day_is_said_not_to_be_held() -> None:
    made = dinner(2 * 480)
    assert not any(t.calendar for t in made.tasks)
    assert told(made, read(DINNER, TODAY)) == [f"{NOT_HELD}{DINNER}"]


def test_a_weekday_that_no_rule_understands_is_not_held() -> None:
    party = "Plan the party for Sunday with the neighbours"
    assert told(project(task("bake", 1)), read(party, TODAY)) == [f"{NOT_HELD}{party}"]
