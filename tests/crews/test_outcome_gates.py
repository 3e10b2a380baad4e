"""Gates that look at the outcome, whatever the tasks say: whole plain jobs with scripted roles, through the public door."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.store.records.events import Escalated, FindingReopened, FindingSettled, TaskAccepted, TaskFailed
from tests.support.events import of_kind
from tests.support.scripted import Reply, Script, Seen, call, passing, run_plain, service, willing

GOOD = "# Result\n\n- one thing\n- another thing\n"
LIMITS = {"ceilings.rounds": 5, "todos.least": 1}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("jobs")) as found:
        yield found


def planned(*tasks: tuple[str, str]) -> Script:
    """These tasks (title, deliverable) in turn, then the claim."""
    at: list[str] = []

    def script(seen: Seen) -> Reply:
        if seen.last_tool == "todo_write":
            at.append("")
            title, path = tasks[len(at) - 1]
            return call("submit_task", title=title, rationale="It is next.", deliverables=[path])
        if len(at) == len(tasks):
            return call("submit_milestone_done", reason="It is all there.")
        return call("todo_write", todos=[f"{tasks[len(at)][0]} {len(at)}"])

    return script


def writes(**files: dict[str, str]) -> Script:
    """The files of each task, by its title."""

    def script(seen: Seen) -> Reply:
        task = files[seen.task.split("\nTask: ", 1)[1].split("\n", 1)[0]]
        if seen.todo is None:
            return call("submit_report", summary="It is done.")
        if seen.turn < len(task):
            path = list(task)[seen.turn]
            return call("write_file", path=path, text=task[path]) if task[path] else call("delete_file", path=path)
        return call("todo_complete")

    return script


def failing_first(says: str = "another thing is wrong", about: str = "output/a.md") -> Script:
    """Fails the first task; then passes, and settles what it may."""
    verdicts: list[str] = []

    def script(seen: Seen) -> Reply:
        unread = [p for p in seen.values["look_at"] if not seen.has_read(p)]
        if unread:
            return call("read_file", path=unread[0])
        verdicts.append("")
        if len(verdicts) == 1:
            return call("submit_verdict", passed=False, findings=[{"says": says, "about": about}])
        return passing(seen)

    return script


def run(jobs: Service, **scripts: Script) -> JobResult:
    return run_plain(jobs, scripts, overrides=LIMITS)


def test_a_result_that_failed_is_looked_at_again_whatever_the_next_task_promises(jobs: Service) -> None:
    """The hole: code fails a file, and the next task promises, makes and shows another one."""
    asked: list[str] = []

    def qa(seen: Seen) -> Reply:
        asked.append(seen.task)
        return passing(seen)

    result = run(
        jobs, plan=planned(("first", "output/a.md"), ("check", "output/b.md")), qa=qa,
        implement=writes(first={"output/a.md": "TODO\n"}, check={"output/b.md": GOOD}),
    )  # fmt: skip
    assert result.state != "completed" and not asked, "code fails both tasks, so no verdict is asked for"
    assert [e.findings[0] for e in of_kind(jobs, result.job, TaskFailed)] == [
        "'output/a.md' holds nothing but headings or placeholders"
    ] * 2


@pytest.mark.parametrize(("path", "why"), [
    ("documents/input.md", "an input"), ("./todos.yaml", "always there"), ("plan.md", "always there"),
])  # fmt: skip
def test_what_is_there_before_the_task_is_no_deliverable_of_it(jobs: Service, path: str, why: str) -> None:
    told: list[str] = []

    def plan(seen: Seen) -> Reply:
        told.append(seen.task)
        if seen.last_tool == "todo_write":
            return call("submit_task", title="write it", rationale="It is next.", deliverables=[path])
        return call("todo_write", todos=["write it"])

    result = run(jobs, plan=plan)
    assert result.state != "completed" and any(why in prompt and path in prompt for prompt in told[1:])


@pytest.mark.parametrize("text", ["TODO\n", GOOD + "- a third\n"])
def test_what_is_written_for_advice_is_looked_at_like_all_else(jobs: Service, text: str) -> None:
    """The hole: a todo that an Assessor's advice asks for is work that is offered, and passed for work that code surveys."""
    told: list[list[str]] = []
    advice = iter([call("submit_assessment", trajectory="continue", reasons=["b"], advice="Write b, too.")])

    def assess(seen: Seen) -> Reply:
        return willing(seen) if seen.last_tool != "read_file" else next(advice, None) or willing(seen)

    def plan(seen: Seen) -> Reply:
        if not seen.values["advice"]:
            return first(seen)
        if seen.last_tool != "todo_write":
            return call("todo_write", todos=["advice"])
        return call("submit_task", title="second", rationale="It was advised.", deliverables=["output/b.md"])

    def qa(seen: Seen) -> Reply:
        told.append(seen.values["look_at"])
        return passing(seen)

    first = planned(("first", "output/a.md"))
    files = {"first": {"output/a.md": GOOD}, "second": {"output/b.md": GOOD + "- b\n", "output/a.md": text}}
    result = run(jobs, plan=plan, qa=qa, assess=assess, implement=writes(**files))
    failed = [e.findings[0] for e in of_kind(jobs, result.job, TaskFailed)]
    if text == "TODO\n":
        assert "'output/a.md' holds nothing" in failed[0] and told[-1] == ["output/a.md"], (
            "code fails it, nobody is asked"
        )
    else:
        assert not failed and told[-1] == ["output/b.md", "output/a.md"] and result.state == "completed"


def test_qa_must_open_what_changed_since_the_last_accepted_task(jobs: Service) -> None:
    told: list[list[str]] = []

    def qa(seen: Seen) -> Reply:
        told.append(seen.values["look_at"])
        return failing(seen)

    failing = failing_first()
    result = run(
        jobs, plan=planned(("first", "output/a.md"), ("check", "output/b.md")), qa=qa,
        implement=writes(first={"output/a.md": GOOD}, check={"output/b.md": GOOD + "- a third\n"}),
    )  # fmt: skip
    assert told[0] == ["output/a.md"] and told[-1] == ["output/b.md", "output/a.md"]
    assert result.state != "completed" and "Finding F1 is open" in result.reason


def test_a_finding_about_what_is_as_it_was_cannot_be_settled(jobs: Service) -> None:
    """QA fails the file, the Implementor writes the very same again, QA would pass all of it."""
    again = writes(first={"output/a.md": GOOD}, again={"output/a.md": GOOD + "\n"})
    result = run(
        jobs, plan=planned(("first", "output/a.md"), ("again", "output/a.md")), implement=again, qa=failing_first()
    )
    assert result.state == "escalated" and "Finding F1 is open: another thing is wrong (output/a.md)" in result.reason
    assert not of_kind(jobs, result.job, FindingSettled) and len(of_kind(jobs, result.job, TaskAccepted)) == 1


def test_a_finding_is_settled_once_its_object_has_changed(jobs: Service) -> None:
    mended = writes(first={"output/a.md": GOOD}, again={"output/a.md": GOOD.replace("another", "a mended")})
    result = run(
        jobs, plan=planned(("first", "output/a.md"), ("again", "output/a.md")), implement=mended, qa=failing_first()
    )
    assert result.state == "completed" and [e.by for e in of_kind(jobs, result.job, FindingSettled)] == ["QA"]


@pytest.mark.parametrize("again", [{"says": "another thing is wrong", "about": "output/a.md"},
                                   {"says": "It is open.", "about": "F1"}])  # fmt: skip
def test_a_finding_that_is_settled_and_made_again_stays_the_one_it_was(jobs: Service, again: dict[str, str]) -> None:
    """A small QA settled a finding and submitted it as a new one, so that it never was one that nobody mends."""
    first, verdicts = failing_first(), [""]

    def qa(seen: Seen) -> Reply:
        reply = first(seen)
        if getattr(reply, "name", "") != "submit_verdict" or len(verdicts) > 1:
            return reply
        if "F1" in seen.values["open_findings"]:
            verdicts.append("")
            return call("submit_verdict", passed=False, findings=[again], settled=["F1"])
        return reply

    mended = {"output/a.md": GOOD.replace("another", "a mended")}
    result = run(
        jobs, qa=qa, plan=planned(*((title, "output/a.md") for title in ("first", "again", "third"))),
        implement=writes(first={"output/a.md": GOOD}, again=mended, third={"output/a.md": mended["output/a.md"] + "- 3\n"}),
    )  # fmt: skip
    settled = of_kind(jobs, result.job, FindingSettled)
    assert len(verdicts) == 2 and [(e.id, e.by) for e in settled] == [("F1", "QA")] and result.state == "completed"


def test_a_settled_finding_is_open_again_when_its_object_becomes_what_it_was(jobs: Service) -> None:
    back = writes(
        first={"output/a.md": GOOD},
        again={"output/a.md": GOOD.replace("another", "a mended")},
        back={"output/a.md": GOOD, "output/b.md": "- one more\n"},
    )
    plan = planned(("first", "output/a.md"), ("again", "output/a.md"), ("back", "output/b.md"))
    result = run(jobs, plan=plan, implement=back, qa=failing_first())
    assert result.state == "escalated" and of_kind(jobs, result.job, FindingReopened)[0].id == "F1"


def test_the_assessor_can_set_a_finding_aside_that_it_looked_into(jobs: Service) -> None:
    def assess(seen: Seen) -> Reply:
        reply = willing(seen)
        if not isinstance(reply, list) and getattr(reply, "name", "") == "submit_assessment":
            return call("submit_assessment", trajectory="milestone_met", reasons=["F1 is none"], settled=["F1"])
        return reply

    again = writes(first={"output/a.md": GOOD}, again={"output/a.md": GOOD + "\n"})
    plan = planned(("first", "output/a.md"), ("again", "output/a.md"))
    result = run(jobs, plan=plan, implement=again, qa=failing_first(), assess=assess)
    assert result.state == "completed" and [e.by for e in of_kind(jobs, result.job, FindingSettled)] == ["Assessor"]


def test_what_no_verdict_accepted_is_taken_back_when_the_milestone_is_claimed(jobs: Service) -> None:
    """The second task gets no verdict; the claim shows the first task's result alone, and that is what is delivered."""
    shown: list[str] = []

    def qa(seen: Seen) -> Reply:
        return "I say nothing." if "Task: second" in seen.task else passing(seen)

    def assess(seen: Seen) -> Reply:
        shown.append(seen.task)
        return willing(seen)

    work = writes(first={"output/a.md": GOOD}, second={"output/b.md": GOOD + "- a third\n"})
    result = run(
        jobs, plan=planned(("first", "output/a.md"), ("second", "output/b.md")), implement=work, qa=qa, assess=assess
    )
    assert result.state == "completed" and [p.name for p in result.outputs] == ["a.md"]
    assert '"output/b.md"' not in shown[-1]


def test_two_looks_disagree_and_the_tier_above_hears_of_it(jobs: Service) -> None:
    """`qa.second_look`: each task has so many verdicts more, each from an empty conversation."""
    verdicts: list[str] = []

    def qa(seen: Seen) -> Reply:
        unread = [p for p in seen.values["look_at"] if not seen.has_read(p)]
        if unread:
            return call("read_file", path=unread[0])
        verdicts.append(seen.task)
        return (
            passing(seen) if len(verdicts) != 2 else call("submit_verdict", passed=False, findings=["one is made up"])
        )

    more = {**LIMITS, "qa.second_look": 1}
    good = writes(first={"output/a.md": GOOD}, again={"output/a.md": GOOD.replace("another", "a mended")})
    plan = planned(("first", "output/a.md"), ("again", "output/a.md"))
    result = run_plain(jobs, {"plan": plan, "implement": good, "qa": qa}, overrides=more)
    raised = [e for e in of_kind(jobs, result.job, Escalated) if e.to == "assessment"]
    assert result.state == "completed" and len(verdicts) == 4, "two looks at each of two attempts"
    assert [e.cause for e in raised] == ["two verdicts disagree: one is made up"]


def test_a_milestone_that_names_a_file_needs_that_file(jobs: Service) -> None:
    def scope(_: Seen) -> Reply:
        checks = ["output/checklist.md lists them"]
        return call(
            "submit_scope", in_scope=["results"], success=["found"], confidence=0.9,
            milestones=[{"outcome": "A reader works through all results", "checks": checks}],
        )  # fmt: skip

    work = writes(first={"output/a.md": GOOD})
    result = run(jobs, scope=scope, plan=planned(("first", "output/a.md")), implement=work)
    assert (
        result.state == "escalated"
        and "'output/checklist.md', which the milestone names, is not there" in result.reason
    )
