"""A plan is made of the open work, word for word; a todo is done in its turn."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.todos import TodoList
from echelon.engine.toolbox import ToolContext
from echelon.errors import ModelFault
from echelon.tools.todo import as_offered
from tests.tools.conftest import SAMPLE, use

OFFERED = (*(f'extract requirements from part {n} of "policy 2024.pdf"' for n in range(1, 6)), "write the summary")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (OFFERED[2], 2),
        ("Extract requirements from part 3 of policy 2024.pdf", 2),
        ('Read the document "policy 2024.pdf" and extract the requirements from part 3', 2),
        ("Write the summary.", 5),
    ],
)
def test_a_paraphrase_becomes_the_work_that_it_means(said: str, meant: int) -> None:
    assert as_offered(said, OFFERED) == OFFERED[meant]


@pytest.mark.parametrize("said", ["extract requirements from part 9", "bake a cake", "part 3"])
def test_anything_else_is_refused_in_one_sentence(said: str) -> None:
    if said == "part 3":  # too little to go by, but it can only mean one
        assert as_offered(said, OFFERED) in OFFERED
        return
    with pytest.raises(ModelFault, match="not one of the lines of open work"):
        as_offered(said, OFFERED)


@given(st.text(min_size=3, max_size=200))
def test_what_comes_back_is_offered_or_refused(said: str) -> None:
    assert as_offered(said, ()) == said
    with contextlib.suppress(ModelFault):
        assert as_offered(said, OFFERED) in OFFERED


def test_a_plan_keeps_the_words_of_the_open_work(sample: ToolContext) -> None:
    sample.state.offered = OFFERED
    result = use(sample, "todo_write", todos=["Extract the requirements from part 2 of policy 2024.pdf", OFFERED[0]])
    assert result.ok
    assert [i.content for i in sample.state.todos.items] == [OFFERED[1], OFFERED[0]]
    assert not use(sample, "todo_write", todos=[OFFERED[0], OFFERED[0].upper()]).ok, "two that mean the same"


def test_a_part_is_extracted_in_its_turn(sample: ToolContext) -> None:
    todos = [f'extract requirements from part {n} of "{SAMPLE}"' for n in (1, 2)]
    sample.state.todos = TodoList.of("t", todos)
    early = use(sample, "extract_requirements", document=SAMPLE, part=2)
    assert not early.ok and "The current todo is part 1" in early.explanations[0]
    assert use(sample, "extract_requirements", document=SAMPLE, part=1).ok
    use(sample, "todo_complete")
    assert use(sample, "extract_requirements", document=SAMPLE, part=2).ok
    assert sample.state.todos.done == 1


def test_who_goes_on_with_the_next_part_has_done_the_one_before(sample: ToolContext) -> None:
    todos = [f'extract requirements from part {n} of "{SAMPLE}"' for n in (1, 2)] + ["write the summary"]
    sample.state.todos = TodoList.of("t", todos)
    assert use(sample, "extract_requirements", document=SAMPLE, part=1).ok
    assert use(sample, "extract_requirements", document=SAMPLE, part=1).ok, "again, without harm"
    assert sample.state.todos.done == 0
    assert use(sample, "extract_requirements", document=SAMPLE, part=2).ok, "todo_complete was forgotten"
    assert sample.state.todos.done == 1 and sample.state.todos.current.id == 2
