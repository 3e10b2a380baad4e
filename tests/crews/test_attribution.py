"""What a result says of one of several short inputs has to stand in that one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.plain.attribution import about_one, misattributed

MARCH = """# Plan of March

- The meeting is on Monday at 10:00 in room 4.
- Maria brings the projector.
- Lunch costs 12 euros for each person.
- We order 20 chairs.
"""
APRIL = """# Plan of April

- The meeting is on Tuesday at 10:00 in room 7.
- Maria brings the projector.
- Lunch costs 14 euros for each person.
- We order 25 chairs.
"""
PLANS = {"plan-march.md": MARCH, "plan-april.md": APRIL}
DIFFERS, TABLE = "Write down what differs between the two plans.", "Make a table of the days, rooms and prices."
NOTE, CHECKLIST = "Write a short note that says what changes in April.", "Make a checklist for April."


def faults(text: str, request: str = DIFFERS) -> list[str]:
    return misattributed(PLANS, {"output/answer.md": text}, request)


WRONG = {
    "another's line, named": (TABLE, "In April the meeting is on Monday in room 4.", "of 'plan-april.md'"),
    "below a heading": (
        NOTE,
        "## April Changes\n\n- Tuesday, room 7\n- Meeting on Monday at 10:00 in room 4.\n",
        "of 'plan-april",
    ),
    "below a label": (
        DIFFERS,
        "March:\n- Lunch costs 14 euros\nApril:\n- Lunch costs 14 euros\n",
        "of 'plan-march.md'",
    ),
    "in what is about one": (NOTE, "Dear team, we meet in room 4. Lunch costs 14 euros.", "of 'plan-april.md'"),
    "in a checklist": (CHECKLIST, "- Book room 7 for Tuesday\n- Order 20 chairs\n", "of 'plan-april.md'"),
    "a row of the other": (TABLE, "| | Day | Room |\n|---|---|---|\n| March | Tuesday | 7 |\n", "of 'plan-march.md'"),
    "a row that mixes": (
        TABLE,
        "| | day | room |\n|---|---|---|\n| March | Monday | 7 |\n| April | Tuesday | 4 |\n",
        "mixes",
    ),
    "crossed": (DIFFERS, "The meeting is on Monday in room 7 instead of Tuesday in room 4.", "mixes"),
    "crossed and named": (DIFFERS, "In March: Monday in room 7. In April: Tuesday in room 4.", "mixes"),
    "nobody named": (
        DIFFERS,
        "We meet on Monday in room 4. Lunch costs 12 euros.\nWe meet on Tuesday in room 7.\n",
        "does not say",
    ),
}
RIGHT = {
    "a sentence": (DIFFERS, "In April the meeting is on Tuesday in room 7 instead of on Monday in room 4."),
    "the other order": (DIFFERS, "The meeting moves from Monday to Tuesday, and from room 4 to room 7."),
    "arrows": (DIFFERS, "- day: Monday → Tuesday\n- chairs: 20 chairs -> 25 chairs\n- Lunch: 12/14 euros\n"),
    "parts": (DIFFERS, "## March\n- Monday, room 4\n- 20 chairs\n\n## April\n- Tuesday, room 7\n- 25 chairs\n"),
    "labels": (DIFFERS, "March: Monday in room 4.\nApril: Tuesday in room 7.\n"),
    "it goes on": (DIFFERS, "In March: Monday. Lunch costs 12 euros.\nApril:\nTuesday. Lunch costs 14 euros."),
    "names of files": (DIFFERS, "- plan-march.md: We order 20 chairs. | plan-april.md: We order 25 chairs.\n"),
    "a table by things": (TABLE, "| | March | April |\n|---|---|---|\n| day | Monday | Tuesday |\n| room | 4 | 7 |\n"),
    "a table by plans": (TABLE, "| | day | room |\n|---|---|---|\n| March | Monday | 4 |\n| April | Tuesday | 7 |\n"),
    "two tables": (TABLE, "## March\n\n| room |\n|---|\n| 4 |\n\n## April\n\n| room |\n|---|\n| 7 |\n"),
    "a note": (NOTE, "Dear team,\nwe meet on Tuesday in room 7 (not Monday in room 4). Lunch was 12 euros, and is 14.\n"),
    "a checklist": (CHECKLIST, "- Room 7 for Tuesday\n- 25 chairs\n- Ask Maria for the projector\n- 4 plates\n- 12 forks\n"),
    "more than": (DIFFERS, "April has five chairs more than March (25 chairs, not 20 chairs)."),
    "first and second": (DIFFERS, "The first plan has 20 chairs. The second plan has 25 chairs."),
    "numbers of a list": (DIFFERS, "4. In April the room is room 7.\n7. In March the room is room 4.\n"),
    "what is the same": ("List what is the same in both plans.", "Maria brings the projector. Both begin at 10:00."),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_stands_in_another_input_is_said(name: str) -> None:
    request, text, says = WRONG[name]
    (found,) = faults(text, request)
    assert found.startswith("'output/answer.md' ") and says in found


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_in_whatever_form_passes(name: str) -> None:
    request, text = RIGHT[name]
    assert faults(text, request) == []


def test_who_need_not_name_them_may_leave_out_whose_it_is() -> None:
    text = "Days: Monday in room 4. Tuesday in room 7.\n"
    assert faults(text, TABLE) == [] and len(faults(text, DIFFERS)) == 1


def test_inputs_without_names_of_their_own_cannot_be_named() -> None:
    texts = {"a.md": MARCH.partition("\n")[2], "b.md": APRIL.partition("\n")[2]}
    assert misattributed(texts, {"o": "We meet on Monday in room 4.\nWe meet on Tuesday in room 7."}, DIFFERS) == []
    assert misattributed(texts, {"o": "We meet on Monday in room 7."}, DIFFERS)


def test_titles_name_where_the_names_of_files_do_not() -> None:
    texts = {"1.md": MARCH, "2.md": APRIL}
    assert misattributed(texts, {"o": "In March lunch costs 14 euros."}, DIFFERS)
    assert not misattributed(texts, {"o": "In April lunch costs 14 euros."}, DIFFERS)
    assert about_one(texts, CHECKLIST) == "2.md" and about_one(PLANS, CHECKLIST) == "plan-april.md"
    assert about_one(PLANS, DIFFERS) == "" and about_one({"plan-april.md": APRIL}, CHECKLIST) == ""


def test_one_input_has_no_other() -> None:
    assert misattributed({"plan-april.md": APRIL}, {"o": "We meet on Monday in room 4."}, NOTE) == []


@given(st.permutations(["march", "april", "may"]), st.sampled_from([0, 1, 2]))
def test_each_statement_is_held_against_the_input_that_it_names(order: list[str], wrong: int) -> None:
    texts = {f"{m}.md": f"# Shop\n\nThe rent is {800 + 50 * n} euros a month.\n" for n, m in enumerate(order)}
    right = [f"In {m} the rent is {800 + 50 * n} euros." for n, m in enumerate(order)]
    request = "Say what differs."
    names = [m for m in order if len(m) > 3]  # a word of three letters names nothing
    assert misattributed(texts, {"o": "\n".join(r for r in right if "may" not in r)}, request) == []
    if order[wrong] in names:
        said = [*right]
        said[wrong] = f"In {order[wrong]} the rent is {800 + 50 * ((wrong + 1) % 3)} euros."
        (found,) = misattributed(texts, {"o": said[wrong]}, request)
        assert f"'{order[wrong]}.md'" in found and f"'{order[(wrong + 1) % 3]}.md'" in found
