"""Places that a result leaves for somebody else to fill in."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.workspace import Workspace
from echelon.tasks.deliverables import problems_of
from echelon.tasks.slots import open_slot

SLOTS = {
    "a name": "We meet on Tuesday in room 7.\n\nBest regards,\n[Your Name]\n",
    "a name alone": "We meet on Tuesday in room 7.\n\nBest regards,\n[Name]\n",
    "a date": "Date: [Date]\n\nWe meet on Tuesday in room 7.\n",
    "a figure": "Lunch costs [insert amount] euros each.\n",
    "a figure in German": "Das Essen kostet [Betrag einfügen] Euro.\n",
    "a clause": "- 1.1 keep the keys\n- 1.2 keep logs for [to be determined] days\n",
    "the reader's part": "# Note\n\nRoom 7 is ours. [Your text here]\n",
}
NONE = {
    "a link": "Change it in [your settings](settings.md), or in [your profile][1].\n\n[your profile]: p.md\n",
    "a picture": "![Your plan](plan.png) shows room 7.\n",
    "boxes": "- [ ] book room 7\n- [x] tell Maria\n",
    "a state": "Status: [Done]\n\nRoom 7 is booked [sic] for Tuesday.\n",
    "slots in code": "Call it with `[your name]`:\n\n```\nhello [insert name]\n```\n",
    "a type": "The field is a list[Date] of days, [Name] is its column, and cite [Date 2020].\n",
}
REQUEST = "Write a note to the team."


@pytest.mark.parametrize("name", SLOTS)
def test_a_place_to_be_filled_in_is_found(name: str) -> None:
    assert open_slot("output/a.md", SLOTS[name], (), REQUEST)


@pytest.mark.parametrize("name", NONE)
def test_links_boxes_states_and_code_are_no_such_place(name: str) -> None:
    assert open_slot("output/a.md", NONE[name], (), REQUEST) == ""


@pytest.mark.parametrize(
    "request_", ["Draft a note to the team.", "Write a template of a note.", "Entwurf eines Briefs"]
)
def test_who_asks_for_a_draft_or_a_template_gets_one(request_: str) -> None:
    assert open_slot("output/a.md", SLOTS["a name"], (), request_) == ""


def test_what_is_quoted_from_an_input_is_no_place_of_the_writer() -> None:
    given = ["The provider names [insert organisation] as its auditor."]
    assert open_slot("output/a.md", "- It names [insert organisation].", given, REQUEST) == ""
    assert open_slot("output/a.md", "- It names [insert auditor].", given, REQUEST) == "[insert auditor]"


@given(st.sampled_from(["py", "json", "yaml", "sql", "svg"]), st.sampled_from(sorted(SLOTS)))
def test_other_formats_have_brackets_of_their_own(ending: str, name: str) -> None:
    assert open_slot(f"output/a.{ending}", SLOTS[name], (), REQUEST) == ""


def test_a_page_is_read_as_it_is_shown() -> None:
    assert open_slot("output/a.html", "<p>Regards, <b>[Your</b> Name]</p>", (), REQUEST) == ""  # two pieces of a page
    assert open_slot("output/a.html", "<p title='[Your Name]'>Regards, [Your Name]</p>", (), REQUEST) == "[Your Name]"


def test_a_result_with_such_a_place_is_none(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.create()
    workspace.write("output/note.md", "# April\n\nWe meet on Tuesday in room 7.\n\nBest regards,\n[Your Name]\n")
    (found,) = problems_of(workspace, "output/note.md", (), None, REQUEST)
    assert found.about == "output/note.md" and "[Your Name]" in found.says and "leave it out" in found.says
    assert problems_of(workspace, "output/note.md", (), None, "Draft a note to the team.") == []
