"""What roles are told beside their task, and that all of it can be read afterwards: a plain job, seen from outside."""

from __future__ import annotations

import dataclasses
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.crews.guidance import instructions
from echelon.crews.hierarchy.strategic import SHOWN_DOCUMENTS, scope_values
from echelon.crews.job import JobState
from echelon.crews.jobtype import InputDocument
from echelon.engine import prompts
from echelon.engine.messages import ModelRequest
from echelon.errors import UserError
from echelon.faces.cli.printing import job_text, step_text
from echelon.service.job_result import JobResult
from echelon.service.service import CONFIGS, Service
from echelon.service.views import job_details, step_details
from echelon.settings import config_names, load_config
from echelon.tasks.prompts import render
from echelon.tokens import count_tokens
from tests.support.phases import play
from tests.support.scripted import Reply, ScriptedModel, Seen, call, played, register, service

SECRET = "sk-a-secret-of-some-length-7731"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, JobResult, ScriptedModel]]:
    """A job with instructions of the user's own, whose input holds the key of the model."""
    home = tmp_path_factory.mktemp("guided")
    (home / "mine.md").write_text("Write for sailors.\n", encoding="utf-8")
    (home / "input.md").write_text(f"# Wishes\n\nWrite two results about keys. {SECRET}\n", encoding="utf-8")
    model = register(lambda seen: told(seen), "told")
    with service(home, OPENAI_API_KEY=SECRET) as jobs:
        settings = {"instructions": str(home / "mine.md"), "todos.least": 1}
        job = jobs.submit("plain", [home / "input.md"], "Write the results.", "scripted/told", settings)
        yield jobs, jobs.run(job), model


def told(seen: Seen) -> Reply:
    return played(seen, 2, 2)


def test_a_users_instructions_stand_in_for_ours_in_every_role(ran: tuple[Service, JobResult, ScriptedModel]) -> None:
    _, result, model = ran
    assert result.state == "completed"
    systems = {m.messages[0].content for m in model.asked}
    assert all("Write for sailors." in s and "Work on any files" not in s for s in systems) and len(systems) > 5


def test_what_was_learnt_is_written_at_transitions_and_shown_to_who_comes_next(
    ran: tuple[Service, JobResult, ScriptedModel],
) -> None:
    _, result, model = ran
    written = (result.folder / "workspace.md").read_text(encoding="utf-8")
    assert "Accepted tasks: 2" in written and "output/result-2.md" in written
    second = next(m.messages[0].content for m in model.asked if "result 2" in m.messages[1].content)
    assert "Accepted tasks: 1\n- result 1" in second, "whoever comes right after a task is told that it is accepted"
    last = model.asked[-1].messages[0].content
    assert "- result 1\n- result 2" in last and "Accepted tasks: 2" not in model.asked[0].messages[0].content


def test_scope_and_plan_begin_with_what_is_there(ran: tuple[Service, JobResult, ScriptedModel]) -> None:
    *_, model = ran
    tasks = [Seen(request).task for request in model.asked]
    for name in ("Documents (1)", "Inputs (1)"):
        shown = next(t for t in tasks if name in t)
        assert 'begins "' in shown and "characters" in shown and "Write two results about keys" in shown


def test_show_lists_checks_with_their_state_and_each_step_with_its_prompt(
    ran: tuple[Service, JobResult, ScriptedModel],
) -> None:
    jobs, result, _ = ran
    details = job_details(jobs.store, result.job)
    assert details["milestones"][0]["checks"][0]["standing"] == "judged" and details["open_findings"] == []
    assert "judged (judged): open the files" in job_text(details)
    number = next(s["number"] for s in details["steps"] if s["kind"] == "model")
    step = step_details(jobs.store, result.job, number)
    text = step_text(step)
    assert (
        "submit_scope" in step["tools"]
        and "Write for sailors." in text
        and "submit_scope" in text.split("== answer")[1]
    )
    code = next(s["number"] for s in details["steps"] if s["kind"] == "code")
    assert "phase intake" in step_text(step_details(jobs.store, result.job, code))
    with pytest.raises(UserError, match="has no step 9999"):
        step_details(jobs.store, result.job, 9999)


def test_kept_prompts_hold_no_secret_and_are_as_many_as_the_settings_say(
    ran: tuple[Service, JobResult, ScriptedModel], tmp_path: Path
) -> None:
    _, result, model = ran
    files = sorted((result.folder / "trace").glob(f"*{prompts.ENDING}"))
    assert len(files) == len(model.asked)
    assert not any(SECRET in gzip.decompress(f.read_bytes()).decode() for f in files)
    with service(tmp_path) as jobs:
        (tmp_path / "input.md").write_text("# Wishes\n\nWrite.\n")
        settings = {"keep_prompts": 3, "todos.least": 1}
        register(told, "few")
        few = jobs.run(jobs.submit("plain", [tmp_path / "input.md"], "Write the results.", "scripted/few", settings))
    kept = sorted((few.folder / "trace").glob(f"*{prompts.ENDING}"))
    latest = [step.number for step in few.ledger if step.kind == "model"][-3:]
    assert few.state == "completed" and kept == [prompts.path_of(few.folder, number) for number in latest]


def test_the_prompts_that_an_earlier_process_kept_count_too(tmp_path: Path) -> None:
    with service(tmp_path) as jobs:
        played = play(jobs, lambda seen: call("submit_report", summary="done"))
    run, request = played.run, ModelRequest(messages=(), tools=())
    numbers = [*range(50, 50 + run.config.keep_prompts)]
    for number in numbers:
        prompts.path_of(run.folder, number).touch()
    again = dataclasses.replace(run)
    for number in (9_000, 9_001, 9_001):  # the last is asked again: there was no answer
        prompts.keep(again, request, number)
    left = sorted((run.folder / "trace").glob(f"*{prompts.ENDING}"))
    assert left == [prompts.path_of(run.folder, number) for number in (*numbers[2:], 9_000, 9_001)]


def test_each_type_of_job_has_instructions_and_guided_roles_get_none() -> None:
    for name in config_names(CONFIGS):
        config = load_config(CONFIGS, name)
        text = instructions(config)
        assert "## What good looks like" in text and "## Pitfalls" in text and "## Worked example" in text, name
        assert instructions(config.model_copy(update={"prompts": "guided"})) == ""
    small = load_config(CONFIGS, "plain", {"model_settings.context_window": 16_000})
    assert small.is_guided and not small.model_copy(update={"prompts": "plain"}).is_guided


def test_instructions_that_cannot_be_read_are_said() -> None:
    with pytest.raises(UserError, match="cannot be read"):
        instructions(load_config(CONFIGS, "plain", {"instructions": "/no/such/file.md"}))


def test_a_scope_of_300_inputs_is_bounded() -> None:
    documents = [
        InputDocument(
            file=f"file-{n:03d}.md", sha256="", pages=1, language="en", parts=1, characters=9, begins="x" * 100
        )
        for n in range(300)
    ]
    few = JobState(documents=documents[:SHOWN_DOCUMENTS], request="Write.")
    many = few.model_copy(update={"documents": documents})
    sizes = [count_tokens(render("scope", **scope_values(state))) for state in (few, many)]
    assert sizes[1] < sizes[0] + 20 and sizes[1] < 1_500
    assert "and 280 more" in render("scope", **scope_values(many))
