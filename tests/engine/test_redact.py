"""Secrets go, everything else stays word for word."""

from __future__ import annotations

import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echelon.addresses import without_password
from echelon.engine.redact import _FORMS, Redactor

KEY = "k3y-" + "abcdefgh" * 3


def test_values_of_variables_that_name_a_secret_go() -> None:
    redactor = Redactor({"OPENAI_API_KEY": KEY, "NEO4J_PASSWORD": "correct horse 7", "HOME": "/home/someone"})
    said = redactor.text(f"401 for {KEY}: correct horse 7 in /home/someone")
    assert said == "401 for [OPENAI_API_KEY]: [NEO4J_PASSWORD] in /home/someone"


@pytest.mark.parametrize(
    "name",
    [
        "DB_PASS",
        "SMTP_PWD",
        "CARD_PIN",
        "TAVILY_API_KEY",
        "GITHUB_TOKEN",
        "DB_PASSWORD",
        "AWS_SECRET_ACCESS_KEY",
        "MY_SECRET",
    ],
)
def test_names_of_secrets(name: str) -> None:
    assert Redactor({name: KEY}).text(KEY) == f"[{name}]"


@pytest.mark.parametrize("name", ["KEYBOARD", "MONKEY", "TOKENIZERS_PARALLELISM", "PATH", "LANG"])
def test_names_that_only_look_like_secrets(name: str) -> None:
    assert Redactor({name: KEY}).text(KEY) == KEY


@pytest.mark.parametrize("value", ["sk", "any", "none", "/home/me/.ssh/id_ed25519", ""])
def test_values_that_are_no_secrets(value: str) -> None:
    assert Redactor({"API_KEY": value}).text(f"x {value} y") == f"x {value} y"


@pytest.mark.parametrize("value", ["1234567890", "9041", "hunter2", "tiger", "a+b/", "/Ab+cd/efgh=="])
def test_short_values_and_digits_are_secrets_where_they_stand_alone(value: str) -> None:
    redactor = Redactor({"DB_PASS": value})
    assert redactor.text(f"({value}) password={value}; {value}") == "([DB_PASS]) password=[DB_PASS]; [DB_PASS]"


def test_a_short_value_inside_a_word_is_a_part_of_the_word() -> None:
    assert Redactor({"DB_PASS": "tiger"}).text("tigerish 5tiger") == "tigerish 5tiger"


def test_a_very_short_value_goes_where_its_name_stands_before_it() -> None:
    assert Redactor({"DB_PASS": "x1"}).text("DB_PASS=x1 x1, DB_PASS: x1") == "DB_PASS=[DB_PASS] x1, DB_PASS: [DB_PASS]"


@pytest.mark.parametrize("password", ["p@ss", "p@ss/word", "a:b@c@d", "%40home", "plain-pw"])
def test_a_password_in_the_address_of_a_variable_goes_wherever_it_stands(password: str) -> None:
    redactor = Redactor({"ECHELON_DATABASE_URL": f"postgresql://me:{password}@db/jobs"})
    said = redactor.text(f'could not translate host name "{password.partition("@")[2] or "db"}@db"; pw is {password}')
    assert password not in said
    assert not any(len(tail) > 3 and tail in said for tail in password.split("@") if tail not in ("home",))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("bolt://neo4j:p@ss@host:7687 is down", "bolt://neo4j:[password]@host:7687 is down"),
        ("Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [token]"),
        ("key sk-proj-AAAAbbbbCCCCdddd1234 refused", "key [key] refused"),
        ("postgresql://echelon:hunter2@db:5432/jobs", "postgresql://echelon:[password]@db:5432/jobs"),
        ("https://:pa55@host/x", "https://:[password]@host/x"),
        ("call?api_key=a1b2c3d4e5&x=1", "call?api_key=[secret]&x=1"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[token]"),
        ("AKIAIOSFODNN7EXAMPLE", "[key]"),
        ("tvly-dev-AbCdEfGh12345678", "[key]"),
        ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "[token]"),
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


_PIECES = st.sampled_from([
    "Bearer ", "BEARER\n", "bearer", "api_key=", "API-KEY=", "apıkey=", "paſſword='", "secret=", "acceſs_toKen=", "sk-",
    "SK-", "tvly-", "ghp_", "ghs-", "GHP_", "glpat-", "xoxb-", "xoxs_", "AKIA", "akia", "AKIA0123456789ABCDEF", "eyJ",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "EYJ", "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----", "-----begin private key-----", "https://me:", "https://me:12345678@host", "@host",
    "a1b2c3d4e5f6g7h8", "A1B2C3D4E5F6G7H8", ".", " ", "İ", "K", "ß",
])  # fmt: skip


@given(st.lists(_PIECES | st.text(max_size=5), max_size=14).map("".join))
def test_forms_are_searched_for_wherever_they_could_stand(text: str) -> None:
    """As if each were searched for in every text."""
    searched = without_password(text)
    for _, form, what in _FORMS:
        searched = form.sub(rf"\g<before>[{what}]", searched)
    assert Redactor({}).text(text) == searched
