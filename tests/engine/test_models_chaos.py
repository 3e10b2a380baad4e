"""The model that is broken on purpose: each fault, how often, and always the same for the same seed."""

from __future__ import annotations

import json
from typing import Any

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.crews.tool_sets import all_tools, take
from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall
from echelon.engine.models.chaos import FAULTS, ChaosModel, chaos, minimal, parsed_rates
from echelon.engine.models.opening import open_model, register_model
from echelon.errors import ModelUnavailable, UnknownName, UserError
from echelon.settings import Environment, ModelSettings
from tests.support.chat_server import Call, ChatServer, calls

ENDS = sorted(n for n in all_tools() if n.startswith("submit_") or n == "job_complete")


class Worker:
    """A model that always answers the same, and counts how often."""

    def __init__(self, answer: Answer) -> None:
        self.name, self.given, self.asked = "worker", answer, 0

    def answer(self, request: ModelRequest) -> Answer:
        self.asked += 1
        return self.given


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(id="c", name=name, arguments=json.dumps(arguments))


READ = Answer(text="I read.", calls=(call("read_file", path="a.md"),))
EARLIER = (Message(role="assistant", calls=(call("list_files", folder="notes"),)), Message(role="tool", content="{}"))


def request(
    number: int = 1, tools: tuple[str, ...] = ("read_file", "submit_report"), told: bool = True
) -> ModelRequest:
    messages = (Message(role="user", content="Work."), *(EARLIER if told else ()))
    return ModelRequest(messages=messages, tools=tuple(t.schema for t in take(tools)), number=number)


def broken(fault: str, answer: Answer = READ, **changes: Any) -> Answer:
    """The answer after one fault, which comes every time."""
    return chaos(Worker(answer), {fault: 1.0}, seed=1).answer(request(**changes))


# each fault


@pytest.mark.parametrize("arguments", ['{"path": "a.md"}', "{}", '{"a": {"b": {"c": 1}}}', ""])
def test_malformed_arguments_are_no_json(arguments: str) -> None:
    answer = broken("malformed", Answer(calls=(ToolCall(id="c", name="read_file", arguments=arguments),)))
    with pytest.raises(ValueError, match="not valid JSON"):
        answer.calls[0].parsed()
    assert answer.calls[0].name == "read_file"


def test_a_list_as_arguments() -> None:
    with pytest.raises(ValueError, match="not a list"):
        broken("list_arguments").calls[0].parsed()


def test_an_unknown_tool() -> None:
    (wrote,) = broken("unknown_tool").calls
    assert wrote.name not in all_tools()
    assert wrote.parsed() == {"path": "a.md"}


def test_the_previous_call_again() -> None:
    assert broken("repeated").calls == EARLIER[0].calls


def test_the_first_call_cannot_repeat_one() -> None:
    assert broken("repeated", told=False) == READ


def test_an_empty_answer() -> None:
    answer = broken("empty")
    assert (answer.text, answer.calls) == ("", ())


def test_an_over_long_answer() -> None:
    answer = broken("over_long")
    assert len(answer.text) >= 40_000
    assert answer.calls == ()


@pytest.mark.parametrize("end", ENDS)
def test_early_done_calls_the_tool_that_ends_the_phase_with_arguments_that_fit_it(end: str) -> None:
    (wrote,) = broken("early_done", tools=("read_file", end)).calls
    assert wrote.name == end
    all_tools()[end].arguments.model_validate(wrote.parsed())


def test_early_done_without_such_a_tool_changes_nothing() -> None:
    assert broken("early_done", tools=("read_file",)) == READ


@pytest.mark.parametrize("passed", [True, False])
def test_a_false_verdict_says_the_opposite_and_still_fits(passed: bool) -> None:
    verdict = Answer(calls=(call("submit_verdict", passed=passed, findings=[] if passed else ["wrong page"]),))
    (wrote,) = broken("false_verdict", verdict, tools=("submit_verdict",)).calls
    values = wrote.parsed()
    assert values["passed"] is not passed
    assert bool(values["findings"]) is passed
    all_tools()["submit_verdict"].arguments.model_validate(values)


def test_a_false_verdict_leaves_other_calls_and_unreadable_ones_alone() -> None:
    assert broken("false_verdict") == READ
    unreadable = Answer(calls=(ToolCall(id="c", name="submit_verdict", arguments="{"),))
    assert broken("false_verdict", unreadable) == unreadable


def test_a_failure_is_met_by_the_layer_that_tries_again() -> None:
    waits: list[float] = []
    worker = Worker(READ)
    model = ChaosModel(worker, {"failure": 1.0}, seed=1, sleep=waits.append)
    assert model.answer(request()) == READ
    assert (waits, worker.asked) == ([0.0], 1)


def test_a_failure_with_a_single_attempt_is_the_end() -> None:
    worker = Worker(READ)
    with pytest.raises(ModelUnavailable, match=r"status (429|500)"):
        ChaosModel(worker, {"failure": 1.0}, seed=1, attempts=1).answer(request())
    assert worker.asked == 0


def test_a_slow_answer_is_the_answer_later() -> None:
    waits: list[float] = []
    assert ChaosModel(Worker(READ), {"slow": 1.0}, seed=1, sleep=waits.append).answer(request()) == READ
    assert waits == [0.05]


def test_no_rates_leave_everything_alone() -> None:
    model = chaos(Worker(READ), {}, seed=1)
    assert all(model.answer(request(n)) == READ for n in range(1, 50))
    assert model.broken == 0


def test_usage_is_kept_whatever_is_broken() -> None:
    with_usage = READ.model_copy(update={"usage": READ.usage.model_copy(update={"prompt_tokens": 42})})
    for fault in FAULTS:
        model = ChaosModel(Worker(with_usage), {fault: 1.0}, seed=1, sleep=lambda _: None)
        assert model.answer(request()).usage.prompt_tokens == 42


# how often, and when


@settings(deadline=None)
@given(seed=st.integers(), rate=st.floats(0, 0.1), number=st.integers(1, 10_000))
def test_the_fault_of_a_call_depends_on_seed_and_number_alone(seed: int, rate: float, number: int) -> None:
    rates = dict.fromkeys(FAULTS, rate)
    one, other = (chaos(Worker(READ), rates, seed) for _ in range(2))
    for n in range(1, 20):
        other.fault(n)
    assert one.fault(number) == other.fault(number)


def test_the_same_seed_gives_the_same_answers_in_any_order() -> None:
    def answers(order: list[int]) -> dict[int, Answer]:
        model = ChaosModel(Worker(READ), dict.fromkeys(FAULTS, 0.08), seed=7, sleep=lambda _: None)
        return {n: model.answer(request(n)) for n in order}

    assert answers(list(range(1, 200))) == answers(list(range(199, 0, -1)))


def test_another_seed_breaks_other_calls() -> None:
    def faults(seed: int) -> list[str | None]:
        return [chaos(Worker(READ), {"empty": 0.3}, seed).fault(n) for n in range(1, 100)]

    assert faults(1) != faults(2)


def test_faults_come_as_often_as_asked_for() -> None:
    model = chaos(Worker(READ), {"malformed": 0.1, "empty": 0.3}, seed=3)
    faults = [model.fault(n) for n in range(1, 5001)]
    assert faults.count("malformed") / 5000 == pytest.approx(0.1, abs=0.02)
    assert faults.count("empty") / 5000 == pytest.approx(0.3, abs=0.02)
    assert faults.count(None) / 5000 == pytest.approx(0.6, abs=0.02)


def test_a_higher_rate_breaks_the_calls_of_a_lower_one_and_more() -> None:
    low, high = (chaos(Worker(READ), {"empty": rate}, seed=5) for rate in (0.1, 0.3))
    assert {n for n in range(500) if low.fault(n)} < {n for n in range(500) if high.fault(n)}


# by name


def test_a_name_opens_a_broken_model_around_any_other() -> None:
    register_model("worker", lambda rest, settings, environment: Worker(READ))
    for spec in ("chaos/empty=1,seed=3/worker/x", "chaos:empty=1,seed=3/worker"):
        model = open_model(spec, ModelSettings(), Environment({}))
        assert model.name == "chaos/worker"
        assert model.answer(request()).calls == ()


def test_a_broken_model_over_http() -> None:
    with ChatServer([calls(Call("read_file", {"path": "a"}))]) as server:
        environment = Environment({"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": server.base_url})
        model = open_model("chaos/unknown_tool=1/openai/scripted", ModelSettings(), environment)
        assert model.answer(request()).calls[0].name == "read_file_now"


def test_rates_and_seed_of_a_name() -> None:
    assert parsed_rates("malformed=0.1, seed=7 ,empty=0.05") == ({"malformed": 0.1, "empty": 0.05}, 7)
    assert parsed_rates("empty=1") == ({"empty": 1.0}, 0)


def test_all_shares_a_rate_out() -> None:
    rates, _ = parsed_rates("all=0.2")
    assert set(rates) == set(FAULTS)
    assert sum(rates.values()) == pytest.approx(0.2)
    assert chaos(Worker(READ), parsed_rates("all=1")[0], 0).fault(1) is not None


def test_an_unknown_fault_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"Unknown fault 'malfromed'; did you mean 'malformed'\?"):
        open_model("chaos/malfromed=0.1/chaos/empty=0.1/openai/x", ModelSettings(), Environment({}))


@pytest.mark.parametrize("rest", ["empty/w", "empty=/w", "empty=x/w", "=0.1,/w", "seed=1.5/w", "empty=0.1,/w", "/w"])
def test_a_form_that_cannot_be_read(rest: str) -> None:
    with pytest.raises(UserError, match=r"not of the form|Unknown fault"):
        open_model(f"chaos/{rest}", ModelSettings(), Environment({}))


@pytest.mark.parametrize("rest", ["empty=0.1", "empty=0.1/"])
def test_a_name_without_a_model(rest: str) -> None:
    with pytest.raises(UserError, match="names no model to break"):
        open_model(f"chaos/{rest}", ModelSettings(), Environment({}))


def test_the_broken_model_must_exist() -> None:
    with pytest.raises(UnknownName, match="Unknown model 'nothing'"):
        open_model("chaos/empty=0.1/nothing", ModelSettings(), Environment({}))


@pytest.mark.parametrize("rates", ["empty=1.1", "empty=0.6,malformed=0.6", "empty=-0.1", "empty=nan"])
def test_rates_are_shares(rates: str) -> None:
    with pytest.raises(UserError, match="at most 1"):
        chaos(Worker(READ), parsed_rates(rates)[0], 0)


# the least arguments


@pytest.mark.parametrize("name", sorted(all_tools()))
def test_the_least_arguments_of_every_tool_are_accepted_by_it(name: str) -> None:
    tool = all_tools()[name]
    assert isinstance(tool.arguments.model_validate(minimal(tool.schema.parameters)), pydantic.BaseModel)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "null"}, None),
        ({"const": 3}, 3),
        ({"enum": ["b", "a"]}, "b"),
        ({"anyOf": [{"type": "null"}, {"type": "string"}]}, None),
        ({"type": "array", "items": {"type": "integer", "minimum": 4}, "minItems": 2}, [4, 4]),
        ({"type": "number", "minimum": 0, "maximum": 1}, 1),
        ({"type": "object", "properties": {"a": {"type": "boolean"}, "b": {}}, "required": ["a"]}, {"a": True}),
    ],
)
def test_the_least_value_of_a_schema(schema: dict[str, Any], value: Any) -> None:
    assert minimal(schema) == value


@settings(deadline=None)
@given(st.integers(0, 300))
def test_a_text_is_as_long_as_it_must_be(least: int) -> None:
    assert len(minimal({"type": "string", "minLength": least})) >= least
