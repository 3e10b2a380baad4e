"""Figures of inputs that no result has."""

from __future__ import annotations

import pytest

from echelon.crews.plain.figures import LONGEST, MOST, unsaid

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
    assert unsaid([MARCH], [result]) == left


def test_a_figure_of_any_result_counts_and_a_line_is_told_once() -> None:
    assert unsaid([MARCH, MARCH], ["room 4", "10:00"]) == ["Lunch costs 12.50 euros."]


def test_what_is_told_has_a_bound() -> None:
    left = unsaid("\n".join(f"{n} {'chairs ' * 60}" for n in range(100, 140)).splitlines(), ["5"])
    assert len(left) == MOST and all(len(line) <= LONGEST for line in left)


def test_letters_with_digits_are_no_figures() -> None:
    assert unsaid(["The parts A4 and x86 are blue."], [""]) == []
