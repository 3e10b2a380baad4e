"""The doctor's look at the model server: nothing it finds makes it fail, and the key goes nowhere else."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from echelon.errors import UserError
from echelon.service.doctor import Check, examine
from echelon.service.service import Service
from echelon.settings import CONFIRM, Environment
from tests.support.chat_server import ChatServer, text
from tests.support.raw_server import raw_server

KEY = "sk-doctor-secret-0123456789"


def found(home: Path, address: str, from_file: tuple[str, ...] = (), **more: str) -> Check:
    values = {"ECHELON_HOME": str(home), "OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": address, **more}
    (check,) = [c for c in examine(Environment(values, frozenset(from_file))) if c.name == "model server"]
    assert KEY not in str(check)
    return check


def test_a_good_server(tmp_path: Path) -> None:
    with ChatServer([text("x")]) as server:
        assert found(tmp_path, server.base_url) == Check("model server", "ok", f"{server.base_url}, 1 model")


def test_a_server_without_the_configured_model_is_named_with_what_it_has(tmp_path: Path) -> None:
    with ChatServer([text("x")], [f"m{n}" for n in range(8)]) as server:
        good, bad, rules = (
            found(tmp_path, server.base_url, ECHELON_MODEL=m) for m in ("openai/m3", "openai/m9", "playbook")
        )
    assert (good.state, rules.state, bad.state) == ("ok", "ok", "broken")
    assert "configured model m9" in bad.found and "it has m0, m1, m2, m3, m4 and 3 more" in bad.found
    assert bad.fix.endswith("such as openai/m0")


@pytest.mark.parametrize(
    "said", [b"{}", b"[1, 2]", b'{"data": [{"name": "x"}]}', b'{"data": 3}', b"models", b"\xff\xfe"]
)
def test_a_list_that_nobody_can_read_says_nothing_of_the_model(tmp_path: Path, said: bytes) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(said) + said
    with raw_server(lambda c: c.sendall(answer)) as address:
        assert found(tmp_path, address, ECHELON_MODEL="openai/m1").state == "ok"


def test_a_redirect_gets_no_key_and_is_named(tmp_path: Path) -> None:
    got: list[bytes] = []

    def thief(connection: socket.socket) -> None:
        got.append(b"asked")
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    with raw_server(thief) as target:
        place = target.replace("127.0.0.1", "localhost").encode()
        moved = b"HTTP/1.1 302 Found\r\nLocation: " + place + b"\r\nContent-Length: 0\r\n\r\n"
        with raw_server(lambda c: c.sendall(moved)) as address:
            check = found(tmp_path, address)
    assert not got
    assert check.state == "broken"
    assert "http://localhost" in check.found


@pytest.mark.parametrize("said", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 banana\r\n\r\n", b"\x00" * 500])
def test_what_is_no_http_is_a_finding(tmp_path: Path, said: bytes) -> None:
    with raw_server(lambda c: c.sendall(said)) as address:
        assert found(tmp_path, address).state == "broken"


def test_a_password_in_the_address_is_not_shown(tmp_path: Path) -> None:
    with ChatServer([text("x")]) as server:
        for address in (server.base_url, "http://127.0.0.1:9/v1"):
            check = found(tmp_path, address.replace("http://", "http://me:pa55@word@"))
            assert "pa55" not in str(check) and "word@" not in str(check)


def test_a_key_of_another_place_is_not_tried(tmp_path: Path) -> None:
    with ChatServer([text("x")]) as server:
        check = found(tmp_path, server.base_url, from_file=("OPENAI_BASE_URL",))
        assert (check.state, server.requests) == ("broken", [])
        assert CONFIRM in check.fix
        confirmed = {CONFIRM: server.base_url}
        assert found(tmp_path, server.base_url, from_file=("OPENAI_BASE_URL",), **confirmed).state == "ok"


def test_a_password_in_a_setting_is_refused(tmp_path: Path) -> None:
    jobs = Service(Environment({"ECHELON_HOME": str(tmp_path)}))
    with pytest.raises(UserError, match="NEO4J_PASSWORD") as raised:
        jobs.configuration("validator", None, {"graph.url": "bolt://neo4j:pa55word@host:7687"})
    assert "pa55word" not in str(raised.value)
