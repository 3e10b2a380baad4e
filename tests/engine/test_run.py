"""A run's steps: once each, kept before they are recorded, redacted, counted. Real DBOS on a real SQLite."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from echelon.engine import durable
from echelon.engine.budget import Amounts
from echelon.engine.messages import Usage
from echelon.engine.run import LARGE, Run, Spent, Where, ceilings_of, listen, stop_listening
from echelon.errors import Halted, LimitReached
from echelon.service.service import Service
from echelon.settings import ScopeCeilings
from echelon.store.records.events import CallRefused, Event, Moved, PhaseBegan, ToolCalled
from echelon.store.records.jobs import Settings
from echelon.store.records.steps import Step
from tests.support.scripted import service

Body = Callable[[Run], dict[str, Any]]
KEY = "sk-abcdefgh-0123456789"
_NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("runs"), OPENAI_API_KEY=KEY) as running:
        yield running


class Story:
    """A job whose body is a function of its run; `tell` runs it, or goes on with it."""

    def __init__(self, jobs: Service, **overrides: Any) -> None:
        self.jobs, self.job = jobs, f"run-{next(_NUMBERS)}"
        self.config = jobs.configuration("plain", "playbook/creator", overrides)
        self.folder = jobs.environment.home / "jobs" / self.job
        jobs.store.add_job(self.job, "plain", "", Settings(), str(self.folder))
        self.runs: list[Run] = []

    def tell(self, body: Body) -> None:
        def told(job: str, _segment: int, _given: dict[str, Any]) -> dict[str, Any]:
            run = Run(self.job, self.folder, self.config, self.jobs.store, self.jobs.environment)
            self.runs.append(run)
            return body(run)

        durable.launch(self.jobs.store, told)
        durable.run(self.job, 1, {})

    @property
    def run(self) -> Run:
        return self.runs[-1]

    @property
    def ledger(self) -> list[Step]:
        return self.jobs.store.steps(self.job)

    def recorded(self) -> list[str]:
        """What DBOS recorded of the steps, as text."""
        query = sa.text("select output from operation_outputs where workflow_uuid like :job order by function_id")
        with self.jobs.store.engine.connect() as c:
            return [str(row[0]) for row in c.execute(query, {"job": f"%{self.job}%"})]


class Counted:
    """Work that counts how often it is done."""

    def __init__(self, value: Any = "done") -> None:
        self.value, self.times = value, 0

    def __call__(self) -> dict[str, Any]:
        self.times += 1
        return {"said": self.value}


def test_steps_before_an_interruption_are_not_done_again(jobs: Service) -> None:
    first, second, third = Counted(1), Counted(2), Counted(3)
    trouble = [OSError("the disk is full")]
    story = Story(jobs)

    def failing() -> dict[str, Any]:
        if trouble:
            raise trouble.pop()
        return second()

    def body(run: Run) -> dict[str, Any]:
        return {"said": [run.step("code", n, w)["said"] for n, w in (("a", first), ("b", failing), ("c", third))]}

    with pytest.raises(OSError, match="the disk is full"):
        story.tell(body)
    assert (first.times, second.times, third.times) == (1, 0, 0)
    story.tell(body)
    assert (first.times, second.times, third.times) == (1, 1, 1)
    assert [(s.number, s.name, s.starts, s.ok) for s in story.ledger] == [
        (1, "a", 1, True), (2, "b", 2, True), (3, "c", 1, True),
    ]  # fmt: skip
    assert [run.number for run in story.runs] == [2, 3], "a replay counts as the first run did"


def test_a_result_that_was_kept_and_not_recorded_is_taken_as_it_is(jobs: Service) -> None:
    """The process died between the two: the model is not asked, and the ledger is the same all the same."""
    work, story = Counted("asked again"), Story(jobs)
    kept = {"asked": "h", "milliseconds": 2_500.0, "value": {"said": "paid already", "usage": {"cost": 0.5}}}
    path = story.folder / "trace" / "00001-model.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(kept))
    got: list[dict[str, Any]] = []
    story.tell(lambda run: got.append(run.step("model", "model", work, "h", Where("QA", "0001-qa", 2, 1))) or {})
    assert (work.times, got) == (0, [kept["value"]])
    assert story.run.spent.seconds == 2.5
    assert [(s.number, s.starts) for s in story.ledger] == [(1, 1)], "the row of a lost database is written again"


@pytest.mark.parametrize(
    "content",
    ['{"asked": "other", "milliseconds": 1, "value": {"said": "old"}}', '{"asked": "h", "mill', "", "\x00\xff", "[1]"],
    ids=["another question", "half", "empty", "no text", "a list"],
)
def test_what_was_kept_of_something_else_is_not_taken(jobs: Service, content: str) -> None:
    work, story = Counted("new"), Story(jobs)
    path = story.folder / "trace" / "00001-x.json"
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="latin-1")
    got: list[dict[str, Any]] = []
    story.tell(lambda run: got.append(run.step("tool", "x", work, "h")) or {})
    assert (work.times, got) == (1, [{"said": "new"}])
    assert json.loads(path.read_text())["value"] == {"said": "new"}


@pytest.mark.parametrize(
    ("size", "by_reference"), [(10, False), (LARGE - 200, False), (LARGE, True), (3 * LARGE, True)]
)
def test_large_results_are_recorded_by_reference(jobs: Service, size: int, by_reference: bool) -> None:
    text, story = "ü" * (size // 2), Story(jobs)
    got: list[dict[str, Any]] = []
    story.tell(lambda run: got.append(run.step("tool", "big", Counted(text))) or {})
    assert got == [{"said": text}]
    assert (len("".join(story.recorded())) < 1_000) is (by_reference or size < 1_000)


def test_a_large_result_is_read_again_on_a_replay(jobs: Service) -> None:
    text, story, work = "x" * LARGE, Story(jobs), Counted("x" * LARGE)
    got: list[int] = []

    def body(run: Run) -> dict[str, Any]:
        got.append(len(run.step("tool", "big", work)["said"]))
        if len(got) == 1:
            raise Halted(OSError("gone"))
        return {}

    with pytest.raises(OSError, match="gone"):
        story.tell(body)
    story.tell(body)
    assert (work.times, got) == (1, [len(text)] * 2)


def test_secrets_stand_in_no_result_of_models_and_tools(jobs: Service) -> None:
    story = Story(jobs)
    got: list[Any] = []

    def body(run: Run) -> dict[str, Any]:
        got.append(run.step("tool", "t", Counted(f"the key is {KEY}"))["said"])
        got.append(run.step("model", "m", Counted([KEY, {"k": KEY}]))["said"])
        run.emit(CallRefused(role="QA", tool="t", why=f"with {KEY}"))
        return {}

    story.tell(body)
    assert got == ["the key is [OPENAI_API_KEY]", ["[OPENAI_API_KEY]", {"k": "[OPENAI_API_KEY]"}]]
    written = "".join(p.read_text() for p in (story.folder / "trace").iterdir())
    (row,) = jobs.store.events(story.job)
    assert KEY not in written + row.event.model_dump_json() + "".join(story.recorded())


def test_the_ledger_knows_where_a_step_stood_and_what_it_cost(jobs: Service) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 60, "cost": 0.25}
    story = Story(jobs)
    story.tell(
        lambda run: run.step(
            "model", "model", lambda: {"ok": True, "usage": usage}, "hash", Where("QA", "0007-qa", 3, 2)
        )
    )
    (step,) = story.ledger
    assert {k: getattr(step, k) for k in ("kind", "name", "role", "phase", "round", "milestone", "asked")} == {
        "kind": "model", "name": "model", "role": "QA", "phase": "0007-qa", "round": 3, "milestone": 2, "asked": "hash",
    }  # fmt: skip
    assert {k: getattr(step, k) for k in usage} == usage
    assert step.milliseconds >= 0 and step.answered


def test_a_step_that_did_not_do_what_it_should_is_marked(jobs: Service) -> None:
    story = Story(jobs)
    story.tell(lambda run: run.step("tool", "t", lambda: {"ok": False}))
    assert [s.ok for s in story.ledger] == [False]


def test_events_are_numbered_and_told_to_whoever_listens(jobs: Service) -> None:
    story, heard = Story(jobs), list[Event]()
    listen(story.job, heard.append)

    def body(run: Run) -> dict[str, Any]:
        run.emit(PhaseBegan(role="QA", phase="qa"))
        run.charge(Usage(prompt_tokens=7, completion_tokens=3, cost=0.5))
        run.emit(ToolCalled(role="QA", tool="t", ok=True))
        stop_listening(run.job)
        run.emit(Moved(before="plan", event="planned", after="gate_plan", round=1))
        return {}

    story.tell(body)
    spent = {"calls_so_far": 1, "tokens_so_far": 10, "cost_so_far": 0.5}
    assert heard == [PhaseBegan(role="QA", phase="qa"), ToolCalled(role="QA", tool="t", ok=True, **spent)]
    assert [(row.number, row.event.kind) for row in jobs.store.events(story.job)] == [
        (1, "phase"),
        (2, "tool"),
        (3, "moved"),
    ]


def test_what_is_spent_is_checked_before_the_call(jobs: Service) -> None:
    story = Story(jobs, **{"budget.model_calls": 2})

    def body(run: Run) -> dict[str, Any]:
        for _ in range(2):
            run.check_budget()
            run.charge(Usage(prompt_tokens=5, completion_tokens=1))
        with pytest.raises(LimitReached, match="model_calls is 2"):
            run.check_budget()
        return {}

    story.tell(body)
    assert story.run.spent == Spent(model_calls=2, prompt_tokens=10, completion_tokens=2)
    assert story.run.meter() == Amounts(model_calls=2, tokens=12)


def test_a_mark_stays_until_the_next_milestone_or_task(jobs: Service) -> None:
    story = Story(jobs)

    def body(run: Run) -> dict[str, Any]:
        marks = [run.began("task", 1)]
        run.charge(Usage(prompt_tokens=5))
        marks += [run.began("task", 1), run.began("milestone", 1), run.began("task", 2)]
        assert [m.tokens for m in marks] == [0, 0, 5, 5]
        return {}

    story.tell(body)
    assert {name: mark.number for name, mark in story.run.marks.items()} == {"task": 2, "milestone": 1}


def test_unlimited_is_no_ceiling() -> None:
    assert ceilings_of(ScopeCeilings(model_calls=3, cost=0.5)) == {"model_calls": 3.0, "cost": 0.5}
