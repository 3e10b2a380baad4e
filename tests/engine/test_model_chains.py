"""A chain of models, `provider/name` through LangChain, and what of an answer was thinking."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import sqlalchemy as sa

from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, Usage
from echelon.engine.models.chain import REST, Chain, names_in
from echelon.engine.models.completion import read_completion
from echelon.engine.models.opening import open_model, register_model, with_playbook
from echelon.engine.models.providers.names import PROVIDERS
from echelon.engine.models.providers.opened import is_installed
from echelon.errors import ContextTooLong, ModelUnavailable, UserError
from echelon.service.cost import cost_of
from echelon.service.views import job_details
from echelon.settings import Environment, JobConfig, ModelSettings
from echelon.store import tables as t
from echelon.store.store import MIGRATIONS, Store, m009_models
from tests.support.forked import killed
from tests.support.scripted import Reply, Seen, register, service, willing

REQUEST = ModelRequest(messages=(Message(role="user", content="Say yes."),))
SETTINGS = ModelSettings()  # type: ignore[call-arg]


class Fixed:
    """Answers with its name, or fails so many times."""

    def __init__(self, name: str, failures: list[Exception] | None = None) -> None:
        self.name, self.failures, self.asked = name, failures or [], 0

    def answer(self, request: ModelRequest) -> Answer:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return Answer(text=self.name)


def down(name: str, times: int = 1) -> Fixed:
    return Fixed(name, [ModelUnavailable(name, "the server cannot be reached", 2) for _ in range(times)])


def test_the_next_one_stands_in_and_the_answer_says_which_it_was() -> None:
    first, second = down("a"), Fixed("b")
    answer = Chain([first, second]).answer(REQUEST)
    assert (answer.text, answer.model, first.asked, second.asked) == ("b", "b", 1, 1)


def test_one_that_is_down_is_asked_again_after_a_while_and_not_before() -> None:
    clock = [0.0]
    first, second = down("a"), Fixed("b")
    chain = Chain([first, second], clock=lambda: clock[0])
    assert [chain.answer(REQUEST).model for _ in range(2)] == ["b", "b"] and first.asked == 1
    clock[0] = REST + 1
    assert chain.answer(REQUEST).model == "a"


def test_when_none_answers_the_error_names_all() -> None:
    with pytest.raises(ModelUnavailable, match=r"Model 'b' cannot be used.*before it: a: ") as caught:
        Chain([down("a"), down("b")]).answer(REQUEST)
    assert caught.value.attempts == 4


def test_a_prompt_that_is_too_long_is_no_reason_to_ask_another() -> None:
    second = Fixed("b")
    with pytest.raises(ContextTooLong):
        Chain([Fixed("a", [ContextTooLong("a")]), second]).answer(REQUEST)
    assert second.asked == 0


def test_a_list_in_a_configuration_is_a_chain() -> None:
    config = JobConfig.model_validate({"job": "plain", "model": ["openai/a", "playbook"], "models": {"qa": ["x", "y"]}})
    assert config.model == "openai/a | playbook" and names_in(config.model) == ("openai/a", "playbook")
    assert config.model_of("qa") == "x | y"
    assert with_playbook(config.model, "creator") == "openai/a | playbook/creator"


def test_the_ledger_and_its_views_say_which_model_answered_each_call(tmp_path: Path) -> None:
    def failing(seen: Seen) -> Reply:
        return ModelUnavailable("scripted/one", "it is down") if seen.phase == "qa" else willing(seen)

    with service(tmp_path) as jobs:
        register(failing, "one")
        register({}, "two")
        source = tmp_path / "a.md"
        source.write_text("Write two results.\n", encoding="utf-8")
        result = jobs.run(jobs.submit("plain", [source], "Write the results.", "scripted/one | scripted/two"))
        assert result.state == "completed", result.reason
        by = {s.role: s.model for s in result.ledger if s.kind == "model"}
        assert by["QA"] == "scripted/two" and by["ScopeAgent"] == "scripted/two"  # down one rests for a while
        assert next(s.model for s in result.ledger if s.kind == "model") == "scripted/one"
        details = job_details(jobs.store, result.job)
        assert set(details["answered_by"]) == {"scripted/one", "scripted/two"}
        assert sum(details["answered_by"].values()) == sum(s.kind == "model" for s in result.ledger)
        spent = cost_of(jobs.store, result.job)["by"]["model"]
        assert spent["scripted/two"]["calls"] == details["answered_by"]["scripted/two"]


@pytest.mark.parametrize("provider", ["anthropic", "google_genai", "ollama"])
def test_a_provider_whose_integration_is_missing_is_named_in_one_sentence(provider: str) -> None:
    if is_installed("langchain") and is_installed(PROVIDERS[provider]):
        pytest.skip(f"the integration of {provider} is installed")
    with pytest.raises(UserError, match=rf"^Model '{provider}/m' needs .*not installed: pip install [\w -]+$"):
        open_model(f"{provider}/m", SETTINGS, Environment({}))


def test_a_name_of_no_provider_is_not_known() -> None:
    with pytest.raises(UserError, match="nobody"):
        open_model("nobody/m", SETTINGS, Environment({}))


def test_thinking_is_read_where_a_server_reports_it_and_is_never_more_than_the_answer() -> None:
    body = (
        '{"choices": [{"message": {"content": "yes"}}], "usage": {"prompt_tokens": 9, "completion_tokens": 50, '
        '"completion_tokens_details": {"reasoning_tokens": %s}}}'
    )
    assert read_completion((body % 40).encode(), 100).usage.thinking_tokens == 40
    assert read_completion((body % 90).encode(), 100).usage.thinking_tokens == 50
    assert read_completion((body % '"many"').encode(), 100).usage.thinking_tokens == 0


class Thinker:
    """Plays a plain job well, and says that half of each answer was thinking."""

    name = "thinker/one"

    def answer(self, request: ModelRequest) -> Answer:
        reply = willing(Seen(request))
        assert isinstance(reply, ToolCall)
        return Answer(calls=(reply,), usage=Usage(prompt_tokens=10, completion_tokens=100, thinking_tokens=50))


def test_thinking_stands_in_ledger_cost_and_summary(tmp_path: Path) -> None:
    register_model("thinker", lambda *_: Thinker())
    source = tmp_path / "a.md"
    source.write_text("Write two results.\n", encoding="utf-8")
    with service(tmp_path) as jobs:
        result = jobs.run(jobs.submit("plain", [source], "Write the results.", "thinker/one"))
        calls = [s for s in result.ledger if s.kind == "model"]
        assert {s.thinking_tokens for s in calls} == {50}
        assert cost_of(jobs.store, result.job)["total"]["thinking"] == 50 * len(calls)
        assert result.spent["thinking_tokens"] == 50 * len(calls)


def test_a_database_of_before_gets_the_columns(tmp_path: Path) -> None:
    engine = sa.create_engine(f"sqlite:///{tmp_path / 'old.sqlite'}")
    with engine.begin() as c:
        for migration in MIGRATIONS:
            migration(c)
        for column in ("model", "thinking_tokens"):
            c.exec_driver_sql(f"ALTER TABLE {t.steps.name} DROP COLUMN {column}")
        m009_models(c)
        m009_models(c)
    assert Store(engine).steps("none") == []
    engine.dispose()


KILLED = """
import sys
from pathlib import Path
from tests.engine.test_model_chains import chained
from tests.support.scripted import service

with service(Path(sys.argv[1])) as jobs:
    source = Path(sys.argv[1]) / "a.md"
    source.write_text("Write two results.\\n", encoding="utf-8")
    chained(Path(sys.argv[1]) / "asked.txt", die_at=7)
    job = jobs.submit("plain", [source], "Write the results.", "scripted/one | scripted/two")
    print(job, flush=True)
    jobs.run(job)
"""


def chained(asked: Path, die_at: int = 0) -> None:
    """Two models: the first is always down, the second writes down which call it answers, and dies in one of them."""

    def down(_: Seen) -> Reply:
        return ModelUnavailable("scripted/one", "it is down")

    def answering(seen: Seen) -> Reply:
        with asked.open("a", encoding="ascii") as file:
            file.write(f"{seen.number}\n")
        if seen.number == die_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return willing(seen)

    register(down, "one")
    register(answering, "two")


def test_over_a_kill_a_chain_answers_no_call_twice_but_the_one_in_flight(tmp_path: Path) -> None:
    said = killed(KILLED, str(tmp_path))
    asked = tmp_path / "asked.txt"
    chained(asked)
    with service(tmp_path) as jobs:
        result = jobs.run(jobs.resume(said.strip()))
    assert result.state == "completed", result.reason
    numbers = [int(n) for n in asked.read_text(encoding="ascii").split()]
    assert [n for n in numbers if numbers.count(n) > 1] == [7, 7]
    assert {s.model for s in result.ledger if s.kind == "model"} == {"scripted/two"}
