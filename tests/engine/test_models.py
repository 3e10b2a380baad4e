"""Names of models, prices, and answers from a recorded job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echelon.engine.messages import Answer, Message, ModelRequest, ToolCall, Usage
from echelon.engine.models.langchain import LangChainModel, price_warning
from echelon.engine.models.opening import open_model, register_model, with_playbook
from echelon.engine.models.replay import ReplayModel
from echelon.errors import ModelUnavailable, UnknownName, UserError
from echelon.settings import Environment, ModelSettings

SETTINGS = ModelSettings()
KEYED = Environment({"OPENAI_API_KEY": "any"})


def request(number: int) -> ModelRequest:
    return ModelRequest(messages=(Message(role="user", content="Go on."),), number=number)


class Echo:
    """A model that says what its factory was given."""

    def __init__(self, rest: str) -> None:
        self.name = rest

    def answer(self, request: ModelRequest) -> Answer:
        return Answer(text=self.name)


# names


def test_an_openai_name_keeps_its_own_slashes_and_colons() -> None:
    assert open_model("openai/org/model:free", SETTINGS, KEYED).name == "openai/org/model:free"
    assert isinstance(open_model("openai:gpt-x", SETTINGS, KEYED), LangChainModel)


def test_a_registered_scheme_gets_the_rest_of_the_name() -> None:
    register_model("echo", lambda rest, settings, environment: Echo(rest))
    assert open_model("echo/a/b:c", SETTINGS, KEYED).answer(request(1)).text == "a/b:c"
    assert open_model("echo:a/b", SETTINGS, KEYED).answer(request(1)).text == "a/b"
    assert open_model("echo", SETTINGS, KEYED).answer(request(1)).text == ""


@pytest.mark.parametrize("spec", ["opnai/gpt", "", "/x", "openai", "openai/", "replay", "replay:", "chaos"])
def test_an_unknown_or_unfinished_name_is_a_users_mistake(spec: str) -> None:
    with pytest.raises(UnknownName, match="Unknown model"):
        open_model(spec, SETTINGS, KEYED)


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(UnknownName, match=r"did you mean 'replay:<job>'\?"):
        open_model("replay:", SETTINGS, KEYED)


def test_openai_needs_a_key_and_says_what_to_do_without_one() -> None:
    with pytest.raises(UserError, match="use --model playbook"):
        open_model("openai/gpt-x", SETTINGS, Environment({}))


@pytest.mark.parametrize("address", ["localhost:8091/v1", "ftp://x", "v1"])
def test_an_address_without_http_is_a_users_mistake(address: str) -> None:
    environment = Environment({"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": address})
    with pytest.raises(UserError, match="must start with http://"):
        open_model("openai/gpt-x", SETTINGS, environment)


@pytest.mark.parametrize(
    ("spec", "full"),
    [
        ("playbook", "playbook/creator"),
        ("chaos/malformed=0.1,seed=7/playbook", "chaos/malformed=0.1,seed=7/playbook/creator"),
        ("chaos:all=0.1/playbook", "chaos:all=0.1/playbook/creator"),
        ("playbook/validator", "playbook/validator"),
        ("openai/playbook", "openai/playbook"),
        ("openai/gpt-x", "openai/gpt-x"),
    ],
)
def test_a_bare_playbook_is_filled_in(spec: str, full: str) -> None:
    assert with_playbook(spec, "creator") == full


# prices


def test_a_known_price_gives_no_warning() -> None:
    assert price_warning("openai/gpt-4o-mini", SETTINGS) is None


def test_an_unknown_price_is_said_with_the_settings_that_mend_it() -> None:
    warning = price_warning("openai/local", SETTINGS)
    assert warning is not None
    assert "counts as 0" in warning
    assert "model_settings.input_price" in warning


@pytest.mark.parametrize("settings", [ModelSettings(input_price=1), ModelSettings(output_price=0)])
def test_a_price_of_the_settings_is_a_price(settings: ModelSettings) -> None:
    assert price_warning("openai/local", settings) is None


@pytest.mark.parametrize("spec", ["playbook", "playbook/creator", "replay:x"])
def test_models_that_cost_nothing_need_no_price(spec: str) -> None:
    assert price_warning(spec, SETTINGS) is None


# replay

ANSWERS = (
    Answer(text="first", usage=Usage(prompt_tokens=3)),
    Answer(calls=(ToolCall(id="c", name="read_file", arguments='{"path": "ä"}'),)),
    Answer(text="third"),
)


def recorded(home: Path, job: str, answers: tuple[Answer, ...] = ANSWERS) -> Environment:
    """A home with a recorded job: its model calls between other steps, as a run keeps them."""
    trace = home / "jobs" / job / "trace"
    trace.mkdir(parents=True)
    for place, answer in enumerate(answers):
        kept = {"asked": "x", "milliseconds": 1.5, "value": answer.model_dump(mode="json")}
        (trace / f"{place * 7 + 2:05d}-model.json").write_text(json.dumps(kept), encoding="utf-8")
        (trace / f"{place * 7 + 3:05d}-read_file.json").write_text("{}", encoding="utf-8")
    return Environment({"ECHELON_HOME": str(home)})


def test_answers_come_back_in_their_order(tmp_path: Path) -> None:
    model = open_model("replay:creator-1", SETTINGS, recorded(tmp_path, "creator-1"))
    assert model.name == "replay:creator-1"
    assert tuple(model.answer(request(n)) for n in (1, 2, 3)) == ANSWERS
    assert model.answer(request(2)) == ANSWERS[1]  # a resumed job asks again for the same number


def test_the_order_is_that_of_the_steps_beyond_99999_as_well(tmp_path: Path) -> None:
    environment = recorded(tmp_path, "long", (Answer(text="first"),))
    late = {"value": Answer(text="last").model_dump(mode="json")}
    for number in ("100001", "99999"):
        (tmp_path / "jobs" / "long" / "trace" / f"{number}-model.json").write_text(json.dumps(late), encoding="utf-8")
    model = open_model("replay:long", SETTINGS, environment)
    assert [model.answer(request(n)).text for n in (1, 2, 3)] == ["first", "last", "last"]


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_call_that_the_recorded_job_did_not_make(tmp_path: Path, number: int) -> None:
    model = open_model("replay:creator-1", SETTINGS, recorded(tmp_path, "creator-1"))
    with pytest.raises(ModelUnavailable, match="the two runs differ"):
        model.answer(request(number))


def test_a_job_that_does_not_exist_with_the_nearest_that_does(tmp_path: Path) -> None:
    environment = recorded(tmp_path, "creator-12ab")
    with pytest.raises(UnknownName, match="did you mean 'creator-12ab'"):
        open_model("replay:creator-12ac", SETTINGS, environment)


def test_no_job_at_all(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no job 'x' to replay, nor any other"):
        open_model("replay:x", SETTINGS, Environment({"ECHELON_HOME": str(tmp_path / "nowhere")}))


@pytest.mark.parametrize("name", ["..", "../jobs/creator-1", "creator-1/trace", "."])
def test_a_name_cannot_lead_out_of_the_folder_of_the_jobs(tmp_path: Path, name: str) -> None:
    environment = recorded(tmp_path, "creator-1")
    with pytest.raises(UnknownName):
        open_model(f"replay:{name}", SETTINGS, environment)


def test_a_job_without_model_calls(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no call of a model is recorded"):
        open_model("replay:empty", SETTINGS, recorded(tmp_path, "empty", ()))


@pytest.mark.parametrize("content", ["", "{", "[]", '{"value": {"text": 3}}', '{"asked": "x"}', "\x00"])
def test_a_damaged_trace_is_named(tmp_path: Path, content: str) -> None:
    environment = recorded(tmp_path, "broken")
    (tmp_path / "jobs" / "broken" / "trace" / "00002-model.json").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=r"00002-model\.json cannot be read"):
        open_model("replay:broken", SETTINGS, environment)


def test_a_replay_model_can_be_made_of_answers() -> None:
    assert ReplayModel("mine", ANSWERS).answer(request(1)) == ANSWERS[0]
