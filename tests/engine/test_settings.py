"""Configuration: layers, typos, overrides, and the environment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given
from sqlalchemy.engine import make_url

from echelon.errors import UnknownName, UserError
from echelon.settings import (
    CONFIRM,
    KNOWN,
    TOGETHER,
    Environment,
    JobConfig,
    config_names,
    load_config,
    merged,
    parse_override,
    read_environment,
    validated,
)

CONFIGS = Path(__file__).parents[2] / "configs"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path, "base", "model: openai/large\nbudget: {cost: 2, tokens: 100}\nmodels: {qa: openai/small}\n")
    write(tmp_path, "middle", "extends: base\nbudget: {cost: 3}\n")
    write(tmp_path, "reader", "extends: middle\njob: reader\nbudget: {model_calls: 7}\n")
    return tmp_path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def says(folder: Path, name: str, overrides: dict[str, Any] | None = None) -> str:
    """What the user is told."""
    with pytest.raises(UserError) as caught:
        load_config(folder, name, overrides)
    text = str(caught.value)
    assert "\n" not in text and "Traceback" not in text
    return text


def test_layers_are_merged_key_by_key_from_the_farthest(folder: Path) -> None:
    config = load_config(folder, "reader")
    assert config.model == "openai/large"
    assert (config.budget.cost, config.budget.tokens, config.budget.model_calls) == (3, 100, 7)
    assert config.budget.seconds == 14_400, "what no layer names has its default"
    assert config.model_of("qa") == "openai/small"
    assert config.model_of("implementor") == "openai/large"


def test_overrides_come_last_and_reach_into_sections(folder: Path) -> None:
    config = load_config(folder, "reader", {"budget.cost": 9, "models.qa": "playbook", "language": "de"})
    assert (config.budget.cost, config.budget.tokens, config.language) == (9, 100, "de")
    assert config.models == {"qa": "playbook"}


def test_a_configuration_can_be_a_file_anywhere_and_extends_its_neighbour_first(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "mine"
    elsewhere.mkdir()
    mine = write(elsewhere, "mine", "extends: base\njob: mine\n")
    assert load_config(folder, str(mine)).model == "openai/large", "taken from the folder of configurations"
    write(elsewhere, "base", "model: playbook\n")
    assert load_config(folder, str(mine)).model == "playbook", "taken from beside the file"


@pytest.mark.parametrize("chain", [["reader"], ["a", "reader"], ["a", "b", "reader"]])
def test_a_configuration_that_extends_itself_is_refused(folder: Path, chain: list[str]) -> None:
    for name, parent in zip(["reader", *chain[:-1]], chain, strict=True):
        write(folder, name, f"extends: {parent}\njob: reader\n")
    assert "extends itself" in says(folder, "reader")


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("bugdet.cost", "budget"),
        ("budget.cots", "budget.cost"),
        ("langauge", "language"),
        ("ceilings.task_failure", "ceilings.task_failures"),
        ("model_settings.temprature", "model_settings.temperature"),
    ],
)
def test_a_misspelt_key_is_refused_with_the_nearest_known_one(folder: Path, key: str, nearest: str) -> None:
    with pytest.raises(UnknownName) as caught:
        load_config(folder, "reader", {key: 1})
    assert caught.value.nearest == nearest
    assert f"did you mean '{nearest}'?" in str(caught.value)


def test_a_key_like_no_other_is_refused_with_all_that_there_are(folder: Path) -> None:
    assert "known: todos.batch, todos.least, todos.most." in says(folder, "reader", {"todos.xyzzy": 1})


def test_a_misspelt_job_or_parent_is_refused_with_the_nearest(folder: Path) -> None:
    assert "did you mean 'reader'?" in says(folder, "raeder")
    write(folder, "reader", "extends: midle\njob: reader\n")
    text = says(folder, "reader")
    assert "'extends' of" in text and "did you mean 'middle'?" in text


@pytest.mark.parametrize("limit", ["cost", "tokens", "model_calls", "seconds"])
def test_unlimited_is_spelled_out(folder: Path, limit: str) -> None:
    assert getattr(load_config(folder, "reader", {f"budget.{limit}": "unlimited"}).budget, limit) == "unlimited"
    for wrong in ("lots", -1, float("inf"), float("nan"), None, [1]):
        text = says(folder, "reader", {f"budget.{limit}": wrong})
        assert f"'budget.{limit}'" in text and "'unlimited'" in text


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"budget": 3}, "'budget'"),
        ({"approvals": "sometimes"}, "'none', 'scope'"),
        ({"model_settings.timeout": 0}, "'model_settings.timeout': Input should be greater than 0"),
        ({"models.qa": 3}, "'models.qa'"),
        ({"model.name": "x"}, "'model'"),
        ({"budget.warn_at": 1.5}, "'budget.warn_at'"),
        ({"confidence.model": 0, "confidence.validator": 0, "confidence.heuristics": 0}, "must be above 0"),
        ({"confidence.repair": 0.9}, "repair must not be above go_on"),
        ({"todos.least": 10, "todos.most": 7}, "least and batch must not be above most"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_key(folder: Path, overrides: dict[str, Any], said: str) -> None:
    assert said in says(folder, "reader", overrides)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"job: [", "not valid YAML"),
        (b"a: b: c", "not valid YAML"),
        (b"", "must hold a mapping"),
        (b"- job", "must hold a mapping"),
        (b"job: r\xff", "cannot be read"),
        (b"extends: [base]\njob: reader", "'extends' of"),
        (b"description: no job", "'job': Field required"),
        (b"1: 2\njob: reader", "Keys should be strings"),
    ],
)
def test_a_broken_file_is_one_sentence(folder: Path, text: bytes, said: str) -> None:
    (folder / "broken.yaml").write_bytes(text)
    assert said in says(folder, str(folder / "broken.yaml"))


def test_a_configuration_is_frozen(folder: Path) -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_config(folder, "reader").budget.cost = 1


def test_names_are_those_that_describe_a_job(folder: Path) -> None:
    assert config_names(folder) == ["reader"]


@pytest.mark.parametrize("name", config_names(CONFIGS))
def test_the_configurations_that_are_shipped_load(name: str) -> None:
    config = load_config(CONFIGS, name)
    assert JobConfig.model_validate(config.model_dump(mode="json")) == config
    assert config.job and config.description
    assert "unlimited" not in {config.budget.cost, config.budget.tokens, config.budget.model_calls}, "ceilings are on"


def test_every_setting_says_what_it_is() -> None:
    for name, section in JobConfig.model_fields.items():
        fields = getattr(section.annotation, "model_fields", None)
        for key, field in (fields or {}).items():
            assert field.description, f"{name}.{key}"


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("budget.cost=1.5", "budget.cost", 1.5),
        ("budget.cost=unlimited", "budget.cost", "unlimited"),
        ("inputs.skip_unreadable=true", "inputs.skip_unreadable", True),
        (" language = de", "language", "de"),
        ("model=openai/x:y=z", "model", "openai/x:y=z"),
        ("models={qa: playbook}", "models", {"qa": "playbook"}),
        ("request=", "request", None),
    ],
)
def test_an_override_is_a_key_and_a_value_in_yaml(text: str, key: str, value: Any) -> None:
    assert parse_override(text) == (key, value)


@pytest.mark.parametrize("text", ["budget.cost", "=1", "  =1", "", "models={qa: "])
def test_any_other_form_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_override(text)


values = st.recursive(
    st.integers() | st.text(max_size=3), lambda v: st.dictionaries(st.sampled_from("abc"), v, max_size=3), max_leaves=8
)
mappings = st.dictionaries(st.sampled_from("abc"), values, max_size=3)


@given(mappings, st.lists(st.sampled_from("abc"), min_size=1, max_size=3), st.integers())
def test_an_override_changes_its_own_place_alone(under: dict[str, Any], path: list[str], value: int) -> None:
    before = repr(under)
    over = merged(under, {".".join(path): value})
    assert repr(under) == before
    here: Any = over
    for part in path:
        here = here[part]
    assert here == value
    assert {k: v for k, v in over.items() if k != path[0]} == {k: v for k, v in under.items() if k != path[0]}


def test_validated_speaks_of_what_it_was_given() -> None:
    with pytest.raises(UserError, match=r"Unknown key in the parcel: 'wieght'"):
        validated(JobConfig, {"job": "x", "wieght": 1}, "the parcel")


# the environment


def test_the_database_is_sqlite_in_the_home_by_default(tmp_path: Path) -> None:
    here = Environment({"ECHELON_HOME": str(tmp_path / "home")})
    assert here.home == tmp_path / "home"
    assert here.database_url == f"sqlite:///{tmp_path / 'home' / 'echelon.sqlite'}"


def test_the_home_is_in_the_current_folder_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert Environment({}).home == tmp_path / ".echelon"
    assert Environment({"ECHELON_HOME": ""}).home == tmp_path / ".echelon"
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert Environment({"ECHELON_HOME": "~/jobs"}).home == tmp_path / "me" / "jobs"


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_postgresql_is_spoken_to_through_psycopg(scheme: str) -> None:
    url = Environment({"ECHELON_DATABASE_URL": f"{scheme}://u:p@h/db"}).database_url
    assert url == "postgresql+psycopg://u:p@h/db"


@pytest.mark.parametrize("url", ["mysql://h/db", "echelon.sqlite", "postgresql:db", "http://secret@h"])
def test_another_database_is_refused_without_repeating_the_address(url: str) -> None:
    with pytest.raises(UserError) as caught:
        _ = Environment({"ECHELON_DATABASE_URL": url}).database_url
    assert url not in str(caught.value)


def test_env_file_of_the_current_folder_is_read_and_variables_win(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ECHELON_TEST_A", "ECHELON_TEST_B", "ECHELON_TEST_C"):
        monkeypatch.setenv(name, "x")  # so that the test puts them back
        monkeypatch.delenv(name)
    (tmp_path / ".env").write_text("ECHELON_TEST_A=file\nECHELON_TEST_B='in quotes'\n# no\nECHELON_TEST_C\n")
    monkeypatch.setenv("ECHELON_TEST_A", "variable")
    found = read_environment()
    assert (found.get("ECHELON_TEST_A"), found.get("ECHELON_TEST_B")) == ("variable", "in quotes")
    assert found.get("ECHELON_TEST_C") is None and found.get("ECHELON_TEST_D") is None


def test_an_env_file_sets_what_echelon_knows_and_nothing_in_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (*KNOWN, "LD_PRELOAD", "GIT_SSH_COMMAND"):
        monkeypatch.delenv(name, raising=False)
    lines = [f"{name}=from-file" for name in (*KNOWN, "LD_PRELOAD", "GIT_SSH_COMMAND", "CREWAI_DISABLE_TELEMETRY")]
    (tmp_path / ".env").write_text("\n".join(lines))
    found = read_environment()
    assert {found.get(name) for name in KNOWN} == {"from-file"}
    assert found.from_file == frozenset(KNOWN)
    assert found.get("LD_PRELOAD") is None and "LD_PRELOAD" not in os.environ
    assert "OPENAI_BASE_URL" not in os.environ
    assert found.get("CREWAI_DISABLE_TELEMETRY") != "from-file"


@pytest.mark.parametrize(("address", "key"), TOGETHER)
@pytest.mark.parametrize("from_file", ["address", "key"])
def test_a_key_does_not_go_to_an_address_of_another_place(address: str, key: str, from_file: str) -> None:
    values = {address: "http://me:pa55w0rd@evil.example/v1", key: "sk-secret"}
    mixed = frozenset({address if from_file == "address" else key})
    with pytest.raises(UserError, match=CONFIRM) as raised:
        Environment(values, mixed).check_together(address)
    assert "sk-secret" not in str(raised.value) and "pa55w0rd" not in str(raised.value)
    Environment(values).check_together(address)
    Environment(values, frozenset({address, key})).check_together(address)
    confirmed = {**values, CONFIRM: values[address]}
    Environment(confirmed, mixed).check_together(address)
    with pytest.raises(UserError):
        Environment(confirmed, mixed | {CONFIRM}).check_together(address)
    with pytest.raises(UserError):
        Environment({**values, CONFIRM: "http://other.example"}, mixed).check_together(address)


@pytest.mark.parametrize("password", ["p@ss", "p%40ss", "a@b@c", "plain"])
def test_a_password_of_the_database_may_hold_what_it_likes(password: str) -> None:
    url = Environment({"ECHELON_DATABASE_URL": f"postgresql://me:{password}@db:5432/jobs"}).database_url
    assert make_url(url).host == "db"
    assert make_url(url).password == password.replace("%40", "@")


def test_a_folder_called_env_is_no_env_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".env").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ECHELON_HOME", raising=False)
    assert read_environment().home == tmp_path / ".echelon"


def test_a_layer_that_was_read_before_is_as_it_stands_now(tmp_path: Path) -> None:
    """Texts are parsed once in a process; what one load does with them, the next one does not see."""
    (tmp_path / "base.yaml").write_text("description: From below.\ntodos: {most: 7}\n")
    upper = tmp_path / "upper.yaml"
    upper.write_text("extends: base\njob: plain\ntodos: {batch: 3}\n")
    for _ in range(2):
        loaded = load_config(tmp_path, "upper", {"todos.least": 2})
        assert (loaded.description, loaded.todos.most, loaded.todos.batch, loaded.todos.least) == (
            "From below.",
            7,
            3,
            2,
        )
    assert load_config(tmp_path, "upper").todos.least != 2
    upper.write_text("extends: base\njob: plain\ntodos: {batch: 4}\n")
    assert load_config(tmp_path, "upper").todos.batch == 4
