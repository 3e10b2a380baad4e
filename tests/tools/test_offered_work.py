"""A plan names open work by its id, and may hold steps of its own; a todo is done in its turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.creator.job_type import FILES, extraction
from echelon.engine.todos import Planned, TodoList
from echelon.engine.toolbox import ToolContext
from echelon.errors import ModelFault
from echelon.tools.todo import planned
from tests.tools.conftest import SAMPLE, use

OFFERED = (*(extraction(1, "policy 2024.pdf", n) for n in range(1, 12)), FILES[2])


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("d1p3", 2),
        ("D1P3", 2),
        ("[d1p3]", 2),
        ("d1p11: extract requirements from part 11", 10),
        ('extract requirements from part 3 of "policy 2024.pdf"', 2),
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
    assert [i.call for i in items] == [OFFERED[1].call, None, FILES[2].call]
    assert [i.deliverable for i in items] == [OFFERED[1].deliverable, None, "output/summary.md"]
    assert use(sample, "submit_task", title="t", rationale="r", deliverables=["output/summary.md"]).ok
    assert not use(sample, "todo_write", todos=["d1p1", "D1P1"]).ok, "two that mean the same"


def in_turn(*more: str) -> TodoList:
    parts = [Planned.of(extraction(1, SAMPLE, n)) for n in (1, 2)]
    return TodoList.of("t", [*parts, *more])


def test_a_part_is_extracted_in_its_turn(sample: ToolContext) -> None:
    sample.state.todos = in_turn()
    early = use(sample, "extract_requirements", document=SAMPLE, part=2)
    assert not early.ok and "The current todo is part 1" in early.explanations[0]
    assert use(sample, "extract_requirements", document=SAMPLE, part=1).ok
    use(sample, "todo_complete")
    assert use(sample, "extract_requirements", document=SAMPLE, part=2).ok
    assert sample.state.todos.done == 1


def test_who_goes_on_with_the_next_part_has_done_the_one_before(sample: ToolContext) -> None:
    sample.state.todos = in_turn("write the summary")
    assert use(sample, "extract_requirements", document=SAMPLE, part=1).ok
    assert use(sample, "extract_requirements", document=SAMPLE, part=1).ok, "again, without harm"
    assert sample.state.todos.done == 0
    assert use(sample, "extract_requirements", document=SAMPLE, part=2).ok, "todo_complete was forgotten"
    assert sample.state.todos.done == 1 and sample.state.todos.current.id == 2
