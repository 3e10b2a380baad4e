"""The page of a plan in a real browser, as wide as a desk and as a telephone: drawn, and nobody is asked for anything."""

from __future__ import annotations

import struct
from datetime import UTC, datetime
from pathlib import Path

import pytest

from echelon.domains.planning.contracts.project import Absence, Project, Resource
from echelon.domains.planning.exporting.report import Option, Story, to_html
from tests.planning.projects import at, link, project, solved, task
from tests.support.browser import needs_browser, picture_of


def made() -> Project:
    """A small launch with two people, leave, and milestones."""
    leave = (Absence(start=at(8, 0), end=at(10, 0), title="leave"),)
    return project(
        task("concept", 3, who="anna"), task("design", 4, "concept", who="anna"), task("backend", 6, "concept", who="ben"),
        task("frontend", 5, link("design", "SS", 2), who="carla"), task("texts", 2, "concept", who="carla"),
        task("test", 3, "backend", "frontend", who="anna"), task("freeze", 0, "backend", "frontend"),
        task("train", 1, "freeze", who="ben"), task("launch", 0, "test", "train", "texts"),
        resources=(Resource(id="anna", absences=leave), Resource(id="ben"), Resource(id="carla")), title="Launch",
    )  # fmt: skip


def page() -> str:
    one = made()
    story = Story(
        options=(Option("earliest_end", "2026-01-22", "12", "yes", "It is the earliest."),),
        assumptions=("Work is done Monday to Friday from 9:00 to 17:00, since no hours are given.",),
        summary="The plan ends on 2026-01-22. It has 7 tasks, 4 of them critical.", ideas=("Ask for one more 'ben'.",),
        changes=("'Texts' moves: 2026-01-12 -> 2026-01-13 (the plan was revised)",),
    )  # fmt: skip
    return to_html(one, solved(one), story, today=datetime(2026, 1, 9, 12, tzinfo=UTC))


@needs_browser
@pytest.mark.parametrize("width", [1400, 390])
def test_the_plan_is_drawn_and_asks_for_nothing(tmp_path: Path, width: int) -> None:
    found, asked = picture_of(page(), tmp_path, width, 2000)
    assert asked == {"/report.html"}
    assert struct.unpack(">II", found[16:24]) == (width, 2000)
    assert len(found) > 40_000, "an empty page is a few kilobytes"
