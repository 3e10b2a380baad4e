"""What failed in a job, and what worked then, reaches later jobs like it: as patterns, without a word of any request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.crews.experiences import SHOWN, all_of, path_of, read, remove, write
from echelon.crews.patterns import Lesson, Pattern, Profile, Why, form_of, joined, profile_of, told
from echelon.errors import UnknownName
from echelon.service.service import Service
from echelon.tasks.contracts import Task, Todo
from tests.support.scripted import Reply, Script, Seen, call, register, service, willing

ARCHIVE = "The operator shall keep a record of each access to the archive. Visitors must not enter the archive alone."
ARCHIVE_TOO = "Access to the archive is recorded by the operator, who shall name every visitor of the archive."
KITCHEN = "Take two eggs, flour and milk. Stir them well, and bake the dough for forty minutes in a hot oven."
SECRET = "Zanzibar quokka merger with Blauwal Holding"
LESSON = (
    "A task of 2 to 5 todos for 1 files (.md) failed: the Implementor gave it back: it could not be done as planned."
)
WORKED = " What worked then: a task of 1 todos for 1 files (.md)."


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Service]:
    with service(tmp_path) as found:
        yield found


def rewinding(seen: Seen) -> Reply:
    """Gives the first task of a job back once, with words of the request; a task that is planned otherwise succeeds."""
    if "result 1" in seen.task and "What went wrong" not in seen.task:
        return call("todo_rewind", issue=f"the table about {SECRET} has no header")
    return willing(seen)


def other_plan(seen: Seen) -> Reply:
    """After a failure the task is planned with other todos."""
    if "The last attempt failed" in seen.task and seen.last_tool != "todo_write":
        return call("todo_write", todos=["write all of result 1 at once"])
    return willing(seen)


FAILING: dict[str, Script] = {"implement": rewinding, "plan": other_plan}


def ran(jobs: Service, scripts: dict[str, Script], text: str, request: str, name: str) -> list[str]:
    """Run a plain job; returns all that its model was shown."""
    model = register(scripts, name)
    source = jobs.environment.home / f"{name}.md"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text, encoding="utf-8")
    result = jobs.run(jobs.submit("plain", [source], request, f"scripted/{name}"))
    assert result.state == "completed", result.reason
    return ["\n".join(m.content for m in request.messages) for request in model.asked]


def learnt(prompts: list[str]) -> list[str]:
    """Prompts that tell of earlier jobs."""
    return [p for p in prompts if "What failed in earlier jobs like this one" in p]


def test_a_pattern_reaches_scope_and_plan_of_a_job_with_similar_inputs_and_no_other(jobs: Service) -> None:
    first = ran(jobs, FAILING, ARCHIVE, f"Report on {SECRET}.", "first")
    assert any(SECRET in p for p in first) and not learnt(first)
    alike = ran(jobs, {}, ARCHIVE_TOO, "Write the results.", "alike")
    assert all(LESSON + WORKED in p for p in learnt(alike)) and len(learnt(alike)) >= 2
    assert not learnt(ran(jobs, {}, KITCHEN, "Bake something.", "kitchen"))


def test_no_word_of_a_request_or_of_what_models_said_stands_in_another_jobs_prompts(jobs: Service) -> None:
    ran(jobs, FAILING, ARCHIVE, f"Report on {SECRET}.", "first")
    prompts = ran(jobs, {}, ARCHIVE_TOO, "Write the results.", "alike")
    assert learnt(prompts)
    kept = path_of(jobs.environment.home, "plain").read_text(encoding="utf-8")
    for word in re.findall(r"\w{5,}", SECRET):
        assert not any(word.casefold() in p.casefold() for p in (*prompts, kept)), word


def test_a_job_like_one_by_its_request_alone_is_told_too(jobs: Service) -> None:
    ran(jobs, FAILING, ARCHIVE, "List the duties of the visitors of a museum in a table.", "first")
    assert learnt(ran(jobs, {}, KITCHEN, "List all duties of visitors of the museum in a table.", "same"))


def test_a_job_without_failures_leaves_none_and_another_type_gets_none(jobs: Service) -> None:
    ran(jobs, {}, ARCHIVE, "Write the results.", "well")
    assert not path_of(jobs.environment.home, "plain").exists()
    ran(jobs, FAILING, ARCHIVE, "Write the results.", "badly")
    assert list(all_of(jobs.environment.home)) == ["plain"]


def test_the_same_failure_of_two_jobs_is_one_pattern(jobs: Service) -> None:
    ran(jobs, FAILING, ARCHIVE, "Write the results.", "once")
    ran(jobs, FAILING, KITCHEN, "Bake something.", "again")
    (pattern,) = read(path_of(jobs.environment.home, "plain"))
    assert (pattern.times, len(pattern.profiles), str(pattern)) == (2, 2, LESSON + WORKED)


def test_the_command_lists_shows_and_removes(jobs: Service, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from echelon.faces.cli.commands import parse

    def said(*arguments: str) -> str:
        given = parse(["experiences", *arguments])
        assert given.command(given) == 0
        return str(capsys.readouterr().out)

    home = jobs.environment.home
    monkeypatch.setenv("ECHELON_HOME", str(home))
    assert "No job has learnt" in said()
    patterns = joined([], [Lesson(failed="a scope", why=Why.MISALIGNED)], Profile(), 9)
    write(path_of(home, "plain"), patterns)
    assert patterns[0].id in said() and "No job has learnt" in said("--type", "creator")
    assert "wrong thing was built" in said(patterns[0].id) and "nothing yet" in said(patterns[0].id)
    assert json.loads(said("--json"))[0]["failed"] == "a scope"
    with pytest.raises(UnknownName):
        said("0123456789ab")
    (home / "experiences" / "plain.md").write_text("- 0123456789abcdef what somebody asked for\n", encoding="utf-8")
    assert said("--remove", "all") == "2 removed.\n" and not list((home / "experiences").iterdir())


def test_one_is_removed_by_its_id(tmp_path: Path) -> None:
    two = [Lesson(failed="a scope", why=Why.MISALIGNED), Lesson(failed="a milestone", why=Why.ABORTED)]
    patterns = joined([], two, Profile(), 9)
    write(path_of(tmp_path, "plain"), patterns)
    assert remove(tmp_path, patterns[0].id) == 1 and read(path_of(tmp_path, "plain")) == patterns[1:]
    with pytest.raises(UnknownName):
        remove(tmp_path, patterns[0].id)


def test_a_file_that_somebody_spoilt_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = path_of(tmp_path, "plain")
    patterns = joined([], [Lesson(failed="a scope", why=Why.MISALIGNED)], Profile(), 9)
    write(path, patterns)
    path.write_bytes(b"not this\n" + path.read_bytes() + b"\xff\xfe\n{}\n")
    assert read(path) == patterns and read(tmp_path / "none.jsonl") == []


LESSONS = st.builds(
    Lesson,
    failed=st.sampled_from(["a scope", "a milestone", "a task of 1 todos for 1 files (.md)"]),
    why=st.sampled_from(list(Why)),
    worked=st.sampled_from(["", "a task of 1 todos for 1 files (.md)"]),
)


@given(st.lists(LESSONS, max_size=30), st.lists(LESSONS, max_size=30))
def test_patterns_are_bounded_and_each_once_and_are_written_as_they_are_read(a: list[Lesson], b: list[Lesson]) -> None:
    kept = joined(joined([], a, Profile(), 20), b, Profile(), 20)
    assert len(kept) <= 20 and len({p.id for p in kept}) == len(kept)
    assert [Pattern.model_validate_json(p.model_dump_json()) for p in kept] == kept


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=8))
def test_the_form_of_a_task_holds_no_word_of_it(title: str, files: list[str]) -> None:
    task = Task.model_construct(
        title=title, rationale=title, todos=(Todo.model_construct(id=1, content=title),), deliverables=tuple(files)
    )
    said = re.sub(r"\.(md|txt|json|csv|yaml|html|xml|svg|pdf|docx|xlsx|py|sql|diff)\b", "", form_of(task))
    assert re.fullmatch(r"a task of 1 todos for (1|2 to 5|6 or more) files \((, |another format)*\)", said)


def test_texts_on_one_subject_are_alike_and_others_are_not() -> None:
    archive, too, kitchen = (profile_of("", [text]) for text in (ARCHIVE, ARCHIVE_TOO, KITCHEN))
    assert archive.is_like(too) and not archive.is_like(kitchen) and not Profile().is_like(Profile())
    assert not re.search("archive|operator", archive.model_dump_json())


def test_a_job_is_told_the_newest_of_those_that_fit() -> None:
    mine = profile_of("", [ARCHIVE])
    lessons = [Lesson(failed=f"a task of {n} todos", why=Why.FOUND) for n in range(SHOWN + 3)]
    shown = told(joined([], lessons, mine, 50), mine, SHOWN)
    assert len(shown) == SHOWN and f"{SHOWN + 2} todos" in shown[-1]
    assert told(joined([], lessons, profile_of("", [KITCHEN]), 50), mine, SHOWN) == ()
