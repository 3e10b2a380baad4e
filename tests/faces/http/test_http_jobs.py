"""Jobs over HTTP: made once, listed a page at a time, told things, with the sentences of the terminal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from echelon.store.records.jobs import Result
from tests.faces.http.served import Served, add_job, served, upload

ASKED = Result(reason="Which edition?", snapshot={"position": {"came_from": "scope"}}, questions=("Which edition?",))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("http") / "home") as one:
        yield one


@pytest.fixture
def client(server: Served) -> Iterator[httpx.Client]:
    with server.client() as one:
        yield one


def is_problem(answer: httpx.Response, status: int, says: str = "") -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    found: dict[str, Any] = answer.json()
    assert found["status"] == status
    assert found["title"]
    assert says in found["detail"], found
    return found


# making jobs


def test_a_job_is_made_from_a_form_and_queued(client: httpx.Client, server: Served) -> None:
    answer = client.post("/jobs", data={"type": "creator", "request": "only the prohibitions"}, files=upload())
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert answer.headers["location"] == f"/jobs/{made['job']}"
    assert (made["state"], made["request"], made["inputs"]) == (
        "submitted", "only the prohibitions", ["records-retention-policy-2pages.pdf"],
    )  # fmt: skip
    from echelon.engine import durable

    assert durable.is_queued(server.store, made["job"], 1)
    assert client.get(f"/jobs/{made['job']}").json() == made


def test_a_job_is_made_from_uploads(client: httpx.Client) -> None:
    sent = client.post(
        "/uploads", files=[("files", ("a.md", b"# A\n\nThe unit shall act.")), ("files", ("b.md", b"B"))]
    )
    assert sent.status_code == 201, sent.text
    uploads = sent.json()["uploads"]
    assert [u["name"] for u in uploads] == ["a.md", "b.md"]
    assert uploads[1]["sha256"] == "df7e70e5021544f4834bbee64a9e3789febc4be81470df629cad6ddb03320a5c"
    answer = client.post("/jobs", json={"type": "creator", "uploads": [u["id"] for u in uploads]})
    assert answer.status_code == 201, answer.text
    assert answer.json()["inputs"] == ["a.md", "b.md"]


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"type": "creatr", "uploads": []}, 404, "Unknown job type 'creatr'; did you mean 'creator'?"),
        ({"type": "creator", "uploads": []}, 409, "needs at least 1 input file"),
        ({"type": "creator", "uploads": ["0" * 24]}, 404, "Unknown upload"),
        ({"type": "creator", "set": ["budgt.cost=1"]}, 404, "did you mean"),
        ({"type": "creator", "set": ["budget.cost=much"]}, 409, "budget.cost"),
        ({"type": "creator", "set": ["code.fence=none"]}, 403, "on the machine"),
        ({"type": "creator", "set": ["instructions=/etc/passwd"]}, 403, "on the machine"),
        ({"type": "creator", "files": "x"}, 422, "does not fit"),
        ({}, 422, "does not fit"),
        ({"type": "../creator"}, 404, "Unknown job type"),
        ({"type": "creator", "webhook": "http://127.0.0.1/x"}, 403, "--webhook-host"),
    ],
)
def test_what_cannot_be_is_said_and_nothing_is_made(
    client: httpx.Client, server: Served, body: dict[str, Any], status: int, says: str
) -> None:
    before = len(server.store.all_jobs())
    is_problem(client.post("/jobs", json=body), status, says)
    assert len(server.store.all_jobs()) == before


def test_files_of_a_request_that_fails_are_not_kept(client: httpx.Client, server: Served) -> None:
    folder = server.desk.service.environment.home / "uploads"
    before = set(folder.glob("*"))
    is_problem(client.post("/jobs", data={"type": "creator", "set": "x=1"}, files=upload()), 404)
    is_problem(client.post("/jobs", data={"type": "creator", "nonsense": "1"}, files=upload()), 422)
    assert set(folder.glob("*")) == before


def test_the_same_key_makes_one_job(client: httpx.Client, server: Served) -> None:
    def send(key: str, **data: str) -> httpx.Response:
        return client.post("/jobs", data={"type": "creator", **data}, files=upload(), headers={"Idempotency-Key": key})

    first, again = send("k-1"), send("k-1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["job"] == again.json()["job"]
    is_problem(send("k-1", request="something else"), 409, "was used for another request")
    assert send("k-2").json()["job"] != first.json()["job"]


def test_a_key_of_a_request_that_failed_may_be_used_again(client: httpx.Client) -> None:
    key = {"Idempotency-Key": "k-3"}
    is_problem(client.post("/jobs", data={"type": "creatr"}, files=upload(), headers=key), 404)
    assert client.post("/jobs", data={"type": "creator"}, files=upload(), headers=key).status_code == 201


def test_a_key_that_comes_ten_times_at_once_makes_one_job(server: Served) -> None:
    answers: list[httpx.Response] = []

    def send() -> None:
        with server.client() as one:
            headers = {"Idempotency-Key": "at-once"}
            answers.append(one.post("/jobs", data={"type": "creator"}, files=upload(), headers=headers))

    threads = [threading.Thread(target=send) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {a.status_code for a in answers} <= {200, 201}, [a.text for a in answers]
    assert len({a.json()["job"] for a in answers}) == 1
    assert [a.status_code for a in answers].count(201) == 1


# looking


def test_pages_follow_one_another_without_gap_or_repetition(tmp_path: Path) -> None:
    with served(tmp_path / "home") as server, server.client() as client:
        for n in range(25):
            add_job(server.store, f"creator-{n:08x}", "completed" if n % 2 else "submitted")
        seen: list[str] = []
        after: dict[str, str] = {}
        while True:
            page = client.get("/jobs", params={"limit": 7, **after}).json()
            seen += [row["job"] for row in page["jobs"]]
            if page["next"] is None:
                break
            after = {"after": page["next"]}
        assert seen == [row.id for row in server.store.all_jobs()]
        some = client.get("/jobs", params={"state": "completed", "limit": 200}).json()["jobs"]
        assert len(some) == 12
        assert {row["state"] for row in some} == {"completed"}
        assert client.get("/jobs", params={"type": "planner"}).json() == {"jobs": [], "next": None}


def test_a_job_that_nobody_runs_any_more_is_interrupted(client: httpx.Client, server: Served) -> None:
    add_job(server.store, "creator-lost", "running")
    assert client.get("/jobs/creator-lost").json()["state"] == "interrupted"
    listed = client.get("/jobs", params={"state": "interrupted"}).json()["jobs"]
    assert [row["job"] for row in listed] == ["creator-lost"]
    assert client.get("/jobs", params={"state": "running"}).json()["jobs"] == []


def test_what_is_not_there_is_said_as_the_terminal_says_it(client: httpx.Client, server: Served) -> None:
    add_job(server.store, "creator-abcdef01")
    is_problem(client.get("/jobs/creator-abcdef02"), 404, "did you mean 'creator-abcdef01'?")
    is_problem(client.get("/jobs", params={"after": "bm9uc2Vuc2U"}), 409, "is no place in the list of jobs")
    is_problem(client.get("/jobs", params={"limit": "0"}), 422)
    is_problem(client.get("/nothing"), 404)
    answer = client.delete("/jobs")
    is_problem(answer, 405)
    assert "GET" in answer.headers["allow"]
    is_problem(client.get("/jobs/creator-abcdef01/steps/3"), 404, "has no steps")


# telling


def test_a_job_that_waits_hears_an_answer(client: httpx.Client, server: Served) -> None:
    add_job(server.store, "creator-asks", "needs_input", result=ASKED)
    is_problem(client.post("/jobs/creator-asks/approve"), 409, "has nothing to approve")
    is_problem(client.post("/jobs/creator-asks/answer", json={"text": "  "}), 422)
    is_problem(client.post("/jobs/creator-asks/resume"), 409, "waits for a person")
    answer = client.post("/jobs/creator-asks/answer", json={"text": "the second"})
    assert answer.status_code == 200, answer.text
    assert answer.json()["state"] == "submitted"
    given = server.store.job("creator-asks").config.given
    assert given is not None
    assert given.said is not None
    assert given.said.text == "the second"
    is_problem(client.post("/jobs/creator-asks/answer", json={"text": "again"}), 409, "asks nothing")


def test_a_job_at_its_limit_goes_on_with_more(client: httpx.Client, server: Served) -> None:
    add_job(server.store, "creator-limit", "limit", result=Result(snapshot={"position": {"came_from": "qa"}}))
    answer = client.post("/jobs/creator-limit/resume", json={"set": ["budget.cost=7"]})
    assert answer.status_code == 200, answer.text
    assert server.store.job("creator-limit").config.config["budget"]["cost"] == 7
    is_problem(client.post("/jobs/creator-limit/resume"), 409, "waits in the queue already")


def test_a_job_is_cancelled_once(client: httpx.Client, server: Served) -> None:
    add_job(server.store, "creator-stop")
    assert client.post("/jobs/creator-stop/cancel").json()["state"] == "cancelled"
    is_problem(client.post("/jobs/creator-stop/cancel"), 409, "is cancelled already")
    is_problem(client.post("/jobs/creator-stop/resume"), 409, "nothing to go on with")


# the server itself


def test_every_route_is_described(server: Served, client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()
    wanted = {
        "/health", "/ready", "/status", "/metrics", "/jobs", "/jobs/{job}", "/jobs/{job}/cancel", "/jobs/{job}/resume",
        "/jobs/{job}/approve", "/jobs/{job}/reject", "/jobs/{job}/answer", "/jobs/{job}/events", "/jobs/{job}/files",
        "/jobs/{job}/files/{path}", "/jobs/{job}/cost", "/jobs/{job}/steps", "/uploads",
    }  # fmt: skip
    assert wanted <= set(described["paths"])
    assert "Problem" in described["components"]["schemas"]
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/status").json()["workers"] == []
    ready = client.get("/ready")
    assert ready.status_code == 503
    assert ready.json()["database"] is True


def test_an_order_that_was_cut_off_is_finished_at_the_next_start(tmp_path: Path) -> None:
    """Killed between the row of the job and the queue: the job is there, nobody would ever run it."""
    import sqlalchemy as sa

    from echelon.engine import durable
    from echelon.service.ordering import finish_orders
    from echelon.store import tables as t

    with served(tmp_path / "home") as server, server.client() as client:
        job = client.post("/jobs", data={"type": "creator"}, files=upload(), headers={"Idempotency-Key": "k"}).json()[
            "job"
        ]
        durable.forget(server.store, job, 1)
        with server.store.engine.begin() as c:
            c.execute(sa.update(t.orders).values(queued=False))
        assert not durable.is_queued(server.store, job, 1)
        assert finish_orders(server.desk.service) == [job]
        assert durable.is_queued(server.store, job, 1)
        assert finish_orders(server.desk.service) == []
