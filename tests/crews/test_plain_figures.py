"""Figures of inputs that no result has."""

from __future__ import annotations

import pytest

from echelon.crews.plain.figures import LONGEST, MOST, all_said, unsaid

MARCH = "# Plan\n\n- The meeting is at 10:00 in room 4.\n- Lunch costs 12.50 euros.\n- Maria brings the projector.\n"


@pytest.mark.parametrize(
    ("result", "left"),
    [
        ("At 10:00, room 4, lunch 12.50", []),
        ("Room 4 at 10:00", ["Lunch costs 12.50 euros."]),
        ("Lunch costs 12.50, in room 40 at 10:00", ["The meeting is at 10:00 in room 4."]),
        ("Lunch costs 12 euros at 10:00 in room 4", ["Lunch costs 12.50 euros."]),
        ("| room | price |\n|---|---|\n| 4 | 12.50 |\n| 10:00 |", []),
        ("", ["The meeting is at 10:00 in room 4.", "Lunch costs 12.50 euros."]),
    ],
)
def test_a_line_is_told_whose_figure_stands_in_no_result(result: str, left: list[str]) -> None:
    assert unsaid({"march.md": MARCH}, [result]) == left


def test_a_figure_of_any_result_counts_and_a_line_is_told_once() -> None:
    assert unsaid({"march.md": MARCH, "copy.md": MARCH}, ["room 4", "10:00"]) == ["Lunch costs 12.50 euros."]


def test_what_is_told_has_a_bound() -> None:
    left = unsaid({"chairs.md": "\n".join(f"{n} {'chairs ' * 60}" for n in range(100, 140))}, ["5"])
    assert len(left) == MOST and all(len(line) <= LONGEST for line in left)


def test_letters_with_digits_are_no_figures() -> None:
    assert unsaid({"parts.md": "The parts A4 and x86 are blue."}, [""]) == []


APRIL = "# Plan\n\n- The meeting is at 10:00 in room 7.\n- Lunch costs 14 euros.\n- Maria brings the projector.\n"
BOTH = {"march.md": MARCH, "april.md": APRIL}


@pytest.mark.parametrize(
    ("result", "left"),
    [
        ("| March | room 4 | 12.50 |\n| April | room 7 | 14 |", []),
        ("| March | room 4 | 12.50 |\n| April | at 10:00 | 14 |", ["The meeting is at 10:00 in room 7."]),
        ("Rooms 4 and 7", ["Lunch costs 12.50 euros.", "Lunch costs 14 euros."]),
    ],
)
def test_a_figure_that_lines_for_the_same_thing_share_is_not_looked_for(result: str, left: list[str]) -> None:
    assert unsaid(BOTH, [result]) == left


def test_a_shared_figure_is_looked_for_where_nothing_else_tells_the_lines_apart() -> None:
    inputs = {"one.md": "The meeting is at 10:00 in the hall.", "two.md": "The meeting is at 10:00 in the yard."}
    assert unsaid(inputs, ["hall and yard"]) == list(map(str, inputs.values()))


def test_all_is_said_only_with_every_figure_and_where_there_is_one() -> None:
    assert all_said(BOTH, ["10:00, 4, 7", "12.50 and 14"])
    assert not all_said(BOTH, ["4, 7, 12.50 and 14"])  # not the shared 10:00
    assert not all_said({"note.md": "Maria brings the projector."}, ["Maria"])
    assert not all_said({}, ["10:00"]) and unsaid({}, ["10:00"]) == []
