"""Secrets go, everything else stays word for word."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.engine.redact import Redactor

KEY = "k3y-" + "abcdefgh" * 3


def test_values_of_variables_that_name_a_secret_go() -> None:
    redactor = Redactor({"OPENAI_API_KEY": KEY, "NEO4J_PASSWORD": "correct horse 7", "HOME": "/home/someone"})
    said = redactor.text(f"401 for {KEY}: correct horse 7 in /home/someone")
    assert said == "401 for [OPENAI_API_KEY]: [NEO4J_PASSWORD] in /home/someone"


@pytest.mark.parametrize(
    "name", ["TAVILY_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY", "MY_SECRET"]
)
def test_names_of_secrets(name: str) -> None:
    assert Redactor({name: KEY}).text(KEY) == f"[{name}]"


@pytest.mark.parametrize("name", ["KEYBOARD", "MONKEY", "TOKENIZERS_PARALLELISM", "PATH", "LANG"])
def test_names_that_only_look_like_secrets(name: str) -> None:
    assert Redactor({name: KEY}).text(KEY) == KEY


@pytest.mark.parametrize("value", ["sk", "1234567890", "/home/me/.ssh/id_ed25519", ""])
def test_values_that_are_no_secrets(value: str) -> None:
    assert Redactor({"API_KEY": value}).text(f"x {value} y") == f"x {value} y"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [token]"),
        ("key sk-proj-AAAAbbbbCCCCdddd1234 refused", "key [key] refused"),
        ("postgresql://echelon:hunter2@db:5432/jobs", "postgresql://echelon:[password]@db:5432/jobs"),
        ("https://:pa55@host/x", "https://:[password]@host/x"),
        ("call?api_key=a1b2c3d4e5&x=1", "call?api_key=[secret]&x=1"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[token]"),
        ("AKIAIOSFODNN7EXAMPLE", "[key]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nrest", "[key]\nrest"),
    ],
)
def test_well_known_forms(text: str, left: str) -> None:
    assert Redactor({}).text(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "Verify that the password: complexity rules are documented.",
        "The bearer authentication scheme shall be used; bearer instruments are out of scope.",
        "secret=none",
        "See https://example.org:8080/a@b and mail to someone@example.org.",
        "Clause 5.1.2: a private key must be kept in a vault.",
    ],
)
def test_prose_about_secrets_stays(text: str) -> None:
    assert Redactor({}).text(text) == text


def test_data_is_redacted_at_every_depth_and_keys_stay() -> None:
    value = {"a": [KEY, {"b": f"x{KEY}"}], "n": 3, "none": None, KEY: True}
    assert Redactor({"X_TOKEN": KEY}).data(value) == {
        "a": ["[X_TOKEN]", {"b": "x[X_TOKEN]"}], "n": 3, "none": None, KEY: True,
    }  # fmt: skip


def test_a_secret_inside_the_arguments_of_a_call() -> None:
    secret = 'quo"te\\back 1'
    arguments = json.dumps({"text": secret})
    assert json.loads(Redactor({"A_SECRET": secret}).text(arguments)) == {"text": "[A_SECRET]"}


def test_a_secret_that_contains_another_goes_as_a_whole() -> None:
    assert Redactor({"A_KEY": "abcdefgh", "B_KEY": "abcdefgh-ijkl"}).text("abcdefgh-ijkl abcdefgh") == "[B_KEY] [A_KEY]"


_SECRET = st.text(string.ascii_letters + string.digits + "-._", min_size=10, max_size=40).filter(
    lambda s: not s.isdigit() and not s.startswith(".")
)


@given(_SECRET, st.text(max_size=60), st.text(max_size=60))
def test_no_secret_survives_anywhere(secret: str, before: str, after: str) -> None:
    left = Redactor({"SERVICE_TOKEN": secret}).text(before + secret + after)
    assert secret not in left or secret in "[SERVICE_TOKEN]"


@given(st.text(string.ascii_lowercase + " .,;\n", max_size=200))
def test_plain_prose_stays(text: str) -> None:
    assert Redactor({}).text(text) == text


@given(_SECRET, st.text(max_size=40))
def test_redacting_twice_changes_nothing_more(secret: str, text: str) -> None:
    redactor = Redactor({"SERVICE_TOKEN": secret})
    once = redactor.text(text + secret)
    assert redactor.text(once) == once
