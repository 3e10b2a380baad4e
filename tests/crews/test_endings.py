"""Every place where a job ends without its result says in one sentence who said what, what was tried, and how to go on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from echelon.crews.hierarchy.vocabulary import ENDS, State
from echelon.faces.cli.printing import job_text, summary
from echelon.service.endings import ending
from echelon.service.job_result import JobResult
from echelon.service.service import Service
from echelon.service.views import job_details
from echelon.store.records.jobs import Result
from tests.support.scripted import Reply, Seen, call, run_plain, service, submit_plain, willing

ONE = {"todos.least": 1, "ceilings.rounds": 2}
FORM = re.compile(r"^.+: .+; (?:tried: .+|nothing was tried yet); go on with: echelon (answer|resume|approve|run) .+$")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("jobs")) as found:
        yield found


def always(name: str, **arguments: Any) -> Callable[[Seen], Reply]:
    return lambda _: call(name, **arguments)


def failing_qa(_: Seen) -> Reply:
    return call("submit_verdict", passed=False, findings=["nothing of it is right"])


SCOPE = {
    "in_scope": ["all"],
    "success": ["found"],
    "milestones": [{"outcome": "A reader finds it all", "checks": ["look"]}],
}
BAD: dict[str, tuple[dict[str, Any], dict[str, Any], str, str, str]] = {
    "a role says nothing": ({"scope": lambda _: "Hm."}, {}, "escalated", "code that counts the attempts", "answer"),
    "a weak scope": (
        {"scope": always("submit_scope", **SCOPE, confidence=0.0)}, {}, "escalated", "ScopeAgent", "answer",
    ),
    "hopeless": (
        {"assess": always("submit_assessment", trajectory="hopeless", reasons=["the input is a poem"])}, {}, "escalated",
        "Assessor", "answer",
    ),
    "no way on": (
        {"plan": always("submit_abort", reason="there is no way to do it")}, {}, "escalated", "Assessor", "answer",
    ),
    "QA fails all": (
        {"qa": failing_qa}, {"ceilings.task_failures": 1, "ceilings.stalls": 0}, "escalated", "Assessor", "answer",
    ),
    "rounds": ({"qa": failing_qa}, {"ceilings.rounds": 1}, "limit", "ceiling", "resume .* --set ceilings.rounds="),
    "calls": ({}, {"budget.model_calls": 6}, "limit", "ceiling", "resume .* --set budget.model_calls="),
    "a question": (
        {"plan": always("ask_person", question="Which edition counts?")}, {"may_ask": "all"}, "needs_input",
        "TaskPlanner asks you", "answer",
    ),
    "a question before work": (
        {"scope": lambda s: willing(s) if s.last_tool else call("ask_person", question="Which edition counts?")}, {},
        "needs_input", "ScopeAgent asks you", "answer",
    ),
    "an approval": ({}, {"approvals": "scope"}, "needs_input", "policy asks for your approval", "approve"),
}  # fmt: skip


def bad(jobs: Service, name: str) -> JobResult:
    scripts, overrides, *_ = BAD[name]
    return run_plain(jobs, scripts, overrides={**ONE, **overrides}, name=name.replace(" ", "-"))


@pytest.mark.parametrize("name", BAD)
def test_a_bad_end_says_who_what_was_tried_and_how_to_go_on(jobs: Service, name: str) -> None:
    result = bad(jobs, name)
    _, _, state, who, command = BAD[name]
    assert result.state == state, result.reason
    assert FORM.match(result.ending), result.ending
    assert who in result.ending and re.search(f"go on with: echelon {command}", result.ending), result.ending
    assert result.job in result.ending and " ".join(result.reason.split())[:40] in result.ending
    short = " ".join(result.ending.split())
    assert short in " ".join(summary(result, "m", 1.0).split())
    assert short in " ".join(job_text(job_details(jobs.store, result.job)).split())


@pytest.mark.parametrize("state", sorted(ENDS - {State.COMPLETED}))
@pytest.mark.parametrize("reason", ["", "Model 'openai/x' cannot be used: the server cannot be reached", "a\nb. "])
def test_no_end_is_without_its_sentence(jobs: Service, state: State, reason: str) -> None:
    job = submit_plain(jobs, {}, name=f"end-{state}-{len(reason)}")
    jobs.store.set_job(job, state=state.value, result=Result(reason=reason))
    said = ending(jobs.store.job(job))
    assert FORM.match(said) and "\n" not in said, said


def test_what_is_completed_or_under_way_has_none(jobs: Service) -> None:
    job = submit_plain(jobs, {}, name="well")
    assert ending(jobs.store.job(job)) == ""
    assert jobs.run(job).state == "completed" and ending(jobs.store.job(job)) == ""
