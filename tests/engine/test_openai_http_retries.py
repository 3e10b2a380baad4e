"""Retries over real HTTP: one layer, its waits, its sentences, and no secret in any of them."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echelon.engine.messages import Answer, Message, ModelRequest
from echelon.engine.models.langchain import openai_model
from echelon.engine.models.retry import Retries, TransientFailure
from echelon.errors import ContextTooLong, ModelUnavailable
from echelon.settings import Environment, ModelSettings
from tests.support.chat_server import (
    ChatServer,
    Reply,
    failure,
    hang,
    rate_limited,
    reset,
    server_error,
    text,
    unauthorized,
)

KEY = "sk-proj-verysecret-0123456789"
REQUEST = ModelRequest(messages=(Message(role="user", content="Hello."),))


class Clock:
    """Waits that take no time and are written down."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


def ask(address: str, sleep: Callable[[float], None] | None = None, key: str = KEY, **settings: Any) -> Answer:
    environment = Environment({"OPENAI_API_KEY": key, "OPENAI_BASE_URL": address})
    return openai_model(
        "scripted", ModelSettings(**{"timeout": 30, **settings}), environment, sleep or Clock().sleep
    ).answer(REQUEST)


def passed(*replies: Reply, **settings: Any) -> list[float]:
    """The waits of a call that ends well after these failures."""
    clock = Clock()
    with ChatServer([*replies, text("done")]) as server:
        assert ask(server.base_url, clock.sleep, **settings).text == "done"
        assert len(server.requests) == len(replies) + 1
    return clock.waits


def failed(*replies: Reply, **settings: Any) -> tuple[ModelUnavailable, int]:
    """The error of a call that ends badly, and how many requests the server got."""
    with ChatServer(list(replies)) as server:
        with pytest.raises(ModelUnavailable) as raised:
            ask(server.base_url, **settings)
        assert KEY not in str(raised.value)
        return raised.value, len(server.requests)


# what passes


def test_a_good_answer_is_asked_for_once() -> None:
    assert passed() == []


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_a_failure_that_may_pass_is_tried_again(status: int) -> None:
    assert len(passed(failure(status, "busy", "busy"))) == 1


def test_waits_double_and_are_never_the_same() -> None:
    waits = passed(*[server_error()] * 4)
    for wait, nominal in zip(waits, (0.5, 1.0, 2.0, 4.0), strict=True):
        assert 0.75 * nominal <= wait <= 1.25 * nominal
    assert len(set(waits)) == 4


@settings(deadline=None)
@given(st.integers(min_value=2, max_value=40))
def test_no_wait_is_longer_than_the_longest(attempts: int) -> None:
    clock = Clock()

    def call() -> None:
        raise TransientFailure("busy")

    with pytest.raises(ModelUnavailable):
        Retries("m", attempts, 60, sleep=clock.sleep).run(call)
    assert len(clock.waits) == attempts - 1
    assert max(clock.waits) <= 30 * 1.25


@pytest.mark.parametrize("seconds", [0, 3, 0.25])
def test_retry_after_in_seconds_is_obeyed(seconds: float) -> None:
    assert passed(rate_limited(seconds)) == [seconds]


def test_retry_after_counts_with_503_as_well() -> None:
    assert passed(failure(503, "loading", "unavailable", {"Retry-After": "7"})) == [7.0]


def test_retry_after_as_a_date_is_obeyed() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    (wait,) = passed(failure(429, "slow down", "rate_limit_exceeded", {"Retry-After": date}))
    assert 15 <= wait <= 20


def test_a_date_that_has_passed_means_now() -> None:
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    assert passed(failure(429, "slow down", "rate_limit_exceeded", {"Retry-After": date})) == [0.0]


@pytest.mark.parametrize("value", ["soon", "", "nan", "inf", "Wed, 99 Foo 2015"])
def test_a_retry_after_that_says_nothing_leaves_our_own_wait(value: str) -> None:
    (wait,) = passed(failure(429, "slow down", "rate_limit_exceeded", {"Retry-After": value}))
    assert 0.375 <= wait <= 0.625


def test_a_negative_retry_after_means_now() -> None:
    assert passed(failure(429, "slow down", "rate_limit_exceeded", {"Retry-After": "-5"})) == [0.0]


def test_a_reset_connection_is_tried_again() -> None:
    assert len(passed(reset(), reset())) == 2


def test_a_timeout_is_tried_again() -> None:
    assert len(passed(hang(), timeout=0.3)) == 1


@pytest.mark.parametrize(
    "body",
    [{"error": {"message": "overloaded"}}, {"choices": None}, {"something": "else"}, {"choices": [{"message": None}]}],
)
def test_an_answer_that_cannot_be_read_is_tried_again(body: dict[str, Any]) -> None:
    assert len(passed(Reply(error=body))) == 1


# what ends it


def test_attempts_bound_the_requests_and_no_other_layer_adds_any() -> None:
    error, requests = failed(*[server_error()] * 9, attempts=3)
    assert (requests, error.attempts) == (3, 3)
    assert "status 500" in str(error)


def test_one_attempt_is_one_request() -> None:
    assert failed(rate_limited(0), attempts=1)[1] == 1


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (unauthorized(), "check OPENAI_API_KEY"),
        (failure(403, "no access", "forbidden"), "check OPENAI_API_KEY"),
        (failure(404, "no such model", "model_not_found"), "check the name and OPENAI_BASE_URL"),
        (failure(400, "'tools' is wrong", "invalid_request_error"), "'tools' is wrong"),
        (failure(422, "'messages' is wrong", "invalid_request_error"), "'messages' is wrong"),
        (failure(429, "You exceeded your quota", "insufficient_quota"), "check its plan and billing"),
    ],
)
def test_what_will_not_pass_fails_at_once_and_says_what_to_do(reply: Reply, says: str) -> None:
    error, requests = failed(reply, text("never asked for"))
    assert requests == 1
    assert str(error).startswith("Model 'openai/scripted' cannot be used: ")
    assert says in str(error)
    assert "\n" not in str(error)


def test_a_server_that_asks_for_an_hour_is_not_waited_for() -> None:
    error, requests = failed(rate_limited(3600), text("never asked for"), timeout=60)
    assert requests == 1
    assert "asks to wait 3600 seconds" in str(error)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        ("the request exceeds the available context size, try increasing it", "exceed_context_size_error"),
        ("This model's maximum context length is 4096 tokens, however you requested 5000", "BadRequestError"),
        ("prompt is too long: 210000 tokens > 200000 maximum", "invalid_request_error"),
        ("Input is wrong", "context_window_exceeded"),
    ],
)
def test_a_prompt_that_does_not_fit_is_an_error_of_its_own(message: str, code: str) -> None:
    error, requests = failed(failure(400, message, code))
    assert isinstance(error, ContextTooLong)
    assert requests == 1


def test_another_400_is_no_prompt_that_does_not_fit() -> None:
    error, _ = failed(failure(400, "the length of 'name' must be 1 to 64", "invalid_request_error"))
    assert not isinstance(error, ContextTooLong)


def test_nobody_there_says_what_to_check() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    clock = Clock()
    with pytest.raises(ModelUnavailable, match="check OPENAI_BASE_URL and the network") as raised:
        ask(f"http://127.0.0.1:{port}/v1", clock.sleep, attempts=4)
    assert raised.value.attempts == 4
    assert len(clock.waits) == 3


def test_a_server_that_never_answers_ends_after_its_time_and_attempts() -> None:
    began = time.monotonic()
    error, requests = failed(hang(), hang(), attempts=2, timeout=0.4)
    assert requests == 2
    assert 0.8 <= time.monotonic() - began < 8
    assert "within 0.4 seconds" in str(error)
    assert "model_settings.timeout" in str(error)


def test_a_server_that_sends_a_byte_now_and_then_ends_after_its_time_as_well() -> None:
    with trickling_server() as address:
        began = time.monotonic()
        with pytest.raises(ModelUnavailable, match=r"within 0\.5 seconds"):
            ask(address, attempts=1, timeout=0.5)
        assert time.monotonic() - began < 5


class Trickle(BaseHTTPRequestHandler):
    """A gateway that keeps a connection alive with a blank every 50 ms, and never answers."""

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        for _ in range(400):
            try:
                self.wfile.write(b" ")
            except OSError:
                return
            time.sleep(0.05)


@contextmanager
def trickling_server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Trickle) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("secret", [KEY, "a key with no usual form"])
def test_a_key_in_the_servers_own_words_is_blacked_out(secret: str) -> None:
    reply = failure(400, f"Bad header 'Bearer {secret}' and sk-other-987654321", "invalid_request_error")
    with ChatServer([reply]) as server, pytest.raises(ModelUnavailable) as raised:
        ask(server.base_url, key=secret)
    assert secret not in str(raised.value)
    assert "sk-other" not in str(raised.value)
    assert "***" in str(raised.value)


def test_a_very_long_error_of_the_server_is_cut() -> None:
    error, _ = failed(failure(400, "wrong " * 10_000, "invalid_request_error"))
    assert len(str(error)) < 500


def test_a_fault_of_the_programme_is_not_taken_for_the_servers() -> None:
    def call() -> None:
        raise NotImplementedError("ours")

    with pytest.raises(NotImplementedError, match="ours"):
        Retries("m", 3, 60, sleep=Clock().sleep).run(call)
