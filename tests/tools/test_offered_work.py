"""A plan names open work by its id, and may hold steps of its own; a todo is done in its turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.creator.reviewing import DECISIONS
from echelon.engine.todos import Planned, PlannedCall, TodoList, Work
from echelon.engine.toolbox import ToolContext
from echelon.errors import ModelFault
from echelon.tools.todo import planned
from tests.tools.conftest import SAMPLE, use


def part(number: int) -> Work:
    call = PlannedCall(tool="read_part", arguments={"document": SAMPLE, "part": number})
    says = f'look at part {number} of "policy 2024.pdf"'
    return Work(id=f"d1p{number}", says=says, call=call, deliverable=DECISIONS)


SUMMARY = Work(id="summary", says="write the summary", deliverable="output/summary.md")
OFFERED = (*(part(n) for n in range(1, 12)), SUMMARY)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("d1p3", 2),
        ("D1P3", 2),
        ("[d1p3]", 2),
        ("d1p11: look at part 11", 10),
        ('look at part 3 of "policy 2024.pdf"', 2),
        ("summary", 11),
    ],
)
def test_open_work_is_named_by_its_id_or_by_its_words(said: str, meant: int) -> None:
    assert planned(said, OFFERED) == Planned.of(OFFERED[meant])


@pytest.mark.parametrize("said", ["read part 3 for its prohibitions", "d1p12", "summarise it", "d1p3x"])
def test_other_words_are_a_step_of_the_planners_own(said: str) -> None:
    assert planned(said, OFFERED) == Planned(content=said)


def test_what_is_neither_an_id_nor_words_is_refused() -> None:
    with pytest.raises(ModelFault, match="no id of open work"):
        planned("p1", OFFERED)


@given(st.text(min_size=3, max_size=200))
def test_any_text_is_a_todo(said: str) -> None:
    assert planned(said, ()) == Planned(content=said)


def test_the_call_of_open_work_travels_with_its_todo(sample: ToolContext) -> None:
    sample.state.offered = OFFERED
    result = use(sample, "todo_write", todos=["d1p2", "look at the tables", "summary"])
    assert result.ok
    items = sample.state.todos.items
    assert [i.work for i in items] == ["d1p2", "", "summary"]
    assert [i.call for i in items] == [OFFERED[1].call, None, None]
    assert [i.deliverable for i in items] == [OFFERED[1].deliverable, None, "output/summary.md"]
    assert use(sample, "submit_task", title="t", rationale="r", deliverables=["output/summary.md"]).ok
    assert use(sample, "todo_write", todos=["d1p1", "D1P1"]).ok
    assert [i.work for i in sample.state.todos.items] == ["d1p1"], "two that mean the same are one"


def test_work_is_done_wherever_it_stands_in_the_list() -> None:
    todos = TodoList.of("t", [*(Planned.of(part(n)) for n in (1, 2, 3)), "think about it"])
    after = todos.completed_work(["d1p3", "d1p1", "d9p9"])
    assert [i.done for i in after.items] == [True, False, True, False]
    assert after.current is not None and after.current.work == "d1p2"
