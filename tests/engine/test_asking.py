"""What a model call costs is counted here, whatever the server reports, and lost calls count as well."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from echelon.engine import durable
from echelon.engine.asking import ask, most_of
from echelon.engine.messages import Answer, Message, ModelRequest
from echelon.engine.models.langchain import openai_model
from echelon.engine.run import Run, Spent, Where
from echelon.errors import Halted, LimitReached, ModelUnavailable
from echelon.service.service import Service
from echelon.settings import Environment
from echelon.store.records.jobs import Settings
from tests.support.chat_server import ChatServer, Reply, hang, server_error, text
from tests.support.scripted import service

REQUEST = ModelRequest(messages=(Message(role="user", content="Say something. " * 50),), max_output_tokens=100)
PRICES = {"model_settings.input_price": 100.0, "model_settings.output_price": 100.0}
_NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("asking"), OPENAI_API_KEY="any") as running:
        yield running


class Asked:
    """A job that asks `times` times; it can go on after an error. `spent` is what it has spent by then."""

    def __init__(self, jobs: Service, server: ChatServer, times: int = 1, **settings: Any) -> None:
        self.jobs, self.job, self.times = jobs, f"asks-{next(_NUMBERS)}", times
        dotted = {k.replace("__", "."): v for k, v in settings.items()}
        self.config = jobs.configuration("plain", "playbook/creator", {**PRICES, **dotted})
        self.folder = jobs.environment.home / "jobs" / self.job
        jobs.store.add_job(self.job, "plain", "", Settings(), str(self.folder))
        environment = Environment({"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": server.base_url})
        self.model = openai_model("scripted", self.config.model_settings, environment, lambda _: None)
        self.spent = Spent()
        self.answers: list[Answer] = []

    def run(self) -> None:
        durable.launch(self.jobs.store, self._body)
        durable.run(self.job, 1, {})

    def _body(self, job: str, _segment: int, _given: dict[str, Any]) -> dict[str, Any]:
        run = Run(job, self.folder, self.config, self.jobs.store, self.jobs.environment)
        self.spent, self.answers = run.spent, []
        try:
            for _ in range(self.times):
                self.answers.append(ask(run, self.model, REQUEST, "model", Where()))
        except LimitReached as limit:
            return {"limit": limit.limit}
        return {}


@pytest.mark.parametrize(
    "reply",
    [
        text("word " * 20, prompt_tokens=0, completion_tokens=0),
        text("word " * 20, prompt_tokens=-6_000_000, completion_tokens=-1),
        text("word " * 20, prompt_tokens=10**30, completion_tokens=10**30),
        text("word " * 20, prompt_tokens=1, completion_tokens=1),
    ],
)
def test_a_report_below_what_was_sent_and_said_does_not_count(jobs: Service, reply: Reply) -> None:
    with ChatServer([reply]) as server:
        asked = Asked(jobs, server)
        asked.run()
    assert asked.spent.prompt_tokens >= 150
    assert asked.spent.completion_tokens >= 20
    assert asked.spent.cost == pytest.approx(asked.spent.tokens * 100 / 1e6)
    (row,) = jobs.store.steps(asked.job)
    assert row.cost == pytest.approx(asked.spent.cost)


def test_a_report_above_it_counts(jobs: Service) -> None:
    with ChatServer([text("yes", prompt_tokens=5_000, completion_tokens=90)]) as server:
        asked = Asked(jobs, server)
        asked.run()
    assert (asked.spent.prompt_tokens, asked.spent.completion_tokens) == (5_000, 90)


def test_the_ceiling_of_cost_binds_without_any_report(jobs: Service) -> None:
    one = most_of(
        REQUEST, "openai/scripted", jobs.configuration("plain", "playbook/creator", PRICES).model_settings
    ).cost
    with ChatServer(lambda _: text("word " * 100, prompt_tokens=0, completion_tokens=0)) as server:
        asked = Asked(jobs, server, times=50, budget__cost=one * 4.5)
        asked.run()
    assert 3 <= len(server.requests) <= 5
    assert asked.spent.cost <= one * 4.5


def test_answers_that_nobody_can_read_are_calls(jobs: Service) -> None:
    with ChatServer([Reply(error={"no": "choices"}), hang(), text("done")]) as server:
        asked = Asked(jobs, server, model_settings__timeout=1.0)
        asked.run()
    assert asked.spent.model_calls == len(server.requests) == 3
    assert asked.answers[0].usage.calls == 3
    assert asked.spent.cost > 2 * 100 * 100 / 1e6


def test_refusals_are_no_calls(jobs: Service) -> None:
    with ChatServer([server_error(), server_error(), text("done")]) as server:
        asked = Asked(jobs, server)
        asked.run()
    assert (asked.spent.model_calls, len(server.requests)) == (1, 3)


def test_no_request_leaves_beyond_the_ceiling_of_calls(jobs: Service) -> None:
    with ChatServer(lambda _: Reply(error={"no": "choices"})) as server:
        asked = Asked(jobs, server, budget__model_calls=3, model_settings__attempts=9)
        asked.run()
    assert len(server.requests) == 3
    assert asked.spent.model_calls == 3


def test_calls_that_were_lost_before_an_interruption_count_when_the_job_goes_on(jobs: Service) -> None:
    with ChatServer(lambda _: Reply(error={"no": "choices"})) as server:
        asked = Asked(jobs, server, budget__model_calls=5, model_settings__attempts=2)
        for _ in range(2):
            with pytest.raises(ModelUnavailable, match="cannot be read"):
                asked.run()
        asked.run()
    assert len(server.requests) == 5
    assert asked.spent.model_calls == 5


def test_calls_that_a_kill_cut_off_count_when_the_job_goes_on(jobs: Service) -> None:
    class Killed(BaseException):
        """What a kill looks like from inside: nothing after it runs."""

    with ChatServer(lambda _: text("done")) as server:
        asked = Asked(jobs, server, budget__model_calls=4)
        answer = asked.model.answer

        class Cut:
            name = asked.model.name

            def answer(self, request: ModelRequest) -> Answer:
                answer(request)
                raise Halted(Killed())

        whole, asked.model = asked.model, Cut()  # type: ignore[assignment]
        for _ in range(3):
            with pytest.raises(Killed):
                asked.run()
        asked.model = whole
        asked.run()
        assert len(server.requests) == 4
    assert asked.spent.model_calls == 4
    assert asked.answers[0].usage.calls == 4
