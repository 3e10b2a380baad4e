"""Events over HTTP: each once, in order, whatever breaks in between; and the figures for Prometheus."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from echelon.store.records.steps import Begun, Ended
from tests.faces.http.served import Served, add_events, add_job, served, sse


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("events") / "home", streams_each=4) as one:
        yield one


def numbers(messages: list[dict[str, str]]) -> list[int]:
    return [int(m["id"]) for m in messages if "id" in m]


def read(client: httpx.Client, job: str, last: int | None = None, most: int | None = None) -> list[dict[str, str]]:
    """The messages of a stream, to its end or until `most` events were read."""
    headers = {} if last is None else {"Last-Event-ID": str(last)}
    got: list[dict[str, str]] = []
    with client.stream("GET", f"/jobs/{job}/events", headers=headers) as answer:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        for message in sse(answer.iter_lines()):
            got.append(message)
            if most is not None and len(numbers(got)) == most:
                break
    return got


def test_a_job_that_is_over_tells_all_and_ends(server: Served) -> None:
    add_job(server.store, "creator-over", "completed", events=1_203)
    with server.client() as client:
        got = read(client, "creator-over")
        assert numbers(got) == list(range(1, 1_204))
        assert [m["event"] for m in got[-2:]] == ["state", "end"]
        assert numbers(read(client, "creator-over", last=1_200)) == [1_201, 1_202, 1_203]
        assert numbers(read(client, "creator-over", last=5_000)) == []


def test_events_come_as_they_happen_and_a_reader_that_comes_back_misses_none(server: Served) -> None:
    add_job(server.store, "creator-live", "submitted", events=3)

    def happen() -> None:
        for n in range(4, 40):
            add_events(server.store, "creator-live", n, n)
            time.sleep(0.02)
        server.store.set_job("creator-live", state="completed")

    thread = threading.Thread(target=happen)
    thread.start()
    with server.client() as client:
        first = read(client, "creator-live", most=10)
        rest = read(client, "creator-live", last=numbers(first)[-1])
    thread.join()
    assert numbers(first) + numbers(rest) == list(range(1, 40))


def test_readers_that_go_away_stop_no_other_reader(server: Served) -> None:
    """They go while they wait for the next event, and those who stay hear of it all the same."""
    add_job(server.store, "creator-shared", "submitted", events=1)

    def reader() -> socket.socket:
        one = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        one.sendall(b"GET /jobs/creator-shared/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        heard(one, "id: 1\n")
        return one

    def heard(one: socket.socket, what: str) -> None:
        got = ""
        while what not in got:
            piece = one.recv(4_000).decode()
            assert piece, "the stream ended"
            got += piece

    stays = reader()
    for number in range(2, 8):
        for goes in [reader() for _ in range(2)]:
            goes.close()
        add_events(server.store, "creator-shared", number, number)
        heard(stays, f"id: {number}\n")
    stays.close()


def test_who_does_not_want_to_follow_gets_what_there_is(server: Served) -> None:
    add_job(server.store, "creator-waits", "submitted", events=2)
    with server.client() as client:
        text = client.get("/jobs/creator-waits/events", params={"follow": "false", "after": 1}).text
    assert numbers(list(sse(text.split("\n")))) == [2]


def test_too_many_streams_are_refused_and_closed_ones_are_forgotten(server: Served) -> None:
    add_job(server.store, "creator-flood", "submitted", events=1)
    with server.client() as client:
        open_ = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(4)]
        for stream in open_:
            stream.sendall(b"GET /jobs/creator-flood/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert stream.recv(2_000).startswith(b"HTTP/1.1 200")
        refused = client.get("/jobs/creator-flood/events")
        assert refused.status_code == 429
        assert refused.headers["retry-after"]
        for stream in open_:
            stream.close()
        end = time.monotonic() + 10
        while server.desk.streams.count and time.monotonic() < end:
            time.sleep(0.05)
        assert server.desk.streams.count == 0
        assert client.get("/jobs/creator-flood/events", params={"follow": "false"}).status_code == 200


def test_an_unknown_job_has_no_stream(server: Served) -> None:
    with server.client() as client:
        assert client.get("/jobs/creator-none/events").status_code == 404
        assert client.get("/jobs/creator-over/events", headers={"Last-Event-ID": "x"}).status_code == 422


def test_figures_are_counted_from_the_database(server: Served) -> None:
    add_job(server.store, "creator-figures", "completed")
    server.store.begin_step("creator-figures", 1, Begun(kind="model", name="ask", role="QA"))
    server.store.end_step(
        "creator-figures", 1, Ended(ok=True, milliseconds=700, prompt_tokens=10, completion_tokens=5, cost=0.5)
    )
    server.desk.figures = None
    with server.client() as client:
        answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    lines = answer.text.splitlines()
    assert 'echelon_tokens_total{role="QA"} 15.0' in lines
    assert 'echelon_cost_dollars_total{role="QA"} 0.5' in lines
    assert 'echelon_step_seconds_bucket{kind="model",le="0.5"} 0.0' in lines
    assert 'echelon_step_seconds_bucket{kind="model",le="1.0"} 1.0' in lines
    assert any(line.startswith('echelon_jobs{state="completed",type="creator"}') for line in lines)
    assert "echelon_queue_wait_seconds_count 1.0" in lines
