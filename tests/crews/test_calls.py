"""Every todo that a job type offers has a call, and the call is one that its Implementor can make."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.agents.roster import roster
from echelon.crews.creator import job_type as creator
from echelon.crews.creator.job_type import CreatorJob
from echelon.crews.jobtype import JobType
from echelon.crews.playbooks import common
from echelon.crews.playbooks.view import View
from echelon.crews.tool_sets import take
from echelon.crews.validator import job_type as validator
from echelon.crews.validator.job_type import ValidatorJob
from echelon.engine.messages import Message, ModelRequest
from echelon.engine.todos import TodoList
from echelon.engine.toolbox import Call, Toolbox
from echelon.settings import load_config
from echelon.tasks.prompts import render

CONFIGS = Path(__file__).parents[2] / "configs"
FIXED = [(CreatorJob(), w.todo) for w in creator.RESULTS] + [(ValidatorJob(), w.todo) for w in validator.RESULTS]
PART, BATCH = 'extract requirements from part 2 of "a b.pdf"', 'integrate batch 3 of "ü.pdf"'
NAMED = [(CreatorJob(), PART), (ValidatorJob(), BATCH)]


@pytest.mark.parametrize(("job", "todo"), FIXED + NAMED, ids=lambda value: getattr(value, "name", value))
def test_every_todo_has_a_call_that_the_implementor_can_make(job: JobType, todo: str) -> None:
    made = job.call_for(todo)
    assert made is not None
    grant = load_config(CONFIGS, job.name).tools["implementor"]
    role = roster()["implementor"].given(grant.core, grant.deferred)
    Toolbox(take(role.tools_in("implement"))).checked(*made)


def test_numbers_and_names_come_from_the_todo() -> None:
    assert CreatorJob().call_for(PART) == ("extract_requirements", {"document": "a b.pdf", "part": 2})
    assert ValidatorJob().call_for(BATCH) == ("integrate_batch", {"document": "ü.pdf", "batch": 3})


@pytest.mark.parametrize("job", [CreatorJob(), ValidatorJob(), JobType(name="plain")], ids=lambda job: job.name)
def test_of_other_todos_code_knows_nothing(job: JobType) -> None:
    assert job.call_for("think about the requirements") is None


def prompt(calls: Mapping[str, Call], todos: list[str]) -> ModelRequest:
    """The first prompt of an Implementor with these todos."""
    task: dict[str, Any] = {"title": "t", "rationale": "r", "deliverables": []}
    text = render("implement", milestone={"outcome": "o"}, task=task, findings=(), calls=calls)
    shown = TodoList.of("t", todos).display() or ""
    return ModelRequest(messages=(Message(role="user", content=text), Message(role="user", content=shown)))


arguments = st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=20) | st.integers(), max_size=3)


@given(arguments)
def test_the_playbook_makes_the_call_that_the_prompt_names(given_arguments: dict[str, Any]) -> None:
    request = prompt({"look at: it": ("look", given_arguments), "look": ("see", {})}, ["look at: it"])
    assert common.implement(View(request)) == ("look", given_arguments)


def test_the_playbook_looks_around_where_the_prompt_names_no_call() -> None:
    assert common.implement(View(prompt({}, ["think"]))) == ("list_files", {})
