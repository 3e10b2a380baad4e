"""Any role may ask a person where the policy allows: the job waits, and the answer reaches the role that asked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from echelon.crews.hierarchy.states import WORKING, Event, Position, State, decide
from echelon.service.replies import asks_approval
from echelon.service.service import Service
from echelon.settings import Ceilings
from echelon.store.records.jobs import Said
from tests.support.forked import killed
from tests.support.scripted import Reply, Script, Seen, call, register, run_plain, service, willing

QUESTION = "Which of the two editions counts?"
ANSWER = "The edition of 2024 counts."
SAID = Said(event=Event.ANSWERED.value, text=ANSWER)
MAY = {"may_ask": "all"}
PHASES = {"plan": "TaskPlanner", "implement": "Implementor", "qa": "QA", "assess": "Assessor"}


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("jobs")) as found:
        yield found


def asking(seen: Seen) -> Reply:
    """Asks before anything else, and works as usual once the answer is in the prompt."""
    return willing(seen) if ANSWER in seen.task else call("ask_person", question=QUESTION)


@pytest.mark.parametrize(("phase", "role"), PHASES.items())
def test_the_job_waits_and_the_answer_reaches_the_role_that_asked(jobs: Service, phase: str, role: str) -> None:
    result = run_plain(jobs, {phase: asking}, overrides=MAY, name=f"ask-{phase}")
    assert (result.state, result.reason) == ("needs_input", f"{role} asks: {QUESTION}")
    assert not asks_approval(jobs.store.job(result.job))
    result = jobs.run(jobs.resume(result.job, said=SAID))
    assert result.state == "completed", result.reason
    asked = [s for s in result.ledger if s.name == "ask_person"]
    assert len(asked) == 1 and asked[0].role == role


def test_what_was_answered_is_told_to_every_later_role(jobs: Service) -> None:
    told: dict[str, bool] = {}

    def watching(phase: str, then: Script) -> Script:
        def script(seen: Seen) -> Reply:
            told[phase] = f"{PHASES['plan']} asked: {QUESTION}\n  The person: {ANSWER}" in seen.task
            return then(seen)

        return script

    scripts = {p: watching(p, asking if p == "plan" else willing) for p in (*PHASES, "deliver")}
    result = run_plain(jobs, scripts, overrides=MAY, name="told")
    assert jobs.run(jobs.resume(result.job, said=SAID)).state == "completed"
    assert told == dict.fromkeys((*PHASES, "deliver"), True)


@pytest.mark.parametrize("policy", ["scope_agent", "nobody"])
def test_without_leave_no_role_has_the_tool(jobs: Service, policy: str) -> None:
    said: list[str] = []

    def plan(seen: Seen) -> Reply:
        if not seen.last_tool and not said:
            assert "ask_person" not in seen.system
            return call("ask_person", question=QUESTION)
        said.extend(seen.results[:1])
        return willing(seen)

    assert run_plain(jobs, {"plan": plan}, overrides={"may_ask": policy}, name=policy).state == "completed"
    assert "There is no tool 'ask_person'" in said[0]


def test_the_scope_agent_hands_its_questions_over_with_the_scope_unless_nobody_may_ask(jobs: Service) -> None:
    def scope(seen: Seen) -> Reply:
        if ANSWER in seen.text or seen.last_tool:
            return willing(seen)
        return call("ask_person", question=QUESTION)

    result = run_plain(jobs, {"scope": scope}, name="scope")
    assert (result.state, result.reason) == ("needs_input", QUESTION)
    assert run_plain(jobs, {"scope": scope}, overrides={"may_ask": "nobody"}, name="mute").state == "completed"


@pytest.mark.parametrize("state", WORKING)
def test_a_question_interrupts_a_state_and_the_answer_leads_back_to_it(state: State) -> None:
    waits = decide(Position(state=state), Event.ASKED, Ceilings())
    assert (waits.state, waits.came_from) == (State.NEEDS_INPUT, state)
    assert decide(waits, Event.ANSWERED, Ceilings()).state is state


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.crews.test_roles_ask import asking
from tests.support.scripted import run_plain, service

with service(Path(sys.argv[1])) as jobs:
    result = run_plain(jobs, {"implement": asking}, overrides={"may_ask": "all"}, name="killed")
    print(result.job, result.state, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_between_question_and_answer_the_job_goes_on_and_asks_once(tmp_path: Path) -> None:
    said = killed(KILLED, str(tmp_path))
    job, state = said.split()
    register({"implement": asking}, "killed")
    with service(tmp_path) as jobs:
        assert state == "needs_input" and jobs.result(job).reason == f"Implementor asks: {QUESTION}"
        before = len(jobs.store.steps(job))
        result = jobs.run(jobs.resume(job, said=SAID))
        assert result.state == "completed", result.reason
        steps = jobs.store.steps(job)
    assert [s.name for s in steps].count("ask_person") == 1 and len(steps) > before
    assert all(s.starts == 1 for s in steps)
