"""Servers that send slowly, too much, packed, or elsewhere: each call ends in time, with a sentence, and goes nowhere."""

from __future__ import annotations

import gzip
import json
import socket
import time
from collections.abc import Callable

import pytest

from echelon.engine.messages import Message, ModelRequest
from echelon.engine.models.langchain import openai_model
from echelon.errors import ModelUnavailable
from echelon.settings import Environment, ModelSettings
from tests.support.raw_server import raw_server

REQUEST = ModelRequest(messages=(Message(role="user", content="Hello."),))
BODY = json.dumps({"choices": [{"message": {"content": "hello"}}]}).encode()


def failure(address: str, **settings: float) -> str:
    """The sentence that a single try ends with."""
    environment = Environment({"OPENAI_API_KEY": "sk-secret-0123456789abcdef", "OPENAI_BASE_URL": address})
    model = openai_model("m", ModelSettings(**{"attempts": 1, "timeout": 1.0, **settings}), environment)
    with pytest.raises(ModelUnavailable) as raised:
        model.answer(REQUEST)
    return str(raised.value)


def drip(text: bytes) -> Callable[[socket.socket], None]:
    def answer(connection: socket.socket) -> None:
        for byte in text:
            connection.sendall(bytes([byte]))
            time.sleep(0.1)

    return answer


@pytest.mark.parametrize(
    "text",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X-Header: and so on\r\n" * 100,
        b"HTTP/1.1 100 Continue\r\n\r\n" * 100,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 100,
    ],
    ids=["headers", "continue", "chunks"],
)
def test_an_answer_that_drips_ends_at_its_deadline(text: bytes) -> None:
    with raw_server(drip(text)) as address:
        failure(address)  # the first call of a process loads the client
        began = time.monotonic()
        assert "within 1 seconds" in failure(address)
        assert time.monotonic() - began < 6


def test_a_body_without_end_is_not_read_to_its_end() -> None:
    def endless(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        while True:
            connection.sendall(b" " * 65_536)

    with raw_server(endless) as address:
        assert "larger than 16 MB" in failure(address, timeout=60)


def test_a_packed_body_is_not_unpacked() -> None:
    packed = gzip.compress(b" " * 50_000_000)

    def bomb(connection: socket.socket) -> None:
        connection.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed
        )

    with raw_server(bomb) as address:
        assert "packs its answer ('gzip')" in failure(address, timeout=30)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("elsewhere", [True, False])
def test_a_redirect_is_named_and_not_followed(status: int, elsewhere: bool) -> None:
    reached: list[bytes] = []

    def other(connection: socket.socket) -> None:
        reached.append(b"")
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY))

    with raw_server(other) as target:
        place = f"{target.replace('127.0.0.1', 'localhost')}/x?key=abc" if elsewhere else "/v2/chat"

        def moved(connection: socket.socket) -> None:
            connection.sendall(f"HTTP/1.1 {status} Moved\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode())

        with raw_server(moved) as address:
            said = failure(address, attempts=5)
    assert not reached
    assert "sends the request on to http://" in said
    assert f"(status {status})" in said
    assert "OPENAI_BASE_URL" in said
    assert "secret" not in said


def test_a_password_in_the_address_is_not_told() -> None:
    with raw_server(lambda c: c.sendall(b"HTTP/1.1 307 x\r\nLocation: http://a.b\r\nContent-Length: 0\r\n\r\n")) as to:
        said = failure(to.replace("http://", "http://me:pa55w0rd@"))
    assert "pa55w0rd" not in said
